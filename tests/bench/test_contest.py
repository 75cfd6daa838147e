"""Turns, samples and rounds."""

from collections.abc import Callable, Iterator

import pytest

from mapal.bench.contest import SAMPLE_SECONDS, Contestant, hold
from mapal.bench.idle import QuietMachine, Reading


def quiet(threads: int = 1) -> QuietMachine:
    """A machine that nothing is known of."""
    return QuietMachine(threads, 2, 0.0, lambda: None, lambda seconds: None)


def taking(seconds: float, log: list[str], name: str) -> Callable[[int], float]:
    """A timer of something that takes so long a call."""

    def timer(calls: int) -> float:
        log.append(name)
        return seconds * calls

    return timer


def test_every_round_samples_everyone_and_begins_with_another() -> None:
    log: list[str] = []
    contestants = [Contestant(name, taking(1.0, log, name)) for name in "abc"]
    rounds = hold(contestants, 3, quiet())
    # Two calls each to find the size of a sample, one warm round, three rounds that count.
    assert log[6:] == list("abcbcacababc")
    assert [contestant.samples for contestant in contestants] == [[1000.0] * 3] * 3
    assert rounds.quiet == [True] * 3


@pytest.mark.parametrize(
    ("seconds", "calls"),
    [
        (SAMPLE_SECONDS * 10, 1),
        (SAMPLE_SECONDS / 8, 8),
        (SAMPLE_SECONDS / 500, 500),
        (0.0, 100_000),
    ],
)
def test_a_sample_of_a_short_call_is_many_calls(seconds: float, calls: int) -> None:
    contestant = Contestant("it", taking(seconds, [], "it"))
    hold([contestant], 1, quiet())
    assert contestant.calls == calls
    assert contestant.samples == [pytest.approx(1000 * seconds)]


def test_with_several_threads_everyone_rests() -> None:
    rests: list[float] = []
    contestants = [Contestant(name, taking(1.0, [], name)) for name in "ab"]
    hold(contestants, 2, quiet(threads=2), rests.append)
    assert len([rest for rest in rests if rest > 0]) == 2 + 2 * 3
    rests.clear()
    hold(contestants, 2, quiet(threads=1), rests.append)
    assert not any(rests)


def test_a_round_in_which_others_were_busy_is_told() -> None:
    counts: Iterator[Reading] = iter(
        [
            *[Reading(0.0, 0.0, 0.0)],  # the round that warms
            *[Reading(0.0, 0.0, 0.0), Reading(1.0, 0.5, 0.5)],
            *[Reading(2.0, 0.5, 0.5), Reading(3.0, 2.5, 0.5)],
        ]
    )
    machine = QuietMachine(1, 2, 0.0, lambda: next(counts), lambda seconds: None)
    rounds = hold([Contestant("it", taking(1.0, [], "it"))], 2, machine)
    assert rounds.others == [0.0, 2.0]
    assert rounds.quiet == [True, False]
