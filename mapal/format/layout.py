"""The canonical layout of a source text."""

from __future__ import annotations

from dataclasses import dataclass

from mapal.diagnostics import CompilerBug, Diagnostic
from mapal.format.placeholders import with_numbers
from mapal.format.printer import print_items
from mapal.format.reader import read_items
from mapal.format.trivia import find_trivia
from mapal.syntax import parse, recursion_room, tokenize

_FRAMES = 8000
"""More frames than 128 levels of nesting take: a level costs at most 24."""


@dataclass(frozen=True, slots=True)
class Formatted:
    """The text in its canonical layout, or None and what keeps it from being parsed."""

    text: str | None
    diagnostics: tuple[Diagnostic, ...]


def format_source(source: str) -> Formatted:
    """Lay out a source text. The result has the same tokens and comments in the same order, and
    formatting it again changes nothing. A text that does not parse has no layout; what is
    wrong in later stages does not matter. Placeholders of sizes are kept."""
    readable = source
    diagnostics = parse(source).diagnostics
    if diagnostics:
        readable = with_numbers(source)
        if readable == source or parse(readable).diagnostics:
            return Formatted(None, diagnostics)
    tokens = tokenize(readable).tokens
    data = source.encode("utf-8", "surrogatepass")
    texts = [data[token.start : token.end].decode("utf-8", "surrogatepass") for token in tokens]
    trivia = find_trivia(source, tokens)
    with recursion_room(_FRAMES):
        text = print_items(read_items(tokens), texts, trivia)
    again = tokenize(with_numbers(text) if readable is not source else text).tokens
    written = text.encode("utf-8", "surrogatepass")
    if [
        written[token.start : token.end].decode("utf-8", "surrogatepass") for token in again
    ] != texts:
        raise CompilerBug("formatting changed the tokens of a program")
    if find_trivia(text, again).texts() != trivia.texts():
        raise CompilerBug("formatting changed the comments of a program")
    return Formatted(text, ())
