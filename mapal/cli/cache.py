"""`mapal cache`: what the shared cache holds, emptying it, checking it."""

from __future__ import annotations

import argparse
import json
import os

from mapal.cache import Damaged, LocalStore, Settings, decode, read_settings
from mapal.diagnostics import UserError
from mapal.pipeline.files import describe

_KIB = 1 << 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(action="info", format="text")
    actions = parser.add_subparsers(metavar="ACTION", dest="action")
    info = actions.add_parser("info", help="where it is, what it holds, how often it helped")
    info.add_argument("--format", choices=("text", "json"), default="text")
    actions.add_parser("clean", help="remove every entry")
    actions.add_parser(
        "verify", help="check the hash of every entry and remove what is damaged; 1 if any was"
    )


def run(options: argparse.Namespace) -> int:
    """0; 1 if `verify` found damage. A cache that cannot be read is a `UserError`."""
    settings = read_settings(os.environ)
    store = LocalStore(settings.place(), settings.limit_bytes)
    try:
        if options.action == "clean":
            removed = store.clear()
            print(f"removed {removed.entries} entries, {_size(removed.bytes)}")
            return 0
        if options.action == "verify":
            return _verify(store)
        _show(settings, store, as_json=options.format == "json")
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise UserError(f"{error.filename}: {describe(error)}", 1) from None
    return 0


def _show(settings: Settings, store: LocalStore, *, as_json: bool) -> None:
    census, counters = store.census(), store.statistics()
    if as_json:
        facts = {
            "directory": store.directory,
            "enabled": settings.enabled,
            "entries": census.entries,
            "bytes": census.bytes,
            "limit_bytes": store.limit_bytes,
            "remote": settings.shown_remote(),
            "statistics": counters,
        }
        print(json.dumps(facts, sort_keys=True))
        return
    state = "" if settings.enabled else " (off: MAPAL_CACHE=off)"
    print(f"directory    {_shown(store.directory)}{state}")
    print(f"entries      {census.entries}")
    print(f"size         {_size(census.bytes)} of at most {_size(store.limit_bytes)}")
    print(f"remote       {settings.shown_remote() or 'none'}")
    for name, count in counters.items():
        print(f"{name.replace('_', ' '):<11}  {count}")


def _verify(store: LocalStore) -> int:
    damaged = 0
    keys = store.keys()
    for key in keys:
        data = store.read(key, mark_used=False)
        try:
            if data is not None:
                decode(key, data)
        except Damaged:
            damaged += 1
            done = "removed" if store.drop(key) else "cannot remove"
            print(f"{done} {_shown(store.path(key))}: damaged")
    unfinished = store.sweep()
    if unfinished:
        print(f"removed {unfinished} files of writers that were ended")
    print(f"{len(keys)} entries, {damaged} damaged")
    return 1 if damaged else 0


def _shown(path: str) -> str:
    """A path that any stream takes: names of files need not be text."""
    return path.encode("utf-8", "backslashreplace").decode()


def _size(count: int) -> str:
    """Bytes for people."""
    size, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < _KIB:
            break
        size, unit = size / _KIB, larger
    return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
