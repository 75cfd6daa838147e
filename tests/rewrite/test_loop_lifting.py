"""Cases C57 to C64 and C82: loops as folds and maps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mapal.analysis import trip_counts
from mapal.interpreter import run
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import BinaryCode, ObjectId, UnaryCode
from mapal.ir.types import I32, I64, IO, U8, Array, Tuple, Type
from mapal.rewrite.passes import loop_lifting
from mapal.rewrite.pipeline import LOOP_LIFTING
from tests.rewrite.build import ADD, DIV, EQ, GT, LT, MUL, NEQ, SUB, Lines, Program
from tests.rewrite.outcomes import applied, census, declines, ending, kept, kind, value
from tests.rewrite.programs import graph_of

MAXIMUM = 2**31 - 1
THREE = Array(I32, 3)

Step = Callable[[Lines, ObjectId, ObjectId], ObjectId]
"""The next value from the counter and the value."""


def counted(
    f: Lines,
    first: ObjectId,
    step: Step,
    *,
    start: int = 0,
    cond: Callable[[Lines, ObjectId], ObjectId] = lambda f, i: f.op(LT, i, f.c(4)),
    move: Callable[[Lines, ObjectId], ObjectId] = lambda f, i: f.op(ADD, i, f.c(1)),
    payload: Callable[[Lines, ObjectId, ObjectId], ObjectId] = lambda f, i, s: s,
    before: Callable[[Lines, ObjectId], object] = lambda f, i: None,
    swapped: bool = False,
) -> ObjectId:
    """A loop that carries a counter and a value, the views read once."""
    c, v = (1, 0) if swapped else (0, 1)
    zero = f.c(start)
    init = f.pack(first, zero) if swapped else f.pack(zero, first)
    loop = f.f.begin_loop(init, f.key())
    with f.f.in_region(loop.body):
        i, s = f.proj(loop.merge, c), f.proj(loop.merge, v)
        before(f, i)
        test = cond(f, i)
    with f.f.in_region(loop.jump):
        new = step(f, i, s)
        moved = move(f, i)
        state = f.pack(new, moved) if swapped else f.pack(moved, new)
    f.f.loop_back(loop, state, test)
    with f.f.in_region(loop.exit):
        result = payload(f, i, s)
    left = f.f.loop_exit(loop, result, test)
    f.f.end_loop(loop)
    return left


def summing(f: Lines, i: ObjectId, s: ObjectId) -> ObjectId:
    return f.op(ADD, s, f.op(MUL, i, f.f.input))


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


def writing(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
    return f.update(out, i, f.op(ADD, i, f.arg(1)))


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


def reading(f: Lines, i: ObjectId, out: ObjectId) -> ObjectId:
    return f.update(out, i, f.op(ADD, f.index(out, f.c(0)), i))


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
    "two updates": over_three(two_updates),
    "index i + 0": over_three(other_index),
    "other length": over_three(writing, 2),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_c59_other_writes_stay_loops(name: str) -> None:
    graph = Program().main(ARRAYS[name], (THREE, I32))
    assert declines(graph, LOOP_LIFTING) == [loop_lifting.CARRIES_ARRAY]
    kept(graph, ([7, 8, 9], 5))


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


def cell(f: Lines, t: ObjectId) -> ObjectId:
    return counted(f, f.c(0), lambda f, i, s: f.op(ADD, s, f.op(MUL, i, t)), cond=within(5))


def within(bound: int) -> Callable[[Lines, ObjectId], ObjectId]:
    return lambda f, i: f.op(LT, i, f.c(bound))


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


COUNTERS: dict[str, tuple[Type, int, BinaryCode, int, BinaryCode, int]] = {
    "i64 up": (I64, 0, LT, 4, ADD, 1),
    "i64 far from zero": (I64, 2**40, BinaryCode.LE, 2**40 + 12, ADD, 3),
    "i64 down": (I64, 5, GT, -(2**33), SUB, 2**32),
    "u8 up": (U8, 3, LT, 200, ADD, 40),
    "u8 to its end": (U8, 0, LT, 255, ADD, 1),
    "u8 down": (U8, 200, BinaryCode.GE, 8, SUB, 8),
    "i32 until equal": (I32, 0, NEQ, 12, ADD, 3),
    "i32 down until equal": (I32, 7, NEQ, -2, SUB, 3),
    "i32 once": (I32, 7, EQ, 7, ADD, 1),
    "i32 over all of it": (I32, -(2**31), LT, 0, SUB, -(2**31)),
}


@pytest.mark.parametrize("name", COUNTERS)
def test_counters_of_every_type(name: str) -> None:
    ty, start, code, bound, move, step = COUNTERS[name]

    def main(f: Lines) -> ObjectId:
        return f.loop(
            f.pack(f.c(start, ty), f.f.input),
            lambda s: f.op(code, f.proj(s, 0), f.c(bound, ty)),
            lambda s: f.pack(
                f.op(move, f.proj(s, 0), f.c(step, ty)),
                f.op(ADD, f.op(MUL, f.proj(s, 1), f.c(3, ty)), f.proj(s, 0)),
            ),
            lambda s: f.op(SUB, f.proj(s, 1), f.proj(s, 0)),
        )

    graph = Program().main(main, (ty,), ty)
    found = census(applied(graph, LOOP_LIFTING, (0,), (7,)))
    assert (found["loops"], found["Fold"]) == (0, 1)
    kept(graph, (0,), (7,))


@pytest.mark.parametrize(
    ("ty", "start", "code", "bound", "step"),
    [
        (U8, 0, LT, 255, 2),
        (U8, 250, BinaryCode.LE, 255, 1),
        (I64, 0, BinaryCode.LE, 2**63 - 1, 1),
        (I32, 1, NEQ, 0, 1),
    ],
)
def test_counters_that_wrap_stay(
    ty: Type, start: int, code: BinaryCode, bound: int, step: int
) -> None:
    graph = Program().main(
        lambda f: f.loop(
            f.pack(f.c(start, ty), f.f.input),
            lambda s: f.op(code, f.proj(s, 0), f.c(bound, ty)),
            lambda s: f.pack(f.op(ADD, f.proj(s, 0), f.c(step, ty)), f.proj(s, 0)),
            lambda s: f.proj(s, 1),
        ),
        (ty,),
        ty,
    )
    assert declines(graph, LOOP_LIFTING) == [trip_counts.ENDLESS]
    assert kind(graph, 1) == "diverged"
    assert census(applied(graph, LOOP_LIFTING, (1,)))["loops"] == 1


def test_more_passes_than_a_range_counts() -> None:
    graph = Program().main(
        lambda f: f.loop(
            f.pack(f.c(0, I64), f.f.input),
            lambda s: f.op(LT, f.proj(s, 0), f.c(2**31, I64)),
            lambda s: f.pack(
                f.op(ADD, f.proj(s, 0), f.c(1, I64)), f.op(ADD, f.proj(s, 1), f.proj(s, 0))
            ),
            lambda s: f.proj(s, 1),
        ),
        (I64,),
        I64,
    )
    assert declines(graph, LOOP_LIFTING) == [loop_lifting.MANY_PASSES]


def test_a_loop_that_only_counts_is_its_last_number() -> None:
    graph = Program().main(
        lambda f: f.loop(
            f.c(1),
            lambda s: f.op(LT, s, f.c(10)),
            lambda s: f.op(ADD, s, f.c(4)),
            lambda s: f.op(MUL, s, f.f.input),
        ),
        (I32,),
    )
    result = applied(graph, LOOP_LIFTING, (3,))
    assert (census(result)["loops"], census(result)["Iota"]) == (0, 0)
    assert value(result, 3) == "39"
    kept(graph, (3,), (0,))


def test_a_loop_that_only_counts_keeps_its_traps() -> None:
    def following(f: Lines, s: ObjectId) -> ObjectId:
        f.op(DIV, f.c(7), f.op(SUB, s, f.f.input))
        return f.op(ADD, s, f.c(1))

    graph = Program().main(
        lambda f: f.loop(f.c(1), lambda s: f.op(LT, s, f.c(10)), lambda s: following(f, s)), (I32,)
    )
    assert declines(graph, LOOP_LIFTING) == [loop_lifting.WOULD_VANISH]
    kept(graph, (3,), (0,))


BODY = "{ s * 3 + i -> s; i + 1 -> i; -> loop; }"
SUM = f"""fn sum(n: i32, x: i32) -> i32 {{ mut i: i32 <- 0; mut s: i32 <- x;
    loop {{ (i < n) -> {{ -true-> {BODY} -false-> s -> ret; }} }} }}"""
STATE = "mut i: i32 <- 0; mut s: i32 <- p0;"

PROVED = {
    "a bound that no pass changes": f"""fn main(p0: i32) -> i32 {{
        2 -> half; mut n: i32 <- half * 3; {STATE}
        loop {{ (i < n) -> {{ -true-> {{ n -> n; s * 3 + i -> s; i + 1 -> i; -> loop; }}
        -false-> s -> ret; }} }} }}""",
    "a bound that all calls agree on": SUM
    + " fn main(p0: i32) -> i32 { (2 * 3, p0) -> sum -> a; (6, a) -> sum -> ret; }",
    "a bound that a body captures": f"""fn main(p0: i32) -> i32 {{
        2 * 3 -> n; 5 -> iota -> map {{ x -> mut i: i32 <- 0; mut s: i32 <- x;
        loop {{ (i < n) -> {{ -true-> {BODY} -false-> s -> t; }} }} t }} -> m;
        m[3] + p0 -> ret; }}""",
    "a start that is computed": """fn main(p0: i32) -> i32 {
        2 + 1 -> three; mut i: i32 <- three * 0; mut s: i32 <- p0;
        loop { (i < 4) -> { -true-> { s * 3 + i -> s; i + three -> i; -> loop; }
        -false-> s -> ret; } } }""",
}


@pytest.mark.parametrize("name", PROVED)
def test_bounds_known_by_proof(name: str) -> None:
    graph = graph_of(PROVED[name])
    assert census(applied(graph, LOOP_LIFTING, (3,)))["loops"] == 0
    assert census(kept(graph, (3,)))["loops"] == 0


NOT_PROVED = {
    "calls that do not agree": SUM
    + " fn main(p0: i32) -> i32 { (5, p0) -> sum -> a; (6, a) -> sum -> ret; }",
    "a bound that a pass changes": f"""fn main(p0: i32) -> i32 {{
        mut n: i32 <- 6; {STATE}
        loop {{ (i < n) -> {{ -true-> {{ s * 3 + i -> s; n - i -> n; i + 1 -> i; -> loop; }}
        -false-> s -> ret; }} }} }}""",
    "a bound that passes exchange": f"""fn main(p0: i32) -> i32 {{
        mut n: i32 <- 6; mut m: i32 <- 2; {STATE}
        loop {{ (i < n) -> {{ -true-> {{ s * 3 + i -> s; n -> t; m -> n; t -> m; i + 1 -> i;
        -> loop; }} -false-> s -> ret; }} }} }}""",
    "a division that traps": f"""fn main(p0: i32) -> i32 {{
        {STATE} 6 / (p0 - 3) -> n;
        loop {{ (i < n) -> {{ -true-> {BODY} -false-> s -> ret; }} }} }}""",
}


@pytest.mark.parametrize("name", NOT_PROVED)
def test_bounds_that_differ_stay(name: str) -> None:
    graph = graph_of(NOT_PROVED[name])
    assert census(applied(graph, LOOP_LIFTING, (3,), (4,)))["loops"] == 1
    kept(graph, (3,), (4,))


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
