"""Contestants in turns: how samples are taken so that what a machine does besides falls on all
of them alike.

Each round samples everyone once, and each round begins with another one. A sample is as many
calls as fill `SAMPLE_SECONDS`; the first round warms and is not counted. Before a round the
machine has to be quiet, within patience; a round during which others were busy is kept apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mapal.bench.idle import QuietMachine, busy_others
from mapal.bench.library import Timer

SAMPLE_SECONDS = 0.02
_MOST_CALLS = 100_000
_REST_SECONDS = 0.3
"""How long workers of libraries keep spinning after their last task, and some more."""


@dataclass(slots=True)
class Contestant:
    """One of the programs that run against each other, with its samples in milliseconds per
    call, one for each round."""

    name: str
    timer: Timer
    samples: list[float] = field(default_factory=list)
    calls: int = 1

    def sample(self) -> float:
        """Milliseconds of one call."""
        return self.timer(self.calls) * 1000 / self.calls

    def size_sample(self) -> None:
        """Warms, and finds how many calls make a sample."""
        self.timer(1)
        seconds = self.timer(1)
        if seconds * 20 < SAMPLE_SECONDS:
            many = max(2, min(_MOST_CALLS, int(SAMPLE_SECONDS / max(seconds, 1e-9) / 4)))
            seconds = self.timer(many) / many
        self.calls = max(1, min(_MOST_CALLS, round(SAMPLE_SECONDS / max(seconds, 1e-9))))


@dataclass(frozen=True, slots=True)
class Rounds:
    """What is known of the rounds of a contest: processors that others kept busy in each, and
    whether it was quiet enough to count."""

    others: list[float]
    quiet: list[bool]


def hold(
    contestants: Sequence[Contestant],
    rounds: int,
    machine: QuietMachine,
    sleep: Callable[[float], None] = time.sleep,
) -> Rounds:
    """Samples every contestant `rounds` times. With several threads there is a rest between
    them, because the workers of some libraries go on spinning for a while."""
    rest = _REST_SECONDS if machine.threads > 1 else 0.0
    for contestant in contestants:
        contestant.size_sample()
        sleep(rest)
    found = Rounds([], [])
    for number in range(rounds + 1):
        start = number % len(contestants)
        if number:
            machine.wait()
        before = machine.take()
        for contestant in (*contestants[start:], *contestants[:start]):
            sample = contestant.sample()
            if number:
                contestant.samples.append(sample)
            sleep(rest)
        if number:
            others = busy_others(before, machine.take())
            found.others.append(others)
            found.quiet.append(machine.is_quiet(others))
    return found
