"""Tokens: what the lexer makes and the parser reads."""

from __future__ import annotations

from typing import NamedTuple

KEYWORDS = frozenset(
    (
        "fn",
        "type",
        "mut",
        "loop",
        "ret",
        "seq",
        "map",
        "fold",
        "true",
        "false",
        "executor",
        "pub",
        "use",
        "void",
    )
)
"""Words that are never names. The last four begin constructs outside Core."""

PUNCTUATION = frozenset(
    (
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        ";",
        ".",
        "...",
        "+",
        "-",
        "*",
        "/",
        "%",
        "==",
        "!=",
        "<",
        ">",
        "<=",
        ">=",
        "&&",
        "||",
        "!",
        "->",
        "<-",
        "?",
        "@",
    )
)

DEFAULT = "_"
"""The value of the guard arrow `-_->`."""


class Token(NamedTuple):
    """One token.

    `kind` is the text itself for keywords and punctuation, and otherwise one of `name`,
    `integer`, `float`, `string`, `guard`, `error` (reported by the lexer already) and `end`.
    `start` and `end` are offsets in bytes of the UTF-8 source.

    `value` is the name, the number of an integer (clamped to 2^64-1), the text of a float,
    a string with its escapes resolved, or what a guard arrow discriminates: "true", "false",
    `DEFAULT` or an integer.

    `damaged` marks a token after which the parser cannot expect sense, because the lexer had
    to guess where it ends.
    """

    kind: str
    text: str
    start: int
    end: int
    value: int | str | None = None
    damaged: bool = False


def describe(token: Token) -> str:
    """A token as a message names it, clipped to a readable length."""
    text = token.text if len(token.text) <= 40 else token.text[:39] + "…"
    match token.kind:
        case "end":
            return "the end of the file"
        case "name":
            return f"the name `{text}`"
        case "integer" | "float":
            return f"the number `{text}`"
        case "string":
            return f"the string `{text}`"
        case "guard":
            return f"the guard arrow `{text}`"
        case kind if kind in KEYWORDS:
            return f"the keyword `{text}`"
        case _:
            return f"`{text}`"
