"""Cases C45 to C51: the same work once, where it would have run anyway."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mapal.ir.graph import FunctionKind, Graph, ObjectKind
from mapal.ir.ops import BinaryCode, ObjectId
from mapal.ir.types import BOOL, F64, I32, I64, IO, Array, Scalar, Tuple
from mapal.rewrite import rewrite_with
from mapal.rewrite.pipeline import COMMON_SUBEXPRESSIONS, PASSES
from tests.rewrite.build import ADD, DIV, GT, LT, MUL, SUB, Lines, Program
from tests.rewrite.outcomes import applied, census, kept, kind, value


def test_c45_plain_merge() -> None:
    def main(f: Lines) -> ObjectId:
        a, b = f.arg(0), f.arg(1)
        return f.op(MUL, f.op(ADD, a, b), f.op(ADD, a, b))

    graph = Program().main(main, (I32, I32))
    assert census(applied(graph, COMMON_SUBEXPRESSIONS, (3, 4)))["Add"] == 1
    kept(graph, (3, 4))


@pytest.mark.parametrize(
    ("code", "ty", "left"), [(SUB, I32, 2), (DIV, I32, 2), (ADD, F64, 2), (ADD, I32, 1)]
)
def test_c45_operands_swapped(code: BinaryCode, ty: Scalar, left: int) -> None:
    def main(f: Lines) -> ObjectId:
        a, b = f.arg(0), f.arg(1)
        return f.pack(f.op(code, a, b), f.op(code, b, a))

    graph = Program().main(main, (ty, ty), Tuple((ty, ty)))
    result = kept(graph, (3, 4) if ty == I32 else (3.0, 4.0))
    assert census(result)[code.value] == left


def test_c46_tokens_and_clocks() -> None:
    def main(f: Lines) -> ObjectId:
        first = f.f.time_ms(f.f.input, f.key())
        second = f.f.time_ms(f.proj(first, 0), f.key())
        token = f.println(f.proj(second, 0), f.c(5))
        token = f.println(token, f.c(5))
        difference = f.op(SUB, f.proj(second, 1), f.proj(first, 1))
        return f.println(token, difference)

    graph = Program().main(main, (IO,), IO)
    result = kept(graph)
    assert (census(result)["TimeMs"], census(result)["Print"]) == (2, 3)


def test_c47_fill() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.f.input
        first, second = f.f.fill(x, f.c(3), f.key()), f.f.fill(x, f.c(3), f.key())
        return f.pack(first, second)

    array = Array(I32, 3)
    graph = Program().main(main, (I32,), Tuple((array, array)))
    found = rewrite_with(graph, PASSES)
    assert found.report["rounds"] <= 3
    assert census(found.graph)["Fill"] == 1
    kept(graph, (4,))


def across_arms(code: BinaryCode, before: bool = False) -> Graph:
    def main(f: Lines) -> ObjectId:
        a, b = f.arg(0), f.arg(1)
        first = f.op(code, a, b) if before else f.c(0)
        p = f.phi(f.arg(2), lambda: f.op(code, a, b), lambda: f.c(0))
        q = f.phi(f.arg(3), lambda: f.op(code, a, b), lambda: f.c(0))
        return f.op(ADD, f.op(ADD, p, q), first)

    return Program().main(main, (I32, I32, BOOL, BOOL))


CHOICES = [(5, b, c1, c2) for b in (0, 2) for c1 in (False, True) for c2 in (False, True)]


def test_c48_across_arms() -> None:
    """D-02."""
    graph = across_arms(DIV)
    assert value(graph, 5, 0, False, False) == "0"
    assert kind(graph, 5, 0, True, False) == "div_zero"
    assert census(kept(graph, *CHOICES))["Div"] == 2
    kept(across_arms(MUL), *CHOICES)


def test_c48_a_third_one_before_the_arms() -> None:
    graph = across_arms(DIV, before=True)
    assert kind(graph, 5, 0, False, False) == "div_zero"
    assert census(kept(graph, *CHOICES))["Div"] == 1


def test_c49_dead_duplicate() -> None:
    """D-05."""

    def main(f: Lines) -> ObjectId:
        a, b = f.arg(0), f.arg(1)
        d = f.op(DIV, a, b)
        s = f.op(ADD, d, a)
        f.op(ADD, d, a)
        return f.phi(f.op(GT, b, f.c(0)), lambda: s, lambda: a)

    graph = Program().main(main, (I32, I32))
    assert kind(graph, 7, 0) == "div_zero"
    result = applied(graph, COMMON_SUBEXPRESSIONS, (7, 0), (7, 2))
    assert census(result)["Add"] == 1
    kept(graph, (7, 0), (7, 2))


def beside_a_loop(where: str) -> Graph:
    def main(f: Lines) -> ObjectId:
        a, b, n = f.arg(0), f.arg(1), f.arg(2)
        outer = f.op(DIV, a, b) if where == "before" else f.c(0)
        if where == "arm":
            outer = f.phi(f.op(GT, n, f.c(5)), lambda: f.op(DIV, a, b), lambda: f.c(0))

        def following(s: ObjectId) -> ObjectId:
            return f.op(ADD, s, f.op(MUL, f.op(DIV, a, b), f.op(DIV, a, b)))

        left = f.loop(f.c(0), lambda s: f.op(LT, s, n), following)
        if where == "after":
            outer = f.op(DIV, a, b)
        return f.op(ADD, left, outer)

    return Program().main(main, (I32, I32, I32))


@pytest.mark.parametrize(("where", "left"), [("before", 1), ("after", 1), ("arm", 2)])
def test_c50_one_direction(where: str, left: int) -> None:
    """A loop runs when nothing else is ready, so that what is written after it and does not
    read it runs first."""
    graph = beside_a_loop(where)
    arguments = [(6, b, n) for b in (0, 2) for n in (0, 9)]
    result = applied(graph, COMMON_SUBEXPRESSIONS, *arguments)
    assert census(result)["Div"] == left
    kept(graph, *arguments)


def test_c50_a_print_holds_what_follows_back() -> None:
    def main(f: Lines) -> ObjectId:
        token, both = f.arg(0), f.arg(1)
        a, b = f.proj(both, 0), f.proj(both, 1)
        left = f.loop(f.c(0), lambda s: f.op(LT, s, a), lambda s: f.op(ADD, s, f.op(DIV, a, b)))
        token = f.println(token, left)
        return f.println(token, f.op(DIV, a, b))

    graph = Program().main(main, (IO, Tuple((I32, I32))), IO)
    assert census(kept(graph, ((6, 2),), ((6, 0),), ((0, 0),)))["Div"] == 2


def test_c51_zeros_of_both_signs() -> None:
    """D-20: floats are told apart by their bits."""

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        first, second = f.op(DIV, x, f.c(0.0, F64)), f.op(DIV, x, f.c(-0.0, F64))
        return f.pack(first, second)

    graph = Program().main(main, (F64,), Tuple((F64, F64)))
    result = kept(graph, (1.0,), (float("nan"),))
    assert value(result, 1.0) == "(inf, -inf)"


def test_c51_numbers_of_different_types() -> None:
    def main(f: Lines) -> ObjectId:
        return f.pack(
            f.c(1), f.c(1, I64), f.c(True, BOOL), f.c(1.0, F64), f.c(1), f.c(float("nan"), F64)
        )

    result = kept(Program().main(main, (), Tuple((I32, I64, BOOL, F64, I32, F64))))
    constants = [obj for obj in result.objects if obj.kind is ObjectKind.CONSTANT]
    assert len(constants) == 5


def similar(build: Callable[[Program, int], Callable[[Lines], ObjectId]]) -> Graph:
    program = Program()
    first, second = build(program, 2), build(program, 3)
    return program.main(lambda f: f.op(SUB, first(f), second(f)), (I32,))


def mapping(program: Program, number: int) -> Callable[[Lines], ObjectId]:
    body = program.helper(
        lambda f: f.op(DIV, f.f.input, f.c(number)), kind=FunctionKind.MAP_BODY, name="body"
    )
    return lambda f: f.index(f.map(body, f.iota(4)), f.c(3))


def calling(program: Program, number: int) -> Callable[[Lines], ObjectId]:
    function = program.helper(
        lambda f: f.loop(
            f.f.input, lambda s: f.op(LT, s, f.c(9)), lambda s: f.op(ADD, s, f.c(number))
        ),
        name=f"h{number}",
    )
    return lambda f: f.call(function, f.f.input)


def test_c51_different_bodies_and_callees() -> None:
    assert value(similar(mapping), 0) == "0"
    assert census(applied(similar(mapping), COMMON_SUBEXPRESSIONS, (0,)))["Map"] == 2
    kept(similar(mapping), (0,))
    assert value(similar(calling), 0) == "1"
    kept(similar(calling), (0,))


def test_equal_calls_and_maps_merge() -> None:
    program = Program()
    read = calling(program, 2)
    over = mapping(program, 3)
    graph = program.main(
        lambda f: f.op(MUL, f.op(ADD, read(f), read(f)), f.op(ADD, over(f), over(f))), (I32,)
    )
    result = applied(graph, COMMON_SUBEXPRESSIONS, (1,))
    assert (census(result)["Call"], census(result)["Map"]) == (1, 1)
    kept(graph, (1,))


def test_the_writer_of_the_result_stays() -> None:
    """Although the same was computed before it."""

    def main(f: Lines) -> None:
        a, b = f.arg(0), f.arg(1)
        f.op(DIV, a, b)
        f.ret(DIV, a, b)

    graph = Program().main(main, (I32, I32))
    result = applied(graph, COMMON_SUBEXPRESSIONS, (6, 2), (1, 0))
    assert census(result)["Div"] == 2
    assert value(result, 6, 2) == "3"
    kept(graph, (6, 2), (1, 0))
