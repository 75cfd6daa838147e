"""A sweep goes through its batches, survives what it finds, and goes on where it stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mapal.diagnostics import UserError
from mapal.native.workers import WorkerCrashed
from mapal.sweep import command, run
from mapal.sweep.batch import BatchResult, run_batch
from mapal.sweep.battery import Difference, Tally
from mapal.sweep.command import SweepRequest, request_of
from mapal.sweep.failures import Failure
from mapal.sweep.generate import script_of
from mapal.sweep.run import BATCH, run_sweep
from mapal.sweep.state import load_state, save_state, state_path


class FakePool:
    """Answers for workers: notes each call, crashes on the scripts it is told to."""

    def __init__(
        self,
        crashing: tuple[int, ...] = (),
        failing: tuple[int, ...] = (),
        problem: Exception | None = None,
    ) -> None:
        self.calls: list[tuple[int, int]] = []
        self.problem = problem or WorkerCrashed("killed by SIGSEGV", "")
        self.crashing = crashing
        self.failing = failing

    def __call__(self) -> FakePool:
        return self

    def call(
        self, function: str, seed: int, first: int, count: int, rewriting: str, **_: Any
    ) -> BatchResult:
        assert function == "mapal.sweep.batch:run_batch"
        self.calls.append((first, count))
        numbers = range(first, first + count)
        if any(number in numbers for number in self.crashing):
            raise self.problem
        result = BatchResult(Tally(count, count), [], 0.5)
        result.tally.shapes["loop"] = count
        result.tally.fired["fold"] = 2
        result.failures = [
            Failure(seed, number, Difference("text", "differs"), script_of(seed, number))
            for number in self.failing
            if number in numbers
        ]
        return result

    def close(self) -> None:
        pass


def swept(
    monkeypatch: pytest.MonkeyPatch, directory: Path, pool: FakePool, count: int
) -> tuple[int, list[str]]:
    monkeypatch.setattr(run, "WorkerPool", pool)
    lines: list[str] = []
    status = run_sweep(count, 1, directory=directory, workers=1, say=lines.append)
    return status, lines


def test_a_sweep_runs_every_batch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pool = FakePool()
    status, lines = swept(monkeypatch, tmp_path, pool, 2 * BATCH + 30)
    assert status == 0
    assert sorted(pool.calls) == [(0, BATCH), (BATCH, BATCH), (2 * BATCH, 30)]
    assert lines[-1].startswith(f"sweep: {2 * BATCH + 30} programs")
    assert f"  {2 * BATCH + 30:7}  loop" in lines
    assert "fired: fold 6" in lines


def test_an_interrupted_sweep_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    swept(monkeypatch, tmp_path, FakePool(failing=(3,)), 2 * BATCH + 30)
    pool = FakePool()
    status, lines = swept(monkeypatch, tmp_path, pool, 3 * BATCH)
    assert pool.calls == [(2 * BATCH, BATCH)]
    assert lines[0] == f"sweep: {2 * BATCH} programs of seed 1 were run before"
    assert lines[-1].startswith(f"sweep: {3 * BATCH} programs")
    assert status == 1, "a failure of the first part is a failure of the whole"


def test_other_sources_begin_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    swept(monkeypatch, tmp_path, FakePool(), BATCH)
    path = state_path(tmp_path, 1, "pipeline")
    state = load_state(path, 1, "pipeline", BATCH)
    assert state.done == {0}
    state.sources = "others"
    save_state(path, state)
    assert load_state(path, 1, "pipeline", BATCH).done == set()


@pytest.mark.parametrize("text", ["", "{", "{}", "[]", '{"sources": 1, "batch": 2}'])
def test_a_damaged_state_begins_anew(tmp_path: Path, text: str) -> None:
    path = state_path(tmp_path, 1, "each")
    path.write_text(text, encoding="utf-8")
    assert load_state(path, 1, "each", BATCH).done == set()


def test_what_kills_a_worker_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    status, lines = swept(monkeypatch, tmp_path, FakePool(crashing=(41,)), BATCH)
    assert status == 1
    assert [line for line in lines if "FAILURE" in line] == [
        f"sweep: FAILURE worker: {tmp_path / 'seed1-41.txt'}"
    ]
    assert "killed by SIGSEGV" in (tmp_path / "seed1-41.txt").read_text(encoding="utf-8")
    assert lines[-1].startswith(f"sweep: {BATCH - 1} programs")


def test_what_fails_in_a_worker_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pool = FakePool(crashing=(7,), problem=UserError("cc failed"))
    status, lines = swept(monkeypatch, tmp_path, pool, BATCH)
    assert status == 1
    assert "cc failed" in (tmp_path / "seed1-7.txt").read_text(encoding="utf-8")
    assert lines[-1].startswith(f"sweep: {BATCH - 1} programs")


def test_failures_are_saved_and_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    status, lines = swept(monkeypatch, tmp_path, FakePool(failing=(5, 17)), BATCH)
    assert status == 1
    assert {path.name for path in tmp_path.glob("*.ir")} == {"seed1-5.ir", "seed1-17.ir"}
    assert lines[-1].startswith(f"sweep: {BATCH} programs, {BATCH} runs, 2 failures")


def test_real_workers(tmp_path: Path) -> None:
    lines: list[str] = []
    assert run_sweep(6, 77, directory=tmp_path, workers=1, say=lines.append) == 0
    assert lines[-1].startswith("sweep: 6 programs")


def test_a_batch_counts_and_shrinks(monkeypatch: pytest.MonkeyPatch) -> None:
    from mapal.sweep import batch

    def check(scripts: Any, *_: Any, tally: Tally, **__: Any) -> list[Difference | None]:
        tally.programs += len(scripts)
        return [None, Difference("text", "differs"), None]

    def shrunk(seed: int, number: int, script: Any, difference: Any, *_: Any) -> Failure:
        return Failure(seed, number, difference, script)

    monkeypatch.setattr(batch, "check", check)
    monkeypatch.setattr(batch, "shrunk", shrunk)
    result = run_batch(4, 10, 3, "pipeline")
    assert result.tally.programs == 3
    assert [failure.name for failure in result.failures] == ["seed4-11"]
    assert result.seconds > 0


def test_words_of_the_command_line() -> None:
    assert request_of({}) == SweepRequest(1000, 1, "pipeline")
    words = {"count": "20", "seed": "0", "rewrite": "each"}
    assert request_of(words) == SweepRequest(20, 0, "each")


@pytest.mark.parametrize(
    "words",
    [{"count": "0"}, {"count": "many"}, {"seed": "-1"}, {"seed": "²"}, {"rewrite": "all"}],
)
def test_words_that_mean_nothing(words: dict[str, str]) -> None:
    with pytest.raises(UserError, match=next(iter(words))):
        request_of(words)


def test_the_command_runs_what_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []

    def fake(*arguments: Any) -> int:
        asked.append(arguments)
        return len(asked) - 1

    monkeypatch.setattr(command, "run_sweep", fake)
    assert command.sweep({"count": "5"})
    assert not command.sweep({"count": "5", "rewrite": "each"})
    assert asked == [(5, 1, "pipeline"), (5, 1, "each")]
