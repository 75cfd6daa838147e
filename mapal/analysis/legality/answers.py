"""Answers: one question about one site, yes or not proved, and what decided it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from mapal.affine import crosscheck


class Question(Enum):
    """What is asked. A yes allows what the comment says."""

    SLICES = "slices"  # slices of the map may run at once
    COVERED = "covered"  # the map's result needs no fill beforehand
    OVERWRITTEN = "overwritten"  # what a loop's array holds at first is never read
    IN_PLACE = "in-place"  # the update may write the old array
    REUSE = "reuse"  # the map may write over the array that it goes over
    PARALLEL = "parallel"  # iterations may run in any order, or at once
    REGROUPED = "regrouped"  # the fold may be split, with the same bits
    GRID = "grid"  # one GPU thread for each element, without races
    TILE = "tile"  # the map's range may be cut into tiles
    MOVE = "move"  # the map only moves elements, in any order
    ONCE = "once"  # each element of the map is read at most once: fusion repeats nothing


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. `reason` says what proves it, or what is in the way."""

    function: str
    token: int
    question: Question
    is_proved: bool
    reason: str

    def to_json_object(self) -> dict[str, Any]:
        return {
            "function": self.function,
            "token": self.token,
            "question": self.question.value,
            "answer": "yes" if self.is_proved else "not proved",
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer before it has a place. `rule` is the simple rule that the query replaces; `part`
    names what of the site is meant, if it is not all of it."""

    question: Question
    is_proved: bool
    reason: str
    rule: Callable[[], bool]
    part: str = ""

    def placed(self, function: str, token: int) -> Answer:
        """The answer for a site, held to the simple rule when crosschecking."""
        crosscheck(
            self.question.value,
            f"{function}, token {token}",
            self.rule,
            self.is_proved,
            self.reason,
        )
        reason = f"{self.part}: {self.reason}" if self.part else self.reason
        return Answer(function, token, self.question, self.is_proved, reason)


def always() -> bool:
    """A simple rule that accepts every site of its kind."""
    return True


def never() -> bool:
    """No simple rule: nothing was allowed before."""
    return False
