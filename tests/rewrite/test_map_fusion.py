"""Cases C31 to C37: the laws of map."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mapal.ir.function_builder import Ret
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import FunctionId, ObjectId
from mapal.ir.types import I32, IO, Array, Tuple, Type
from mapal.rewrite.passes import map_fusion
from mapal.rewrite.pipeline import COMMON_SUBEXPRESSIONS, MAP_FUSION
from mapal.rewrite.replay import replay
from tests.rewrite.build import ADD, DIV, EQ, MUL, SUB, Lines, Program
from tests.rewrite.outcomes import applied, census, declines, ending, kept, kind, value

FOUR = Array(I32, 4)


def body(
    program: Program, build: Callable[[Lines], ObjectId | None], *captures: Type
) -> FunctionId:
    return program.helper(build, (*captures, I32), kind=FunctionKind.MAP_BODY, name="body")


def mapped(build: Callable[[Lines], ObjectId | None]) -> Graph:
    """The map of a body over four numbers, summed up by reading them."""
    program = Program()
    f = body(program, build)

    def main(lines: Lines) -> ObjectId:
        result = lines.map(f, lines.iota(4))
        return lines.op(ADD, lines.index(result, lines.c(1)), lines.index(result, lines.c(3)))

    return program.main(main)


def dead_trap(f: Lines) -> ObjectId:
    f.op(DIV, f.f.input, f.c(0))
    return f.f.input


def hidden_identity(f: Lines) -> ObjectId:
    f.op(DIV, f.f.input, f.f.input)
    return f.proj(f.pack(f.f.input, f.c(7)), 0)


@pytest.mark.parametrize("build", [dead_trap, hidden_identity])
def test_c31_c32_an_identity_with_a_dead_trap_stays(
    build: Callable[[Lines], ObjectId],
) -> None:
    graph = mapped(build)
    assert kind(graph) == "div_zero"
    result = kept(graph)
    assert census(result)["Map"] == 1
    assert kind(result) == "div_zero"


def test_c33_identity_map() -> None:
    graph = mapped(lambda f: f.f.input)
    result = applied(graph, MAP_FUSION)
    assert census(result)["Map"] == 0
    assert len(result.functions) == 1
    kept(graph)


def test_c33_an_identity_with_dead_total_work_goes() -> None:
    def build(f: Lines) -> ObjectId:
        f.op(MUL, f.f.input, f.c(3))
        return f.f.input

    assert census(applied(mapped(build), MAP_FUSION))["Map"] == 0


def test_c33_identity_map_with_captures() -> None:
    program = Program()
    f = body(program, lambda f: f.arg(1), I32)
    graph = program.main(
        lambda lines: lines.index(lines.map(f, lines.iota(4), lines.f.input), lines.c(2)), (I32,)
    )
    assert census(applied(graph, MAP_FUSION, (5,)))["Map"] == 0
    kept(graph, (5,))


def test_c33_identity_writing_the_result() -> None:
    program = Program()
    f = body(program, lambda f: f.f.input)
    graph = program.main(
        lambda lines: (lines.f.map(f, (), lines.f.input, lines.key(), Ret()), None)[1],
        (FOUR,),
        FOUR,
    )
    result = kept(graph, ([1, 2, 3, 4],))
    assert census(result)["Map"] == 1
    assert declines(graph, MAP_FUSION) == [map_fusion.RESULT]


def two_maps(
    first: Callable[[Lines], ObjectId | None], second: Callable[[Lines], ObjectId | None]
) -> Graph:
    program = Program()
    f, g = body(program, first), body(program, second)

    def main(lines: Lines) -> ObjectId:
        result = lines.map(g, lines.map(f, lines.iota(4)))
        return lines.op(ADD, lines.index(result, lines.c(1)), lines.index(result, lines.c(3)))

    return program.main(main)


def plus_one(f: Lines) -> ObjectId:
    return f.op(ADD, f.f.input, f.c(1))


def times_three(f: Lines) -> ObjectId:
    return f.op(MUL, f.f.input, f.c(3))


def test_composition() -> None:
    graph = two_maps(plus_one, times_three)
    assert value(graph) == "18"
    result = applied(graph, MAP_FUSION)
    assert census(result)["Map"] == 1
    assert [function.kind for function in result.functions] == [
        FunctionKind.NAMED,
        FunctionKind.MAP_BODY,
    ]
    kept(graph)


def traps_at(number: int) -> Callable[[Lines], ObjectId]:
    return lambda f: f.op(DIV, f.c(12), f.op(SUB, f.f.input, f.c(number)))


def test_c34_divergence_guard() -> None:
    def endless_at_two(f: Lines) -> ObjectId:
        return f.loop(f.f.input, lambda s: f.op(EQ, s, f.c(2)), lambda s: f.op(MUL, s, f.c(1)))

    graph = two_maps(endless_at_two, traps_at(0))
    assert kind(graph) == "diverged"
    result = kept(graph)
    assert census(result)["Map"] == 2
    assert declines(graph, MAP_FUSION) == [map_fusion.RUNS_FOREVER]


def test_c35_shared_intermediate() -> None:
    program = Program()
    f, g = body(program, plus_one), body(program, times_three)

    def main(lines: Lines) -> ObjectId:
        m = lines.map(f, lines.iota(4))
        return lines.pack(lines.map(g, m), m)

    graph = program.main(main, (), Tuple((FOUR, FOUR)))
    assert census(kept(graph))["Map"] == 2
    assert declines(graph, MAP_FUSION) == [map_fusion.SHARED]


def captured_maps(same: bool) -> Graph:
    program = Program()
    f = body(program, lambda f: f.op(MUL, f.arg(1), f.arg(0)), I32)
    g = body(program, lambda f: f.op(ADD, f.arg(1), f.arg(0)), I32)

    def main(lines: Lines) -> ObjectId:
        s, t = lines.arg(0), lines.arg(1)
        m = lines.map(f, lines.iota(4), s)
        return lines.index(lines.map(g, m, s if same else t), lines.c(3))

    return program.main(main, (I32, I32))


def test_c36_captures_survive() -> None:
    program = Program()
    f = body(program, lambda f: f.op(MUL, f.arg(1), f.arg(0)), I32)

    def main(lines: Lines) -> ObjectId:
        s, t, v = lines.arg(0), lines.arg(1), lines.iota(4)
        first, second = lines.map(f, v, s), lines.map(f, v, t)
        two = lines.c(2)
        return lines.op(SUB, lines.index(first, two), lines.index(second, two))

    graph = program.main(main, (I32, I32))
    for result in (replay(graph).graph, applied(graph, COMMON_SUBEXPRESSIONS, (5, 7))):
        maps = [m for m in result.morphisms if "Map(" in repr(m.op)]
        assert len(maps) == 2
        assert [len(result.operands(m)) for m in maps] == [2, 2]
        assert value(result, 5, 7) == "-4"
    kept(graph, (5, 7))


@pytest.mark.parametrize("same", [True, False])
def test_c37_captured_fusion(same: bool) -> None:
    """D-27: captures are united."""
    graph = captured_maps(same)
    result = applied(graph, MAP_FUSION, (5, 7))
    (fused,) = (m for m in result.morphisms if "Map(" in repr(m.op))
    assert len(result.operands(fused)) == (2 if same else 3)
    assert value(result, 5, 7) == ("20" if same else "22")
    kept(graph, (5, 7))


@pytest.mark.parametrize("where", [0, 1])
def test_c37_a_trap_in_one_body(where: int) -> None:
    bodies = [plus_one, times_three]
    bodies[where] = traps_at(3)  # type: ignore[assignment]
    graph = two_maps(bodies[0], bodies[1])
    assert kind(graph) == "div_zero"
    result = applied(graph, MAP_FUSION)
    assert census(result)["Map"] == 1
    kept(graph)


def test_c37_traps_in_both_bodies() -> None:
    graph = two_maps(traps_at(2), traps_at(-6))
    assert kind(graph) == "div_zero"
    result = kept(graph)
    assert census(result)["Map"] == 2
    assert declines(graph, MAP_FUSION) == [map_fusion.BOTH_TRAP]


@pytest.mark.parametrize("where", [0, 1])
def test_c37_a_print_between_the_maps(where: int) -> None:
    bodies = [plus_one, times_three]
    bodies[where] = traps_at(3)  # type: ignore[assignment]
    program = Program()
    f, g = body(program, bodies[0]), body(program, bodies[1])

    def main(lines: Lines) -> ObjectId:
        m = lines.map(f, lines.iota(4))
        token = lines.println(lines.f.input, lines.c(7))
        return lines.println(token, lines.index(lines.map(g, m), lines.c(0)))

    graph = program.main(main, (IO,), IO)
    expected = ending(graph)
    assert expected[:2] == ("trapped", b"7\n" if where else b"")
    assert ending(kept(graph)) == expected


def test_maps_in_different_regions_stay() -> None:
    """Fused in the arm, the inner map would not run where the arm does not; fused before the
    guard, the outer one would."""
    program = Program()
    inner = body(program, lambda f: f.op(DIV, f.c(12), f.op(SUB, f.f.input, f.c(2))))
    outer = body(program, lambda f: f.op(MUL, f.f.input, f.c(3)))

    def main(f: Lines) -> ObjectId:
        middle = f.map(inner, f.iota(4))
        return f.phi(
            f.op(EQ, f.f.input, f.c(0)),
            lambda: f.index(f.map(outer, middle), f.c(1)),
            lambda: f.c(5),
        )

    graph = program.main(main, (I32,))
    assert kind(graph, 1) == "div_zero"
    assert declines(graph, MAP_FUSION) == [map_fusion.OTHER_REGION]
    kept(graph, (0,), (1,))


def test_captures_after_the_inner_map_keep_it_apart() -> None:
    """The inner map can trap, so the fused one would stand in its place; the outer one captures
    what is computed later."""
    program = Program()
    inner = body(program, lambda f: f.op(DIV, f.c(12), f.op(SUB, f.f.input, f.c(9))))
    outer = body(program, lambda f: f.op(ADD, f.arg(0), f.arg(1)), I32)

    def main(f: Lines) -> ObjectId:
        middle = f.map(inner, f.iota(4))
        late = f.op(DIV, f.c(8), f.f.input)
        return f.index(f.map(outer, middle, late), f.c(1))

    graph = program.main(main, (I32,))
    assert declines(graph, MAP_FUSION) == [map_fusion.LATE_CAPTURES]
    kept(graph, (0,), (2,))


def test_a_map_that_gives_a_capture_is_no_identity() -> None:
    program = Program()
    given = body(program, lambda f: f.arg(0), I32)
    graph = program.main(
        lambda f: f.index(f.map(given, f.iota(4), f.op(ADD, f.f.input, f.c(7))), f.c(2)), (I32,)
    )
    assert value(graph, 1) == "8"
    assert census(applied(graph, MAP_FUSION, (1,)))["Map"] == 1
    kept(graph, (1,))


def test_a_fused_map_that_can_trap_stands_where_the_inner_one_stood() -> None:
    """Before the division that is written between the two."""
    program = Program()
    inner = body(program, lambda f: f.index(f.array(f.c(5), f.c(6)), f.f.input))
    outer = body(program, lambda f: f.op(ADD, f.f.input, f.c(1)))

    def main(f: Lines) -> ObjectId:
        middle = f.map(inner, f.iota(4))
        between = f.op(DIV, f.c(8), f.f.input)
        return f.op(ADD, f.index(f.map(outer, middle), f.c(1)), between)

    graph = program.main(main, (I32,))
    assert kind(graph, 0) == "index_oob"
    assert census(applied(graph, MAP_FUSION, (0,), (1,)))["Map"] == 1
    kept(graph, (0,), (1,))
