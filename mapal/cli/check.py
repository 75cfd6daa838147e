"""`mapal check`: diagnostics only."""

from __future__ import annotations

import argparse
import json
import sys

from mapal.cli.sources import REJECTED, front_end, read_source
from mapal.diagnostics import SourceText, UserError, to_json_object


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="a source file, or - for stdin")
    parser.add_argument(
        "--format",
        choices=("human", "json"),
        default="human",
        help="text for people on stderr, or one JSON object a line on stdout",
    )


def run(options: argparse.Namespace) -> int:
    """0 if every file is accepted, 1 if one is rejected, 2 if one cannot be read."""
    status = 0
    for path in options.files:
        try:
            front = front_end(read_source(path))
        except UserError as error:
            print(f"mapal: {error.message}", file=sys.stderr)
            status = 2
            continue
        if not front.diagnostics:
            continue
        status = max(status, REJECTED)
        if options.format == "human":
            sys.stderr.write(front.report())
            continue
        text = SourceText(front.source.data)
        for diagnostic in front.diagnostics:
            entry = to_json_object(
                diagnostic, file=front.source.name, source=text, locations=front.locations
            )
            print(json.dumps(entry, ensure_ascii=False))
    return status
