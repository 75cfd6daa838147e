"""Cases C59, C60 and C63: loops that are no folds, and what a loop does besides."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mapal.analysis import trip_counts
from mapal.ir.ops import BinaryCode, ObjectId
from mapal.ir.types import I32, IO, UNIT, Array
from mapal.rewrite.passes import loop_lifting
from mapal.rewrite.pipeline import LOOP_LIFTING
from tests.rewrite.build import ADD, DIV, GT, LT, MOD, MUL, NEQ, SUB, Lines, Program
from tests.rewrite.loops import (
    MAXIMUM,
    THREE,
    Step,
    counted,
    downwards,
    summing,
    within,
    writing,
)
from tests.rewrite.outcomes import applied, census, declines, kept, kind, value


def reading(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
    return f.update(out, i, f.op(ADD, f.index(out, f.c(0)), i))


def mirrored(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
    return f.update(out, i, f.index(out, f.op(SUB, f.c(2), i)))


def two_updates(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
    return f.update(f.update(out, i, f.c(1)), i, f.c(2))


def other_index(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
    return f.update(out, f.op(ADD, i, f.c(0)), f.c(2))


def over_three(step: Step, bound: int = 3) -> Callable[[Lines], ObjectId]:
    return lambda f: f.index(
        counted(f, f.arg(0), step, cond=lambda f, i: f.op(LT, i, f.c(bound))), f.c(1)
    )


ARRAYS: dict[str, Callable[[Lines], ObjectId]] = {
    "reads the array": over_three(reading),
    "reads the other end": over_three(mirrored),
    "two updates": over_three(two_updates),
    "index i + 0": over_three(other_index),
    "other length": over_three(writing, 2),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_c59_other_writes_stay_loops(name: str) -> None:
    graph = Program().main(ARRAYS[name], (THREE, I32))
    assert declines(graph, LOOP_LIFTING) == [loop_lifting.CARRIES_ARRAY]
    kept(graph, ([7, 8, 9], 5))


def test_what_is_changed_again_and_again_stays_in_place() -> None:
    def doubling(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
        return f.update(out, i, f.op(MUL, f.index(out, i), f.c(2)))

    def twice(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
        return counted(f, out, doubling, cond=within(3))

    graph = Program().main(
        lambda f: counted(f, f.arg(0), twice, cond=within(2)), (THREE, I32), THREE
    )
    assert value(graph, [7, 8, 9], 5) == "[28, 32, 36]"
    assert loop_lifting.IN_PLACE in declines(graph, LOOP_LIFTING)
    assert census(kept(graph, ([7, 8, 9], 5)))["loops"] == 2


def test_an_array_written_by_columns_stays_a_loop() -> None:
    """Each pass has a cell of its own, but which pass made a cell is no matter of counting."""
    four = Array(I32, 4)

    def by_columns(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
        two = f.c(2)
        place = f.op(ADD, f.op(MUL, f.op(MOD, i, two), two), f.op(DIV, i, two))
        return f.update(out, place, f.op(ADD, i, f.arg(1)))

    graph = Program().main(
        lambda f: counted(f, f.arg(0), by_columns, cond=within(4)), (four, I32), four
    )
    assert value(graph, [0, 0, 0, 0], 5) == "[5, 7, 6, 8]"
    assert declines(graph, LOOP_LIFTING) == [loop_lifting.CARRIES_ARRAY]
    kept(graph, ([7, 8, 9, 1], 5))


def test_an_array_written_from_its_second_element_on_is_no_map() -> None:
    """As many passes as elements: the last one writes after the end."""
    graph = Program().main(
        lambda f: counted(f, f.arg(0), writing, start=1, cond=within(4)), (THREE, I32), THREE
    )
    assert kind(graph, [7, 8, 9], 5) == "index_oob"
    assert declines(graph, LOOP_LIFTING) == [loop_lifting.CARRIES_ARRAY]
    kept(graph, ([7, 8, 9], 5))


def test_an_array_written_from_its_end_by_work_that_can_trap_is_no_map() -> None:
    """The last cell comes first, and its trap."""

    def dividing(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
        return f.update(out, i, f.op(DIV, f.c(12), f.op(SUB, i, f.arg(1))))

    graph = Program().main(lambda f: downwards(f, dividing), (THREE, I32), THREE)
    assert kind(graph, [7, 8, 9], 1) == "div_zero"
    assert declines(graph, LOOP_LIFTING) == [loop_lifting.TRAPS_BACKWARDS]
    kept(graph, ([7, 8, 9], 1), ([7, 8, 9], 5))


def test_what_has_no_representation_is_not_captured() -> None:
    """A call in the loop takes what a call outside returned, which is nothing."""
    program = Program()
    nothing = program.helper(lambda f: None, (I32,), UNIT, name="nothing")
    five = program.helper(lambda f: f.c(5), (UNIT,), name="five")

    def main(f: Lines) -> ObjectId:
        empty = f.call(nothing, f.f.input)
        return counted(f, f.c(0), lambda f, i, s: f.op(ADD, s, f.call(five, empty)))

    graph = program.main(main, (I32,))
    assert value(graph, 3) == "20"
    assert declines(graph, LOOP_LIFTING) == [loop_lifting.ERASED]
    kept(graph, (3,))


def inner_loop(f: Lines, i: ObjectId, s: ObjectId) -> ObjectId:
    inner = f.loop(s, lambda t: f.op(GT, t, f.c(50)), lambda t: f.op(DIV, t, f.c(2)))
    return f.op(ADD, inner, i)


def trapping_unread(f: Lines, i: ObjectId, s: ObjectId) -> ObjectId:
    f.op(DIV, f.c(1), f.op(SUB, i, f.c(2)))
    return f.op(ADD, s, i)


def doubled(f: Lines, i: ObjectId) -> ObjectId:
    return f.op(MUL, f.op(ADD, i, f.c(1)), f.c(2))


NEAR_MISSES: dict[str, tuple[Callable[[Lines], ObjectId], str]] = {
    "bound by the input": (
        lambda f: counted(f, f.c(0), summing, cond=lambda f, i: f.op(LT, i, f.f.input)),
        trip_counts.BOUND,
    ),
    "step by a product": (
        lambda f: counted(f, f.c(0), summing, move=doubled),
        trip_counts.STEP,
    ),
    "a step from another value": (
        lambda f: f.loop(
            f.pack(f.c(4), f.f.input),
            lambda s: f.op(GT, f.proj(s, 0), f.c(0)),
            lambda s: f.pack(f.op(SUB, f.proj(s, 1), f.c(1)), f.proj(s, 1)),
            lambda s: f.proj(s, 1),
        ),
        trip_counts.STEP,
    ),
    "an inner loop": (lambda f: counted(f, f.c(0), inner_loop), loop_lifting.INNER_LOOP),
    "an unread trap": (lambda f: counted(f, f.c(0), trapping_unread), loop_lifting.WOULD_VANISH),
    "a trap before the condition": (
        lambda f: counted(f, f.c(0), summing, before=lambda f, i: f.op(DIV, f.c(1), i)),
        loop_lifting.RUNS_ON_LEAVING,
    ),
    "a trap at the exit": (
        lambda f: counted(f, f.c(0), summing, payload=lambda f, i, s: f.op(DIV, s, i)),
        loop_lifting.RUNS_ON_LEAVING,
    ),
    "no pass": (
        lambda f: counted(f, f.c(5), summing, cond=lambda f, i: f.op(LT, i, f.c(0))),
        loop_lifting.NO_PASS,
    ),
    "less than no pass": (
        lambda f: counted(f, f.c(5), summing, cond=lambda f, i: f.op(LT, i, f.c(-1))),
        loop_lifting.NO_PASS,
    ),
    "away from the bound": (
        lambda f: counted(f, f.c(5), summing, move=lambda f, i: f.op(SUB, i, f.c(1))),
        trip_counts.ENDLESS,
    ),
    "until the counter wraps": (
        lambda f: counted(
            f,
            f.c(5),
            summing,
            start=MAXIMUM - 2,
            cond=lambda f, i: f.op(BinaryCode.LE, i, f.c(MAXIMUM)),
        ),
        trip_counts.ENDLESS,
    ),
    "a state that is no counter": (
        lambda f: f.loop(f.c(5), lambda s: f.op(LT, s, f.c(40)), lambda s: f.op(MUL, s, f.c(2))),
        trip_counts.STEP,
    ),
    "a state that is read as a whole": (
        lambda f: f.loop(
            f.pack(f.c(0), f.f.input),
            lambda s: f.op(LT, f.proj(s, 0), f.c(4)),
            lambda s: f.pack(f.op(ADD, f.proj(s, 0), f.c(1)), f.proj(s, 1)),
            lambda s: f.proj(f.phi(f.op(LT, f.proj(s, 1), f.c(0)), lambda: s, lambda: s), 1),
        ),
        trip_counts.STATE_READ_WHOLE,
    ),
    "a start that is no constant": (
        lambda f: f.loop(
            f.pack(f.f.input, f.c(0)),
            lambda s: f.op(LT, f.proj(s, 0), f.c(4)),
            lambda s: f.pack(f.op(ADD, f.proj(s, 0), f.c(1)), f.op(ADD, f.proj(s, 1), f.c(3))),
            lambda s: f.proj(s, 1),
        ),
        trip_counts.START,
    ),
    "a step over the bound": (
        lambda f: counted(
            f,
            f.c(0),
            summing,
            cond=lambda f, i: f.op(NEQ, i, f.c(5)),
            move=lambda f, i: f.op(ADD, i, f.c(2)),
            before=lambda f, i: None,
        ),
        trip_counts.ENDLESS,
    ),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_c59_c60_near_misses_stay_loops(name: str) -> None:
    build, reason = NEAR_MISSES[name]
    graph = Program().main(build, (I32,))
    assert reason in declines(graph, LOOP_LIFTING)
    assert census(applied(graph, LOOP_LIFTING, (3,)))["loops"] == len(graph.loops)
    kept(graph, (0,), (3,))


def test_c59_a_print_in_the_body() -> None:
    def main(f: Lines) -> ObjectId:
        loop = f.f.begin_loop(f.pack(f.c(0), f.f.input), f.key())
        with f.f.in_region(loop.body):
            i, token = f.proj(loop.merge, 0), f.proj(loop.merge, 1)
            test = f.op(LT, i, f.c(3))
        with f.f.in_region(loop.jump):
            state = f.pack(f.op(ADD, i, f.c(1)), f.println(token, i))
        f.f.loop_back(loop, state, test)
        left = f.f.loop_exit(loop, token, test)
        f.f.end_loop(loop)
        return left

    graph = Program().main(main, (IO,), IO)
    assert declines(graph, LOOP_LIFTING) == [loop_lifting.EFFECTS]
    kept(graph)


@pytest.mark.parametrize("bound", [4, 0])
@pytest.mark.parametrize("where", ["before", "jump", "exit"])
@pytest.mark.parametrize("is_total", [True, False])
def test_c63_dead_work_in_a_loop(where: str, bound: int, is_total: bool) -> None:
    """D-29."""

    def dead(f: Lines, i: ObjectId) -> None:
        if is_total:
            f.op(MUL, f.c(2), i)
        else:
            f.op(DIV, f.c(1), i)

    def step(f: Lines, i: ObjectId, s: ObjectId) -> ObjectId:
        if where == "jump":
            dead(f, i)
        return f.op(ADD, s, i)

    def payload(f: Lines, i: ObjectId, s: ObjectId) -> ObjectId:
        if where == "exit":
            dead(f, i)
        return s

    def before(f: Lines, i: ObjectId) -> None:
        if where == "before":
            dead(f, i)

    graph = Program().main(
        lambda f: counted(
            f,
            f.c(0),
            step,
            cond=lambda f, i: f.op(LT, i, f.c(bound)),
            payload=payload,
            before=before,
        )
    )
    traps = not is_total and (where == "before" or (where == "jump") == (bound == 4))
    assert kind(graph) == ("div_zero" if traps else "done")
    lifted = census(applied(graph, LOOP_LIFTING))["loops"] == 0
    assert lifted == (is_total and bound == 4)
    kept(graph)
