"""The door of the parser: source text to tree, locations and reports."""

from __future__ import annotations

from typing import NamedTuple

from mapal.diagnostics import Diagnostic, LocationTable
from mapal.syntax import ast
from mapal.syntax.item_parser import ItemParser
from mapal.syntax.lexer import tokenize
from mapal.syntax.recursion import recursion_room

_PARSER_FRAMES = 4000
"""More frames than 128 levels of nesting take: a level costs at most 14."""


class ParseResult(NamedTuple):
    """What a source text is. `program` is meant for lowering only when `diagnostics` is empty;
    otherwise it holds what could be made out."""

    program: ast.Program
    locations: LocationTable
    diagnostics: tuple[Diagnostic, ...]


def parse(source: str) -> ParseResult:
    """Parse a source text. Total and linear: every text has a result, and every error the
    lexer or the parser finds is in it, in source order."""
    lexed = tokenize(source)
    parser = ItemParser(source, lexed)
    with recursion_room(_PARSER_FRAMES):
        program = parser.program()
    locations = LocationTable(tuple((token.start, token.end) for token in lexed.tokens))
    # The sort is stable: on a tie the lexer's report comes first.
    reports = [*lexed.diagnostics, *parser.diagnostics]
    reports.sort(key=lambda report: report.span or (0, 0))
    return ParseResult(program, locations, tuple(reports))
