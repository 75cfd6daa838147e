"""`mapal target`: profiles."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mapal.target import NATIVE, list_profiles, load_profile, profile_files
from mapal.target.detect import detect, detect_host, why_not_executable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action="list")
    actions = parser.add_subparsers(metavar="ACTION", dest="action")
    actions.add_parser("list", help="every target, and whether this machine runs it")
    show = actions.add_parser("show", help="one profile")
    show.add_argument("name", metavar="T")
    actions.add_parser("detect", help="the profile of this machine, and where it comes from")


def run(options: argparse.Namespace) -> int:
    """0; an unknown target is a `UserError`."""
    if options.action == "detect":
        found = detect()
        sys.stdout.write(found.profile.to_yaml(found.notes))
    elif options.action == "show":
        if options.name == NATIVE:
            sys.stdout.write(detect_host().to_yaml())
        else:
            load_profile(options.name)
            sys.stdout.write(_own_text(options.name))
    else:
        _list()
    return 0


def _own_text(name: str) -> str:
    """The text of a profile that was loaded by its name or its path."""
    if name in list_profiles():
        return profile_files(name)[f"{name}.yaml"].decode()
    return Path(name).read_text("utf-8")


def _list() -> None:
    host = detect_host()
    profiles = [load_profile(name) for name in list_profiles()]
    width = max(len(profile.name) for profile in (*profiles, host))
    for profile in (*profiles, host):
        reason = why_not_executable(profile, host)
        runs = "runs here" if reason is None else f"does not run here: {reason}"
        print(f"{profile.name:<{width}}  {profile.summary}; {runs}")
