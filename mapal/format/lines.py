"""The text under construction: lines of tokens with their comments.

Whatever the layout asks for, a comment on a line of its own stays on one, and a comment behind
a token stays behind it and ends its line. So the trivia of the result is that of the source,
and a layout that is a function of tokens and trivia cannot change when it is applied again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mapal.format.trivia import Trivia

INDENT = 4
_COMMENT_GAP = "  "


@dataclass(slots=True)
class _Line:
    indent: int
    code: str = ""
    comment: str | None = None


class Lines:
    """Lines that grow at their end. `texts` are the tokens as they are written."""

    def __init__(self, texts: Sequence[str], trivia: Trivia) -> None:
        self._texts = texts
        self._trivia = trivia
        self._lines: list[_Line] = [_Line(0)]
        self._base = 0
        self._space = False

    @property
    def column(self) -> int:
        """How many characters the current line has, with a space that is due."""
        line = self._lines[-1]
        return line.indent + len(line.code) + (self._space and bool(line.code))

    def begin(self, indent: int, *, blank: bool = False) -> None:
        """Go to a new line, behind an empty one if asked; from here on that is the indent of
        the layout, to which forced breaks add one step."""
        self._base = indent
        self._feed(indent, blank=blank)

    def space(self) -> None:
        """Keep the next token apart from the one before it."""
        self._space = True

    def pad(self, width: int) -> None:
        """Append spaces, so that what follows is aligned."""
        self._lines[-1].code += " " * width

    def token(self, ordinal: int) -> None:
        """Append a token and its comments."""
        self.run(ordinal, ordinal, self._texts[ordinal])

    def run(self, first: int, last: int, text: str) -> None:
        """Append the text of tokens with no comments between them."""
        comments = self._trivia.leading[first]
        if comments:
            self._leading(first)
        elif self._lines[-1].comment is not None:
            self._feed(self._base + INDENT)
        line = self._lines[-1]
        line.code += (" " if self._space and line.code else "") + text
        self._space = False
        line.comment = self._trivia.trailing[last]

    def comments_before(self, ordinal: int, indent: int, *, blank: bool) -> None:
        """Write the comments that lead to a token on lines at an indent; `blank` tells whether
        an empty line may stand before the first."""
        for number, comment in enumerate(self._trivia.leading[ordinal]):
            self._feed(indent, blank=comment.blank_before and (blank or number > 0))
            self._lines[-1].code = comment.text

    def closer(self, ordinal: int) -> None:
        """Append a closing bracket whose comments are written, at the start of a line."""
        self._lines[-1].code = self._texts[ordinal]
        self._lines[-1].comment = self._trivia.trailing[ordinal]

    def _leading(self, first: int) -> None:
        """The comments before a token; at the start of a line they take its indent."""
        if self._lines[-1].code:
            self._feed(self._base + INDENT)
        indent = self._lines[-1].indent
        for number, comment in enumerate(self._trivia.leading[first]):
            if number and comment.blank_before:
                self._feed(indent, blank=True)
            self._lines[-1].code = comment.text
            self._feed(indent)
        if self._trivia.blank_before[first]:
            self._feed(indent, blank=True)

    def _feed(self, indent: int, *, blank: bool = False) -> None:
        """Go to a new line, or give a line without content another indent."""
        if self._lines[-1].code:
            self._lines.append(_Line(indent))
        if blank and len(self._lines) > 1 and self._lines[-2].code:
            self._lines.insert(-1, _Line(0))
        self._lines[-1].indent = indent
        self._space = False

    def text(self) -> str:
        """The whole text, each line with its line feed; empty if there is no line."""
        return "".join(f"{line}\n" for line in self._aligned())

    def _aligned(self) -> Iterator[str]:
        """The lines; comments behind neighbouring lines of one indent begin in one column."""
        lines = self._lines if self._lines[-1].code else self._lines[:-1]
        start = 0
        while start < len(lines):
            end = start + 1
            while (
                end < len(lines)
                and lines[start].comment is not None
                and lines[end].comment is not None
                and lines[end].indent == lines[start].indent
            ):
                end += 1
            width = max(len(line.code) for line in lines[start:end])
            for line in lines[start:end]:
                code = " " * line.indent + line.code if line.code else ""
                padding = " " * (width - len(line.code)) + _COMMENT_GAP
                yield code if line.comment is None else f"{code}{padding}{line.comment}"
            start = end
