"""The builder refuses each misuse under its own name, and puts results where they belong."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from mapal.ir.builder import GraphBuilder
from mapal.ir.drafts import BuilderError
from mapal.ir.function_builder import Fresh, FunctionBuilder, Ret
from mapal.ir.graph import FunctionKind, Graph, ObjectKind, RegionKind
from mapal.ir.ops import (
    BinaryCode,
    FunctionId,
    ObjectId,
    Output,
    Pair,
    RegionId,
    Unary,
    UnaryCode,
)
from mapal.ir.types import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
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
from tests.ir.sample_graphs import at, one_function

K = at(5)
POINT = Struct("Point", (("x", F32), ("y", F32)))


def nested(depth: int) -> Type:
    """A type of a given nesting depth."""
    ty: Type = I32
    for _ in range(depth - 1):
        ty = Tuple((ty, BOOL))
    return ty


class Workbench:
    """A function in the making, with values of many types at hand as its parameters."""

    def __init__(self) -> None:
        self.builder = GraphBuilder()
        declare = self.builder.declare
        self.types: dict[str, Type] = {
            "token": IO,
            "i": I32,
            "j": I32,
            "wide": I64,
            "flag": BOOL,
            "real": F32,
            "array": Array(I32, 4),
            "longer": Array(I32, 5),
            "huge": Array(U8, 2**31),
            "pair": Tuple((I32, F32)),
            "point": POINT,
            "nothing": UNIT,
            "tokens": Tuple((IO, I32)),
        }
        taken = Tuple(tuple(self.types.values()))
        given = Tuple((I32, F32))
        self.main = declare(FunctionKind.NAMED, "main", taken, given, K)
        self.other = declare(FunctionKind.NAMED, "other", I32, F32, K)
        self.body = declare(FunctionKind.MAP_BODY, "body", I32, F32, K)
        self.fold_body = declare(FunctionKind.FOLD_BODY, "fold", Tuple((I32, I32)), F32, K)
        self.reduce_body = declare(FunctionKind.REDUCE_BODY, "reduce", Tuple((I32, I32)), F32, K)
        self.token_body = declare(FunctionKind.MAP_BODY, "effect", I32, IO, K)
        self.capturing = declare(FunctionKind.MAP_BODY, "caps", Tuple((UNIT, I32)), F32, K)
        self.f: FunctionBuilder = self.builder.build(self.main)
        self.values = {
            name: self.f.proj(self.f.input, slot, K) for slot, name in enumerate(self.types)
        }
        self.text = self.f.constant("text", STR, K)
        self.four = self.f.constant(4, I32, K)

    def __getitem__(self, name: str) -> ObjectId:
        return self.values[name]


Misuse = Callable[[Workbench], object]
MISUSES: list[tuple[str, Misuse]] = [
    # Declarations and life cycle
    ("DuplicateName", lambda w: w.builder.declare(FunctionKind.NAMED, "main", I32, I32, K)),
    (
        "ArityMismatch",
        lambda w: w.builder.declare(FunctionKind.NAMED, "g", I32, I32, K, ("a", "b")),
    ),
    ("ArityMismatch", lambda w: w.builder.declare(FunctionKind.MAP_BODY, "g", I32, I32, K, ("a",))),
    ("UnknownFunction", lambda w: w.builder.build(FunctionId(99))),
    ("AlreadyBuilt", lambda w: w.builder.build(w.main)),
    ("WrongBuilder", lambda w: w.builder.build(w.other)),
    ("NoEntry", lambda w: w.builder.seal(FunctionId(99))),
    ("EntryNotNamed", lambda w: w.builder.seal(w.body)),
    ("UnfinishedFunction", lambda w: w.builder.seal(w.main)),
    # Types
    ("TyTooDeep", lambda w: w.builder.declare(FunctionKind.NAMED, "g", nested(65), I32, K)),
    ("TyTooDeep", lambda w: deepen(w, 70)),
    ("NonCoreType", lambda w: declared(w, Scalar("i16", 16))),
    ("NonCoreType", lambda w: declared(w, Scalar("i32", 16))),
    ("NonCoreType", lambda w: declared(w, Tuple(()))),
    ("NonCoreType", lambda w: declared(w, Tuple((I32,)))),
    ("NonCoreType", lambda w: declared(w, Struct("S", ()))),
    ("NonCoreType", lambda w: declared(w, Struct("i32", (("x", I32),)))),
    ("NonCoreType", lambda w: declared(w, Struct("S", (("a b", I32),)))),
    ("NonCoreType", lambda w: declared(w, Array(I32, 0))),
    ("NonCoreType", lambda w: declared(w, Array(I32, 2**64))),
    ("NonCoreType", lambda w: declared(w, Array(Tuple((I32, Tuple(()))), 3))),
    # Operands
    ("UnknownObject", lambda w: w.f.unary(UnaryCode.NEG, ObjectId(10**6), K)),
    ("UnknownObject", lambda w: w.f.ty(ObjectId(-1))),
    ("WrongBuilder", lambda w: w.f.unary(UnaryCode.NEG, input_of(w, w.other), K)),
    ("WrongBuilder", lambda w: w.f.in_region(w.builder.functions[1].regions[0]).__enter__()),
    # Constants
    ("ValueTyMismatch", lambda w: w.f.constant(1, BOOL, K)),
    ("ValueTyMismatch", lambda w: w.f.constant(True, I32, K)),
    ("ValueTyMismatch", lambda w: w.f.constant(1, F64, K)),
    ("ValueTyMismatch", lambda w: w.f.constant(1.0, I32, K)),
    ("ValueTyMismatch", lambda w: w.f.constant(256, U8, K)),
    ("ValueTyMismatch", lambda w: w.f.constant(-1, U8, K)),
    ("ValueTyMismatch", lambda w: w.f.constant(2**31, I32, K)),
    ("ValueTyMismatch", lambda w: w.f.constant(-(2**63) - 1, I64, K)),
    ("ValueTyMismatch", lambda w: w.f.constant(0.1, F32, K)),
    ("ValueTyMismatch", lambda w: w.f.constant(1e300, F32, K)),
    ("ValueTyMismatch", lambda w: w.f.constant("\ud800", STR, K)),
    ("ValueTyMismatch", lambda w: w.f.constant(1, UNIT, K)),
    # Products
    ("NotAProduct", lambda w: w.f.proj(w["array"], 0, K)),
    ("SlotOutOfRange", lambda w: w.f.proj(w["pair"], 2, K)),
    ("SlotOutOfRange", lambda w: w.f.proj(w["pair"], -1, K)),
    ("EmptyProduct", lambda w: w.f.pack((), K)),
    ("SingletonTuple", lambda w: w.f.pack((w["i"],), K)),
    ("StrOutsidePrint", lambda w: w.f.pack((w["i"], w.text), K)),
    ("NotAProduct", lambda w: w.f.pack_struct(w.types["pair"], (), K)),  # type: ignore[arg-type]
    ("EmptyProduct", lambda w: w.f.pack_struct(POINT, (), K)),
    ("ArityMismatch", lambda w: w.f.pack_struct(POINT, (w["real"],), K)),
    ("TypeMismatch", lambda w: w.f.pack_struct(POINT, (w["real"], w["i"]), K)),
    ("EmptyProduct", lambda w: w.f.pack_array((), K)),
    ("TypeMismatch", lambda w: w.f.pack_array((w["i"], w["real"]), K)),
    # Scalars
    ("TypeMismatch", lambda w: w.f.unary(UnaryCode.NOT, w["i"], K)),
    ("TypeMismatch", lambda w: w.f.unary(UnaryCode.NEG, w["flag"], K)),
    ("TypeMismatch", lambda w: w.f.unary(UnaryCode.SQRT, w["i"], K)),
    ("TypeMismatch", lambda w: w.f.binary(BinaryCode.ADD, w["i"], w["wide"], K)),
    ("TypeMismatch", lambda w: w.f.binary(BinaryCode.ADD, w["flag"], w["flag"], K)),
    ("TypeMismatch", lambda w: w.f.binary(BinaryCode.LT, w["flag"], w["flag"], K)),
    ("TypeMismatch", lambda w: w.f.binary(BinaryCode.EQ, w["pair"], w["pair"], K)),
    ("TypeMismatch", lambda w: w.f.binary(BinaryCode.AND, w["i"], w["j"], K)),
    ("TypeMismatch", lambda w: fma(w, "i", "i", "i")),
    ("TypeMismatch", lambda w: fma(w, "real", "i", "real")),
    ("TypeMismatch", lambda w: fma(w, "real", "real", "i")),
    ("InvalidWiden", lambda w: w.f.widen(w["wide"], I32, K)),
    ("InvalidConvert", lambda w: w.f.convert(w["i"], I64, K)),
    ("InvalidConvert", lambda w: w.f.convert(w["i"], I32, K)),
    ("InvalidConvert", lambda w: w.f.convert(w["flag"], I32, K)),
    # Arrays
    ("NotAProduct", lambda w: w.f.index(w["i"], w["i"], K)),
    ("TypeMismatch", lambda w: w.f.index(w["array"], w["real"], K)),
    ("NotAProduct", lambda w: w.f.update(w["pair"], w["i"], w["i"], K)),
    ("TypeMismatch", lambda w: w.f.update(w["array"], w["i"], w["real"], K)),
    ("NotAProduct", lambda w: w.f.zip(w["array"], w["i"], K)),
    ("TypeMismatch", lambda w: w.f.zip(w["array"], w["longer"], K)),
    ("EnumerateIndexOverflow", lambda w: w.f.enumerate(w["huge"], K)),
    ("EnumerateIndexOverflow", lambda w: w.f.iota(w.f.constant(2**31, I64, K), K)),
    ("NonStaticCount", lambda w: w.f.iota(w["i"], K)),
    ("NonStaticCount", lambda w: w.f.iota(w.f.constant(0, I32, K), K)),
    ("NonStaticCount", lambda w: w.f.iota(w.f.constant(2.0, F64, K), K)),
    ("NonStaticCount", lambda w: w.f.fill(w["i"], w["i"], K)),
    ("StrOutsidePrint", lambda w: w.f.fill(w.text, w.four, K)),
    ("TypeMismatch", lambda w: w.f.fill(w["token"], w.four, K)),
    # Functions and bodies
    ("UnknownFunction", lambda w: w.f.call(FunctionId(99), w["i"], K)),
    ("CallToBody", lambda w: w.f.call(w.body, w["i"], K)),
    ("TypeMismatch", lambda w: w.f.call(w.other, w["real"], K)),
    ("BodyKindMismatch", lambda w: w.f.map(w.other, (), w["array"], K)),
    ("BodyKindMismatch", lambda w: w.f.fold(w.body, (), w["i"], w["array"], K)),
    ("BodyKindMismatch", lambda w: w.f.reduce(w.body, (), w["array"], K)),
    ("TokenInBody", lambda w: w.f.map(w.token_body, (), w["array"], K)),
    ("TypeMismatch", lambda w: w.f.map(w.body, (w["i"],), w["array"], K)),
    ("NotAProduct", lambda w: w.f.map(w.body, (), w["i"], K)),
    ("ErasedCapture", lambda w: w.f.map(w.capturing, (w["nothing"],), w["array"], K)),
    ("ErasedCapture", lambda w: w.f.map(w.capturing, (w["token"],), w["array"], K)),
    ("StrOutsidePrint", lambda w: w.f.map(w.capturing, (w.text,), w["array"], K)),
    ("TypeMismatch", lambda w: w.f.fold(w.fold_body, (), w["i"], w["array"], K)),
    ("TypeMismatch", lambda w: w.f.reduce(w.reduce_body, (), w["array"], K)),
    # Effects
    ("TypeMismatch", lambda w: w.f.print(w["i"], w["i"], True, K)),
    ("TypeMismatch", lambda w: w.f.print(w["token"], w["pair"], True, K)),
    ("TypeMismatch", lambda w: w.f.time_ms(w["i"], K)),
    # Results
    ("RetTypeMismatch", lambda w: w.f.output(w["i"], K)),
    ("RetTypeMismatch", lambda w: w.f.output(w["real"], K, 0)),
    ("RetTypeMismatch", lambda w: w.f.unary(UnaryCode.NEG, w["i"], K, Ret())),
    ("RetTypeMismatch", lambda w: w.f.unary(UnaryCode.NEG, w["i"], K, Ret(1))),
    ("RetTypeMismatch", lambda w: w.f.pack((w["i"], w["i"]), K, Ret())),
    ("RetTypeMismatch", lambda w: w.f.pack((w["i"], w["i"]), K, Ret(0))),
    ("SlotOutOfRange", lambda w: w.f.output(w["i"], K, 2)),
    ("RetNotProduct", lambda w: scalar_result().output(ObjectId(0), K, 0)),
    ("ReadOutsideRegion", lambda w: in_arm(w, lambda: w.f.pack((w["i"], w["real"]), K, Ret()))),
    ("ReadOutsideRegion", lambda w: in_arm(w, lambda: w.f.unary(UnaryCode.NEG, w["i"], K, Ret(0)))),
    ("ReadOutsideRegion", lambda w: in_arm(w, lambda: w.f.output(w["pair"], K))),
    # Guards
    ("TypeMismatch", lambda w: w.f.begin_guard(w["i"], K)),
    ("TypeMismatch", lambda w: choose(w, w["i"], w["real"])),
    ("TokenInPhi", lambda w: choose(w, w["token"], w["token"])),
    ("TokenInPhi", lambda w: choose(w, w["tokens"], w["tokens"])),
    ("StrOutsidePrint", lambda w: choose(w, w.text, w.text)),
    ("BadRegion", lambda w: choose_twice(w)),
    ("ReadOutsideRegion", lambda w: read_arm_from_outside(w)),
    ("ReadOutsideRegion", lambda w: read_arm_from_other_arm(w)),
    ("OpenGuard", lambda w: open_guard(w)),
    # Loops
    ("TypeMismatch", lambda w: w.f.loop_back(w.f.begin_loop(w["i"], K), w["real"], w["flag"])),
    ("TypeMismatch", lambda w: w.f.loop_back(w.f.begin_loop(w["i"], K), w["i"], w["i"])),
    ("LoopShape", lambda w: second_back(w)),
    ("LoopShape", lambda w: second_exit(w)),
    ("LoopShape", lambda w: w.f.loop_exit(w.f.begin_loop(w["i"], K), w["i"], w["flag"])),
    ("LoopShape", lambda w: foreign_loop(w)),
    ("LoopWithoutBack", lambda w: w.f.end_loop(w.f.begin_loop(w["i"], K))),
    ("LoopWithoutExit", lambda w: loop_without_exit(w)),
    ("OpenLoop", lambda w: open_loop(w)),
    ("ReadOutsideRegion", lambda w: read_merge_from_outside(w)),
]


def declared(w: Workbench, ty: Type) -> None:
    w.builder.declare(FunctionKind.NAMED, "taker", ty, I32, K)


def deepen(w: Workbench, times: int) -> None:
    x = w["i"]
    for _ in range(times):
        x = w.f.pack((x, w["flag"]), K)


def input_of(w: Workbench, function: FunctionId) -> ObjectId:
    return w.builder.functions[function].input


def fma(w: Workbench, x: str, y: str, z: str) -> None:
    w.f.fma(w[x], w[y], w[z], negate_product=False, negate_addend=False, key=K)


def scalar_result() -> FunctionBuilder:
    return one_function(I32, I32)[2]


def in_arm(w: Workbench, action: Callable[[], object]) -> None:
    guard = w.f.begin_guard(w["flag"], K)
    with w.f.in_region(guard.arm_true):
        action()


def choose(w: Workbench, when_true: ObjectId, when_false: ObjectId) -> None:
    w.f.phi(w.f.begin_guard(w["flag"], K), when_true, when_false)


def choose_twice(w: Workbench) -> None:
    guard = w.f.begin_guard(w["flag"], K)
    w.f.phi(guard, w["i"], w["j"])
    w.f.phi(guard, w["i"], w["j"])


def read_arm_from_outside(w: Workbench) -> None:
    guard = w.f.begin_guard(w["flag"], K)
    with w.f.in_region(guard.arm_true):
        inside = w.f.unary(UnaryCode.NEG, w["i"], K)
    w.f.unary(UnaryCode.NEG, inside, K)


def read_arm_from_other_arm(w: Workbench) -> None:
    guard = w.f.begin_guard(w["flag"], K)
    with w.f.in_region(guard.arm_true):
        inside = w.f.unary(UnaryCode.NEG, w["i"], K)
    w.f.phi(guard, inside, inside)


def open_guard(w: Workbench) -> None:
    w.f.begin_guard(w["flag"], K)
    w.f.finish()


def open_loop(w: Workbench) -> None:
    w.f.begin_loop(w["i"], K)
    w.f.finish()


def second_back(w: Workbench) -> None:
    loop = w.f.begin_loop(w["i"], K)
    w.f.loop_back(loop, loop.merge, w["flag"])
    w.f.loop_back(loop, loop.merge, w["flag"])


def second_exit(w: Workbench) -> None:
    loop = w.f.begin_loop(w["i"], K)
    w.f.loop_back(loop, loop.merge, w["flag"])
    w.f.loop_exit(loop, loop.merge, w["flag"])
    w.f.loop_exit(loop, loop.merge, w["flag"])


def foreign_loop(w: Workbench) -> None:
    foreign = scalar_result()
    w.f.loop_back(foreign.begin_loop(foreign.input, K), w["i"], w["flag"])


def loop_without_exit(w: Workbench) -> None:
    loop = w.f.begin_loop(w["i"], K)
    w.f.loop_back(loop, loop.merge, w["flag"])
    w.f.end_loop(loop)


def read_merge_from_outside(w: Workbench) -> None:
    w.f.unary(UnaryCode.NEG, w.f.begin_loop(w["i"], K).merge, K)


@pytest.mark.parametrize(
    ("code", "misuse"), MISUSES, ids=[f"{n}-{code}" for n, (code, _) in enumerate(MISUSES)]
)
def test_misuse_is_refused_by_name(code: str, misuse: Misuse) -> None:
    with pytest.raises(BuilderError) as caught:
        misuse(Workbench())
    assert caught.value.code == code


def test_a_graph_is_sealed_once() -> None:
    builder, main, f = one_function(I32, I32)
    f.output(f.input, K)
    f.finish()
    builder.seal(main)
    with pytest.raises(BuilderError, match="sealed already"):
        builder.seal(main)


def test_depth_64_is_accepted_and_65_is_not() -> None:
    builder = GraphBuilder()
    builder.declare(FunctionKind.NAMED, "fits", nested(64), I32, K)
    with pytest.raises(BuilderError, match="TyTooDeep"):
        builder.declare(FunctionKind.NAMED, "deep", nested(65), I32, K)


def identity_of(
    output_ty: Type, build: Callable[[FunctionBuilder], ObjectId]
) -> tuple[Graph, ObjectId]:
    builder, main, f = one_function(Tuple((I32, F32)), output_ty)
    placed = build(f)
    if output_ty != I32:
        f.output(f.proj(f.input, 1, K), K, 1)
    f.finish()
    return builder.seal(main), placed


def test_a_fresh_destination_makes_a_named_object() -> None:
    builder, main, f = one_function(I32, I32)
    made = f.unary(UnaryCode.NEG, f.input, K, Fresh("minus"))
    f.output(made, K)
    f.finish()
    graph = builder.seal(main)
    assert graph.objects[made].name == "minus"
    assert graph.objects[made].kind is ObjectKind.TEMPORARY


def test_the_whole_result_is_written_directly() -> None:
    builder, main, f = one_function(I32, I32)
    placed = f.unary(UnaryCode.NEG, f.input, K, Ret())
    f.finish()
    graph = builder.seal(main)
    assert placed == graph.functions[main].output
    (edge,) = graph.in_edges[placed]
    assert graph.morphisms[edge].op == Unary(UnaryCode.NEG)


def test_a_component_of_the_result_is_made_and_paired() -> None:
    graph, placed = identity_of(
        Tuple((I32, F32)), lambda f: f.unary(UnaryCode.NEG, f.proj(f.input, 0, K), K, Ret(0))
    )
    output = graph.functions[0].output
    assert placed != output
    (edge,) = graph.out_edges[placed]
    assert graph.morphisms[edge].op == Pair(0, 2)
    assert graph.morphisms[edge].target == output


def test_output_of_a_component_gives_the_value_itself() -> None:
    builder, main, f = one_function(Tuple((I32, F32)), Tuple((I32, F32)))
    first, second = f.proj(f.input, 0, K), f.proj(f.input, 1, K)
    assert f.output(first, K, 0) == first
    f.output(second, K, 1)
    f.finish()
    graph = builder.seal(main)
    assert graph.feeders(f.result) == (first, second)


def test_output_of_the_whole_is_an_output_edge() -> None:
    builder, main, f = one_function(I32, I32)
    assert f.output(f.input, K) == f.result
    f.finish()
    graph = builder.seal(main)
    (edge,) = graph.in_edges[f.result]
    assert graph.morphisms[edge].op == Output()


def test_a_product_can_be_packed_into_the_result() -> None:
    builder, main, f = one_function(I32, Tuple((Array(I32, 2), Tuple((I32, I32)))))
    f.pack_array((f.input, f.input), K, Ret(0))
    f.pack((f.input, f.input), K, Ret(1))
    f.finish()
    graph = builder.seal(main)
    assert [graph.ty(part) for part in graph.feeders(f.result)] == [
        Array(I32, 2),
        Tuple((I32, I32)),
    ]
    builder, main, f = one_function(I32, Tuple((I32, I32)))
    assert f.pack((f.input, f.input), K, Ret()) == f.result
    f.finish()
    assert len(builder.seal(main).in_edges[f.result]) == 2


def test_there_is_one_nan() -> None:
    builder, main, f = one_function(I32, Tuple((F32, F64)))
    f.output(f.constant(float("nan"), F32, K), K, 0)
    f.output(f.constant(-float("nan"), F64, K), K, 1)
    f.finish()
    graph = builder.seal(main)
    values = [obj.value for obj in graph.objects if obj.kind is ObjectKind.CONSTANT]
    assert values[0] is values[1] is math.nan


def test_regions_are_restored_when_building_in_one_fails() -> None:
    w = Workbench()
    guard = w.f.begin_guard(w["flag"], K)
    before = w.f.region
    with pytest.raises(BuilderError), w.f.in_region(guard.arm_true):
        w.f.pack((), K)
    assert w.f.region == before


def test_a_wide_tree_of_regions_knows_its_ancestors() -> None:
    """Against a walk up the parents, on a tree of guards in guards."""
    builder, _, f = one_function(BOOL, BOOL)
    regions = [f.region]
    for number in range(200):
        with f.in_region(regions[(number * 7) % len(regions)]):
            guard = f.begin_guard(f.input, K)
        regions += [guard.arm_true, guard.arm_false]

    def ancestors(region: RegionId) -> set[RegionId]:
        found: set[RegionId] = set()
        at: RegionId | None = region
        while at is not None:
            found.add(at)
            at = builder.regions[at].parent
        return found

    for inner in regions:
        above = ancestors(inner)
        assert {outer for outer in regions if builder.encloses(outer, inner)} == above


def test_a_struct_with_an_exponential_expansion_is_instant() -> None:
    ty: Type = I32
    for level in range(60):
        ty = Struct(f"T{level}", (("a", ty), ("b", ty)))
    builder, main, f = one_function(ty, ty)
    f.output(f.input, K)
    f.finish()
    assert builder.seal(main).ty(f.result) == ty


def test_regions_have_the_kinds_of_their_records() -> None:
    builder, _, f = one_function(BOOL, BOOL)
    guard = f.begin_guard(f.input, K)
    loop = f.begin_loop(f.input, K)
    kinds = [builder.regions[r].kind for r in (guard.arm_true, guard.arm_false)]
    assert kinds == [RegionKind.ARM_TRUE, RegionKind.ARM_FALSE]
    kinds = [builder.regions[r].kind for r in (loop.body, loop.jump, loop.exit)]
    assert kinds == [RegionKind.LOOP_BODY, RegionKind.JUMP, RegionKind.EXIT]
