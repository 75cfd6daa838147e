"""Every scalar identity that a pass uses is proved, at every type, by z3.

Two ways. The tables of laws are proved entry by entry. And the passes are asked what they make
of every operation on an unknown and a constant, on one unknown twice, on two unknowns, and of
every operation on the result of such a one: whatever they change must be proved equal, also
where no table says so. A wrong law that is added on purpose is found both ways.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
import z3  # type: ignore[import-untyped]

from mapal.analysis import trip_counts
from mapal.ir import ops
from mapal.ir.graph import Graph, Value
from mapal.ir.ops import BinaryCode, ObjectId, UnaryCode
from mapal.ir.order import OperationItem, schedule
from mapal.ir.scalars import BINARY
from mapal.ir.types import BOOL, F32, F64, I32, NUMERIC, U8, WIDENINGS, Array, Scalar, Tuple
from mapal.rewrite import RewritePass, apply_pass, rewrite_with
from mapal.rewrite.passes import common_subexpressions, constant_folding
from mapal.rewrite.pipeline import COMMON_SUBEXPRESSIONS, CONSTANT_FOLDING, PASSES
from mapal.rewrite.plan import PlanMaker
from tests.rewrite.build import Lines, Program
from tests.rewrite.expressions import (
    TRAPPING,
    Applied,
    Known,
    Unknown,
    applications,
    program,
    special,
)
from tests.rewrite.symbolic import Meaning, binary, differs, literal, meaning, unknown

TYPES = (BOOL, *NUMERIC)
LAWS = {
    constant_folding: {"NEUTRAL", "ABSORBING"},
    common_subexpressions: {"_COMMUTATIVE"},
    trip_counts: {"MIRRORED", "NEGATED"},
}
"""The tables of laws by module. What is not here has no proof below."""

PARTS = {
    *("_NEUTRAL_INTEGERS", "_NEUTRAL_BOOLEANS", "_ABSORBING_INTEGERS", "_ABSORBING_BOOLEANS"),
}
"""What the tables of constant folding are made of."""

# The tables ---------------------------------------------------------------------------


def no_trap() -> Any:
    return z3.BitVecVal(0, 32)


def applied_law(law: tuple[BinaryCode, Value, bool], ty: Scalar) -> Meaning:
    """An unknown x with a known operand: its value, and whether it traps."""
    code, value, is_right = law
    x, known = unknown("x", ty), literal(value, ty)
    left, right = (x, known) if is_right else (known, x)
    trap = no_trap()
    if code in TRAPPING and ty.is_integer:
        trap = z3.If(right == 0, z3.BitVecVal(1, 32), trap)
    return Meaning(binary(code, ty, left, right), trap)


def neutral(law: tuple[BinaryCode, Value, bool], ty: Scalar) -> str | None:
    """A counterexample to "the result is the other operand"."""
    return differs(applied_law(law, ty), Meaning(unknown("x", ty), no_trap()))


def absorbing(law: tuple[BinaryCode, Value, bool], result: Value, ty: Scalar) -> str | None:
    """A counterexample to "the result is this constant"."""
    return differs(applied_law(law, ty), Meaning(literal(result, ty), no_trap()))


def types_of(is_bool: bool) -> tuple[Scalar, ...]:
    return (BOOL,) if is_bool else tuple(ty for ty in NUMERIC if ty.is_integer)


@pytest.mark.parametrize("is_bool", [False, True])
def test_neutral_operands(is_bool: bool) -> None:
    assert constant_folding.NEUTRAL[is_bool]
    for law in constant_folding.NEUTRAL[is_bool]:
        for ty in types_of(is_bool):
            assert neutral(law, ty) is None, (law, ty)


@pytest.mark.parametrize("is_bool", [False, True])
def test_absorbing_operands(is_bool: bool) -> None:
    assert constant_folding.ABSORBING[is_bool]
    for law, result in constant_folding.ABSORBING[is_bool].items():
        for ty in types_of(is_bool):
            assert absorbing(law, result, ty) is None, (law, ty)


@pytest.mark.parametrize("code", sorted(common_subexpressions._COMMUTATIVE, key=str))
def test_commutative_operations(code: BinaryCode) -> None:
    for ty in TYPES:
        if (code, ty) in BINARY and not ty.is_float:
            x, y = unknown("x", ty), unknown("y", ty)
            first, second = binary(code, ty, x, y), binary(code, ty, y, x)
            assert differs(Meaning(first, no_trap()), Meaning(second, no_trap())) is None


def test_comparisons_turned_around() -> None:
    """Of counters, which are integers: with a NaN, not `a < b` is not `a >= b`."""
    x, y = unknown("x", I32), unknown("y", I32)
    for code, mirrored in trip_counts.MIRRORED.items():
        first, second = binary(code, I32, x, y), binary(mirrored, I32, y, x)
        assert differs(Meaning(first, no_trap()), Meaning(second, no_trap())) is None
    for code, negated in trip_counts.NEGATED.items():
        first, second = binary(code, I32, x, y), z3.Not(binary(negated, I32, x, y))
        assert differs(Meaning(first, no_trap()), Meaning(second, no_trap())) is None


def test_every_table_of_laws_has_its_proof() -> None:
    """A new table of operations in a module of laws belongs into `LAWS`, and its proof here."""
    for module, known in LAWS.items():
        found = {name for name, value in vars(module).items() if holds_operations(value)}
        assert found - PARTS == known


def holds_operations(value: object) -> bool:
    """Whether a module's table speaks of operations together with what they give."""
    if isinstance(value, tuple):
        return any(map(holds_operations, value))
    if isinstance(value, dict | frozenset):
        return any(
            isinstance(part, BinaryCode | UnaryCode)
            for key in value
            for part in (key if isinstance(key, tuple) else (key,))
        )
    return False


WRONG: list[tuple[str, BinaryCode, Value, bool, Value | None, tuple[str, ...]]] = [
    ("x + 0.0 = x", BinaryCode.ADD, 0.0, True, None, ("f32", "f64")),
    ("x - -0.0 = x", BinaryCode.SUB, -0.0, True, None, ("f32", "f64")),
    ("x * 0.0 = 0.0", BinaryCode.MUL, 0.0, True, 0.0, ("f32", "f64")),
    ("x * -1.0 = x", BinaryCode.MUL, -1.0, True, None, ("f32", "f64")),
    ("0.0 - x = x", BinaryCode.SUB, 0.0, False, None, ("f32", "f64")),
    ("x % 1.0 = 0.0", BinaryCode.MOD, 1.0, True, 0.0, ("f32", "f64")),
    ("min x inf = x", BinaryCode.MIN, math.inf, True, None, ("f32", "f64")),
    ("0 - x = x", BinaryCode.SUB, 0, False, None, ("i32", "i64", "u8")),
    ("x * 0 = x", BinaryCode.MUL, 0, True, None, ("i32", "i64", "u8")),
    ("1 / x = x", BinaryCode.DIV, 1, False, None, ("i32", "i64", "u8")),
    ("0 / x = 0", BinaryCode.DIV, 0, False, 0, ("i32", "i64", "u8")),
    ("x / 0 = 0", BinaryCode.DIV, 0, True, 0, ("i32", "i64", "u8")),
    ("x / 2 = 0", BinaryCode.DIV, 2, True, 0, ("i32", "i64", "u8")),
    ("x % 2 = 0", BinaryCode.MOD, 2, True, 0, ("i32", "i64", "u8")),
    ("max x 0 = x", BinaryCode.MAX, 0, True, None, ("i32", "i64")),
    ("min x 255 = 255", BinaryCode.MIN, 255, True, 255, ("u8",)),
    ("x and true = true", BinaryCode.AND, True, True, True, ("bool",)),
    ("x and false = x", BinaryCode.AND, False, True, None, ("bool",)),
    ("x or true = x", BinaryCode.OR, True, True, None, ("bool",)),
]


@pytest.mark.parametrize(("code", "value", "is_right", "result", "types"), [w[1:] for w in WRONG])
def test_wrong_laws_are_refuted(
    code: BinaryCode, value: Value, is_right: bool, result: Value | None, types: tuple[str, ...]
) -> None:
    law = (code, value, is_right)
    for ty in TYPES:
        if ty.name in types:
            assert neutral(law, ty) if result is None else absorbing(law, result, ty)


RIGHT: list[tuple[BinaryCode, Value, bool]] = [
    (BinaryCode.SUB, 0.0, True),
    (BinaryCode.ADD, -0.0, True),
    (BinaryCode.MUL, 1.0, False),
]


@pytest.mark.parametrize("law", RIGHT)
def test_right_laws_are_proved(law: tuple[BinaryCode, Value, bool]) -> None:
    """Of floats, though no pass uses them: the proofs do not refuse everything."""
    assert neutral(law, F32) is None


# What the passes do -------------------------------------------------------------------

SMALL = (0, 1)
"""Constants of expressions of two operations, beside those of the tables."""


def listed(ty: Scalar) -> set[Value]:
    """The constants of all tables, so that a new law is tried as well."""
    if ty.is_float or ty == BOOL:
        return set()
    laws = (*constant_folding.NEUTRAL[False], *constant_folding.ABSORBING[False])
    return {value for _, value, _ in laws}


def small(ty: Scalar) -> list[Value]:
    if ty == BOOL:
        return [False, True]
    if ty.is_float:
        return [float(n) for n in SMALL]
    return sorted({*SMALL, *listed(ty)})


def operations(ty: Scalar) -> list[Applied]:
    """Every operation on an unknown x of a type."""
    values = [*special(ty), *(value for value in listed(ty) if value not in special(ty))]
    return list(applications(Unknown(0, ty), Unknown(1, ty), values))


def proved(graph: Graph, *passes: RewritePass) -> int:
    """Holds what passes make of a graph to its meaning; how many morphisms went away."""
    after = rewrite_with(graph, passes or PASSES).graph
    assert differs(meaning(graph), meaning(after)) is None
    return len(graph.morphisms) - len(after.morphisms)


@pytest.mark.parametrize("ty", TYPES, ids=str)
def test_single_operations(ty: Scalar) -> None:
    graph = program([each for each in operations(ty) if not each.may_trap], ty)
    assert (proved(graph, CONSTANT_FOLDING) > 0) == (not ty.is_float)
    proved(graph, COMMON_SUBEXPRESSIONS)
    proved(graph)


@pytest.mark.parametrize("ty", TYPES, ids=str)
def test_operations_that_can_trap(ty: Scalar) -> None:
    trapping = [each for each in operations(ty) if each.may_trap]
    assert bool(trapping) == ty.is_integer
    for each in trapping:
        proved(program([each], ty))
        proved(program([Applied(UnaryCode.NEG, (each,)), each], ty))


@pytest.mark.parametrize(
    "ty", [pytest.param(ty, marks=pytest.mark.slow) if ty == F64 else ty for ty in TYPES], ids=str
)
def test_operations_on_operations(ty: Scalar) -> None:
    x, y = Unknown(0, ty), Unknown(1, ty)
    for inner in applications(x, x, small(ty)):
        if inner.ty == ty and inner.operands[0] == x and not inner.may_trap:
            outer = applications(inner, y, small(ty))
            proved(program([each for each in outer if not each.may_trap], ty))


@pytest.mark.parametrize("ty", NUMERIC, ids=str)
def test_conversions_of_conversions(ty: Scalar) -> None:
    chains = [(middle, last) for middle in NUMERIC for last in NUMERIC if ty != middle != last]

    def main(f: Lines) -> ObjectId:
        results = []
        for chain in chains:
            x = f.arg(0)
            for target in chain:
                widens = (f.f.ty(x), target) in WIDENINGS
                x = (f.f.widen if widens else f.f.convert)(x, target, f.key())
            results.append(x)
        return f.pack(*results)

    proved(Program().main(main, (ty, ty), Tuple(tuple(last for _, last in chains))))


def test_accesses_after_updates() -> None:
    """Element i of an array in which element j was replaced, twice; i and j in range or not."""
    for write, again, read in itertools.product((-1, 0, 1, 3), repeat=3):

        def main(f: Lines, places: tuple[int, int, int] = (write, again, read)) -> ObjectId:
            array = f.arg(0)
            for slot, place in enumerate(places[:2]):
                array = f.update(array, f.c(place), f.arg(1 + slot))
            return f.pack(f.index(array, f.c(places[2])), f.arg(1))

        taken = (Array(I32, 3), I32, I32)
        proved(Program().main(main, taken, Tuple((I32, I32))))


# A wrong law in a pass ------------------------------------------------------------------


def squares(code: BinaryCode, result: int) -> RewritePass:
    """A pass that believes that an operation on a value and itself gives a constant."""

    def analyse(maker: PlanMaker) -> None:
        graph = maker.graph
        for item in schedule(graph, graph.functions[graph.entry].body):
            if isinstance(item, OperationItem) and item.morphism.op == ops.Binary(code):
                ty = graph.ty(item.target)
                assert isinstance(ty, Scalar)
                if item.operands[0] == item.operands[1] and maker.may_replace(item.target):
                    maker.constify(item.target, float(result) if ty.is_float else result)

    return RewritePass("squares", "", analyse)


SQUARES = [
    (BinaryCode.SUB, 0, {"f32"}),
    (BinaryCode.DIV, 1, {"u8", "f32"}),
    (BinaryCode.MOD, 0, {"u8", "f32"}),
]


@pytest.mark.parametrize(("code", "result", "wrong"), SQUARES)
def test_what_holds_only_without_traps_and_nans(
    code: BinaryCode, result: int, wrong: set[str]
) -> None:
    """`x - x = 0` holds for integers and is refuted for floats; `x / x = 1` never holds."""
    for ty in (U8, F32):
        x = Unknown(0, ty)
        graph = program([Applied(code, (x, x))], ty)
        after = apply_pass(graph, squares(code, result)).replayed
        assert after is not None
        found = differs(meaning(graph), meaning(after.graph))
        assert (found is not None) == (ty.name in wrong), ty


@pytest.mark.parametrize("ty", [F32, F64], ids=str)
def test_integer_laws_on_floats_are_found(ty: Scalar, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the exclusion of floats, `x * 0.0` becomes 0.0."""
    law: dict[tuple[BinaryCode, Value, bool], Value] = {(BinaryCode.MUL, 0.0, True): 0.0}
    monkeypatch.setattr(constant_folding, "is_integer", lambda _: True)
    monkeypatch.setattr(constant_folding, "ABSORBING", (law, law))
    times = Applied(BinaryCode.MUL, (Unknown(0, ty), Known(0.0, ty)))
    with pytest.raises(AssertionError):
        proved(program([times], ty), CONSTANT_FOLDING)


def test_a_wrong_entry_in_a_table_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """`0 - x = x`, among the laws of integers: by its own proof, and in what the pass does."""
    law = (BinaryCode.SUB, 0, False)
    integers, booleans = constant_folding.NEUTRAL
    monkeypatch.setattr(constant_folding, "NEUTRAL", (integers | {law}, booleans))
    with pytest.raises(AssertionError):
        test_neutral_operands(False)
    with pytest.raises(AssertionError):
        test_single_operations(I32)


def test_a_new_table_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    table = frozenset({(UnaryCode.ABS, UnaryCode.NEG)})
    monkeypatch.setattr(constant_folding, "TWICE", table, raising=False)
    with pytest.raises(AssertionError):
        test_every_table_of_laws_has_its_proof()
