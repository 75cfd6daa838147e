"""`mapal where`: the place of a token that a trap named."""

from __future__ import annotations

import argparse
import sys

from mapal.cli.sources import REJECTED, front_end, place_of, read_source


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a source file, or - for stdin")
    parser.add_argument("token", type=int, metavar="N", help="the ordinal of the token")


def run(options: argparse.Namespace) -> int:
    """0, 1 if the source does not parse, 2 if it has no such token."""
    front = front_end(read_source(options.file))
    if front.locations is None:
        sys.stderr.write(front.report())
        return REJECTED
    print(place_of(options.token, front.source, front.locations))
    return 0
