"""One batch of a sweep, as a worker process runs it."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, field

from mapal.sweep.battery import Difference, Rewriting, Tally, check
from mapal.sweep.failures import Failure, shrunk
from mapal.sweep.generate import script_of
from mapal.target import load_profile

TEXT_EVERY = 16
"""One graph of so many is printed and read back."""

EXECUTABLE_EVERY = 100
"""One program of so many is linked and run by itself."""


@dataclass(slots=True)
class BatchResult:
    """Counts of a batch, what failed in it, and the seconds that it took."""

    tally: Tally = field(default_factory=Tally)
    failures: list[Failure] = field(default_factory=list)
    seconds: float = 0.0


def run_batch(seed: int, first: int, count: int, rewriting: Rewriting) -> BatchResult:
    """Scripts `first` to `first + count - 1`; each failure is shrunk."""
    start = time.perf_counter()
    profile = load_profile("native")
    scripts = [script_of(seed, number) for number in range(first, first + count)]
    result = BatchResult()
    # Graphs refer to themselves: without pauses for them, collection happens once, at the end.
    gc.disable()
    found = check(
        scripts,
        profile,
        rewriting,
        text_every=TEXT_EVERY,
        executable_every=EXECUTABLE_EVERY,
        tally=result.tally,
    )
    gc.enable()
    gc.collect()
    result.seconds = time.perf_counter() - start
    for number, script, difference in zip(range(first, first + count), scripts, found, strict=True):
        if difference is not None:
            failure = shrunk(seed, number, script, difference, profile, rewriting)
            result.failures.append(failure)
    return result


def crash_of(seed: int, number: int, ending: str) -> Failure:
    """The failure of a script whose worker did not survive it."""
    return Failure(seed, number, Difference("worker", ending), script_of(seed, number))
