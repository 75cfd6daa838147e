"""Cases C10, C65, C69 and C72: graphs that cannot be built, and counts of ranges."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mapal.ir.drafts import BuilderError
from mapal.ir.ops import ObjectId
from mapal.ir.types import BOOL, I32, I64, U8, Scalar
from tests.rewrite.build import ADD, GT, LT, MUL, Lines, Program
from tests.rewrite.outcomes import kept, value


def refused(build: Callable[[Lines], ObjectId]) -> str:
    """The code with which the builder refuses a program."""
    with pytest.raises(BuilderError) as caught:
        Program().main(build, (I32,))
    return caught.value.code


def leaking(where: str) -> Callable[[Lines], ObjectId]:
    """A program that reads a value of a loop outside it, or of its jump in its exit."""

    def build(f: Lines) -> ObjectId:
        loop = f.f.begin_loop(f.f.input, f.key())
        with f.f.in_region(loop.body):
            test = f.op(LT, loop.merge, f.c(3))
            inside = f.op(MUL, loop.merge, f.c(1))
        with f.f.in_region(loop.jump):
            following = f.op(ADD, loop.merge, f.c(1))
        f.f.loop_back(loop, following, test)
        left = f.f.loop_exit(loop, following if where == "jump" else loop.merge, test)
        f.f.end_loop(loop)
        if where == "guard":
            return f.phi(f.c(True, BOOL), lambda: left, lambda: inside)
        return f.op(ADD, left, inside)

    return build


@pytest.mark.parametrize("where", ["result", "guard", "jump"])
def test_c10_c69_a_value_of_a_loop_stays_inside(where: str) -> None:
    """D-09."""
    assert refused(leaking(where)) == "ReadOutsideRegion"


def test_c10_a_component_of_the_payload_leaves() -> None:
    def main(f: Lines) -> ObjectId:
        left = f.loop(
            f.f.input,
            lambda s: f.op(LT, s, f.c(3)),
            lambda s: f.op(ADD, s, f.c(1)),
            lambda s: f.pack(s, f.op(MUL, s, f.c(5))),
        )
        return f.phi(f.op(GT, f.proj(left, 0), f.c(0)), lambda: f.proj(left, 1), lambda: f.c(0))

    graph = Program().main(main, (I32,))
    assert value(graph, 1) == "15"
    kept(graph, (1,), (-4,))


def test_c69_a_value_of_an_arm_stays_inside() -> None:
    def build(f: Lines) -> ObjectId:
        guard = f.f.begin_guard(f.c(True, BOOL), f.key())
        with f.f.in_region(guard.arm_true):
            inside = f.op(MUL, f.f.input, f.c(3))
        chosen = f.f.phi(guard, inside, f.f.input)
        return f.op(ADD, chosen, inside)

    assert refused(build) == "ReadOutsideRegion"


@pytest.mark.parametrize("what", ["back", "exit", "no back", "no exit"])
def test_c65_a_loop_has_one_back_and_one_exit(what: str) -> None:
    """D-19."""

    def build(f: Lines) -> ObjectId:
        loop = f.f.begin_loop(f.f.input, f.key())
        with f.f.in_region(loop.body):
            test = f.op(LT, loop.merge, f.c(3))
        with f.f.in_region(loop.jump):
            following = f.op(ADD, loop.merge, f.c(1))
        left = loop.merge
        if what != "no back":
            f.f.loop_back(loop, following, test)
        if what == "back":
            f.f.loop_back(loop, following, test)
        if what in ("back", "exit"):
            left = f.f.loop_exit(loop, loop.merge, test)
        if what == "exit":
            f.f.loop_exit(loop, loop.merge, test)
        f.f.end_loop(loop)
        return left

    expected = {"no back": "LoopWithoutBack", "no exit": "LoopWithoutExit"}
    assert refused(build) == expected.get(what, "LoopShape")


def test_c65_loops_do_not_cross() -> None:
    def build(f: Lines) -> ObjectId:
        first = f.f.begin_loop(f.f.input, f.key())
        second = f.f.begin_loop(f.f.input, f.key())
        with f.f.in_region(first.body):
            return f.op(ADD, second.merge, first.merge)

    assert refused(build) == "ReadOutsideRegion"


@pytest.mark.parametrize("ty", [I32, I64, U8])
def test_c72_types_of_counts(ty: Scalar) -> None:
    """D-17."""

    def main(f: Lines) -> ObjectId:
        numbers = f.f.iota(f.c(3, ty), f.key())
        parts = [f.index(numbers, f.c(place)) for place in range(3)]
        return f.op(ADD, f.op(MUL, parts[1], f.c(10)), parts[2])

    graph = Program().main(main)
    assert value(graph) == "12"
    kept(graph)


@pytest.mark.parametrize("count", [0, -1, None])
def test_c72_counts_that_are_refused(count: int | None) -> None:
    def build(f: Lines) -> ObjectId:
        return f.f.iota(f.f.input if count is None else f.c(count), f.key())

    assert refused(build) == "NonStaticCount"
