"""`doit sweep`: thousands of random programs through the battery, on all processors.

Batches run in worker processes. A batch that takes its worker down is cut in halves until the
script that does it is alone. What is done is written down after every batch.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from mapal.diagnostics import CompilerBug, UserError
from mapal.native.workers import WorkerCrashed, WorkerPool, qualified_name
from mapal.rewrite import PIPELINE
from mapal.sweep.batch import BatchResult, crash_of, run_batch
from mapal.sweep.battery import Rewriting, Tally
from mapal.sweep.failures import save
from mapal.sweep.state import SweepState, load_state, save_state, state_path

DIRECTORY = Path("build", "sweep")
BATCH = 100
LEAST_SHAPE_SHARE = 0.01
"""Each shape is to occur in this share of the programs."""

_BATCH_LIMIT_SECONDS = 1800.0
_SECONDS_BETWEEN_REPORTS = 10.0


def run_sweep(
    count: int,
    seed: int,
    rewriting: Rewriting = "pipeline",
    *,
    directory: Path = DIRECTORY,
    workers: int | None = None,
    say: Callable[[str], None] = print,
) -> int:
    """Runs the first `count` programs of a seed that have not been run before; 0 if none of
    them, now or before, shows a difference. Failures are saved below `directory`."""
    path = state_path(directory, seed, rewriting)
    state = load_state(path, seed, rewriting, BATCH)
    todo = [
        (first, min(BATCH, count - first))
        for first in range(0, count, BATCH)
        if first // BATCH not in state.done
    ]
    if state.done:
        say(f"sweep: {len(state.done) * BATCH} programs of seed {seed} were run before")
    if not PIPELINE:
        say("sweep: there are no passes; the rewritten graph is the raw one")
    progress = _Progress(state, say)
    pool = WorkerPool()
    executor = ThreadPoolExecutor(workers or len(os.sched_getaffinity(0)))
    try:
        jobs = {
            executor.submit(_survive, pool, seed, first, size, rewriting): (first, size)
            for first, size in todo
        }
        for job in as_completed(jobs):
            first, size = jobs[job]
            result = job.result()
            for failure in result.failures:
                report = save(failure, directory, rewriting)
                say(f"sweep: FAILURE {failure.difference.leg}: {report}")
            progress.add(first, size, result)
            save_state(path, state)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
        pool.close()
    progress.finish()
    return 1 if progress.failed else 0


def _survive(
    pool: WorkerPool, seed: int, first: int, count: int, rewriting: Rewriting
) -> BatchResult:
    """A batch in a worker; what kills the worker, or fails in it, is found by halving."""
    try:
        result = pool.call(
            qualified_name(run_batch),
            seed,
            first,
            count,
            rewriting,
            limit_seconds=_BATCH_LIMIT_SECONDS,
        )
        assert isinstance(result, BatchResult)
        return result
    except (WorkerCrashed, CompilerBug, UserError) as problem:
        if count == 1:
            return BatchResult(Tally(), [crash_of(seed, first, str(problem))])
    half = count // 2
    lower = _survive(pool, seed, first, half, rewriting)
    upper = _survive(pool, seed, first + half, count - half, rewriting)
    lower.tally.add(upper.tally)
    lower.seconds += upper.seconds
    lower.failures += upper.failures
    return lower


class _Progress:
    """Adds results up and tells how it goes. A last batch that is not full is not kept, so
    that a longer sweep runs it whole."""

    def __init__(self, state: SweepState, say: Callable[[str], None]) -> None:
        self._state = state
        self._say = say
        self._tally = Tally()
        self._tally.add(state.tally)
        self._seconds = state.seconds
        self._start = self._reported = time.monotonic()
        self._now = 0
        self.failed = list(state.failed)

    def add(self, first: int, size: int, result: BatchResult) -> None:
        names = [failure.name for failure in result.failures]
        self.failed += names
        self._tally.add(result.tally)
        self._seconds += result.seconds
        self._now += result.tally.programs
        if size == BATCH:
            self._state.done.add(first // BATCH)
            self._state.failed += names
            self._state.tally.add(result.tally)
            self._state.seconds += result.seconds
        if time.monotonic() - self._reported > _SECONDS_BETWEEN_REPORTS:
            self._reported = time.monotonic()
            self._say(f"sweep: {self._line()}")

    def _line(self) -> str:
        rate = self._now / max(1e-9, time.monotonic() - self._start)
        each = self._tally.programs / max(1e-9, self._seconds)
        return (
            f"{self._tally.programs} programs, {self._tally.runs} runs, "
            f"{len(self.failed)} failures; {rate:.0f} programs/s, {each:.0f} per worker"
        )

    def finish(self) -> None:
        """The census and the last line."""
        tally = self._tally
        self._say("programs in which each shape occurs:")
        for shape, number in sorted(tally.shapes.items(), key=lambda pair: (pair[1], pair[0])):
            mark = "  (rare)" if number < LEAST_SHAPE_SHARE * tally.programs else ""
            self._say(f"  {number:7}  {shape}{mark}")
        self._say("ends of runs: " + _listed(tally.endings.items()))
        if tally.fired or tally.refused:
            self._say("fired: " + _listed(tally.fired.items()))
            self._say("refused: " + _listed(tally.refused.items()))
        self._say(f"sweep: {self._line()}")


def _listed(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(counts))
