"""`mapal new`: a project that builds as it is."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from mapal.diagnostics import UserError

_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}\Z")

_PROJECT = """\
name: {name}
programs:
  {name}:
    source: src/{name}.mapal
targets: [native]
"""

_SOURCE = """\
// The sum of the first ten squares.
fn main() {
    10 -> iota -> map { i -> i * i } -> squares;
    (0, squares) -> fold { sum, square -> sum + square } -> println;
}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the directory to make; its name is used")


def run(options: argparse.Namespace) -> int:
    """0; an unsafe name or a directory that is not empty is a `UserError`."""
    directory = Path(options.name)
    name = directory.name
    if not _SAFE_NAME.match(name):
        raise UserError(f"{name!r} is no name for a project; expected letters, digits, _ and -")
    files = {
        "mapal.yaml": _PROJECT.format(name=name),
        "dodo.py": "from mapal.dodo import *  # noqa: F403\n",
        f"src/{name}.mapal": _SOURCE,
        ".gitignore": "build/\n",
    }
    try:
        if directory.exists() and any(directory.iterdir()):
            raise UserError(f"{directory}: exists and is not empty")
        for file, text in files.items():
            path = directory / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{error.filename or directory}: {error.strerror}") from None
    print(f"{directory}: made; next: cd {os.fspath(directory)} && doit build")
    return 0
