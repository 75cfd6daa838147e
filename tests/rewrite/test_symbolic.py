"""The formulas of `symbolic` say what `mapal.ir.scalars` computes."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pytest
import z3  # type: ignore[import-untyped]

from mapal.ir import scalars
from mapal.ir.graph import Value
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.rounding import round_to_f32
from mapal.ir.types import BOOL, F32, NUMERIC, Scalar
from tests.rewrite.symbolic import NEAREST, binary, converted, literal, unary

FLOATS = (0.0, -0.0, 1.0, -1.0, 0.1, 2.5, -3.5, 1e-40, 16777217.0, 3e9, -1e19, 1e38, 3.7e-310)
INFINITE = (math.inf, -math.inf, math.nan)


def corners(ty: Scalar) -> list[Value]:
    """Values at which operations wrap, round, saturate or are special."""
    if ty == BOOL:
        return [False, True]
    if ty.is_float:
        found = [round_to_f32(x) if ty == F32 else x for x in FLOATS]
        return [*found, *INFINITE]
    low, high = scalars.integer_range(ty)
    return sorted({low, low + 1, high, high - 1, high // 2, *(n for n in (-2, -1, 3) if low <= n)})


def agree(formula: object, expected: Value, ty: Scalar) -> bool:
    return bool(z3.is_true(z3.simplify(formula == literal(expected, ty))))


def named(table: Iterable[tuple[object, Scalar]]) -> list[object]:
    return [pytest.param(code, ty, id=f"{code}-{ty}") for code, ty in table]


@pytest.mark.parametrize("ty", [BOOL, *NUMERIC], ids=str)
def test_binary_operations(ty: Scalar) -> None:
    values = corners(ty)
    codes = [code for code, of in scalars.BINARY if of == ty]
    if ty.is_float:
        codes.remove(BinaryCode.MOD)
    for code in codes:
        compute = scalars.BINARY[code, ty]
        for a in values:
            for b in values:
                try:
                    expected = compute(a, b)
                except scalars.DivisionByZero:
                    continue
                result = BOOL if isinstance(expected, bool) else ty
                formula = binary(code, ty, literal(a, ty), literal(b, ty))
                assert agree(formula, expected, result), (code, ty, a, b)


@pytest.mark.parametrize(("code", "ty"), named(scalars.UNARY))
def test_unary_operations(code: UnaryCode, ty: Scalar) -> None:
    for x in corners(ty):
        expected = scalars.UNARY[code, ty](x)
        assert agree(unary(code, ty, literal(x, ty)), expected, ty), x


@pytest.mark.parametrize("source", NUMERIC, ids=str)
@pytest.mark.parametrize("target", NUMERIC, ids=str)
def test_conversions(source: Scalar, target: Scalar) -> None:
    if source == target:
        return
    for x in corners(source):
        expected = scalars.CONVERT[source, target](x)
        assert agree(converted(source, target, literal(x, source)), expected, target), x


@pytest.mark.parametrize("ty", [ty for ty in NUMERIC if ty.is_float], ids=str)
def test_multiply_add(ty: Scalar) -> None:
    values = corners(ty)[::2]
    for x in values:
        for y in values:
            for z in values:
                a, b, c = (literal(v, ty) for v in (x, y, z))
                expected = scalars.FMA[ty, False, False](x, y, z)
                assert agree(z3.fpFMA(NEAREST, a, b, c), expected, ty), (x, y, z)
