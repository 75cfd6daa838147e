"""Work out of loops: total, scalar, and the same on every pass."""

from __future__ import annotations

import pytest

from mapal.ir.graph import Graph
from mapal.ir.ops import ObjectId, RegionId
from mapal.ir.types import I32
from mapal.rewrite.pipeline import HOISTING
from tests.rewrite.build import ADD, DIV, GT, LT, MUL, SUB, Lines, Program
from tests.rewrite.outcomes import applied, kept, kind


def region_of(graph: Graph, name: str) -> RegionId:
    """Where the only operation of a name stands."""
    (found,) = (m for m in graph.morphisms if name in repr(m.op))
    return found.region


def looping(divides: bool) -> Graph:
    def main(f: Lines) -> ObjectId:
        start, d = f.arg(0), f.arg(1)

        def following(s: ObjectId) -> ObjectId:
            return f.op(SUB, s, f.op(DIV if divides else MUL, f.c(10), d))

        return f.loop(start, lambda s: f.op(GT, s, f.c(0)), following)

    return Program().main(main, (I32, I32))


ARGUMENTS = [(0, 0), (20, 0), (20, 5), (0, 5)]


def test_c75_a_product_moves_out() -> None:
    graph = looping(False)
    assert region_of(graph, "MUL") == graph.loops[0].jump
    arguments = [(0, 0), (20, 5), (0, 5)]
    result = applied(graph, HOISTING, *arguments)
    assert region_of(result, "MUL") == result.loops[0].region
    kept(graph, *arguments)


def test_c75_a_division_stays() -> None:
    graph = looping(True)
    assert (kind(graph, 0, 0), kind(graph, 20, 0)) == ("done", "div_zero")
    result = applied(graph, HOISTING, *ARGUMENTS)
    assert region_of(result, "DIV") == result.loops[0].jump


def test_work_of_an_inner_loop_moves_all_the_way() -> None:
    def main(f: Lines) -> ObjectId:
        a = f.f.input

        def inner(start: ObjectId) -> ObjectId:
            return f.loop(
                start,
                lambda t: f.op(LT, t, f.c(9)),
                lambda t: f.op(ADD, t, f.op(SUB, f.op(MUL, a, a), f.op(MUL, a, f.c(0)))),
            )

        return f.loop(f.c(1), lambda s: f.op(LT, s, f.c(20)), lambda s: f.op(ADD, inner(s), s))

    graph = Program().main(main, (I32,))
    result = applied(graph, HOISTING, (1,), (3,))
    body = result.functions[result.entry].body
    moved = [m for m in result.morphisms if "MUL" in repr(m.op) or "SUB" in repr(m.op)]
    assert [m.region for m in moved] == [body] * 3
    kept(graph, (1,), (3,))


@pytest.mark.parametrize("place", ["arm", "exit"])
def test_work_of_an_arm_and_of_the_exit_stays(place: str) -> None:
    def main(f: Lines) -> ObjectId:
        a = f.f.input

        def following(s: ObjectId) -> ObjectId:
            if place == "exit":
                return f.op(ADD, s, f.c(1))
            added = f.phi(f.op(GT, s, f.c(2)), lambda: f.op(MUL, a, a), lambda: f.c(1))
            return f.op(ADD, f.op(ADD, s, added), f.c(1))

        def payload(s: ObjectId) -> ObjectId:
            return f.op(MUL, a, a) if place == "exit" else s

        return f.loop(f.c(0), lambda s: f.op(LT, s, f.c(9)), following, payload)

    graph = Program().main(main, (I32,))
    assert applied(graph, HOISTING, (1,), (3,)) is graph


def test_what_reads_the_state_stays() -> None:
    graph = Program().main(
        lambda f: f.loop(
            f.f.input, lambda s: f.op(LT, s, f.c(9)), lambda s: f.op(ADD, s, f.op(MUL, s, s))
        ),
        (I32,),
    )
    assert applied(graph, HOISTING, (1,), (3,)) is graph


def test_a_condition_that_stays_the_same_stays_in_its_place() -> None:
    """The frame of a loop may be computed outside; the loop goes on as it did."""
    graph = Program().main(
        lambda f: f.loop(
            f.c(5), lambda s: f.op(GT, f.f.input, f.c(0)), lambda s: f.op(ADD, s, f.c(1))
        ),
        (I32,),
    )
    assert (kind(graph, 0), kind(graph, 1)) == ("done", "diverged")
    kept(graph, (0,), (1,))
