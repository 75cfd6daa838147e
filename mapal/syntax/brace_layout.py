"""Where a missing or surplus brace probably is, judged by indentation.

Layout means nothing to the language, but people indent as they mean it: the first pair of
braces whose closing one does not line up with the line of the opening one is close to the slip.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mapal.diagnostics import SourceText
from mapal.syntax.tokens import Token

_SPACE = re.compile(rb"[ \t]*")


def misaligned_braces(
    text: SourceText, tokens: Sequence[Token], closers: Sequence[int], first: int, last: int
) -> str | None:
    """A note on the first misaligned pair of braces whose closing one is among the tokens
    `first` to `last` and begins its line; None if every such pair lines up."""
    openers = {
        closers[position]: position
        for position in range(first, last + 1)
        if tokens[position].kind == "{" and closers[position] >= 0
    }
    for closer in sorted(openers):
        if closer > last:
            break
        closing, opening = tokens[closer].start, tokens[openers[closer]].start
        indentation = _indentation(text, closing)
        begins_line = _line_start(text, closing) + len(indentation) == closing
        if begins_line and indentation != _indentation(text, opening):
            there, here = text.position(opening), text.position(closing)
            return (
                f"the `}}` at {here.line}:{here.column} closes the `{{` at "
                f"{there.line}:{there.column} and does not line up with that line"
            )
    return None


def _line_start(text: SourceText, offset: int) -> int:
    return text.line_bounds(text.position(offset).line)[0]


def _indentation(text: SourceText, offset: int) -> bytes:
    """The white space that begins the line of an offset."""
    found = _SPACE.match(text.data, _line_start(text, offset))
    assert found is not None, "the pattern matches everywhere"
    return found.group()
