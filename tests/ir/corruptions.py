"""One broken graph, or several, for each code of the verifier."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from mapal.ir import ops
from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import FunctionBuilder
from mapal.ir.graph import (
    FunctionKind,
    Graph,
    ObjectKind,
    RegionKind,
    Value,
)
from mapal.ir.ops import (
    BinaryCode,
    FunctionId,
    GuardId,
    LoopId,
    MorphismId,
    ObjectId,
    Op,
    RegionId,
    UnaryCode,
)
from mapal.ir.types import (
    BOOL,
    F32,
    F64,
    I32,
    IO,
    STR,
    U8,
    UNIT,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
)
from tests.ir import sample_graphs
from tests.ir.back_door import built, find, rebuilt, with_edge, with_object
from tests.ir.sample_graphs import at, one_function

K = at(5)


def negation() -> Graph:
    return built(I32, I32, lambda f: f.output(f.unary(UnaryCode.NEG, f.input, K), K))


def unowned_object() -> Graph:
    graph = negation()
    return rebuilt(graph, functions={0: {"objects": graph.functions[0].objects[:-1]}})


def wrong_position() -> Graph:
    return rebuilt(negation(), objects={1: {"id": ObjectId(0)}})


def dangling_target() -> Graph:
    return rebuilt(negation(), morphisms={0: {"target": ObjectId(99)}})


def wrong_edge_index() -> Graph:
    graph = negation()
    return dataclasses.replace(graph, in_edges=graph.out_edges, memo={})


def short_edge_index() -> Graph:
    graph = negation()
    return dataclasses.replace(graph, out_edges=graph.out_edges[:-1], memo={})


def second_parameter() -> Graph:
    return with_object(negation(), I32, ObjectKind.PARAMETER)


def crossing_edge() -> Graph:
    graph = sample_graphs.collections()
    other = graph.functions[1].input
    return rebuilt(graph, morphisms={find(graph, ops.Iota).id: {"source": other}})


def entry_is_a_body() -> Graph:
    graph = sample_graphs.collections()
    return dataclasses.replace(graph, entry=FunctionId(2), memo={})


def entry_is_missing() -> Graph:
    return dataclasses.replace(negation(), entry=FunctionId(9), memo={})


def two_names() -> Graph:
    return rebuilt(sample_graphs.collections(), functions={1: {"name": "main"}})


def too_many_parameters() -> Graph:
    return rebuilt(negation(), functions={0: {"parameters": ("a", "b")}})


def parameters_of_a_body() -> Graph:
    return rebuilt(sample_graphs.collections(), functions={2: {"parameters": ("a",)}})


def empty_key() -> Graph:
    return rebuilt(negation(), morphisms={0: {"key": ()}})


def reversed_key() -> Graph:
    return rebuilt(negation(), objects={0: {"key": ((5, 4),)}})


def parameter_type(ty: Type) -> Callable[[], Graph]:
    def make() -> Graph:
        graph = built(I32, UNIT, lambda f: None)
        return rebuilt(graph, objects={0: {"ty": ty}})

    return make


def too_deep() -> Type:
    ty: Type = I32
    for _ in range(64):
        ty = Array(ty, 1)
    return ty


def structs_in_conflict() -> Graph:
    pair = Tuple((Struct("S", (("x", I32),)), Struct("S", (("y", I32),))))
    return parameter_type(pair)()


def constant(
    ty: Type, value: Value | None, kind: ObjectKind = ObjectKind.CONSTANT
) -> Callable[[], Graph]:
    return lambda: with_object(negation(), ty, kind, value)


def value_of_a_temporary() -> Graph:
    graph = negation()
    return rebuilt(graph, objects={graph.morphisms[0].target: {"value": 3}})


def changed_op(make: Callable[[], Graph], wanted: type[object], op: Op) -> Callable[[], Graph]:
    def corrupt() -> Graph:
        graph = make()
        return rebuilt(graph, morphisms={find(graph, wanted).id: {"op": op}})

    return corrupt


def long_range() -> Graph:
    def build(f: FunctionBuilder) -> None:
        f.enumerate(f.input, K)

    graph = built(Array(I32, 4), UNIT, build)
    length = 2**31
    pairs = Array(Tuple((I32, I32)), length)
    return rebuilt(graph, objects={0: {"ty": Array(I32, length)}, 2: {"ty": pairs}})


def wrong_count(value: object) -> Callable[[], Graph]:
    def make() -> Graph:
        graph = built(I32, UNIT, lambda f: f.iota(f.constant(4, I32, K), K))
        return rebuilt(graph, objects={2: {"value": value}})

    return make


def count_of_a_fill_is_no_constant() -> Graph:
    def build(f: FunctionBuilder) -> None:
        f.fill(f.input, f.constant(4, I32, K), K)

    graph = built(I32, UNIT, build)
    pair = find(graph, ops.Pair(1, 2))
    return rebuilt(graph, morphisms={pair.id: {"source": ObjectId(0)}})


def erased_capture() -> Graph:
    builder, main, f = one_function(Tuple((I32, Array(I32, 2))), UNIT)
    body = builder.declare(FunctionKind.MAP_BODY, "body", Tuple((I32, I32)), I32, K)
    capture, array = f.proj(f.input, 0, K), f.proj(f.input, 1, K)
    f.map(body, (capture,), array, K)
    f.finish()
    f = builder.build(body)
    f.output(f.proj(f.input, 1, K), K)
    f.finish()
    graph = builder.seal(main)
    nothing = Tuple((UNIT, I32))
    pack = find(graph, ops.Map).source
    return rebuilt(
        graph,
        objects={
            0: {"ty": Tuple((UNIT, Array(I32, 2)))},
            capture: {"ty": UNIT},
            pack: {"ty": Tuple((UNIT, Array(I32, 2)))},
            graph.functions[1].input: {"ty": nothing},
        },
    )


def defined_twice() -> Graph:
    graph = negation()
    target = graph.morphisms[0].target
    return with_edge(graph, ops.Unary(UnaryCode.ABS), ObjectId(0), target, RegionId(0))


def undefined() -> Graph:
    return with_object(negation(), I32, ObjectKind.TEMPORARY)


def incomplete_pack() -> Graph:
    graph = sample_graphs.straight_line()
    return rebuilt(graph, morphisms={find(graph, ops.Pair(1, 2)).id: {"op": ops.Pair(0, 2)}})


def shared_operands() -> Graph:
    graph = sample_graphs.straight_line()
    multiply = find(graph, ops.Binary(BinaryCode.MUL))
    graph = with_object(graph, I32, ObjectKind.TEMPORARY)
    target = ObjectId(len(graph.objects) - 1)
    return with_edge(graph, ops.Binary(BinaryCode.SUB), multiply.source, target, RegionId(0))


def operands_not_packed() -> Graph:
    def build(f: FunctionBuilder) -> None:
        f.binary(BinaryCode.ADD, f.proj(f.input, 0, K), f.proj(f.input, 1, K), K)

    graph = built(Tuple((I32, I32)), UNIT, build)
    return rebuilt(graph, morphisms={find(graph, ops.Binary).id: {"source": ObjectId(0)}})


def merge_without_enter() -> Graph:
    graph = sample_graphs.looping()
    enter = find(graph, ops.LoopEnter)
    other = find(graph, ops.LoopEnter, 1)
    return rebuilt(graph, morphisms={enter.id: {"target": other.target}})


def written_constant() -> Graph:
    graph = with_object(negation(), I32, ObjectKind.CONSTANT, 3)
    last = ObjectId(len(graph.objects) - 1)
    return with_edge(graph, ops.Unary(UnaryCode.NEG), ObjectId(0), last, RegionId(0))


def missing_result() -> Graph:
    graph = built(I32, UNIT, lambda f: None)
    return rebuilt(graph, objects={1: {"ty": I32}})


def half_a_result() -> Graph:
    def build(f: FunctionBuilder) -> None:
        f.output(f.input, K, 0)
        f.output(f.input, K, 1)

    graph = built(I32, Tuple((I32, I32)), build)
    return rebuilt(graph, morphisms={1: {"op": ops.Pair(0, 2)}})


def read_result() -> Graph:
    graph = with_object(negation(), I32, ObjectKind.TEMPORARY)
    last = ObjectId(len(graph.objects) - 1)
    return with_edge(graph, ops.Unary(UnaryCode.NEG), ObjectId(1), last, RegionId(0))


def identity_inside() -> Graph:
    return changed_op(negation, ops.Unary, ops.Output())()


def token_through_a_guard() -> Graph:
    graph = built(
        BOOL, BOOL, lambda f: f.output(f.phi(f.begin_guard(f.input, K), f.input, f.input), K)
    )
    phi = find(graph, ops.Phi)
    return rebuilt(
        graph,
        objects={phi.source: {"ty": Tuple((IO, IO, BOOL))}, phi.target: {"ty": IO}},
    )


def token_in_a_body() -> Graph:
    builder, main, f = one_function(IO, IO)
    f.output(f.input, K)
    f.finish()
    other = builder.declare(FunctionKind.NAMED, "other", IO, IO, K)
    f = builder.build(other)
    f.output(f.input, K)
    f.finish()
    return rebuilt(builder.seal(main), functions={1: {"kind": FunctionKind.MAP_BODY}})


def token_used_twice() -> Graph:
    graph = sample_graphs.printing()
    first = find(graph, ops.Print)
    second = find(graph, ops.Print, 1)
    pair = graph.in_edges[second.source][0]
    return rebuilt(graph, morphisms={pair: {"source": graph.morphisms[first.id - 2].source}})


def token_dropped() -> Graph:
    graph = built(Tuple((IO, I32)), IO, lambda f: f.output(f.proj(f.input, 0, K), K))
    dropped = with_object(graph, IO, ObjectKind.TEMPORARY)
    last = ObjectId(len(dropped.objects) - 1)
    return with_edge(dropped, ops.Proj(0), ObjectId(0), last, RegionId(0))


def token_stays_in_a_loop() -> Graph:
    """The exit value of a token loop becomes the counter."""

    def build(f: FunctionBuilder) -> None:
        true = f.constant(True, BOOL, K)
        loop = f.begin_loop(f.input, K)
        with f.in_region(loop.jump):
            following = f.print(loop.merge, true, True, K)
        f.loop_back(loop, following, true)
        f.output(f.loop_exit(loop, loop.merge, true), K)

    graph = built(IO, IO, build)
    leave = find(graph, ops.LoopExit)
    pair = graph.in_edges[leave.source][0]
    true_constant = ObjectId(2)
    return rebuilt(
        graph,
        objects={
            leave.source: {"ty": Tuple((BOOL, BOOL))},
            leave.target: {"ty": BOOL},
            1: {"ty": BOOL},
        },
        morphisms={pair: {"source": true_constant}},
    )


def string_in_a_tuple() -> Graph:
    def build(f: FunctionBuilder) -> None:
        f.pack((f.constant(1, I32, K), f.constant(2, I32, K)), K)

    graph = built(I32, UNIT, build)
    return rebuilt(
        graph,
        objects={2: {"ty": STR, "value": "text"}, 4: {"ty": Tuple((STR, I32))}},
    )


def printed_pack_that_nobody_prints() -> Graph:
    def build(f: FunctionBuilder) -> None:
        packed = f.pack((f.input, f.constant(2, I32, K)), K)
        f.output(f.proj(packed, 0, K), K)

    graph = built(IO, IO, build)
    return rebuilt(graph, objects={2: {"ty": STR, "value": "text"}, 3: {"ty": Tuple((IO, STR))}})


def loops_that_swap_backs() -> Graph:
    graph = sample_graphs.looping()
    first, second = graph.loops
    return rebuilt(
        graph,
        morphisms={
            first.back: {"op": ops.LoopBack(second.id)},
            second.back: {"op": ops.LoopBack(first.id)},
        },
    )


def loop_with_the_merge_of_another() -> Graph:
    graph = sample_graphs.looping()
    return rebuilt(graph, loops={0: {"merge": graph.loops[1].merge}})


def loop_with_two_conditions() -> Graph:
    graph = sample_graphs.looping()
    loop = graph.loops[0]
    pair = graph.in_edges[graph.morphisms[loop.leave].source][0]
    assert graph.morphisms[pair].op == ops.Pair(0, 2)
    slot_1 = graph.in_edges[graph.morphisms[loop.leave].source][1]
    graph = with_object(graph, BOOL, ObjectKind.CONSTANT, True)
    return rebuilt(graph, morphisms={slot_1: {"source": ObjectId(len(graph.objects) - 1)}})


def loop_of_another_function() -> Graph:
    builder, main, f = one_function(I32, I32)
    f.output(sample_graphs.sum_loop(f, f.input, 10), K)
    f.finish()
    other = builder.declare(FunctionKind.NAMED, "other", I32, I32, K)
    f = builder.build(other)
    f.output(f.input, K)
    f.finish()
    return rebuilt(builder.seal(main), loops={0: {"cond": ObjectId(2)}})


def missing_loop() -> Graph:
    graph = sample_graphs.looping()
    return rebuilt(graph, loops={0: {"enter": MorphismId(999)}})


def constant_next_state() -> Graph:
    def build(f: FunctionBuilder) -> None:
        loop = f.begin_loop(f.input, K)
        with f.in_region(loop.body):
            cond = f.binary(BinaryCode.LT, loop.merge, f.input, K)
        with f.in_region(loop.jump):
            following = f.unary(UnaryCode.NEG, loop.merge, K)
        f.loop_back(loop, following, cond)
        f.output(f.loop_exit(loop, loop.merge, cond), K)

    graph = built(I32, I32, build)
    return rebuilt(graph, morphisms={find(graph, ops.Unary).id: {"source": ObjectId(0)}})


def moved(make: Callable[[], Graph], wanted: type[object] | Op, region: int) -> Callable[[], Graph]:
    """A morphism in another region."""

    def corrupt() -> Graph:
        graph = make()
        return rebuilt(graph, morphisms={find(graph, wanted).id: {"region": RegionId(region)}})

    return corrupt


def region_field(make: Callable[[], Graph], position: int, **fields: object) -> Callable[[], Graph]:
    return lambda: rebuilt(make(), regions={position: dict(fields)})


def guard_field(**fields: object) -> Callable[[], Graph]:
    return lambda: rebuilt(sample_graphs.guarded(), guards={0: dict(fields)})


def part_of_a_pack_elsewhere() -> Graph:
    """One component of a tuple that is packed in the body stands in an arm."""

    def build(f: FunctionBuilder) -> None:
        flag = f.proj(f.input, 1, K)
        f.output(f.phi(f.begin_guard(flag, K), flag, flag), K)
        f.pack((flag, f.input), K)

    graph = built(Tuple((I32, BOOL)), BOOL, build)
    pack = graph.morphisms[-1]
    assert pack.op == ops.Pair(1, 2)
    return rebuilt(graph, morphisms={pack.id: {"region": RegionId(1)}})


def effect_in_an_arm() -> Graph:
    def build(f: FunctionBuilder) -> None:
        flag = f.proj(f.input, 1, K)
        f.phi(f.begin_guard(flag, K), flag, flag)
        f.output(f.proj(f.input, 0, K), K)

    graph = built(Tuple((IO, BOOL)), IO, build)
    return rebuilt(graph, morphisms={find(graph, ops.Proj(0)).id: {"region": RegionId(1)}})


def value_of_an_arm_read_outside() -> Graph:
    graph = sample_graphs.guarded()
    quotient = find(graph, ops.Binary(BinaryCode.DIV)).target
    graph = with_object(graph, I32, ObjectKind.TEMPORARY)
    last = ObjectId(len(graph.objects) - 1)
    return with_edge(graph, ops.Unary(UnaryCode.NEG), quotient, last, RegionId(0))


def result_written_in_an_arm() -> Graph:
    def build(f: FunctionBuilder) -> None:
        f.phi(f.begin_guard(f.input, K), f.input, f.input)
        f.output(f.input, K)

    graph = built(BOOL, BOOL, build)
    return rebuilt(graph, morphisms={find(graph, ops.Output).id: {"region": RegionId(1)}})


def guard_that_reads_itself() -> Graph:
    def build(f: FunctionBuilder) -> None:
        guard = f.begin_guard(f.input, K)
        with f.in_region(guard.arm_true):
            f.unary(UnaryCode.NOT, f.input, K)
        f.output(f.phi(guard, f.input, f.input), K)

    graph = built(BOOL, BOOL, build)
    value = find(graph, ops.Phi).target
    return rebuilt(graph, morphisms={find(graph, ops.Unary).id: {"source": value}})


def circle_of_values() -> Graph:
    def build(f: FunctionBuilder) -> None:
        f.output(f.unary(UnaryCode.NEG, f.unary(UnaryCode.NEG, f.input, K), K), K)

    graph = built(I32, I32, build)
    return rebuilt(graph, morphisms={0: {"source": graph.morphisms[1].target}})


def recursion() -> Graph:
    graph = sample_graphs.collections()
    double = graph.functions[1]
    last = double.morphisms[-1]
    call = ops.Call(double.id)
    return rebuilt(graph, morphisms={last: {"op": call, "source": double.input}})


def mutual_recursion() -> Graph:
    builder = GraphBuilder()
    names = [builder.declare(FunctionKind.NAMED, name, I32, I32, K) for name in ("a", "b", "c")]
    for function, callee in ((names[0], names[1]), (names[1], names[2])):
        f = builder.build(function)
        f.output(f.call(callee, f.input, K), K)
        f.finish()
    f = builder.build(names[2])
    f.output(f.unary(UnaryCode.NEG, f.input, K), K)
    f.finish()
    graph = builder.seal(names[0])
    return rebuilt(graph, morphisms={find(graph, ops.Unary).id: {"op": ops.Call(names[1])}})


def two_functions(build: Callable[[FunctionBuilder], object]) -> Graph:
    """`main` as built, and another function beside it with region, objects and all."""
    builder, main, f = one_function(BOOL, BOOL)
    build(f)
    f.finish()
    other = builder.declare(FunctionKind.NAMED, "other", BOOL, BOOL, K)
    f = builder.build(other)
    f.output(f.phi(f.begin_guard(f.input, K), f.input, f.input), K)
    f.finish()
    return builder.seal(main)


def guarded_pair() -> Graph:
    return two_functions(lambda f: f.output(f.phi(f.begin_guard(f.input, K), f.input, f.input), K))


def foreign_region() -> Graph:
    graph = guarded_pair()
    phi = find(graph, ops.Phi)
    return rebuilt(graph, morphisms={phi.id: {"region": graph.functions[1].body}})


def foreign_parent() -> Graph:
    graph = guarded_pair()
    arm = graph.guards[1].arm_true
    return rebuilt(graph, regions={arm: {"parent": graph.functions[0].body}})


def foreign_arm() -> Graph:
    graph = guarded_pair()
    return rebuilt(graph, guards={0: {"arm_true": graph.guards[1].arm_true}})


def no_region() -> Graph:
    graph = guarded_pair()
    body = graph.functions[0].regions
    return rebuilt(
        graph,
        regions={region: {"function": FunctionId(1)} for region in body},
        functions={
            0: {"regions": ()},
            1: {"regions": tuple(region.id for region in graph.regions)},
        },
    )


CORRUPTIONS: list[tuple[str, Callable[[], Graph]]] = [
    ("Unowned", unowned_object),
    ("Unowned", wrong_position),
    ("Unowned", dangling_target),
    ("Unowned", wrong_edge_index),
    ("Unowned", short_edge_index),
    ("Unowned", second_parameter),
    ("Unowned", changed_op(sample_graphs.collections, ops.Map, ops.Map(FunctionId(99), 1))),
    ("Unowned", changed_op(sample_graphs.collections, ops.Call, ops.Call(FunctionId(-1)))),
    ("Unowned", changed_op(sample_graphs.guarded, ops.Phi, ops.Phi(GuardId(7)))),
    ("Unowned", changed_op(sample_graphs.looping, ops.LoopExit, ops.LoopExit(LoopId(7)))),
    ("CrossFunctionEdge", crossing_edge),
    ("BadEntry", entry_is_a_body),
    ("BadEntry", entry_is_missing),
    ("DuplicateName", two_names),
    ("BadParameters", too_many_parameters),
    ("BadParameters", parameters_of_a_body),
    ("BadKey", empty_key),
    ("BadKey", reversed_key),
    ("TyTooDeep", parameter_type(too_deep())),
    ("NonCoreType", parameter_type(Scalar("i16", 16))),
    ("NonCoreType", parameter_type(Scalar("u8", 9))),
    ("NonCoreType", parameter_type(Tuple((I32,)))),
    ("NonCoreType", parameter_type(Struct("S", ()))),
    ("NonCoreType", parameter_type(Struct("io", (("x", I32),)))),
    ("NonCoreType", parameter_type(Struct("S", (("é", I32),)))),
    ("NonCoreType", parameter_type(Array(I32, 0))),
    ("StructNameConflict", structs_in_conflict),
    ("BadConstant", constant(I32, None)),
    ("BadConstant", constant(I32, True)),
    ("BadConstant", constant(I32, 2**31)),
    ("BadConstant", constant(U8, -1)),
    ("BadConstant", constant(BOOL, 1)),
    ("BadConstant", constant(F32, 0.1)),
    ("BadConstant", constant(F32, 1e300)),
    ("BadConstant", constant(F64, 1)),
    ("BadConstant", constant(STR, "\ud800")),
    ("BadConstant", constant(STR, 1)),
    ("BadConstant", constant(UNIT, 1)),
    ("BadConstant", value_of_a_temporary),
    ("BadEdgeType", changed_op(negation, ops.Unary, ops.Unary(UnaryCode.NOT))),
    ("BadEdgeType", changed_op(negation, ops.Unary, ops.Enumerate())),
    ("InvalidWiden", changed_op(negation, ops.Unary, ops.Widen())),
    ("InvalidConvert", changed_op(negation, ops.Unary, ops.Convert())),
    ("EnumerateIndexOverflow", long_range),
    ("IotaCountMismatch", wrong_count(5)),
    ("IotaCountMismatch", count_of_a_fill_is_no_constant),
    ("ErasedCapture", erased_capture),
    ("BadInEdges", defined_twice),
    ("BadInEdges", undefined),
    ("BadInEdges", incomplete_pack),
    ("BadInEdges", shared_operands),
    ("BadInEdges", operands_not_packed),
    ("BadInEdges", merge_without_enter),
    ("SourceHasInEdges", written_constant),
    ("BadReturn", missing_result),
    ("BadReturn", half_a_result),
    ("ReturnHasOutEdges", read_result),
    ("BadOutput", identity_inside),
    ("StrOutsidePrint", string_in_a_tuple),
    ("StrOutsidePrint", printed_pack_that_nobody_prints),
    ("TokenInPhi", token_through_a_guard),
    ("TokenInBody", token_in_a_body),
    ("TokenNotLinear", token_used_twice),
    ("TokenDropped", token_dropped),
    ("TokenNotEscaping", token_stays_in_a_loop),
    ("BadLoop", loops_that_swap_backs),
    ("BadLoop", loop_with_the_merge_of_another),
    ("BadLoop", loop_with_two_conditions),
    ("BadLoop", loop_of_another_function),
    ("BadLoop", missing_loop),
    ("BadLoop", constant_next_state),
    ("BadRegion", moved(sample_graphs.guarded, ops.Phi, 1)),
    ("BadRegion", moved(sample_graphs.guarded, ops.Pair(2, 3), 1)),
    ("BadRegion", moved(sample_graphs.looping, ops.LoopBack, 0)),
    ("BadRegion", moved(sample_graphs.looping, ops.LoopEnter, 1)),
    ("BadRegion", moved(sample_graphs.collections, ops.Iota, 1)),
    ("BadRegion", region_field(sample_graphs.guarded, 1, kind=RegionKind.ARM_FALSE)),
    ("BadRegion", region_field(sample_graphs.guarded, 0, kind=RegionKind.JUMP)),
    ("BadRegion", region_field(sample_graphs.guarded, 3, parent=RegionId(1))),
    ("BadRegion", region_field(sample_graphs.guarded, 1, parent=RegionId(4))),
    ("BadRegion", region_field(sample_graphs.guarded, 1, parent=None)),
    ("BadRegion", region_field(sample_graphs.guarded, 1, owner=GuardId(1))),
    ("BadRegion", region_field(sample_graphs.guarded, 1, owner=GuardId(9))),
    ("BadRegion", region_field(sample_graphs.looping, 2, kind=RegionKind.EXIT)),
    ("BadRegion", guard_field(cond=ObjectId(8))),
    ("BadRegion", guard_field(phi=MorphismId(0))),
    ("BadRegion", guard_field(region=RegionId(9))),
    ("BadRegion", guard_field(arm_true=RegionId(2), arm_false=RegionId(1))),
    ("BadRegion", foreign_region),
    ("BadRegion", foreign_parent),
    ("BadRegion", foreign_arm),
    ("BadRegion", no_region),
    ("BadRegion", part_of_a_pack_elsewhere),
    ("BadRegion", effect_in_an_arm),
    ("BadRegion", guard_that_reads_itself),
    ("BadRegion", circle_of_values),
    ("ReadOutsideRegion", value_of_an_arm_read_outside),
    ("ReadOutsideRegion", result_written_in_an_arm),
    ("RecursiveReference", recursion),
    ("RecursiveReference", mutual_recursion),
]
