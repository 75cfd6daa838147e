"""What lies between tokens: comments and blank lines, each by the token that it belongs to.

The lexer drops both. They are found again in the gaps between the spans of its tokens, so
there is one lexer and no second opinion about where a comment begins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from mapal.syntax import Token

_MARK = re.compile(r"//[^\n]*|\n")


class Comment(NamedTuple):
    """A comment on a line of its own, without white space at its end. `blank_before` tells
    that an empty line stands before it."""

    text: str
    blank_before: bool


@dataclass(frozen=True, slots=True)
class Trivia:
    """Comments and blank lines of a source of n tokens; index n is the end of the source.

    `leading[i]` are the comments on lines of their own before token i, `trailing[i]` the one
    behind token i on its line, and `blank_before[i]` tells that an empty line stands directly
    before token i.
    """

    leading: tuple[tuple[Comment, ...], ...]
    trailing: tuple[str | None, ...]
    blank_before: tuple[bool, ...]
    _comments_inside: tuple[int, ...]

    def comments_inside(self, first: int, last: int) -> bool:
        """Whether a comment stands between the first and the last of some tokens."""
        return self._comments_inside[last] > self._comments_inside[first]

    def begins_after_blank(self, token: int) -> bool:
        """Whether an empty line stands before a token and the comments that lead to it."""
        comments = self.leading[token]
        return comments[0].blank_before if comments else self.blank_before[token]

    def texts(self) -> list[str]:
        """All comments in source order."""
        found: list[str] = []
        for token, comments in enumerate(self.leading):
            found += [comment.text for comment in comments]
            trailing = self.trailing[token]
            if trailing is not None:
                found.append(trailing)
        return found


def find_trivia(source: str, tokens: Sequence[Token]) -> Trivia:
    """The trivia of a source that the lexer reports nothing about, and its tokens."""
    data = source.encode("utf-8", "surrogatepass")
    leading: list[tuple[Comment, ...]] = []
    trailing: list[str | None] = [None] * (len(tokens) + 1)
    blank_before: list[bool] = []
    position = 0
    for ordinal in range(len(tokens) + 1):
        end = tokens[ordinal].start if ordinal < len(tokens) else len(data)
        comments: list[Comment] = []
        feeds = 0 if ordinal else 1
        for mark in _MARK.finditer(data[position:end].decode("utf-8", "surrogatepass")):
            if mark.group() == "\n":
                feeds += 1
                continue
            text = mark.group().rstrip()
            if feeds:
                comments.append(Comment(text, feeds > 1))
            else:
                trailing[ordinal - 1] = text
            feeds = 0
        leading.append(tuple(comments))
        blank_before.append(feeds > 1)
        if ordinal < len(tokens):
            position = tokens[ordinal].end
    # Comments that follow token i - 1 and stand before token i, summed up.
    between = [len(leading[0])] + [
        len(leading[ordinal]) + (trailing[ordinal - 1] is not None)
        for ordinal in range(1, len(tokens) + 1)
    ]
    return Trivia(tuple(leading), tuple(trailing), tuple(blank_before), tuple(accumulate(between)))
