"""Cases C57 to C64 and C82: loops as folds and maps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mapal.analysis import trip_counts
from mapal.interpreter import run
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import BinaryCode, ObjectId, UnaryCode
from mapal.ir.types import I32, Tuple
from mapal.rewrite.pipeline import LOOP_LIFTING
from tests.rewrite.build import ADD, DIV, GT, LT, MUL, NEQ, SUB, Lines, Program
from tests.rewrite.loops import (
    MAXIMUM,
    THREE,
    cell,
    counted,
    downwards,
    summing,
    within,
    writing,
)
from tests.rewrite.outcomes import applied, census, declines, ending, kept, kind, value


def test_c57_fold() -> None:
    graph = Program().main(lambda f: counted(f, f.c(0), summing), (I32,))
    arguments = [(0,), (1,), (MAXIMUM,)]
    result = applied(graph, LOOP_LIFTING, *arguments)
    found = census(result)
    assert (found["loops"], found["Iota"], found["Fold"]) == (0, 1, 1)
    (fold,) = (m for m in result.morphisms if "Fold(" in repr(m.op))
    assert fold.late
    assert len(result.operands(fold)) == 3
    assert value(graph, 1) == "6"
    assert census(kept(graph, *arguments))["loops"] == 0


@pytest.mark.parametrize("swapped", [False, True])
def test_c58_map(swapped: bool) -> None:
    def main(f: Lines) -> ObjectId:
        return counted(f, f.arg(0), writing, cond=lambda f, i: f.op(LT, i, f.c(3)), swapped=swapped)

    graph = Program().main(main, (THREE, I32), THREE)
    result = applied(graph, LOOP_LIFTING, ([9, 9, 9], 5))
    found = census(result)
    assert (found["loops"], found["Map"], found["Update"]) == (0, 1, 0)
    assert value(result, [9, 9, 9], 5) == "[5, 6, 7]"
    after = kept(graph, ([9, 9, 9], 5))
    (mapped,) = (m for m in after.morphisms if "Map(" in repr(m.op))
    assert len(after.operands(mapped)) == 2


def own_cell(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
    return f.update(out, i, f.op(ADD, f.index(out, i), f.op(MUL, i, f.arg(1))))


def own_cell_from_the_end(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
    at = f.op(SUB, f.c(2), i)
    return f.update(out, at, f.op(ADD, f.index(out, at), f.op(MUL, i, f.arg(1))))


MAPS: dict[str, tuple[Callable[[Lines], ObjectId], str]] = {
    "reads its own cell": (
        lambda f: counted(f, f.arg(0), own_cell, cond=within(3)),
        "[7, 13, 19]",
    ),
    "written from the end": (lambda f: downwards(f, writing), "[5, 6, 7]"),
    "read and written from the end": (lambda f: downwards(f, own_cell), "[7, 13, 19]"),
    "counted upwards, written from the end": (
        lambda f: counted(f, f.arg(0), own_cell_from_the_end, cond=within(3)),
        "[17, 13, 9]",
    ),
    "until it differs": (
        lambda f: counted(f, f.arg(0), own_cell, cond=lambda f, i: f.op(NEQ, i, f.c(3))),
        "[7, 13, 19]",
    ),
}


@pytest.mark.parametrize("name", MAPS)
def test_independent_passes_are_a_map(name: str) -> None:
    main, expected = MAPS[name]
    graph = Program().main(main, (THREE, I32), THREE)
    arguments = ([7, 8, 9], 5)
    result = applied(graph, LOOP_LIFTING, arguments)
    found = census(result)
    assert (found["loops"], found["Map"], found["Update"]) == (0, 1, 0)
    assert value(result, *arguments) == expected
    assert census(kept(graph, arguments, ([0, 0, 0], 0), ([1, 2, 3], -9)))["loops"] == 0


def test_the_counter_after_a_loop_that_wrote_from_the_end() -> None:
    def main(f: Lines) -> ObjectId:
        left = counted(
            f,
            f.arg(0),
            writing,
            start=2,
            cond=lambda f, i: f.op(GT, i, f.c(-1)),
            move=lambda f, i: f.op(SUB, i, f.c(1)),
            payload=lambda f, i, s: f.pack(i, s),
        )
        return f.op(ADD, f.proj(left, 0), f.index(f.proj(left, 1), f.c(2)))

    graph = Program().main(main, (THREE, I32), I32)
    assert value(graph, [7, 8, 9], 5) == "6"
    assert value(applied(graph, LOOP_LIFTING, ([7, 8, 9], 5)), [7, 8, 9], 5) == "6"


WIDER: dict[str, Callable[[Lines], ObjectId]] = {
    "start 1": lambda f: counted(f, f.c(0), summing, start=1),
    "step 2": lambda f: counted(f, f.c(0), summing, move=lambda f, i: f.op(ADD, i, f.c(2))),
    "1 + i": lambda f: counted(f, f.c(0), summing, move=lambda f, i: f.op(ADD, f.c(1), i)),
    "i <= 4": lambda f: counted(
        f, f.c(0), summing, cond=lambda f, i: f.op(BinaryCode.LE, i, f.c(4))
    ),
    "4 > i": lambda f: counted(f, f.c(0), summing, cond=lambda f, i: f.op(GT, f.c(4), i)),
    "not i >= 4": lambda f: counted(
        f,
        f.c(0),
        summing,
        cond=lambda f, i: f.un(UnaryCode.NOT, f.op(BinaryCode.GE, i, f.c(4))),
    ),
    "downwards": lambda f: counted(
        f,
        f.c(0),
        summing,
        start=5,
        cond=lambda f, i: f.op(GT, i, f.c(-2)),
        move=lambda f, i: f.op(SUB, i, f.c(3)),
    ),
    "acc * 2": lambda f: counted(
        f, f.c(1), summing, payload=lambda f, i, s: f.op(MUL, f.op(ADD, s, i), f.c(2))
    ),
    "the moved counter": lambda f: counted(
        f, f.c(0), lambda f, i, s: f.op(ADD, s, f.op(ADD, i, f.c(1)))
    ),
    "a dead product": lambda f: counted(
        f, f.c(0), summing, before=lambda f, i: f.op(MUL, f.c(2), i)
    ),
}


@pytest.mark.parametrize("name", WIDER)
def test_c59_wider_shapes_are_lifted(name: str) -> None:
    """D-28."""
    graph = Program().main(WIDER[name], (I32,))
    result = applied(graph, LOOP_LIFTING, (0,), (1,), (MAXIMUM,))
    assert census(result)["loops"] == 0
    assert census(result)["Fold"] == 1
    kept(graph, (0,), (1,), (MAXIMUM,))


def test_c59_several_values() -> None:
    def main(f: Lines) -> ObjectId:
        loop = f.f.begin_loop(f.pack(f.c(0), f.c(1), f.c(0)), f.key())
        with f.f.in_region(loop.body):
            a, i, b = (f.proj(loop.merge, slot) for slot in range(3))
            test = f.op(LT, i, f.c(10))
        with f.f.in_region(loop.jump):
            state = f.pack(b, f.op(ADD, i, f.c(1)), f.op(ADD, f.op(ADD, a, b), i))
        f.f.loop_back(loop, state, test)
        with f.f.in_region(loop.exit):
            payload = f.pack(f.op(SUB, b, a), i)
        left = f.f.loop_exit(loop, payload, test)
        f.f.end_loop(loop)
        return left

    graph = Program().main(main, (), Tuple((I32, I32)))
    result = applied(graph, LOOP_LIFTING)
    assert (census(result)["loops"], census(result)["Fold"]) == (0, 1)
    kept(graph)


def test_c59_the_next_state_as_payload_is_refused_by_the_graph_itself() -> None:
    """The next state exists in the jump region only; the same sum made at the exit is lifted."""
    graph = Program().main(
        lambda f: counted(f, f.c(0), summing, payload=lambda f, i, s: summing(f, i, s)), (I32,)
    )
    assert census(applied(graph, LOOP_LIFTING, (3,)))["loops"] == 0
    kept(graph, (3,))


def test_c61_an_invariant_behind_a_guard() -> None:
    """D-04: the result of the guard is captured, not its arms."""

    def main(f: Lines) -> ObjectId:
        a, b = f.arg(0), f.arg(1)
        inv = f.phi(f.op(NEQ, b, f.c(0)), lambda: f.op(DIV, a, b), lambda: a)
        return counted(f, f.c(0), lambda f, i, s: f.op(ADD, s, inv))

    graph = Program().main(main, (I32, I32))
    assert value(graph, 1, 0) == "4"
    result = applied(graph, LOOP_LIFTING, (1, 0), (8, 2))
    (division,) = (m for m in result.morphisms if "DIV" in repr(m.op))
    assert division.function == result.entry
    kept(graph, (1, 0), (8, 2))


def test_c61_total_invariants_are_repeated_in_the_body() -> None:
    def main(f: Lines) -> ObjectId:
        inv = f.op(ADD, f.op(MUL, f.arg(0), f.c(3)), f.c(1))
        return counted(f, f.c(0), lambda f, i, s: f.op(ADD, s, f.op(MUL, inv, i)))

    graph = Program().main(main, (I32, I32))
    result = applied(graph, LOOP_LIFTING, (5, 0))
    body = next(fn for fn in result.functions if fn.kind is FunctionKind.FOLD_BODY)
    inside = [result.morphisms[m] for m in body.morphisms]
    assert sum("MUL" in repr(m.op) for m in inside) == 2
    kept(graph, (5, 0))


def test_c61_invariants_that_can_trap_are_computed_once() -> None:
    """The body captures the quotient: it has no division of its own."""

    def main(f: Lines) -> ObjectId:
        inv = f.op(DIV, f.arg(0), f.arg(1))
        return counted(f, f.c(0), lambda f, i, s: f.op(ADD, s, f.op(MUL, inv, i)))

    graph = Program().main(main, (I32, I32))
    assert kind(graph, 5, 0) == "div_zero"
    result = applied(graph, LOOP_LIFTING, (5, 0), (9, 4))
    assert census(result)["loops"] == 0
    (division,) = (m for m in result.morphisms if "DIV" in repr(m.op))
    assert division.function == result.entry
    assert value(result, 9, 4) == "12"
    kept(graph, (5, 0), (9, 4))


def test_c62_long_loop() -> None:
    """D-18."""
    count = 2_000_000_000

    def main(f: Lines) -> ObjectId:
        return counted(
            f,
            f.c(0),
            lambda f, i, s: f.op(ADD, s, i),
            cond=lambda f, i: f.op(LT, i, f.c(count)),
        )

    graph = Program().main(main)
    result = applied(graph, LOOP_LIFTING)
    assert census(result)["loops"] == 0
    assert run(result, {}, budget=1000).kind == "diverged"

    def reading_far(f: Lines) -> ObjectId:
        return f.index(f.iota(count), f.c(7))

    assert value(Program().main(reading_far)) == "7"


@pytest.mark.parametrize("in_one_function", [True, False])
def test_c64_convergence(in_one_function: bool) -> None:
    program = Program()
    h = program.helper(lambda f: cell(f, f.f.input), name="cell")

    def step(f: Lines, t: ObjectId, out: ObjectId) -> ObjectId:
        return f.update(out, t, cell(f, t) if in_one_function else f.call(h, t))

    graph = program.main(lambda f: counted(f, f.f.input, step, cond=within(3)), (THREE,), THREE)
    result = kept(graph, ([0, 0, 0],))
    found = census(result)
    assert (found["loops"], found["Call"], found["Map"], found["Fold"]) == (0, 0, 1, 1)


def test_guards_move_into_the_body() -> None:
    def step(f: Lines, i: ObjectId, s: ObjectId) -> ObjectId:
        d = f.op(SUB, i, f.c(2))
        return f.phi(f.op(NEQ, d, f.c(0)), lambda: f.op(ADD, s, f.op(DIV, f.c(8), d)), lambda: s)

    graph = Program().main(lambda f: counted(f, f.c(0), step))
    result = applied(graph, LOOP_LIFTING)
    assert (census(result)["loops"], census(result)["guards"]) == (0, 1)
    kept(graph)


def test_a_trap_in_a_pass_stays_the_same_trap() -> None:
    graph = Program().main(
        lambda f: counted(
            f, f.c(0), lambda f, i, s: f.op(ADD, s, f.op(DIV, f.c(8), f.op(SUB, i, f.c(2))))
        )
    )
    assert kind(graph) == "div_zero"
    assert census(applied(graph, LOOP_LIFTING))["loops"] == 0
    kept(graph)


def test_c82_a_lifted_loop_keeps_its_lateness() -> None:
    def main(f: Lines) -> ObjectId:
        left = counted(f, f.c(0), lambda f, i, s: f.op(ADD, s, f.op(DIV, f.c(1), i)))
        return f.op(ADD, left, f.index(f.array(left, left), f.c(9)))

    def independent(f: Lines) -> ObjectId:
        v = f.array(f.f.input, f.f.input)
        left = counted(f, f.c(0), lambda f, i, s: f.op(ADD, s, f.op(DIV, f.c(1), i)))
        return f.op(ADD, left, f.index(v, f.c(9)))

    for build, expected in ((main, "div_zero"), (independent, "index_oob")):
        graph = Program().main(build, (I32,))
        assert kind(graph, 3) == expected
        result = applied(graph, LOOP_LIFTING, (3,))
        assert census(result)["loops"] == 0
        assert kind(result, 3) == expected
        kept(graph, (3,))


def test_the_inner_loop_of_a_nest_is_lifted_by_itself() -> None:
    """The outer one stays: its bound is an input."""

    def step(f: Lines, t: ObjectId, s: ObjectId) -> ObjectId:
        return f.op(ADD, s, cell(f, t))

    graph = Program().main(
        lambda f: counted(f, f.c(0), step, cond=lambda f, i: f.op(LT, i, f.f.input)), (I32,)
    )
    assert set(declines(graph, LOOP_LIFTING)) == {trip_counts.BOUND}
    found = census(kept(graph, (3,), (0,)))
    assert (found["loops"], found["Fold"]) == (1, 1)


def rewritten_texts(*graphs: Graph) -> set[str]:
    return {str(sorted((+census(kept(graph))).items())) for graph in graphs}


def test_a_loop_and_the_fold_that_it_is_become_the_same() -> None:
    program = Program()
    body = program.helper(
        lambda f: f.ret(ADD, f.arg(0), f.op(MUL, f.arg(1), f.c(3))),
        (I32, I32),
        kind=FunctionKind.FOLD_BODY,
        name="body",
    )
    as_fold = program.main(lambda f: f.fold(body, f.c(0), f.iota(4)))
    as_loop = Program().main(
        lambda f: counted(f, f.c(0), lambda f, i, s: f.op(ADD, s, f.op(MUL, i, f.c(3))))
    )
    assert len(rewritten_texts(as_fold, as_loop)) == 1
    assert ending(as_fold)[2] == ending(as_loop)[2]
