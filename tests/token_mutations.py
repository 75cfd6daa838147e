"""Damaged source texts: tokens of a good program deleted, doubled, swapped or replaced.

Most changes put a token in the place of one of its own class, or move whole statements, so that
the text still parses more often than not.
"""

from __future__ import annotations

import random
from pathlib import Path

from mapal.syntax import tokenize

EXAMPLES = Path(__file__).parent / "examples"

_CLASSES = (
    ("0", "1", "2", "7", "255", "256", "4294967296", "0.5", "4.0", "true", '"s"'),
    ("+", "-", "*", "/", "%", "<", "<=", "==", "!=", "&&", "||"),
    ("i32", "i64", "u8", "f32", "f64", "bool", "T", "u16"),
    ("x", "i", "n", "println", "time", "zip", "enumerate", "iota", "fill", "to_u8", "sqrt", "max"),
    ("map", "fold", "reduce"),
    ("-true->", "-false->", "-_->", "-1->"),
    ("ret", "loop", "seq", "mut", "->", "<-", "(", ")", "{", "}", "[", "]", ";", ",", ".", ":"),
)
_NAMES = 3


def example_sources() -> list[str]:
    """The texts of the example programs, in a fixed order."""
    return [path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.mapal"))]


def pieces(source: str) -> list[str]:
    """The tokens of a text, as text."""
    data = source.encode()
    spans = [(token.start, token.end) for token in tokenize(source).tokens]
    return [data[start:end].decode() for start, end in spans if end > start]


def _class_of(token: str) -> int:
    for number, members in enumerate(_CLASSES):
        if token in members:
            return number
    if token[0].isdigit() or token[0] == '"':
        return 0
    return _NAMES


def _statement(tokens: list[str], place: int) -> tuple[int, int]:
    """The tokens from behind the `;` before a place to behind the one after it."""
    first = place
    while first > 0 and tokens[first - 1] not in (";", "{", "}"):
        first -= 1
    last = place
    while last < len(tokens) - 1 and tokens[last] not in (";", "{", "}"):
        last += 1
    return first, last + (tokens[last] == ";")


def _change(tokens: list[str], draw: random.Random) -> None:
    place = draw.randrange(len(tokens))
    alike = _class_of(tokens[place])
    first, last = _statement(tokens, place)
    match draw.randrange(12):
        case 0:
            del tokens[place]
        case 1:
            tokens.insert(place, tokens[place])
        case 2:
            tokens[place] = draw.choice(tokens)
        case 3 | 4 | 5:
            tokens[place] = draw.choice([token for token in tokens if _class_of(token) == alike])
        case 6 | 7:
            tokens[place] = draw.choice(_CLASSES[alike])
        case 8:
            tokens[place:place] = tokens[first:last]
        case 9:
            del tokens[first:last]
        case _:
            moved = tokens[first:last]
            del tokens[first:last]
            other, _ = _statement(tokens, draw.randrange(len(tokens))) if tokens else (0, 0)
            tokens[other:other] = moved


def mutated(tokens: list[str], draw: random.Random, changes: int) -> str:
    """The tokens with some changes, joined by spaces."""
    changed = list(tokens)
    for _ in range(changes):
        if changed:
            _change(changed, draw)
    return " ".join(changed)
