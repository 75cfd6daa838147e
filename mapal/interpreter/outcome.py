"""What a run ends in, and the signals that end it early."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mapal.ir.graph import Key

TrapKind = Literal["div_zero", "index_oob"]


@dataclass(frozen=True, slots=True)
class Trap:
    """The operation that trapped. `token` is the first token of its own text, `key` its whole
    order key."""

    kind: TrapKind
    token: int
    key: Key


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended. `output` is all that was printed before the end, whatever the end was;
    `result` is the entry's value of a run that is done (None for a unit result), `trap` is
    present for a run that trapped."""

    kind: Literal["done", "trapped", "diverged"]
    output: bytes
    result: object = None
    trap: Trap | None = None


class TrapSignal(Exception):  # noqa: N818  # an outcome of the program, not an error of ours
    """Unwinds the evaluation when an operation traps."""

    def __init__(self, kind: TrapKind, key: Key) -> None:
        super().__init__(kind)
        self.trap = Trap(kind, key[-1][0], key)


class FuelExhausted(Exception):  # noqa: N818  # likewise
    """Unwinds the evaluation when the step budget is spent."""
