"""Shrinking keeps the failure, ends, and leaves little."""

from __future__ import annotations

from mapal.sweep.generate import script_of
from mapal.sweep.program import build
from mapal.sweep.script import Script, size_of, steps_of
from mapal.sweep.shrink import shrink


def kinds(script: Script) -> list[str]:
    return [step.kind for step in steps_of(script.entry.steps)]


def some_script_with(kind: str) -> Script:
    return next(script for number in range(1000) if kind in kinds(script := script_of(9, number)))


def test_one_step_is_left_where_one_is_enough() -> None:
    script = some_script_with("integer_match")
    small = shrink(script, lambda candidate: "integer_match" in kinds(candidate))
    assert kinds(small) == ["integer_match"]
    assert small.helpers == ()
    assert not any(number for step in steps_of(small.entry.steps) for number in step.numbers)
    assert not small.fused


def test_a_failure_of_the_graph_is_kept() -> None:
    script = next(
        script
        for number in range(1000)
        if "print 2 loops deep" in build(script := script_of(9, number)).shapes
    )

    def fails(candidate: Script) -> bool:
        return "print 2 loops deep" in build(candidate).shapes

    small = shrink(script, fails)
    assert fails(small)
    assert size_of(small) <= 4


def test_one_set_of_arguments_is_left() -> None:
    script = next(s for n in range(100) if len((s := script_of(9, n)).arguments) > 1)
    last = script.arguments[-1]
    assert shrink(script, lambda candidate: last in candidate.arguments).arguments == (last,)


def test_trials_are_limited() -> None:
    asked: list[Script] = []

    def fails(candidate: Script) -> bool:
        asked.append(candidate)
        return False

    script = script_of(9, 1)
    assert shrink(script, fails, trials=7) == script
    assert len(asked) == 7
