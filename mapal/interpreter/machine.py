"""What one run shares: the step budget, the printed bytes, the clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Environment = list[Any]
"""The values of one activation by slot number."""

Step = Callable[[Environment], None]
"""One translated item: reads and writes slots."""

Clock = Callable[[], float]
"""Milliseconds from an unspecified start, never decreasing."""

LOCKSTEP_FROM = 192
"""From so many elements on, evaluating all at once pays."""


def monotonic_milliseconds() -> float:
    """The process-wide clock of `time`."""
    return time.monotonic() * 1000.0


@dataclass(slots=True)
class Machine:
    """`fuel[0]` is the number of items that may still be evaluated. It is spent region by
    region, before the region runs, and below zero the run has diverged. Collections of at
    least `lockstep_from` elements go to the lockstep interpreter; None means that none do."""

    fuel: list[int]
    clock: Clock
    output: bytearray = field(default_factory=bytearray)
    lockstep_from: int | None = None
