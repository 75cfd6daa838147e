"""What is counted as busy, and when the machine counts as quiet."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mapal.bench.idle import QuietMachine, Reading, busy_others, read


def test_time_of_others_is_all_that_is_busy_without_our_own() -> None:
    before, after = Reading(10.0, 100.0, 5.0), Reading(12.0, 103.0, 6.0)
    assert busy_others(before, after) == pytest.approx(1.0)


def test_nothing_known_is_nothing_busy() -> None:
    reading = Reading(10.0, 100.0, 5.0)
    assert busy_others(None, reading) == 0.0
    assert busy_others(reading, None) == 0.0
    assert busy_others(reading, reading) == 0.0


def test_all_kinds_of_busy_time_count_and_idle_time_does_not(tmp_path: Path) -> None:
    path = tmp_path / "stat"
    path.write_text("cpu  100 200 300 99999 88888 400 500 600 0 0\ncpu0 1 1 1 1\n", "ascii")
    found = read(path)
    assert found is not None
    path.write_text("cpu  200 200 300 0 0 400 500 600 0 0\n", "ascii")
    later = read(path)
    assert later is not None
    assert found.busy == pytest.approx(21 * (later.busy - found.busy))


@pytest.mark.parametrize(
    "text", ["", "cpu 1 2\n", "cpu a b c d e f g h\n", "intr 1 2 3 4 5 6 7 8\n"]
)
def test_what_cannot_be_read_is_not_known(tmp_path: Path, text: str) -> None:
    path = tmp_path / "stat"
    path.write_text(text, "ascii")
    assert read(path) is None
    assert read(tmp_path / "missing") is None


def readings(*others: float) -> Iterator[Reading]:
    """Pairs of readings a second apart, between which others kept so many processors busy."""
    for busy in others:
        yield Reading(0.0, 0.0, 0.0)
        yield Reading(1.0, busy, 0.0)


@pytest.mark.parametrize(
    ("threads", "others", "quiet"),
    [(1, 1.1, True), (1, 1.3, False), (2, 0.1, True), (2, 0.3, False), (4, 0.1, True)],
)
def test_each_thread_needs_a_processor(threads: int, others: float, quiet: bool) -> None:
    assert QuietMachine(threads, 2, 1.0).is_quiet(others) is quiet


def test_waiting_ends_at_the_first_quiet_moment() -> None:
    source = readings(2.0, 2.0, 0.0, 2.0)
    sleeps: list[float] = []
    QuietMachine(1, 2, 10.0, lambda: next(source), sleeps.append).wait()
    assert len(sleeps) == 3


def test_patience_has_an_end() -> None:
    sleeps: list[float] = []
    source = readings(*[2.0] * 99)
    QuietMachine(1, 2, 0.5, lambda: next(source), sleeps.append).wait()
    assert sum(sleeps) == pytest.approx(0.5, abs=0.1)
