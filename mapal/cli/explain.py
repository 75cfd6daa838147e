"""`mapal explain`: the catalogue entry of one code."""

from __future__ import annotations

import argparse
import sys
import textwrap

from mapal.cli.catalogue import catalogue
from mapal.diagnostics import DiagnosticKind, UserError
from mapal.target.document import closest

_WIDTH = 80
_MARGIN = "    "


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", metavar="CODE", help="the code of an error, such as P0003")


def run(options: argparse.Namespace) -> int:
    """0; raises `UserError` for a code that no error has."""
    kinds = catalogue()
    code = options.code.strip().upper()
    if code not in kinds:
        padded = code[:1] + code[1:].zfill(4)
        likely = [padded] if padded in kinds else kinds
        raise UserError(f"there is no error {options.code}{closest(code, likely)}")
    sys.stdout.write(entry_text(kinds[code]))
    return 0


def entry_text(kind: DiagnosticKind) -> str:
    """One entry for people: title, explanation, an example and how to write it instead."""
    parts = [f"{kind.code}: {kind.title}", textwrap.fill(kind.explanation, _WIDTH)]
    if kind.example:
        parts += ["For example:", textwrap.indent(kind.example, _MARGIN)]
    if kind.correction:
        parts += ["Write instead:", textwrap.indent(kind.correction, _MARGIN)]
    return "\n\n".join(parts) + "\n"
