"""A small TextMate tokenizer: what an editor does with a grammar, line by line.

It knows what our grammar uses: `match` with `captures`, `begin` and `end` with inner patterns,
`name` and `include` of the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Rule = dict[str, Any]


@dataclass(frozen=True)
class Scoped:
    """A piece of a line, in characters, with its innermost scope."""

    start: int
    end: int
    scope: str


class Grammar:
    """A grammar, with its expressions compiled."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._repository = document["repository"]
        self._rules = list(self._flatten(document["patterns"]))

    def _flatten(self, patterns: list[Rule]) -> Iterator[Rule]:
        for pattern in patterns:
            if "include" in pattern:
                yield from self._flatten(self._repository[pattern["include"][1:]]["patterns"])
            else:
                yield pattern

    def lines(self, text: str) -> list[list[Scoped]]:
        """The scoped pieces of each line; pieces without a scope are left out."""
        found = []
        inside: Rule | None = None
        for line in text.split("\n"):
            pieces, inside = self._line(line, inside)
            found.append(pieces)
        return found

    def _line(self, line: str, inside: Rule | None) -> tuple[list[Scoped], Rule | None]:
        pieces: list[Scoped] = []
        position = 0
        while position <= len(line):
            rule, match = self._next(line, position, inside)
            if rule is None or match is None:
                break
            if inside is not None and match.start() > position:
                pieces.append(Scoped(position, match.start(), inside["name"]))
            pieces += _scoped(rule, inside, match)
            if "begin" in rule and rule is not inside:
                inside = rule
            elif rule is inside:
                inside = None
            elif match.end() == match.start():
                position = match.end() + 1
                continue
            position = match.end()
            if inside is None and position == len(line):
                break
        return pieces, inside

    def _next(
        self, line: str, position: int, inside: Rule | None
    ) -> tuple[Rule | None, re.Match[str] | None]:
        """The rule whose match begins first; of several the first rule."""
        rules = self._rules if inside is None else [inside, *inside["patterns"]]
        best: tuple[Rule | None, re.Match[str] | None] = (None, None)
        for rule in rules:
            key = "end" if rule is inside else "begin" if "begin" in rule else "match"
            match = re.compile(rule[key]).search(line, position)
            if match is not None and (best[1] is None or match.start() < best[1].start()):
                best = rule, match
        return best


def _scoped(rule: Rule, inside: Rule | None, match: re.Match[str]) -> Iterator[Scoped]:
    if "captures" in rule:
        for number, capture in sorted(rule["captures"].items()):
            yield Scoped(*match.span(int(number)), capture["name"])
    elif match.end() > match.start():
        scope = inside["name"] if rule is inside and inside is not None else rule["name"]
        yield Scoped(*match.span(), scope)
