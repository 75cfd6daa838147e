"""Cases C18 to C24, and the laws where plans are made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph, Morphism
from mapal.ir.ops import ObjectId
from mapal.ir.types import BOOL, I32, I64, IO
from mapal.rewrite import rewrite_with
from mapal.rewrite.applications import BodyAtPlace
from mapal.rewrite.entries import Streaming
from mapal.rewrite.pipeline import CONSTANT_FOLDING, PASSES
from mapal.rewrite.plan import PlanError, PlanMaker
from mapal.rewrite.replay import replay
from mapal.rewrite.terms import Applied, Number
from tests.rewrite.build import ADD, DIV, LT, MUL, Lines, Program
from tests.rewrite.outcomes import applied, census, ending, kept, kind, value


def test_c18_exit_payload_arithmetic() -> None:
    """D-12."""

    def main(f: Lines) -> ObjectId:
        four = f.op(ADD, f.c(1), f.c(3))
        left = f.loop(
            f.c(0),
            lambda s: f.op(LT, s, f.c(3)),
            lambda s: f.op(ADD, s, f.c(1)),
            lambda s: f.op(MUL, s, f.c(3)),
        )
        return f.op(ADD, left, four)

    graph = Program().main(main)
    assert value(graph) == "13"
    assert census(applied(graph, CONSTANT_FOLDING))["Add"] == 2
    kept(graph)


def test_c19_nothing_to_do() -> None:
    graph = Program().main(lambda f: f.op(DIV, f.arg(0), f.arg(1)), (I32, I32))
    result = rewrite_with(graph, PASSES)
    assert result.graph is graph
    assert (result.report["applied"], result.report["rounds"]) == ([], 1)


@pytest.mark.parametrize("is_constant", [True, False])
def test_c20_the_writer_of_the_result_stays(is_constant: bool) -> None:
    def main(f: Lines) -> None:
        if is_constant:
            f.ret(ADD, f.c(2), f.c(3))
        else:
            f.ret(ADD, f.f.input, f.c(0))

    graph = Program().main(main, (I32,))
    result = kept(graph, (5,))
    assert census(result)["Add"] == 1


def test_c21_next_states_are_not_constants() -> None:
    def main(f: Lines) -> ObjectId:
        def following(s: ObjectId) -> ObjectId:
            six = f.op(MUL, f.c(2), f.c(3))
            f.op(ADD, s, six)
            return f.op(MUL, s, f.c(0))

        return f.loop(f.f.input, lambda s: f.op(LT, f.c(0), s), following)

    graph = Program().main(main, (I32,))
    result = applied(graph, CONSTANT_FOLDING, (0,), (5,))
    assert census(result)["Mul"] == 1
    assert value(result, 5) == "0"
    kept(graph, (0,), (5,))


def test_c21_a_state_of_several_components_goes_on_depending_on_itself() -> None:
    def main(f: Lines) -> ObjectId:
        zero = f.c(0)

        def following(s: ObjectId) -> ObjectId:
            return f.pack(f.op(MUL, f.proj(s, 0), zero), f.op(MUL, f.proj(s, 1), zero))

        return f.loop(
            f.pack(f.f.input, f.f.input),
            lambda s: f.op(LT, zero, f.proj(s, 0)),
            following,
            lambda s: f.proj(s, 1),
        )

    graph = Program().main(main, (I32,))
    assert value(graph, 5) == "0"
    result = kept(graph, (5,), (0,))
    assert census(result)["loops"] == 1


def test_c22_resolving_a_guard() -> None:
    def main(f: Lines) -> ObjectId:
        chosen = f.phi(f.c(True, BOOL), lambda: f.c(1), lambda: f.op(DIV, f.c(1), f.c(0)))
        return f.println(f.f.input, chosen)

    graph = Program().main(main, (IO,), IO)
    result = applied(graph, CONSTANT_FOLDING)
    assert census(result)["guards"] == census(result)["Div"] == census(result)["Phi"] == 0
    assert ending(result)[1] == b"1\n"
    kept(graph)


def resolving_in_a_loop() -> Graph:
    def main(f: Lines) -> ObjectId:
        loop = f.f.begin_loop(f.f.input, f.key())
        with f.f.in_region(loop.body):
            following = f.op(ADD, loop.merge, f.c(1))
            chosen = f.phi(f.c(True, BOOL), lambda: following, lambda: f.op(DIV, f.c(7), f.c(0)))
            test = f.op(LT, chosen, f.c(5))
        f.f.loop_back(loop, following, test)
        left = f.f.loop_exit(loop, chosen, test)
        f.f.end_loop(loop)
        return left

    return Program().main(main, (I32,))


def test_c23_resolving_inside_a_loop() -> None:
    graph = resolving_in_a_loop()
    assert value(graph, 0) == "5"
    result = applied(graph, CONSTANT_FOLDING, (0,), (9,))
    assert census(result)["Phi"] == census(result)["Div"] == 0
    kept(graph, (0,), (9,))


def test_c24_tokens_are_not_forwarded() -> None:
    def main(f: Lines) -> ObjectId:
        p = f.pack(f.f.input, f.c(5))
        token, number = f.proj(p, 0), f.proj(p, 1)
        return f.println(token, number)

    graph = Program().main(main, (IO,), IO)
    result = applied(graph, CONSTANT_FOLDING)
    assert census(result)["Proj"] == 1
    kept(graph)


def dividing() -> Graph:
    def main(f: Lines) -> ObjectId:
        q = f.op(DIV, f.arg(0), f.arg(1))
        f.op(MUL, q, f.c(2))
        return f.op(ADD, q, f.c(1))

    return Program().main(main, (I32, I32))


def defined(graph: Graph, name: str) -> ObjectId:
    """What the first operation of a name defines."""
    return next(m.target for m in graph.morphisms if name in repr(m.op))


def test_p1_only_temporaries_are_replaced() -> None:
    graph = dividing()
    function = graph.functions[graph.entry]
    maker = PlanMaker(graph)
    for obj in (function.output, function.input, defined(graph, "Output")):
        assert not maker.may_replace(obj)
        with pytest.raises(PlanError):
            maker.constify(obj, 0)
        with pytest.raises(PlanError):
            maker.drop(obj)
    constant = next(obj.id for obj in graph.objects if obj.value == 2)
    assert not maker.may_replace(constant)


def test_p2_a_value_is_replaced_by_an_earlier_one() -> None:
    graph = dividing()
    maker = PlanMaker(graph)
    quotient, product = defined(graph, "DIV"), defined(graph, "MUL")
    assert not maker.may_alias(quotient, product)
    with pytest.raises(PlanError):
        maker.alias(quotient, product)
    assert maker.may_alias(product, quotient)


def test_p2_a_value_is_replaced_by_one_of_its_type() -> None:
    def main(f: Lines) -> ObjectId:
        wide = f.f.widen(f.f.input, I64, f.key())
        return f.op(ADD, f.op(MUL, f.f.input, f.c(2)), f.f.convert(wide, I32, f.key()))

    graph = Program().main(main, (I32,))
    wide, product = defined(graph, "Widen"), defined(graph, "MUL")
    maker = PlanMaker(graph)
    assert not maker.may_alias(product, wide)
    with pytest.raises(PlanError, match="P2"):
        maker.alias(product, wide)


def test_p2_a_value_of_an_arm_stays_there() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.f.input
        chosen = f.phi(f.op(LT, x, f.c(0)), lambda: f.op(MUL, x, f.c(2)), lambda: x)
        return f.op(ADD, f.op(MUL, x, f.c(3)), chosen)

    graph = Program().main(main, (I32,))
    inside, outside = (m.target for m in graph.morphisms if "MUL" in repr(m.op))
    assert not PlanMaker(graph).may_alias(outside, inside)


def test_p2_the_frame_of_a_loop_is_not_replaced() -> None:
    graph = resolving_in_a_loop()
    maker = PlanMaker(graph)
    loop = graph.loops[0]
    for obj in (
        loop.cond,
        graph.operands(graph.morphisms[loop.back])[0],
        graph.morphisms[loop.back].source,
        graph.morphisms[loop.leave].source,
        graph.morphisms[loop.leave].target,
        loop.merge,
    ):
        assert not maker.may_replace(obj)


def test_p4_only_total_work_is_left_out_or_moved() -> None:
    graph = dividing()
    maker = PlanMaker(graph)
    with pytest.raises(PlanError):
        maker.drop(defined(graph, "DIV"))
    with pytest.raises(PlanError):
        maker.move(defined(graph, "DIV"), graph.functions[graph.entry].body)
    maker.drop(defined(graph, "MUL"))
    assert maker.finish().count == 1


def test_p4_work_moves_outwards_only() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.f.input
        y = f.op(MUL, x, f.c(2))
        return f.phi(f.op(LT, x, f.c(0)), lambda: f.op(ADD, y, f.c(2)), lambda: y)

    graph = Program().main(main, (I32,))
    guard = graph.guards[0]
    maker = PlanMaker(graph)
    with pytest.raises(PlanError):
        maker.move(defined(graph, "MUL"), guard.arm_true)
    maker.move(defined(graph, "ADD"), guard.region)


def test_tokens_are_in_no_plan() -> None:
    graph = Program().main(lambda f: f.println(f.f.input, f.c(5)), (IO,), IO)
    token = defined(graph, "Print")
    maker = PlanMaker(graph)
    assert not maker.may_replace(token)
    with pytest.raises(PlanError):
        maker.drop(token)
    assert kind(graph) == "done"


def doubled(f: Lines) -> ObjectId:
    return f.op(MUL, f.f.input, f.c(2))


def folded(
    body: Callable[[Lines], ObjectId], *, is_shared: bool
) -> tuple[Graph, Morphism, Morphism]:
    """A fold of a map, with another reader of the map or without; the map and the fold."""
    program = Program()
    one = program.helper(body, kind=FunctionKind.MAP_BODY, name="one")
    two = program.helper(
        lambda f: f.op(ADD, f.arg(0), f.arg(1)),
        (I32, I32),
        kind=FunctionKind.FOLD_BODY,
        name="two",
    )

    def main(f: Lines) -> ObjectId:
        array = f.map(one, f.iota(4))
        total = f.fold(two, f.f.input, array)
        late = f.op(ADD, total, f.index(array, f.c(1)) if is_shared else f.c(0))
        return f.op(ADD, late, f.f.input)

    graph = program.main(main, (I32,))
    (inner,) = (m for m in graph.morphisms if isinstance(m.op, ops.Map))
    (outer,) = (m for m in graph.morphisms if isinstance(m.op, ops.Fold))
    return graph, inner, outer


def absorbing(graph: Graph, inner: Morphism, outer: Morphism, *captures: ObjectId) -> Streaming:
    pair = graph.operands(outer)[0]
    return Streaming(
        consumer=outer.id,
        place=outer.id,
        sources=(),
        count=4,
        element=Applied(inner.id, Number()),
        captures=captures,
        absorbed=(inner.target, pair),
        kept=(graph.feeders(pair)[0],),
    )


def test_p3_absorbed_arrays_have_no_other_reader() -> None:
    graph, inner, outer = folded(doubled, is_shared=True)
    with pytest.raises(PlanError, match="P3"):
        PlanMaker(graph).stream(absorbing(graph, inner, outer))
    graph, inner, outer = folded(doubled, is_shared=False)
    maker = PlanMaker(graph)
    maker.stream(absorbing(graph, inner, outer))
    result = replay(graph, maker.finish()).graph
    assert census(result)["Map"] == 0
    assert value(result, 5) == value(graph, 5) == "22"


def test_p2_a_body_captures_what_exists() -> None:
    graph, inner, outer = folded(doubled, is_shared=False)
    sums = [m.target for m in graph.morphisms if m.op == ops.Binary(ADD)]
    assert len(sums) == 3
    for late in sums:
        with pytest.raises(PlanError, match="P2"):
            PlanMaker(graph).stream(absorbing(graph, inner, outer, late))


def test_p4_a_map_that_is_not_made_is_total() -> None:
    def reading(body: Callable[[Lines], ObjectId], *, is_shared: bool) -> tuple[Graph, Morphism]:
        program = Program()
        one = program.helper(body, kind=FunctionKind.MAP_BODY, name="one")

        def main(f: Lines) -> ObjectId:
            array = f.map(one, f.iota(4))
            other = f.index(array, f.c(2)) if is_shared else f.f.input
            return f.op(ADD, f.index(array, f.c(1)), other)

        graph = program.main(main, (I32,))
        (inner,) = (m for m in graph.morphisms if isinstance(m.op, ops.Map))
        return graph, inner

    for body, is_shared, law in (
        (doubled, True, "P3"),
        (lambda f: f.op(DIV, f.c(6), f.f.input), False, "P4"),
    ):
        graph, inner = reading(body, is_shared=is_shared)
        access = next(m for m in graph.morphisms if isinstance(m.op, ops.Index))
        with pytest.raises(PlanError, match=law):
            PlanMaker(graph).apply(access.id, BodyAtPlace(inner.id))
