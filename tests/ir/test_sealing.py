"""What only the whole graph shows is refused when it is sealed, under its own name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mapal.ir.builder import GraphBuilder
from mapal.ir.drafts import BuilderError
from mapal.ir.function_builder import FunctionBuilder, Ret
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId, UnaryCode
from mapal.ir.types import BOOL, F32, I32, IO, STR, UNIT, Array, Struct, Tuple, Type
from mapal.ir.verify import verify
from tests.ir import sample_graphs
from tests.ir.sample_graphs import at, one_function

K = at(5)


def seal(taken: Type, given: Type, build: Callable[[FunctionBuilder], object]) -> Graph:
    builder, main, f = one_function(taken, given)
    build(f)
    f.finish()
    return builder.seal(main)


def refusal(taken: Type, given: Type, build: Callable[[FunctionBuilder], object]) -> str:
    with pytest.raises(BuilderError) as caught:
        seal(taken, given, build)
    return caught.value.code


@pytest.mark.parametrize("make", sample_graphs.ALL)
def test_the_samples_seal(make: Callable[[], Graph]) -> None:
    assert verify(make()) == []


# Results ----------------------------------------------------------------------------------


def test_a_missing_result() -> None:
    assert refusal(I32, I32, lambda f: None) == "RetSlotMissing"


def test_a_missing_component() -> None:
    assert refusal(I32, Tuple((I32, I32)), lambda f: f.output(f.input, K, 1)) == "RetSlotMissing"


def test_a_component_written_twice() -> None:
    def build(f: FunctionBuilder) -> None:
        f.output(f.input, K, 1)
        f.output(f.input, K, 1)

    assert refusal(I32, Tuple((I32, I32)), build) == "RetSlotConflict"


def test_a_result_written_whole_and_by_component() -> None:
    def build(f: FunctionBuilder) -> None:
        f.output(f.input, K)
        f.output(f.proj(f.input, 0, K), K, 0)

    pair = Tuple((I32, I32))
    assert refusal(pair, pair, build) == "RetMixedWriters"


def test_unit_needs_no_writer_and_several_whole_writers_seal() -> None:
    assert seal(I32, UNIT, lambda f: None).in_edges[1] == ()

    def build(f: FunctionBuilder) -> None:
        f.output(f.input, K)
        f.output(f.input, K)

    assert len(seal(I32, I32, build).in_edges[1]) == 2


def test_the_result_is_not_read() -> None:
    def build(f: FunctionBuilder) -> None:
        f.unary(UnaryCode.NEG, f.output(f.input, K), K)

    assert refusal(I32, I32, build) == "BadRegion"


# Tokens -----------------------------------------------------------------------------------


def test_a_token_used_twice() -> None:
    def build(f: FunctionBuilder) -> None:
        one = f.constant(1, I32, K)
        f.output(f.print(f.input, one, True, K), K)
        f.output(f.print(f.input, one, True, K), K)

    assert refusal(IO, IO, build) == "TokenNotLinear"


def test_a_token_dropped() -> None:
    def build(f: FunctionBuilder) -> None:
        f.print(f.input, f.constant(1, I32, K), True, K)

    assert refusal(IO, UNIT, build) == "TokenDropped"


def test_a_token_in_a_body() -> None:
    builder, main, f = one_function(I32, I32)
    f.output(f.input, K)
    f.finish()
    body = builder.declare(FunctionKind.MAP_BODY, "body", IO, IO, K)
    f = builder.build(body)
    f.output(f.input, K)
    f.finish()
    with pytest.raises(BuilderError, match="TokenInBody"):
        builder.seal(main)


def loop_with_token(f: FunctionBuilder, payload: str) -> None:
    """Carries (token, i); `payload` says what leaves."""
    three = f.constant(3, I32, K)
    loop = f.begin_loop(f.pack((f.input, three), K), K)
    with f.in_region(loop.body):
        token = f.proj(loop.merge, 0, K)
        i = f.proj(loop.merge, 1, K)
        cond = f.binary(BinaryCode.GT, i, three, K)
    with f.in_region(loop.jump):
        state = f.pack((f.print(token, i, True, K), i), K)
    f.loop_back(loop, state, cond)
    left = f.loop_exit(loop, {"token": token, "counter": i}[payload], cond)
    f.end_loop(loop)
    if payload == "token":
        f.output(left, K)


def test_a_token_forks_between_jump_and_exit() -> None:
    assert verify(seal(IO, IO, lambda f: loop_with_token(f, "token"))) == []


def test_a_loop_that_keeps_its_token() -> None:
    assert refusal(IO, UNIT, lambda f: loop_with_token(f, "counter")) == "TokenNotEscaping"


def test_two_uses_in_one_arm_are_no_fork() -> None:
    def build(f: FunctionBuilder) -> None:
        true = f.constant(True, BOOL, K)
        loop = f.begin_loop(f.input, K)
        with f.in_region(loop.jump):
            first = f.print(loop.merge, true, True, K)
            f.print(loop.merge, true, True, K)
        f.loop_back(loop, first, true)
        other = f.loop_exit(loop, true, true)
        f.end_loop(loop)
        f.unary(UnaryCode.NOT, other, K)

    assert refusal(IO, UNIT, build) == "TokenNotLinear"


def test_an_effect_in_an_arm() -> None:
    """A guard whose arm computes with the token of a call."""
    builder = GraphBuilder()
    main = builder.declare(FunctionKind.NAMED, "main", Tuple((IO, BOOL)), I32, K)
    swallow = builder.declare(FunctionKind.NAMED, "swallow", IO, I32, K)
    f = builder.build(swallow)
    f.output(f.constant(1, I32, K), K)
    f.finish()
    f = builder.build(main)
    guard = f.begin_guard(f.proj(f.input, 1, K), K)
    with f.in_region(guard.arm_true):
        token = f.proj(f.input, 0, K)
        printed = f.print(token, f.constant(1, I32, K), True, K)
        value = f.call(swallow, printed, K)
    f.phi(guard, value, f.constant(2, I32, K), Ret())
    f.finish()
    with pytest.raises(BuilderError, match="BadRegion: an effect stands in an arm"):
        builder.seal(main)


def test_a_token_cannot_leave_an_arm() -> None:
    def build(f: FunctionBuilder) -> None:
        flag = f.proj(f.input, 1, K)
        token = f.proj(f.input, 0, K)
        guard = f.begin_guard(flag, K)
        with f.in_region(guard.arm_true):
            token = f.print(token, flag, True, K)
        f.phi(guard, flag, flag)
        f.output(token, K)

    with pytest.raises(BuilderError, match="ReadOutsideRegion"):
        seal(Tuple((IO, BOOL)), IO, build)


# Strings ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ty", [STR, Tuple((I32, STR)), Tuple((IO, STR)), Array(STR, 2)])
def test_a_string_in_a_signature(ty: Type) -> None:
    code = refusal(ty, UNIT, lambda f: None)
    assert code == "StrOutsidePrint"


def test_a_string_carried_by_a_loop() -> None:
    def build(f: FunctionBuilder) -> None:
        true = f.constant(True, BOOL, K)
        loop = f.begin_loop(f.constant("text", STR, K), K)
        f.loop_back(loop, loop.merge, true)
        f.loop_exit(loop, true, true)
        f.end_loop(loop)

    assert refusal(I32, UNIT, build) == "StrOutsidePrint"


# Types and references ---------------------------------------------------------------------


def test_two_structs_of_one_name() -> None:
    first, second = Struct("S", (("x", I32),)), Struct("S", (("y", I32),))
    assert refusal(Tuple((first, Array(second, 2))), UNIT, lambda f: None) == "StructNameConflict"


def chain_of_calls(count: int, last_calls: int) -> None:
    builder = GraphBuilder()
    functions = [builder.declare(FunctionKind.NAMED, f"f{i}", I32, I32, K) for i in range(count)]
    for place, function in enumerate(functions):
        f = builder.build(function)
        if place + 1 < count or last_calls >= 0:
            callee = functions[place + 1] if place + 1 < count else functions[last_calls]
            f.call(callee, f.input, K, Ret())
        else:
            f.output(f.input, K)
        f.finish()
    assert verify(builder.seal(functions[0])) == []


def test_a_long_chain_of_calls_seals() -> None:
    chain_of_calls(3000, -1)


@pytest.mark.parametrize("back_to", [0, 1, 2999])
def test_a_cycle_of_calls(back_to: int) -> None:
    with pytest.raises(BuilderError, match="RecursiveCall"):
        chain_of_calls(3000, back_to)


def test_a_diamond_of_calls_is_no_cycle() -> None:
    builder = GraphBuilder()
    top, left, right, bottom = (
        builder.declare(FunctionKind.NAMED, name, I32, I32, K) for name in "tlrb"
    )
    calls: dict[FunctionId, tuple[FunctionId, ...]] = {
        top: (left, right),
        left: (bottom,),
        right: (bottom,),
        bottom: (),
    }
    for function, callees in calls.items():
        f = builder.build(function)
        x: ObjectId = f.input
        for callee in callees:
            x = f.call(callee, x, K)
        f.output(x, K)
        f.finish()
    assert verify(builder.seal(top)) == []


def test_a_cycle_through_a_body() -> None:
    builder = GraphBuilder()
    main = builder.declare(FunctionKind.NAMED, "main", I32, I32, K)
    body = builder.declare(FunctionKind.MAP_BODY, "body", I32, I32, K)
    f = builder.build(main)
    array = f.map(body, (), f.pack_array((f.input, f.input), K), K)
    f.index(array, f.input, K, Ret())
    f.finish()
    f = builder.build(body)
    f.call(main, f.input, K, Ret())
    f.finish()
    with pytest.raises(BuilderError, match="main -> body -> main"):
        builder.seal(main)


# Loops and regions ------------------------------------------------------------------------


def test_a_next_state_from_outside_the_loop() -> None:
    def build(f: FunctionBuilder) -> None:
        loop = f.begin_loop(f.input, K)
        with f.in_region(loop.body):
            cond = f.binary(BinaryCode.LT, loop.merge, f.input, K)
        f.loop_back(loop, f.input, cond)
        f.loop_exit(loop, loop.merge, cond, Ret())
        f.end_loop(loop)

    assert refusal(I32, I32, build) == "LoopStateOutside"


def nested_loops(f: FunctionBuilder, inner_reads: str, inner_payload: str) -> None:
    """The outer next state is the inner exit. `inner_reads` is what the inner next state adds,
    `inner_payload` what leaves the inner loop."""
    outer = f.begin_loop(f.input, K)
    zero = f.constant(0, I32, K)
    with f.in_region(outer.body):
        cond = f.binary(BinaryCode.LT, outer.merge, f.input, K)
    with f.in_region(outer.jump):
        inner = f.begin_loop(zero, K)
        with f.in_region(inner.body):
            inner_cond = f.binary(BinaryCode.LT, inner.merge, f.input, K)
        with f.in_region(inner.jump):
            added = {"outer": outer.merge, "constant": zero}[inner_reads]
            following = f.binary(BinaryCode.ADD, inner.merge, added, K)
        f.loop_back(inner, following, inner_cond)
        payload = {"state": inner.merge, "constant": zero}[inner_payload]
        left = f.loop_exit(inner, payload, inner_cond)
        f.end_loop(inner)
    f.loop_back(outer, left, cond)
    f.loop_exit(outer, outer.merge, cond, Ret())
    f.end_loop(outer)


def test_a_state_that_depends_on_itself_only_through_an_inner_back_edge() -> None:
    assert verify(seal(I32, I32, lambda f: nested_loops(f, "outer", "state"))) == []
    # The condition of the inner loop still depends on the inner state.
    assert verify(seal(I32, I32, lambda f: nested_loops(f, "outer", "constant"))) == []


def test_a_state_that_an_inner_loop_makes_from_nothing() -> None:
    assert refusal(I32, I32, lambda f: nested_loops(f, "constant", "state")) == "LoopStateOutside"


def test_a_guard_that_reads_its_own_value() -> None:
    def build(f: FunctionBuilder) -> None:
        guard = f.begin_guard(f.input, K)
        value = f.phi(guard, f.input, f.input)
        with f.in_region(guard.arm_true):
            f.unary(UnaryCode.NOT, value, K)
        f.output(value, K)

    assert refusal(BOOL, BOOL, build) == "BadRegion"


def test_a_loop_that_reads_its_own_exit() -> None:
    def build(f: FunctionBuilder) -> None:
        loop = f.begin_loop(f.input, K)
        f.loop_back(loop, loop.merge, f.input)
        left = f.loop_exit(loop, loop.merge, f.input)
        with f.in_region(loop.jump):
            f.unary(UnaryCode.NOT, left, K)
        f.output(left, K)

    assert refusal(BOOL, BOOL, build) == "BadRegion"


def test_two_guards_that_wait_for_each_other() -> None:
    def build(f: FunctionBuilder) -> None:
        first, second = f.begin_guard(f.input, K), f.begin_guard(f.input, K)
        one = f.phi(first, f.input, f.input)
        two = f.phi(second, f.input, f.input)
        with f.in_region(first.arm_false):
            f.unary(UnaryCode.NOT, two, K)
        with f.in_region(second.arm_false):
            f.unary(UnaryCode.NOT, one, K)
        f.output(one, K)

    assert refusal(BOOL, BOOL, build) == "BadRegion"


def test_a_deep_nest_of_guards_seals() -> None:
    def build(f: FunctionBuilder) -> None:
        guards = []
        region = f.region
        for _ in range(2000):
            with f.in_region(region):
                guards.append(f.begin_guard(f.input, K))
            region = guards[-1].arm_false
        value = f.input
        for guard in reversed(guards):
            with f.in_region(guard.arm_true):
                other = f.unary(UnaryCode.NOT, f.input, K)
            value = f.phi(guard, other, value)
        f.output(value, K)

    assert verify(seal(BOOL, BOOL, build)) == []


def test_the_float_type_of_a_state_is_kept() -> None:
    def build(f: FunctionBuilder) -> None:
        true = f.constant(True, BOOL, K)
        loop = f.begin_loop(f.input, K)
        f.loop_back(loop, loop.merge, true)
        f.loop_exit(loop, loop.merge, true, Ret())
        f.end_loop(loop)

    graph = seal(F32, F32, build)
    assert graph.ty(graph.loops[0].merge) == F32
