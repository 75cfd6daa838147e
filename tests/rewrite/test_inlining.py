"""Cases C52 to C56, C80 and C84: bodies in place of calls."""

from __future__ import annotations

from functools import partial

import pytest

from mapal.ir.function_builder import Ret
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import FunctionId, ObjectId
from mapal.ir.types import F64, I32, IO, UNIT, Array, Tuple
from mapal.rewrite.passes import inlining
from mapal.rewrite.pipeline import INLINING
from tests.rewrite.build import ADD, DIV, GT, LT, MUL, NEQ, SUB, Lines, Program
from tests.rewrite.outcomes import applied, census, declines, kept, kind, value


def chain_of(f: Lines, morphisms: int) -> ObjectId:
    """A function body of exactly so many morphisms, the output included: an addition is three,
    a projection or conversion one."""
    x = f.f.input
    left = morphisms - 1
    while left >= 3:
        x = f.op(ADD, x, f.f.input)
        left -= 3
    for _ in range(left):
        f.f.widen(x, F64, f.key())
    return x


@pytest.mark.parametrize(("size", "calls"), [(256, 0), (257, 1)])
def test_c52_size_of_the_callee(size: int, calls: int) -> None:
    program = Program()
    h = program.helper(lambda f: chain_of(f, size))
    graph = program.main(lambda f: f.call(h, f.f.input), (I32,))
    assert len(graph.functions[0].morphisms) == size
    assert census(applied(graph, INLINING, (3,)))["Call"] == calls
    assert declines(graph, INLINING) == [inlining.TOO_LARGE] * calls
    kept(graph, (3,))


def test_c52_growth_of_the_caller() -> None:
    program = Program()
    h = program.helper(lambda f: chain_of(f, 200))

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        for _ in range(30):
            x = f.call(h, x)
        return x

    graph = program.main(main, (I32,))
    result = applied(graph, INLINING, (3,))
    assert census(result)["Call"] == 10
    assert declines(graph, INLINING) == [inlining.GROWN] * 10
    kept_calls = [m.key for m in result.morphisms if "Call" in repr(m.op)]
    all_calls = [m.key for m in graph.morphisms if "Call" in repr(m.op)]
    assert kept_calls == all_calls[20:]
    assert census(applied(result, INLINING, (3,)))["Call"] == 10


def test_c53_a_callee_with_a_loop_is_left_alone() -> None:
    program = Program()
    h = program.helper(
        lambda f: f.loop(f.f.input, lambda s: f.op(LT, s, f.c(9)), lambda s: f.op(MUL, s, f.c(2)))
    )
    graph = program.main(lambda f: f.call(h, f.f.input), (I32,))
    assert declines(graph, INLINING) == [inlining.HAS_LOOP]
    assert census(kept(graph, (1,)))["Call"] == 1


def test_c53_called_twice_from_a_body_and_nested() -> None:
    program = Program()
    inner = program.helper(lambda f: f.op(MUL, f.f.input, f.c(3)), name="inner")
    outer = program.helper(
        lambda f: f.op(ADD, f.call(inner, f.f.input), f.call(inner, f.c(1))), name="outer"
    )
    body = program.helper(
        lambda f: f.call(outer, f.f.input), kind=FunctionKind.MAP_BODY, name="body"
    )
    graph = program.main(
        lambda f: f.op(ADD, f.call(outer, f.f.input), f.index(f.map(body, f.iota(4)), f.c(3))),
        (I32,),
    )
    assert value(graph, 5) == "30"
    result = applied(graph, INLINING, (5,))
    assert census(result)["Call"] == 0
    assert [function.name for function in result.functions] == ["main", "body"]
    assert max(len(m.key) for m in result.morphisms) == 3
    kept(graph, (5,))


def test_c53_results_by_slots_and_calls_that_write_the_result() -> None:
    pair = Tuple((I32, I32))
    program = Program()

    def by_slots(f: Lines) -> None:
        f.f.output(f.op(ADD, f.f.input, f.c(1)), f.key(), 1)
        f.f.output(f.f.input, f.key(), 0)

    h = program.helper(by_slots, (I32,), pair)

    def main(f: Lines) -> None:
        f.f.call(h, f.f.input, f.key(), Ret())

    graph = program.main(main, (I32,), pair)
    assert value(graph, 4) == "(4, 5)"
    assert census(kept(graph, (4,)))["Call"] == 0


def test_c53_effectful_callees() -> None:
    program = Program()
    h = program.helper(
        lambda f: f.println(f.proj(f.f.input, 0), f.op(MUL, f.proj(f.f.input, 1), f.c(2))),
        (IO, I32),
        IO,
    )

    def main(f: Lines) -> ObjectId:
        token, x = f.arg(0), f.arg(1)
        token = f.call(h, token, x)
        q = f.op(DIV, f.c(1), x)
        return f.call(h, token, q)

    graph = program.main(main, (IO, I32), IO)
    result = kept(graph, (0,), (1,))
    assert census(result)["Call"] == 0


def dead_trap_in_callee(f: Lines) -> ObjectId:
    f.op(DIV, f.c(1), f.f.input)
    return f.op(ADD, f.f.input, f.c(1))


def test_c54_dead_trap_under_an_arm() -> None:
    """D-01."""
    program = Program()
    h = program.helper(dead_trap_in_callee)

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        return f.phi(f.op(NEQ, x, f.c(0)), lambda: f.call(h, x), lambda: f.c(7))

    graph = program.main(main, (I32,))
    assert value(graph, 0) == "7"
    result = applied(graph, INLINING, (0,), (2,))
    (division,) = (m for m in result.morphisms if "DIV" in repr(m.op))
    assert division.region == result.guards[0].arm_true
    kept(graph, (0,), (2,))


def test_c54_a_dead_trap_that_runs() -> None:
    program = Program()

    def h_body(f: Lines) -> ObjectId:
        f.op(DIV, f.c(1), f.op(SUB, f.f.input, f.c(2)))
        return f.op(ADD, f.f.input, f.c(1))

    h = program.helper(h_body)

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        return f.phi(f.op(NEQ, x, f.c(0)), lambda: f.call(h, x), lambda: f.c(7))

    graph = program.main(main, (I32,))
    assert kind(graph, 2) == "div_zero"
    kept(graph, (0,), (2,), (3,))


def test_c55_ignored_argument() -> None:
    """D-05."""
    program = Program()
    h = program.helper(lambda f: f.c(5))

    def main(f: Lines) -> ObjectId:
        a, b = f.arg(0), f.arg(1)
        q = f.op(DIV, a, b)
        r = f.call(h, q)
        p = f.phi(f.op(GT, b, f.c(0)), lambda: q, lambda: a)
        return f.op(ADD, p, r)

    graph = program.main(main, (I32, I32))
    assert kind(graph, 7, 0) == "div_zero"
    assert census(kept(graph, (7, 0), (7, 2)))["Call"] == 0


def test_c55_an_identity_map_of_a_trapping_array() -> None:
    program = Program()
    body = program.helper(lambda f: f.f.input, kind=FunctionKind.MAP_BODY, name="body")

    def main(f: Lines) -> ObjectId:
        a, b = f.arg(0), f.arg(1)
        v = f.array(f.op(DIV, a, b), a)
        f.map(body, v)
        return f.phi(f.op(GT, b, f.c(0)), lambda: f.index(v, f.c(0)), lambda: a)

    graph = program.main(main, (I32, I32))
    assert kind(graph, 7, 0) == "div_zero"
    assert census(kept(graph, (7, 0), (7, 2)))["Map"] == 0


def test_c56_shared_body() -> None:
    """D-11."""
    program = Program()
    array = Array(I32, 3)
    body = program.helper(
        lambda f: f.index(f.arg(0), f.arg(1)), (array, I32), kind=FunctionKind.MAP_BODY, name="b"
    )

    def main(f: Lines) -> ObjectId:
        v = f.arg(0)
        safe = f.map(body, f.iota(3), v)

        def arm() -> ObjectId:
            unsafe = f.map(body, f.array(f.c(9), f.c(9)), v)
            return f.index(unsafe, f.c(0))

        return f.phi(f.op(GT, f.arg(1), f.c(0)), arm, lambda: f.index(safe, f.c(1)))

    graph = program.main(main, (array, I32))
    assert value(graph, [4, 5, 6], 0) == "5"
    assert kind(graph, [4, 5, 6], 1) == "index_oob"
    kept(graph, ([4, 5, 6], 0), ([4, 5, 6], 1))


def argument_with_a_loop(uses_it: bool) -> Graph:
    program = Program()

    def h_body(f: Lines) -> ObjectId:
        quotient = f.op(DIV, f.c(1), f.arg(0))
        return f.op(ADD, quotient, f.arg(1)) if uses_it else quotient

    h = program.helper(h_body, (I32, I32))
    return program.main(lambda f: f.call(h, f.f.input, f.endless()), (I32,))


@pytest.mark.parametrize("uses_it", [True, False])
def test_c80_the_whole_argument_is_complete_before_the_callee_runs(uses_it: bool) -> None:
    graph = argument_with_a_loop(uses_it)
    assert kind(graph, 0) == "diverged"
    assert kind(applied(graph, INLINING, (0,)), 0) == "diverged"
    assert kind(kept(graph, (0,)), 0) == "diverged"


def test_c84_no_pass_makes_a_multiply_add() -> None:
    program = Program()
    h = program.helper(lambda f: f.op(MUL, f.arg(0), f.arg(1)), (F64, F64), F64)
    graph = program.main(
        lambda f: f.op(ADD, f.call(h, f.arg(0), f.arg(1)), f.arg(0)), (F64, F64), F64
    )
    found = census(kept(graph, (1.1, 2.3)))
    assert (found["Mul"], found["Add"], found["Fma"]) == (1, 1, 0)


def test_the_entry_is_not_inlined() -> None:
    """A function that calls the entry can only be one that the entry does not call."""
    graph = Program().main(lambda f: f.f.input, (I32,))
    assert declines(graph, INLINING) == []


def calling(callee: FunctionId, f: Lines) -> ObjectId:
    return f.call(callee, f.f.input)


def test_a_callee_without_a_result_stays() -> None:
    program = Program()
    h = program.helper(lambda f: None, (I32,), UNIT)

    def main(f: Lines) -> ObjectId:
        f.call(h, f.f.input)
        return f.op(ADD, f.f.input, f.c(1))

    graph = program.main(main, (I32,))
    assert declines(graph, INLINING) == [inlining.NO_RESULT]
    kept(graph, (3,))


def test_of_two_calls_with_one_place_one_is_inlined() -> None:
    """Their copies would be one group of the order."""
    program = Program()
    h = program.helper(lambda f: f.op(DIV, f.c(6), f.f.input))

    def main(f: Lines) -> ObjectId:
        key = f.key()
        return f.op(ADD, f.f.call(h, f.f.input, key), f.f.call(h, f.c(2), key))

    graph = program.main(main, (I32,))
    assert declines(graph, INLINING) == [inlining.SAME_PLACE]
    kept(graph, (0,), (3,))


def test_calls_of_calls_are_inlined_to_a_depth() -> None:
    """Keys grow by one range with each level."""
    program = Program()
    called = program.helper(lambda f: f.op(ADD, f.f.input, f.c(1)), name="h0")
    for level in range(1, inlining.LONGEST_KEY + 5):
        called = program.helper(partial(calling, called), name=f"h{level}")
    graph = program.main(lambda f: f.op(MUL, f.call(called, f.f.input), f.c(2)), (I32,))
    assert inlining.TOO_DEEP in declines(graph, INLINING)
    result = kept(graph, (3,))
    assert value(result, 3) == "8"
    longest = max(len(morphism.key) for morphism in result.morphisms)
    assert longest <= inlining.LONGEST_KEY
