"""`mapal diff`: two manifests as a table."""

from __future__ import annotations

import argparse
import json
import os
import sys

from mapal.diagnostics import UserError
from mapal.report.comparison import Manifest, compare, read_manifest, render_table, to_document

_FILE = "manifest.json"
DIFFERENT = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = "a manifest.json, or the directory of a build or project that has one"
    parser.add_argument("old", metavar="OLD", help=what)
    parser.add_argument("new", metavar="NEW", help=what)
    parser.add_argument(
        "--format",
        choices=("human", "json"),
        default="human",
        help="a table for people, or one JSON object",
    )


def run(options: argparse.Namespace) -> int:
    """0 if both list the same artifacts by content, 1 if not, 2 if one cannot be read."""
    comparison = compare(_manifest(options.old), _manifest(options.new))
    if options.format == "json":
        print(json.dumps(to_document(comparison), indent=1, ensure_ascii=False))
    else:
        sys.stdout.write(render_table(comparison))
    return DIFFERENT if comparison.changes else 0


def _manifest(path: str) -> Manifest:
    for candidate in (path, os.path.join(path, _FILE), os.path.join(path, "build", _FILE)):
        if os.path.isfile(candidate):
            path = candidate
            break
    try:
        with open(path, "rb") as file:
            return read_manifest(file.read(), path)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
