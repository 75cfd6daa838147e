"""How busy others keep the machine, from what Linux counts, so that a round of measurement can
wait for a quiet moment and can be left out if it had none.

On systems without `/proc/stat` nothing is known: every moment counts as quiet.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

STATISTICS = Path("/proc/stat")
_WINDOW_SECONDS = 0.06
_SLACK = 0.2
"""Processors that others may keep busy beside those that a contestant leaves free. The counts
move in steps of a hundredth of a second."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Seconds of processor time since the start of the machine: `busy` of all processors, what
    a hypervisor took away included, `own` of this process and the children it waited for."""

    wall: float
    busy: float
    own: float


def read(path: Path = STATISTICS) -> Reading | None:
    """What is counted now; None if it cannot be read."""
    try:
        first = path.read_text(encoding="ascii").split("\n", 1)[0].split()
        ticks = [int(word) for word in first[1:9]]
    except (OSError, ValueError):
        return None
    if len(ticks) < 8 or first[0] != "cpu":
        return None
    user, nice, system, _idle, _waiting, interrupts, soft_interrupts, stolen = ticks
    busy = user + nice + system + interrupts + soft_interrupts + stolen
    times = os.times()
    own = times.user + times.system + times.children_user + times.children_system
    return Reading(time.monotonic(), busy / os.sysconf("SC_CLK_TCK"), own)


def busy_others(before: Reading | None, after: Reading | None) -> float:
    """Processors that others kept busy between two readings, on average."""
    if before is None or after is None or after.wall <= before.wall:
        return 0.0
    busy = (after.busy - before.busy) - (after.own - before.own)
    return max(0.0, busy / (after.wall - before.wall))


@dataclass(frozen=True, slots=True)
class QuietMachine:
    """Decides whether `threads` threads can have processors to themselves."""

    threads: int
    processors: int
    patience_seconds: float
    take: Callable[[], Reading | None] = read
    sleep: Callable[[float], None] = time.sleep

    def wait(self) -> None:
        """Returns at a quiet moment, or when patience is at its end."""
        waited = 0.0
        while waited < self.patience_seconds:
            before = self.take()
            self.sleep(_WINDOW_SECONDS)
            waited += _WINDOW_SECONDS
            if self.is_quiet(busy_others(before, self.take())):
                return

    def is_quiet(self, others: float) -> bool:
        """Whether so many busy processors of others leave enough."""
        return others <= max(0, self.processors - self.threads) + _SLACK
