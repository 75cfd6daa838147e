"""Cases C68 to C82 and C89: loops in loops, effects, and the order that passes keep."""

from __future__ import annotations

import pytest

from mapal.ir.function_builder import Ret
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import BinaryCode, ObjectId, RegionId
from mapal.ir.types import BOOL, I32, IO, Array
from mapal.rewrite.driver import ORDER_WOULD_CHANGE
from mapal.rewrite.pipeline import CONSTANT_FOLDING, INLINING
from tests.rewrite.build import ADD, DIV, GT, LT, MUL, SUB, Lines, Program
from tests.rewrite.outcomes import applied, census, declines, ending, kept, kind, value


def test_c68_loop_depends_on_an_earlier_loop() -> None:
    """D-07."""

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        ea = f.loop(f.c(0), lambda s: f.op(LT, s, f.c(3)), lambda s: f.op(ADD, s, f.c(1)))
        return f.loop(x, lambda s: f.op(LT, s, f.c(10)), lambda s: f.op(ADD, s, ea))

    graph = Program().main(main, (I32,))
    assert value(graph, 1) == "10"
    kept(graph, (1,), (50,))


def test_c70_c73_carried_by_both() -> None:
    """D-10."""
    for where, expected in (("jump", "4"), ("body", "10")):
        graph = nest(where)
        assert value(graph) == expected
        kept(graph)


def nest(where: str) -> Graph:
    def main(f: Lines) -> ObjectId:
        def inner(i: ObjectId, acc: ObjectId) -> ObjectId:
            return f.loop(
                f.pack(f.c(0), acc),
                lambda s: f.op(BinaryCode.LE, f.proj(s, 0), i),
                lambda s: f.pack(
                    f.op(ADD, f.proj(s, 0), f.c(1)), f.op(ADD, f.proj(s, 1), f.proj(s, 0))
                ),
                lambda s: f.proj(s, 1),
            )

        loop = f.f.begin_loop(f.pack(f.c(0), f.c(0)), f.key())
        with f.f.in_region(loop.body):
            i, acc = f.proj(loop.merge, 0), f.proj(loop.merge, 1)
            if where == "body":
                acc = inner(i, acc)
            test = f.op(LT, i, f.c(3))
        with f.f.in_region(loop.jump):
            after = inner(i, acc) if where == "jump" else acc
            state = f.pack(f.op(ADD, i, f.c(1)), after)
        f.f.loop_back(loop, state, test)
        left = f.f.loop_exit(loop, acc, test)
        f.f.end_loop(loop)
        return left

    return Program().main(main)


def test_c71_printing_loop_then_pure_loop() -> None:
    """D-06."""

    def main(f: Lines) -> ObjectId:
        loop = f.f.begin_loop(f.pack(f.c(0), f.f.input), f.key())
        with f.f.in_region(loop.body):
            i = f.proj(loop.merge, 0)
            token = f.println(f.proj(loop.merge, 1), i)
            test = f.op(LT, i, f.c(3))
        with f.f.in_region(loop.jump):
            state = f.pack(f.op(ADD, i, f.c(1)), token)
        f.f.loop_back(loop, state, test)
        with f.f.in_region(loop.exit):
            payload = f.pack(i, token)
        left = f.f.loop_exit(loop, payload, test)
        f.f.end_loop(loop)
        count, token = f.proj(left, 0), f.proj(left, 1)
        last = f.loop(count, lambda s: f.op(LT, s, f.c(10)), lambda s: f.op(ADD, s, f.c(1)))
        return f.println(token, last)

    graph = Program().main(main, (IO,), IO)
    assert ending(graph)[1] == b"0\n1\n2\n3\n10\n"
    kept(graph)


def test_c74_exit_arm_once() -> None:
    """D-31."""
    for bound, expected in ((4, "25"), (0, "div_zero")):

        def main(f: Lines, bound: int = bound) -> ObjectId:
            return f.loop(
                f.c(0),
                lambda s: f.op(LT, s, f.c(bound)),
                lambda s: f.op(ADD, s, f.c(1)),
                lambda s: f.op(DIV, f.c(100), s),
            )

        graph = Program().main(main)
        if expected == "div_zero":
            assert kind(graph) == expected
        else:
            assert value(graph) == expected
        kept(graph)


def region_of(graph: Graph, name: str) -> RegionId:
    """Where the only operation of a name stands."""
    (found,) = (m for m in graph.morphisms if name in repr(m.op))
    return found.region


@pytest.mark.parametrize("where", ["jump", "before"])
def test_c75_invariant_work(where: str) -> None:
    """D-31: a division is not moved out of the arm that it stands in."""

    def main(f: Lines) -> ObjectId:
        start, d = f.arg(0), f.arg(1)
        early = f.op(DIV, f.c(10), d) if where == "before" else f.c(0)

        def following(s: ObjectId) -> ObjectId:
            q = f.op(DIV, f.c(10), d) if where == "jump" else early
            return f.op(SUB, s, q)

        return f.loop(start, lambda s: f.op(GT, s, f.c(0)), following)

    graph = Program().main(main, (I32, I32))
    expected = "div_zero" if where == "before" else "done"
    assert kind(graph, 0, 0) == expected
    assert kind(graph, 20, 0) == "div_zero"
    result = kept(graph, (0, 0), (20, 0), (20, 5), (0, 5))
    place = result.loops[0].jump if where == "jump" else result.loops[0].region
    assert region_of(result, "DIV") == place


def test_c75_total_invariant_work_may_move() -> None:
    def main(f: Lines) -> ObjectId:
        start, d = f.arg(0), f.arg(1)
        return f.loop(
            start,
            lambda s: f.op(GT, s, f.c(0)),
            lambda s: f.op(SUB, s, f.op(MUL, f.c(10), d)),
        )

    kept(Program().main(main, (I32, I32)), (0, 1), (20, 1))


@pytest.mark.parametrize("used_by", ["next", "condition", "exit"])
def test_c76_work_before_the_guard_by_use(used_by: str) -> None:
    """Regions as lowering gives them: with the next state, the body, or the exit."""

    def main(f: Lines) -> ObjectId:
        v = f.array(f.c(1), f.c(2), f.c(3))
        loop = f.f.begin_loop(f.pack(f.c(0), f.c(0)), f.key())
        with f.f.in_region(loop.body):
            i, acc = f.proj(loop.merge, 0), f.proj(loop.merge, 1)
            bound = f.c(2 if used_by == "exit" else 3)
            test = f.op(LT, i, bound)
        places = {"next": loop.jump, "condition": loop.body, "exit": loop.exit}
        with f.f.in_region(places[used_by]):
            a = f.index(v, i)
        if used_by == "condition":
            with f.f.in_region(loop.body):
                test = f.op(BinaryCode.AND, test, f.op(GT, a, f.c(0)))
        with f.f.in_region(loop.jump):
            added = a if used_by == "next" else i
            state = f.pack(f.op(ADD, i, f.c(1)), f.op(ADD, acc, added))
        f.f.loop_back(loop, state, test)
        with f.f.in_region(loop.exit):
            payload = f.op(ADD, acc, a) if used_by == "exit" else acc
            payload = f.op(MUL, payload, f.c(2))
        left = f.f.loop_exit(loop, payload, test)
        f.f.end_loop(loop)
        return left

    graph = Program().main(main)
    if used_by == "condition":
        assert kind(graph) == "index_oob"
    else:
        assert value(graph) == {"next": "12", "exit": "8"}[used_by]
    kept(graph)


def test_c77_inner_loop_that_traps_or_diverges() -> None:
    def main(f: Lines) -> ObjectId:
        selected = f.f.input

        def following(s: ObjectId) -> ObjectId:
            i, acc = f.proj(s, 0), f.proj(s, 1)
            inner = f.loop(
                f.c(0),
                lambda j: f.op(LT, j, f.op(DIV, f.c(4), f.op(SUB, f.c(2), i))),
                lambda j: f.op(ADD, j, f.c(1)),
            )
            extra = f.phi(selected, lambda: f.c(1), f.endless)
            return f.pack(f.op(ADD, i, f.c(1)), f.op(ADD, acc, f.op(ADD, inner, extra)))

        return f.loop(
            f.pack(f.c(0), f.c(0)),
            lambda s: f.op(LT, f.proj(s, 0), f.c(5)),
            following,
            lambda s: f.proj(s, 1),
        )

    graph = Program().main(main, (BOOL,))
    assert kind(graph, True) == "div_zero"
    assert kind(graph, False) == "diverged"
    kept(graph, (True,), (False,))


def test_c79_lines_drawn_by_effects() -> None:
    """D-30."""

    def main(f: Lines) -> ObjectId:
        left = f.loop(f.c(0), lambda s: f.op(LT, s, f.c(3)), lambda s: f.op(ADD, s, f.c(1)))
        token = f.println(f.f.input, left)
        return f.println(token, f.op(DIV, f.c(1), f.c(0)))

    graph = Program().main(main, (IO,), IO)
    assert ending(graph)[:2] == ("trapped", b"3\n")
    kept(graph)


def test_c79_an_endless_loop_without_an_effect_after_it() -> None:
    def main(f: Lines) -> ObjectId:
        left = f.endless()
        return f.op(ADD, left, f.op(DIV, f.c(1), f.f.input))

    graph = Program().main(main, (I32,))
    assert kind(graph, 0) == "div_zero"
    assert kind(graph, 1) == "diverged"
    kept(graph, (0,), (1,))


def test_c81_a_resolved_arm_keeps_its_place() -> None:
    def main(f: Lines) -> ObjectId:
        token, x = f.arg(0), f.arg(1)
        token = f.println(token, f.c(7))
        chosen = f.phi(f.c(True, BOOL), lambda: f.op(DIV, f.c(1), x), lambda: f.c(0))
        return f.println(token, chosen)

    graph = Program().main(main, (IO, I32), IO)
    result = applied(graph, CONSTANT_FOLDING, (0,), (1,))
    assert census(result)["guards"] == 0
    assert ending(result, 0)[:2] == ("trapped", b"7\n")
    kept(graph, (0,), (1,))


def test_a_resolved_loop_keeps_its_place() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.f.input
        left = f.loop(
            f.op(ADD, x, f.c(1)),
            lambda s: f.c(False, BOOL),
            lambda s: f.op(DIV, s, f.c(0)),
            lambda s: f.op(DIV, f.c(8), s),
        )
        return f.op(ADD, left, f.c(1))

    graph = Program().main(main, (I32,))
    assert value(graph, 1) == "5"
    result = applied(graph, CONSTANT_FOLDING, (1,), (-1,))
    assert census(result)["loops"] == 0
    assert census(result)["Div"] == 1
    kept(graph, (1,), (-1,))


def test_a_resolved_loop_that_another_trap_precedes_stays() -> None:
    """The loop runs after the index, written later; its body would run before."""

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        left = f.loop(x, lambda s: f.c(False, BOOL), lambda s: s, lambda s: f.op(DIV, f.c(8), s))
        return f.op(ADD, left, f.index(f.array(x, x), f.op(ADD, x, f.c(2))))

    graph = Program().main(main, (I32,))
    assert kind(graph, 0) == "index_oob"
    assert ORDER_WOULD_CHANGE in declines(graph, CONSTANT_FOLDING)
    assert kind(applied(graph, CONSTANT_FOLDING, (0,), (-1,)), 0) == "index_oob"
    kept(graph, (0,), (-1,))


def test_what_is_inlined_keeps_the_place_of_its_call() -> None:
    """The callee is written before what runs first."""
    program = Program()
    h = program.helper(lambda f: f.op(DIV, f.c(8), f.f.input))

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        first = f.index(f.array(x, x), f.op(ADD, x, f.c(2)))
        return f.op(ADD, f.call(h, x), first)

    graph = program.main(main, (I32,))
    assert kind(graph, 0) == "index_oob"
    result = applied(graph, INLINING, (0,), (-1,))
    assert census(result)["Call"] == 0
    assert kind(result, 0) == "index_oob"
    kept(graph, (0,), (-1,))


def test_the_arm_that_runs_keeps_the_place_of_its_guard() -> None:
    """Its division has a later key than the access, which comes after the guard."""

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        numbers, place = f.array(x, x), f.op(ADD, x, f.c(2))
        before, after, late = f.key(), f.key(), f.key()
        guard = f.f.begin_guard(f.c(True, BOOL), before)
        with f.f.in_region(guard.arm_true):
            quotient = f.f.binary(DIV, f.c(8), x, late)
        with f.f.in_region(guard.arm_false):
            other = f.c(0)
        chosen = f.f.phi(guard, quotient, other)
        return f.op(ADD, chosen, f.f.index(numbers, place, after))

    graph = Program().main(main, (I32,))
    assert kind(graph, 0) == "div_zero"
    result = applied(graph, CONSTANT_FOLDING, (0,), (-1,))
    assert census(result)["guards"] == 0
    assert kind(result, 0) == "div_zero"
    kept(graph, (0,), (-1,))


def test_c89_two_interpreters() -> None:
    program = Program()
    numbers = Array(I32, 9)

    def build(f: Lines) -> ObjectId:
        v, d, x = f.arg(0), f.arg(1), f.arg(2)
        steps = f.loop(f.c(0), lambda s: f.op(LT, s, x), lambda s: f.op(ADD, s, f.c(1)))
        q = f.op(DIV, f.c(100), f.index(d, x))
        return f.phi(
            f.op(GT, x, f.c(1)),
            lambda: f.op(ADD, f.index(v, f.op(MUL, x, steps)), q),
            lambda: q,
        )

    body = program.helper(build, (numbers, numbers, I32), kind=FunctionKind.MAP_BODY, name="body")

    def main(f: Lines) -> None:
        f.f.map(body, (f.arg(0), f.arg(1)), f.iota(9), f.key(), Ret())

    graph = program.main(main, (numbers, numbers), numbers)
    data = list(range(9))
    assert kind(graph, data, [1, 1, 1, 0, 1, 1, 1, 0, 1]) == "div_zero"
    assert kind(graph, data, [1, 1, 1, 1, 0, 1, 1, 0, 1]) == "index_oob"
    kept(graph, (data, [1, 1, 1, 0, 1, 1, 1, 0, 1]), (data, [1, 1, 1, 1, 0, 1, 1, 0, 1]))
