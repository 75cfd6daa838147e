"""Cases C38 to C44, and the numbers of C85 and C86."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

import pytest

from mapal.ir.graph import Graph, ObjectKind, Value
from mapal.ir.ops import BinaryCode, ObjectId, UnaryCode
from mapal.ir.types import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    U8,
    WIDENINGS,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
)
from mapal.rewrite import rewrite_with
from mapal.rewrite.pipeline import CONSTANT_FOLDING, PASSES
from tests.rewrite.build import ADD, DIV, GT, MOD, MUL, SUB, Lines, Program
from tests.rewrite.outcomes import applied, census, kept, kind, value

MAXIMUM, MINIMUM = 2**31 - 1, -(2**31)


def single(x: float) -> float:
    (rounded,) = struct.unpack("<f", struct.pack("<f", x))
    assert isinstance(rounded, float)
    return rounded


def folded(result: Type, build: Callable[[Lines], ObjectId]) -> Value:
    """The constant that a program's result becomes; the interpreter gives the same."""
    graph = Program().main(lambda f: f.proj(f.pack(build(f), f.c(0)), 0), (), result)
    after = applied(graph, CONSTANT_FOLDING)
    writer = after.morphisms[after.in_edges[after.functions[after.entry].output][0]]
    source = after.objects[writer.source]
    assert source.kind is ObjectKind.CONSTANT
    assert source.value is not None
    return source.value


BINARIES: list[tuple[BinaryCode, Scalar, Value, Value, Value]] = [
    (ADD, I32, MAXIMUM, 1, MINIMUM),
    (DIV, I32, MINIMUM, -1, MINIMUM),
    (MOD, I32, MINIMUM, -1, 0),
    (DIV, I32, -7, 2, -3),
    (MOD, I32, -7, 2, -1),
    (SUB, U8, 0, 1, 255),
    (ADD, F32, 16777216.0, 1.0, 16777216.0),
    (DIV, F64, 1.0, 0.0, math.inf),
    (BinaryCode.EQ, F64, math.nan, math.nan, False),
    (BinaryCode.LE, F64, math.nan, math.nan, False),
    (BinaryCode.AND, BOOL, True, False, False),
    (BinaryCode.MIN, F64, -0.0, 0.0, -0.0),
    (BinaryCode.MIN, F64, 0.0, -0.0, -0.0),
    (BinaryCode.MAX, F64, -0.0, 0.0, 0.0),
    (BinaryCode.MIN, F64, math.nan, 1.0, 1.0),
    (BinaryCode.MIN, F64, 1.0, math.nan, 1.0),
    (BinaryCode.MIN, F64, math.nan, math.nan, math.nan),
]


@pytest.mark.parametrize(("code", "ty", "a", "b", "expected"), BINARIES)
def test_c38_binary(code: BinaryCode, ty: Scalar, a: Value, b: Value, expected: Value) -> None:
    result = BOOL if isinstance(expected, bool) else ty
    assert repr(folded(result, lambda f: f.op(code, f.c(a, ty), f.c(b, ty)))) == repr(expected)


UNARIES: list[tuple[UnaryCode, Scalar, Value, Value]] = [
    (UnaryCode.NEG, I32, MINIMUM, MINIMUM),
    (UnaryCode.NEG, U8, 1, 255),
    (UnaryCode.NOT, BOOL, True, False),
    (UnaryCode.ROUND, F64, 2.5, 2.0),
    (UnaryCode.ROUND, F64, 3.5, 4.0),
    (UnaryCode.ROUND, F64, -0.5, -0.0),
    (UnaryCode.FLOOR, F64, -0.5, -1.0),
    (UnaryCode.TRUNC, F64, -0.5, -0.0),
    (UnaryCode.SQRT, F64, -0.0, -0.0),
    (UnaryCode.SQRT, F64, -1.0, math.nan),
    (UnaryCode.SQRT, F32, 2.0, single(1.4142135)),
    (UnaryCode.ABS, I32, MINIMUM, MINIMUM),
    (UnaryCode.ABS, F64, -0.0, 0.0),
]


@pytest.mark.parametrize(("code", "ty", "x", "expected"), UNARIES)
def test_c86_math(code: UnaryCode, ty: Scalar, x: Value, expected: Value) -> None:
    assert repr(folded(ty, lambda f: f.un(code, f.c(x, ty)))) == repr(expected)


CONVERSIONS: list[tuple[Scalar, Value, Scalar, Value]] = [
    (I32, 16777217, F32, 16777216.0),
    (I64, 2**32 + 5, I32, 5),
    (I32, 300, U8, 44),
    (I32, -1, U8, 255),
    (U8, 200, I32, 200),
    (F64, 2.9, I32, 2),
    (F64, -2.9, I32, -2),
    (F64, 1e300, I32, MAXIMUM),
    (F64, -1e300, I32, MINIMUM),
    (F64, math.nan, I32, 0),
    (F64, math.inf, I32, MAXIMUM),
    (F32, -0.5, U8, 0),
    (F32, single(256.7), U8, 255),
    (I64, 2**53 + 1, F64, float(2**53)),
    (I64, 2**24 + 1, F32, float(2**24)),
    (I64, 2**62 + 2**38 + 1, F32, float(2**62 + 2**39)),
    (F64, 1e300, F32, math.inf),
]


@pytest.mark.parametrize(("source", "x", "target", "expected"), CONVERSIONS)
def test_c85_conversions(source: Scalar, x: Value, target: Scalar, expected: Value) -> None:
    def build(f: Lines) -> ObjectId:
        if (source, target) in WIDENINGS:
            return f.f.widen(f.c(x, source), target, f.key())
        return f.f.convert(f.c(x, source), target, f.key())

    assert repr(folded(target, build)) == repr(expected)


def test_c83_multiply_add_rounds_once() -> None:
    x, z = 1 + 2.0**-23, -1 - 2.0**-22

    def build(f: Lines) -> ObjectId:
        a, b = f.c(x, F32), f.c(z, F32)
        return f.f.fma(a, a, b, negate_product=False, negate_addend=False, key=f.key())

    assert folded(F32, build) == 2.0**-46


@pytest.mark.parametrize("code", [DIV, MOD])
def test_c39_no_folding_into_a_trap(code: BinaryCode) -> None:
    graph = Program().main(lambda f: f.op(code, f.c(1), f.c(0)))
    assert kind(graph) == "div_zero"
    assert kind(kept(graph)) == "div_zero"


@pytest.mark.parametrize(
    ("code", "constant", "x"),
    [(ADD, 0.0, -0.0), (MUL, 0.0, math.nan), (MUL, 1.0, 2.5), (SUB, 0.0, -0.0), (DIV, 1.0, 2.0)],
)
def test_c40_floats_are_not_integers(code: BinaryCode, constant: float, x: float) -> None:
    graph = Program().main(
        lambda f: f.op(ADD, f.op(code, f.f.input, f.c(constant, F64)), f.f.input), (F64,), F64
    )
    result = kept(graph, (x,), (1.5,))
    assert sum(census(result)[name] for name in ("Add", "Sub", "Mul", "Div")) == 2


IDENTITIES: list[tuple[str, Callable[[Lines, ObjectId], ObjectId]]] = [
    ("x + 0", lambda f, x: f.op(ADD, x, f.c(0))),
    ("0 + x", lambda f, x: f.op(ADD, f.c(0), x)),
    ("x - 0", lambda f, x: f.op(SUB, x, f.c(0))),
    ("x * 1", lambda f, x: f.op(MUL, x, f.c(1))),
    ("1 * x", lambda f, x: f.op(MUL, f.c(1), x)),
    ("x / 1", lambda f, x: f.op(DIV, x, f.c(1))),
]
KEPT: list[tuple[str, Callable[[Lines, ObjectId], ObjectId]]] = [
    ("0 - x", lambda f, x: f.op(SUB, f.c(0), x)),
    ("1 / x", lambda f, x: f.op(DIV, f.c(1), x)),
    ("0 / x", lambda f, x: f.op(DIV, f.c(0), x)),
    ("0 % x", lambda f, x: f.op(MOD, f.c(0), x)),
    ("1 % x", lambda f, x: f.op(MOD, f.c(1), x)),
    ("x - x", lambda f, x: f.op(SUB, x, x)),
    ("x / x", lambda f, x: f.op(DIV, x, x)),
    ("x * -1", lambda f, x: f.op(MUL, x, f.c(-1))),
]
ABSORBED: list[tuple[str, Callable[[Lines, ObjectId], ObjectId]]] = [
    ("x * 0", lambda f, x: f.op(MUL, x, f.c(0))),
    ("0 * x", lambda f, x: f.op(MUL, f.c(0), x)),
    ("x % 1", lambda f, x: f.op(MOD, x, f.c(1))),
]


def over_x(build: Callable[[Lines, ObjectId], ObjectId]) -> Graph:
    """The result of an operation on the input, packed so that it may be replaced."""
    return Program().main(
        lambda f: f.pack(build(f, f.f.input), f.f.input), (I32,), Tuple((I32, I32))
    )


@pytest.mark.parametrize(("name", "build"), IDENTITIES)
def test_neutral_operands(name: str, build: Callable[[Lines, ObjectId], ObjectId]) -> None:
    result = kept(over_x(build), (0,), (5,), (MINIMUM,), (-1,))
    assert dict(+census(result)) == {"Output": 1}, name


@pytest.mark.parametrize(("name", "build"), ABSORBED)
def test_absorbing_operands(name: str, build: Callable[[Lines, ObjectId], ObjectId]) -> None:
    result = kept(over_x(build), (0,), (5,), (MINIMUM,), (-1,))
    assert dict(+census(result)) == {"Output": 1}, name
    assert [obj.value for obj in result.objects if obj.kind is ObjectKind.CONSTANT] == [0]


@pytest.mark.parametrize(("name", "build"), KEPT)
def test_no_other_identities(name: str, build: Callable[[Lines, ObjectId], ObjectId]) -> None:
    result = applied(over_x(build), CONSTANT_FOLDING, (0,), (5,), (MINIMUM,), (-1,))
    assert sum(census(result).values()) == 2, name


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("code", [BinaryCode.AND, BinaryCode.OR])
@pytest.mark.parametrize("is_right", [True, False])
def test_logic(constant: bool, code: BinaryCode, is_right: bool) -> None:
    def main(f: Lines) -> ObjectId:
        left, right = f.f.input, f.c(constant, BOOL)
        if not is_right:
            left, right = right, left
        return f.pack(f.op(code, left, right), f.un(UnaryCode.NOT, f.un(UnaryCode.NOT, f.f.input)))

    graph = Program().main(main, (BOOL,), Tuple((BOOL, BOOL)))
    assert dict(+census(kept(graph, (True,), (False,)))) == {"Output": 1}


def vanishing(build: Callable[[Lines, ObjectId], ObjectId]) -> Graph:
    def main(f: Lines) -> ObjectId:
        a, b = f.arg(0), f.arg(1)
        q = f.op(DIV, a, b)
        z = build(f, q)
        p = f.phi(f.op(GT, b, f.c(0)), lambda: q, lambda: a)
        return f.op(ADD, p, z)

    return Program().main(main, (I32, I32))


@pytest.mark.parametrize(
    "build",
    [
        lambda f, q: f.op(MUL, q, f.c(0)),
        lambda f, q: f.op(MOD, q, f.c(1)),
        lambda f, q: f.phi(
            f.op(BinaryCode.AND, f.op(GT, q, f.c(0)), f.c(False, BOOL)),
            lambda: f.c(1),
            lambda: f.c(2),
        ),
    ],
)
def test_c41_vanishing_reader(build: Callable[[Lines, ObjectId], ObjectId]) -> None:
    """D-03."""
    graph = vanishing(build)
    assert kind(graph, 1, 0) == "div_zero"
    result = applied(graph, CONSTANT_FOLDING, (1, 0), (6, 2))
    (division,) = (m for m in result.morphisms if "DIV" in repr(m.op))
    assert division.region == result.functions[result.entry].body
    kept(graph, (1, 0), (6, 2))


def updated(write: int, read: int, runtime: bool = False) -> Graph:
    def main(f: Lines) -> ObjectId:
        a, v = f.arg(0), f.arg(1)
        place = f.arg(2) if runtime else f.c(read)
        return f.op(ADD, f.index(f.update(a, f.c(write), v), place), f.c(1))

    return Program().main(main, (Array(I32, 3), I32, I32))


def test_c42_index_of_update() -> None:
    arguments = ([5, 6, 7], 9, 1)
    assert census(kept(updated(1, 1), arguments))["Index"] == 0
    other = kept(updated(1, 2), arguments)
    assert (census(other)["Index"], census(other)["Update"]) == (1, 0)
    outside = updated(5, 5)
    assert kind(outside, *arguments) == "index_oob"
    kept(outside, arguments)
    assert census(kept(updated(1, 0, True), arguments, ([5, 6, 7], 9, 3)))["Update"] == 1


def test_c42_update_of_update() -> None:
    def main(f: Lines) -> ObjectId:
        a = f.update(f.f.input, f.c(1), f.c(10))
        a = f.update(a, f.c(1), f.c(20))
        return f.update(a, f.c(1), f.c(30))

    array = Array(I32, 3)
    graph = Program().main(main, (array,), array)
    assert census(kept(graph, ([1, 2, 3],)))["Update"] == 1


def test_updates_of_different_places_stay() -> None:
    """Also where the same place is written before and after another one."""
    array = Array(I32, 3)

    def main(f: Lines) -> ObjectId:
        a = f.update(f.f.input, f.c(1), f.c(10))
        a = f.update(a, f.c(2), f.c(20))
        return f.update(a, f.c(1), f.c(30))

    graph = Program().main(main, (array,), array)
    result = applied(graph, CONSTANT_FOLDING, ([1, 2, 3],))
    assert value(result, [1, 2, 3]) == "[1, 30, 20]"
    assert census(result)["Update"] == 3
    kept(graph, ([1, 2, 3],))


def test_a_loop_whose_condition_is_true_stays() -> None:
    """Only one that ends at once is resolved."""

    def main(f: Lines) -> ObjectId:
        return f.loop(
            f.f.input,
            lambda s: f.op(BinaryCode.OR, f.op(GT, s, f.c(0)), f.c(True, BOOL)),
            lambda s: f.op(ADD, s, f.c(1)),
        )

    graph = Program().main(main, (I32,))
    assert kind(graph, 5) == "diverged"
    assert kind(applied(graph, CONSTANT_FOLDING, (5,)), 5) == "diverged"


def test_c43_through_structure() -> None:
    point = Struct("Point", (("x", I32), ("y", I32)))

    def main(f: Lines) -> ObjectId:
        x, y = f.arg(0), f.arg(1)
        nested = f.pack(f.f.pack_struct(point, (x, y), f.key()), y)
        first = f.proj(f.proj(nested, 0), 1)
        second = f.index(f.array(x, y), f.c(1))
        return f.op(MUL, f.op(ADD, first, second), f.proj(f.pack(x, y), 1))

    graph = Program().main(main, (I32, I32))
    result = kept(graph, (3, 4))
    assert value(result, 3, 4) == "32"
    assert dict(+census(result)) == {"Proj": 1, "Add": 1, "Mul": 1, "Output": 1}


@pytest.mark.parametrize("place", [2, -1])
def test_c43_out_of_range_stays(place: int) -> None:
    graph = Program().main(
        lambda f: f.op(ADD, f.index(f.array(f.arg(0), f.arg(1)), f.c(place)), f.c(1)), (I32, I32)
    )
    assert kind(graph, 1, 2) == "index_oob"
    kept(graph, (1, 2))


@pytest.mark.parametrize("length", [40, 10_000])
def test_c44_long_constant_chain(length: int) -> None:
    """D-14."""

    def main(f: Lines) -> ObjectId:
        x = one = f.c(1)
        for _ in range(length):
            x = f.op(ADD, x, one)
        return x

    graph = Program().main(main)
    result = rewrite_with(graph, PASSES)
    assert result.report["rounds"] <= 3
    assert dict(+census(result.graph)) == {"Output": 1}
    assert value(result.graph) == str(length + 1)
