"""The evaluation order: source position, readiness, late loops, and effects as fences."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings

from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import FunctionBuilder
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import BinaryCode, MorphismId, ObjectId, RegionId, UnaryCode
from mapal.ir.order import (
    GuardItem,
    Item,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    guard_item,
    item_key,
    loop_item,
    schedule,
)
from mapal.ir.types import BOOL, I32, IO, UNIT, Tuple
from tests.ir import sample_graphs
from tests.ir.back_door import built, find, rebuilt
from tests.ir.sample_graphs import at, one_function, sum_loop
from tests.strategies import graphs


def first_tokens(items: tuple[Item, ...]) -> list[int]:
    """The first token of each operation, guard and loop in order; packs left out."""
    return [
        item_key(item)[0][0] for item in items if not isinstance(item, PackItem | ReturnSlotItem)
    ]


def order(graph: Graph) -> list[int]:
    return first_tokens(schedule(graph, graph.functions[graph.entry].body))


# Source position --------------------------------------------------------------------------


def test_ready_operations_run_in_source_order_not_in_that_of_creation() -> None:
    def build(f: FunctionBuilder) -> None:
        for token in (30, 10, 20):
            f.unary(UnaryCode.NEG, f.input, at(token))

    assert order(built(I32, UNIT, build)) == [10, 20, 30]


def test_a_later_operation_with_an_early_operand_waits_its_turn() -> None:
    """`e = arr[9]; r = h(x)`: the read is written first and runs first."""

    def build(f: FunctionBuilder) -> None:
        early = f.unary(UnaryCode.NEG, f.input, at(1))
        f.unary(UnaryCode.ABS, f.input, at(9))
        f.unary(UnaryCode.NEG, early, at(2))

    assert order(built(I32, UNIT, build)) == [1, 2, 9]


def test_equal_keys_go_by_creation() -> None:
    def build(f: FunctionBuilder) -> None:
        for code in (UnaryCode.ABS, UnaryCode.NEG, UnaryCode.ABS):
            f.unary(code, f.input, at(5))

    graph = built(I32, UNIT, build)
    items = schedule(graph, graph.functions[0].body)
    assert [item.morphism.id for item in items if isinstance(item, OperationItem)] == [0, 1, 2]


def test_keys_compare_range_by_range() -> None:
    def build(f: FunctionBuilder) -> None:
        f.unary(UnaryCode.NEG, f.input, at(5, 9))
        f.unary(UnaryCode.NEG, f.input, at(5, 6))
        f.unary(UnaryCode.NEG, f.input, ((5, 6), (1, 1)))

    graph = built(I32, UNIT, build)
    keys = [item_key(item) for item in schedule(graph, graph.functions[0].body)]
    assert keys == [((5, 6),), ((5, 6), (1, 1)), ((5, 9),)]


def test_an_operation_waits_for_its_operand_whatever_its_key() -> None:
    def build(f: FunctionBuilder) -> None:
        late = f.unary(UnaryCode.NEG, f.input, at(50))
        f.unary(UnaryCode.NEG, late, at(1))
        f.unary(UnaryCode.NEG, f.input, at(20))

    assert order(built(I32, UNIT, build)) == [20, 50, 1]


# Late loops -------------------------------------------------------------------------------


def test_a_loop_runs_when_nothing_else_is_ready() -> None:
    def build(f: FunctionBuilder) -> None:
        result = sum_loop(f, f.input, 10)
        f.unary(UnaryCode.NEG, result, at(30))
        f.unary(UnaryCode.NEG, f.input, at(40))

    assert order(built(I32, UNIT, build)) == [40, 10, 30]


def test_loops_run_in_source_order_and_after_what_they_read() -> None:
    def build(f: FunctionBuilder) -> None:
        first = sum_loop(f, f.input, 50)
        sum_loop(f, first, 10)
        sum_loop(f, f.input, 70)

    # The loop at 10 reads the exit of the one at 50 in its body, not as its first state.
    assert order(built(I32, UNIT, build)) == [50, 10, 70]


def test_what_waits_for_a_loop_goes_before_the_next_loop() -> None:
    def build(f: FunctionBuilder) -> None:
        first = sum_loop(f, f.input, 10)
        sum_loop(f, f.input, 30)
        f.unary(UnaryCode.NEG, first, at(90))

    assert order(built(I32, UNIT, build)) == [10, 90, 30]


# Effects ----------------------------------------------------------------------------------


def test_a_print_is_a_fence() -> None:
    """What is written before it runs before it, what is written after it after it, whatever
    it depends on; a loop is deferred only up to the next print."""

    def build(f: FunctionBuilder) -> None:
        token, x = f.proj(f.input, 0, at(1)), f.proj(f.input, 1, at(1))
        f.unary(UnaryCode.NEG, x, at(80))
        f.unary(UnaryCode.NEG, x, at(5))
        sum_loop(f, x, 10)
        token = f.print(token, x, True, at(40))
        sum_loop(f, x, 50)
        f.unary(UnaryCode.NEG, x, at(45))
        token = f.print(token, x, True, at(70))
        f.output(token, at(90))

    graph = built(Tuple((IO, I32)), IO, build)
    assert [t for t in order(graph) if t not in (1, 90)] == [5, 10, 40, 45, 50, 70, 80]


def test_an_operation_with_the_key_of_a_print_comes_after_it() -> None:
    def build(f: FunctionBuilder) -> None:
        token, x = f.proj(f.input, 0, at(1)), f.proj(f.input, 1, at(1))
        f.unary(UnaryCode.NEG, x, at(40))
        f.output(f.print(token, x, True, at(40)), at(90))

    graph = built(Tuple((IO, I32)), IO, build)
    items = schedule(graph, graph.functions[0].body)
    codes = [type(i.morphism.op) for i in items if isinstance(i, OperationItem)]
    assert codes == [ops.Proj, ops.Proj, ops.Print, ops.Unary, ops.Output]


def test_the_operands_of_an_effect_run_before_it_though_they_carry_its_key() -> None:
    """An effectful call packs its argument under its own key, in two layers."""
    builder = GraphBuilder()
    pair = Tuple((I32, I32))
    main = builder.declare(FunctionKind.NAMED, "main", Tuple((IO, I32)), IO, at(0, 99))
    shout = builder.declare(FunctionKind.NAMED, "shout", Tuple((IO, pair)), IO, at(100, 110))
    f = builder.build(shout)
    f.output(f.proj(f.input, 0, at(101)), at(102))
    f.finish()
    f = builder.build(main)
    token, x = f.proj(f.input, 0, at(1)), f.proj(f.input, 1, at(1))
    token = f.print(token, x, True, at(5))
    quotient = f.binary(BinaryCode.DIV, x, x, at(7))
    argument = f.pack(
        (
            token,
            f.pack((quotient, x), at(10)),
        ),
        at(10),
    )
    token = f.call(shout, argument, at(10))
    f.output(token, at(20))
    f.finish()
    assert order(builder.seal(main)) == [1, 1, 5, 7, 10, 20]


def test_effects_go_by_the_token_even_against_their_keys() -> None:
    def build(f: FunctionBuilder) -> None:
        token, x = f.proj(f.input, 0, at(1)), f.proj(f.input, 1, at(1))
        token = f.print(token, x, True, at(50))
        f.unary(UnaryCode.NEG, x, at(30))
        f.unary(UnaryCode.NEG, x, at(40))
        f.unary(UnaryCode.NEG, x, at(60))
        token = f.print(token, x, True, at(35))
        f.output(token, at(90))

    graph = built(Tuple((IO, I32)), IO, build)
    assert [t for t in order(graph) if t not in (1, 90)] == [30, 40, 50, 35, 60]


def test_an_effectful_loop_is_a_fence_and_not_deferred() -> None:
    graph = sample_graphs.effectful_nest()
    items = schedule(graph, graph.functions[0].body)
    assert isinstance(items[-1], LoopItem)

    def build(f: FunctionBuilder) -> None:
        zero = f.constant(0, I32, at(1))
        true = f.constant(True, BOOL, at(1))
        loop = f.begin_loop(f.proj(f.input, 0, at(2)), at(10, 20))
        with f.in_region(loop.jump):
            printed = f.print(loop.merge, zero, True, at(12))
        f.loop_back(loop, printed, true)
        token = f.loop_exit(loop, loop.merge, true)
        x = f.proj(f.input, 1, at(3))
        f.unary(UnaryCode.NEG, x, at(5))
        f.unary(UnaryCode.NEG, x, at(30))
        f.output(token, at(40))

    assert order(built(Tuple((IO, I32)), IO, build)) == [2, 3, 5, 10, 30, 40]


def test_clock_reads_are_fences() -> None:
    def build(f: FunctionBuilder) -> None:
        token, x = f.proj(f.input, 0, at(1)), f.proj(f.input, 1, at(1))
        before = f.time_ms(token, at(10))
        f.unary(UnaryCode.NEG, x, at(20))
        after = f.time_ms(f.proj(before, 0, at(11)), at(30))
        f.unary(UnaryCode.NEG, x, at(5))
        f.output(f.proj(after, 0, at(31)), at(40))

    graph = built(Tuple((IO, I32)), IO, build)
    assert [t for t in order(graph) if t in (5, 10, 20, 30)] == [5, 10, 20, 30]


# Regions ----------------------------------------------------------------------------------


def test_a_guard_waits_for_what_its_arms_read() -> None:
    def build(f: FunctionBuilder) -> None:
        guard = f.begin_guard(f.proj(f.input, 1, at(1)), at(5, 20))
        x = f.unary(UnaryCode.NEG, f.proj(f.input, 0, at(1)), at(30))
        with f.in_region(guard.arm_true):
            inner = f.begin_guard(f.proj(f.input, 1, at(6)), at(7, 15))
            with f.in_region(inner.arm_false):
                deep = f.unary(UnaryCode.NEG, x, at(8))
            value = f.phi(inner, x, deep)
        f.phi(guard, value, x)

    assert order(built(Tuple((I32, BOOL)), UNIT, build)) == [1, 1, 30, 5]


def test_a_guard_whose_arm_hands_on_a_value_from_outside_waits_for_it() -> None:
    def build(f: FunctionBuilder) -> None:
        guard = f.begin_guard(f.proj(f.input, 1, at(1)), at(5, 20))
        x = f.unary(UnaryCode.NEG, f.proj(f.input, 0, at(1)), at(30))
        f.phi(guard, x, x)

    assert order(built(Tuple((I32, BOOL)), UNIT, build)) == [1, 1, 30, 5]


def test_a_loop_waits_for_what_its_arms_read() -> None:
    """Also for what only its exit value or its condition is."""

    def build(f: FunctionBuilder) -> None:
        loop = f.begin_loop(f.proj(f.input, 0, at(1)), at(5, 20))
        stop = f.unary(UnaryCode.NOT, f.proj(f.input, 1, at(2)), at(30))
        payload = sum_loop(f, f.proj(f.input, 0, at(3)), 40)
        f.loop_back(loop, loop.merge, stop)
        f.loop_exit(loop, payload, stop)

    assert order(built(Tuple((I32, BOOL)), UNIT, build)) == [1, 2, 3, 30, 40, 5]


def test_each_region_has_its_own_order() -> None:
    graph = sample_graphs.looping()
    loop = graph.loops[0]
    assert first_tokens(schedule(graph, loop.body)) == [11, 12, 13]
    assert first_tokens(schedule(graph, loop.jump)) == [14, 15]
    assert schedule(graph, loop.exit) == ()


def test_a_loop_in_a_loop_is_one_item_of_the_arm_it_stands_in() -> None:
    graph = sample_graphs.effectful_nest()
    outer, inner = graph.loops
    assert first_tokens(schedule(graph, outer.body)) == [3, 3, 4, 5]
    assert first_tokens(schedule(graph, outer.jump)) == [10, 31]
    items = schedule(graph, outer.jump)
    assert isinstance(items[1], LoopItem)
    assert items[1] == loop_item(graph, inner.id)


# Items ------------------------------------------------------------------------------------


def test_the_items_of_a_guard_and_a_loop() -> None:
    graph = sample_graphs.guarded()
    item = guard_item(graph, graph.guards[0].id)
    assert isinstance(item, GuardItem)
    assert (item.when_true, item.target) == (2, graph.functions[0].output)
    assert item_key(item) == graph.guards[0].key
    graph = sample_graphs.looping()
    loop = loop_item(graph, graph.loops[0].id)
    record = graph.loops[0]
    assert loop.init == graph.morphisms[record.enter].source
    assert graph.slot_feeder(graph.morphisms[record.back].source, 0) == loop.next_state
    assert graph.slot_feeder(graph.morphisms[record.leave].source, 0) == loop.payload
    assert loop.target == graph.morphisms[record.leave].target


def test_a_result_by_components_is_an_item_each() -> None:
    graph = sample_graphs.collections()
    slots = [i for i in schedule(graph, RegionId(0)) if isinstance(i, ReturnSlotItem)]
    assert sorted(i.slot for i in slots) == [0, 1, 2, 3]
    assert {i.target for i in slots} == {graph.functions[0].output}


def test_operands_are_those_of_the_source_text_not_packs() -> None:
    graph = sample_graphs.straight_line()
    items = schedule(graph, graph.functions[0].body)
    product = next(i for i in items if item_key(i) == at(3))
    assert isinstance(product, OperationItem)
    assert product.operands == (2, 3)
    assert not any(isinstance(item, PackItem) for item in items)


def expanded(graph: Graph, region: RegionId) -> list[MorphismId]:
    """The morphisms that the items of a region and of those inside it stand for."""
    found: list[MorphismId] = []
    work = [region]
    while work:
        for item in schedule(graph, work.pop()):
            match item:
                case OperationItem(morphism=morphism):
                    found.append(morphism.id)
                    if ops.takes_minted_pack(morphism.op):
                        found += graph.in_edges[morphism.source]
                case PackItem(target=target):
                    found += graph.in_edges[target]
                case ReturnSlotItem(slot=slot, target=target):
                    found += [
                        m
                        for m in graph.in_edges[target]
                        if graph.morphisms[m].op.slot == slot  # type: ignore[union-attr]
                    ]
                case GuardItem(guard=guard):
                    found += (guard.phi, *graph.in_edges[graph.morphisms[guard.phi].source])
                    work += (guard.arm_true, guard.arm_false)
                case LoopItem(loop=loop):
                    found += (loop.enter, loop.back, loop.leave)
                    found += graph.in_edges[graph.morphisms[loop.back].source]
                    found += graph.in_edges[graph.morphisms[loop.leave].source]
                    work += (loop.body, loop.jump, loop.exit)
    return found


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_the_schedules_hold_every_morphism_once(graph: Graph) -> None:
    for function in graph.functions:
        assert sorted(expanded(graph, function.body)) == list(function.morphisms)


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_every_item_follows_what_it_reads(graph: Graph) -> None:
    for region in graph.regions:
        done: set[ObjectId] = set()
        targets = {item.target for item in schedule(graph, region.id)}
        for item in schedule(graph, region.id):
            reads: tuple[ObjectId, ...] = ()
            match item:
                case OperationItem(operands=operands):
                    reads = operands
                case PackItem(feeders=feeders):
                    reads = feeders
                case ReturnSlotItem(source=source):
                    reads = (source,)
                case GuardItem(guard=guard):
                    reads = (guard.cond,)
                case LoopItem(init=init):
                    reads = (init,)
            assert all(obj in done for obj in reads if obj in targets)
            done.add(item.target)


# Size -------------------------------------------------------------------------------------


def chain(f: FunctionBuilder) -> None:
    x = f.input
    for token in range(50_000):
        x = f.binary(BinaryCode.ADD, x, f.input, at(token))
    f.output(x, at(50_000))


def guards_in_guards(f: FunctionBuilder) -> None:
    """As an integer match makes them; every arm reads values from outside all of them."""
    x = f.unary(UnaryCode.NEG, f.input, at(0))
    conditions = [f.binary(BinaryCode.LT, x, x, at(token)) for token in range(3000)]
    guards = []
    region = f.region
    for token, condition in enumerate(conditions):
        with f.in_region(region):
            guards.append(f.begin_guard(condition, at(token, 4000), rest=True))
        region = guards[-1].arm_false
    value = x
    for guard in reversed(guards):
        with f.in_region(guard.arm_true):
            other = f.binary(BinaryCode.ADD, x, f.constant(1, I32, at(1)), at(1))
        value = f.phi(guard, other, value)
    f.output(value, at(5000))


def loops_in_loops(f: FunctionBuilder) -> None:
    loops = []
    region, state = f.region, f.input
    for token in range(500):
        with f.in_region(region):
            loops.append(f.begin_loop(state, at(token, 2000 - token)))
        region, state = loops[-1].jump, loops[-1].merge
    true = f.constant(True, BOOL, at(0))
    following = state
    for loop in reversed(loops):
        f.loop_back(loop, following, true)
        following = f.loop_exit(loop, loop.merge, true)
        f.end_loop(loop)
    f.output(following, at(3000))


@pytest.mark.parametrize(
    ("build", "items"), [(chain, 50_001), (guards_in_guards, 3003), (loops_in_loops, 2)]
)
def test_large_functions_neither_recurse_nor_slow_down(
    build: Callable[[FunctionBuilder], None], items: int
) -> None:
    graph = built(I32, I32, build)
    assert len(schedule(graph, graph.functions[0].body)) == items


def test_a_long_chain_keeps_its_order() -> None:
    builder, main, f = one_function(I32, I32)
    chain(f)
    f.finish()
    assert order(builder.seal(main)) == list(range(50_001))


def test_a_circle_is_our_bug() -> None:
    """No verified graph has one."""
    graph = built(
        I32,
        I32,
        lambda f: f.output(
            f.unary(UnaryCode.NEG, f.unary(UnaryCode.NEG, f.input, at(1)), at(2)), at(3)
        ),
    )
    first, second = find(graph, ops.Unary), find(graph, ops.Unary, 1)
    broken = rebuilt(graph, morphisms={first.id: {"source": second.target}})
    with pytest.raises(CompilerBug, match="never become ready"):
        schedule(broken, RegionId(0))


def test_schedules_are_remembered() -> None:
    graph = sample_graphs.looping()
    assert schedule(graph, RegionId(1)) is schedule(graph, RegionId(1))
