"""Everything about one state of one text: its reports, and what its names are.

A text with sizes to fill in, `{{N}}`, is looked at with an integer in the place of each. What
depends on the sizes is known only to the project that gives them, so of such a text only
mistakes of syntax are reported.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from mapal.check import check
from mapal.diagnostics import Diagnostic, LocationTable
from mapal.format import with_numbers
from mapal.lower import lower
from mapal.lower.inspection import Inspection, inspect
from mapal.syntax import ParseResult, Token, ast, parse, tokenize


@dataclass(frozen=True, slots=True)
class Analysis:
    """`diagnostics` are those of the first stage that reports, as the compiler gives them."""

    source: str
    tokens: tuple[Token, ...]
    program: ast.Program
    locations: LocationTable
    diagnostics: tuple[Diagnostic, ...]
    inspection: Inspection

    def token_at(self, offset: int) -> int | None:
        """The ordinal of the token at a byte offset; of two that touch there, the one that
        names something."""
        number = bisect_right(self.tokens, offset, key=lambda token: token.start) - 1
        touching = [
            ordinal
            for ordinal in (number, number - 1)
            if ordinal >= 0 and self.tokens[ordinal].end >= offset
        ]
        named = [ordinal for ordinal in touching if ordinal in self.inspection.uses]
        return next(iter([*named, *touching]), None)


def analyse(source: str) -> Analysis:
    """Analyse a text: any text has a result."""
    readable, parsed = source, parse(source)
    diagnostics = parsed.diagnostics or _later_diagnostics(parsed)
    if parsed.diagnostics:
        numbered = with_numbers(source)
        other = parsed if numbered == source else parse(numbered)
        if not other.diagnostics:
            readable, parsed, diagnostics = numbered, other, ()
    return Analysis(
        source,
        tokenize(readable).tokens,
        parsed.program,
        parsed.locations,
        diagnostics,
        inspect(parsed.program),
    )


def _later_diagnostics(parsed: ParseResult) -> tuple[Diagnostic, ...]:
    """What is wrong with a text that parses."""
    lowered = lower(parsed.program, "exact")
    if lowered.graph is None:
        return lowered.diagnostics
    return check(parsed.program, lowered.graph)
