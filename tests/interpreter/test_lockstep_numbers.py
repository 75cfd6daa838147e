"""The NumPy forms of the scalar operations equal `mapal.ir.scalars`, value for value."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from mapal.interpreter.lockstep import numbers
from mapal.interpreter.lockstep.numbers import DTYPES
from mapal.ir import scalars
from mapal.ir.ops import ARITHMETIC, BinaryCode, UnaryCode
from mapal.ir.rounding import round_to_f32
from mapal.ir.types import BOOL, F32, F64, Scalar
from mapal.sweep.catalogue import corners, literal

SIGNS = tuple(itertools.product((False, True), repeat=2))


def values(ty: Scalar, count: int) -> list[Any]:
    """Every corner value of a type, and random ones of all its bits."""
    source = random.Random(f"values of {ty}")
    table = corners(ty)
    return [*table, *(literal(ty, len(table) + source.getrandbits(64)) for _ in range(count))]


def same(found: Any, expected: Any) -> bool:
    """Equal as values of one type: NaN is NaN, and the sign of zero counts."""
    if type(found) is not type(expected):
        return False
    if isinstance(expected, float):
        if math.isnan(expected):
            return math.isnan(found)
        return bool(found == expected and math.copysign(1, found) == math.copysign(1, expected))
    return bool(found == expected)


def agree(
    found: Callable[..., Any],
    expected: Callable[..., Any],
    columns: Sequence[Sequence[Any]],
    taken: Scalar,
    given: Scalar,
) -> None:
    """Holds one NumPy function to one scalar function, on whole columns and on single values."""
    arrays = [np.array(column, dtype=DTYPES[taken]) for column in columns]
    with np.errstate(all="ignore"):
        result = found(*arrays)
        single = np.asarray(found(*(np.asarray(array[0]) for array in arrays)))
    assert result.dtype == DTYPES[given]
    assert single.dtype == DTYPES[given]
    assert same(single.item(), expected(*(column[0] for column in columns)))
    for operands, value in zip(zip(*columns, strict=True), result.tolist(), strict=True):
        wanted = expected(*operands)
        assert same(value, wanted), f"{operands}: {value}, not {wanted}"


def name_of(key: tuple[Any, ...]) -> str:
    return "-".join(part.name for part in key)


@pytest.mark.parametrize("key", scalars.BINARY, ids=name_of)
def test_binary(key: tuple[BinaryCode, Scalar]) -> None:
    code, ty = key
    pairs = list(itertools.product(values(ty, 25), repeat=2))
    if code in (BinaryCode.DIV, BinaryCode.MOD) and ty.is_integer:
        pairs = [pair for pair in pairs if pair[1] != 0]
    given = ty if code in ARITHMETIC else BOOL
    columns = list(zip(*pairs, strict=True))
    agree(numbers.binary(code, ty), scalars.BINARY[key], columns, ty, given)


@pytest.mark.parametrize("key", scalars.UNARY, ids=name_of)
def test_unary(key: tuple[UnaryCode, Scalar]) -> None:
    code, ty = key
    agree(numbers.unary(code, ty), scalars.UNARY[key], [values(ty, 2000)], ty, ty)


@pytest.mark.parametrize("key", [key for key in scalars.CONVERT if key[0] != key[1]], ids=name_of)
def test_conversion(key: tuple[Scalar, Scalar]) -> None:
    source, target = key
    column = values(source, 2000)
    if source.is_float:
        # Values between the integers, beyond the range of each target, and on its border.
        column += [n + part for n in range(-300, 300, 7) for part in (0.25, 0.5, 0.75)]
        borders = [2.0**power * sign for power in (7, 8, 31, 32, 63, 64) for sign in (1, -1)]
        column += borders + [math.nextafter(border, 0) for border in borders]
        if source == F32:
            column = [round_to_f32(value) for value in column]
    agree(numbers.conversion(source, target), scalars.CONVERT[key], [column], source, target)


def test_every_operation_has_its_form() -> None:
    assert len(scalars.BINARY) == 69
    assert {ty for _, ty in scalars.BINARY} == set(DTYPES)


# Fused multiply-add -----------------------------------------------------------------------


def rounded(value: float, ty: Scalar) -> float:
    return round_to_f32(value) if ty == F32 else value


def awkward(ty: Scalar) -> list[tuple[float, float, float]]:
    """Operands at which a second rounding shows: sums that cancel to the error of the product,
    ties, results below the normal range, products that overflow and come back."""
    source = random.Random(f"awkward {ty}")
    tiny = 2.0**-70 if ty == F32 else 2.0**-530
    huge = 2.0**100 if ty == F32 else 2.0**900
    multiply = scalars.BINARY[BinaryCode.MUL, ty]
    add = scalars.BINARY[BinaryCode.ADD, ty]
    found: list[tuple[float, float, float]] = []
    for _ in range(1500):
        x, y = (rounded(source.uniform(1, 2), ty) for _ in range(2))
        product = multiply(x, y)
        found.append((x, y, -product))
        scale = 2.0 ** -source.randrange(20, 60)
        found.append((x, y, -add(product, multiply(product, rounded(scale, ty)))))
        found.append((x, y, rounded(source.choice((-1, 1)) * scale * 0.5, ty)))
        found.append((x * tiny, y * tiny, 0.0))
        found.append((x * tiny, y * tiny, rounded(-product * tiny * tiny, ty)))
        found.append((x * huge, y * huge, source.choice((-math.inf, -1.0, 0.0))))
        found.append((x * huge, y, -multiply(x * huge, y)))
        found.append((x * tiny, y, rounded(source.uniform(-1, 1) * tiny, ty)))
    return found


@pytest.mark.parametrize("ty", [F32, F64], ids=str)
@pytest.mark.parametrize("signs", SIGNS)
def test_fma(ty: Scalar, signs: tuple[bool, bool]) -> None:
    triples = [*itertools.product(values(ty, 4), repeat=3), *awkward(ty)]
    columns = list(zip(*triples, strict=True))
    agree(numbers.signed_fma(*signs), scalars.FMA[(ty, *signs)], columns, ty, ty)


def test_awkward_operands_tell_one_rounding_from_two() -> None:
    for ty in (F32, F64):
        multiply, add = (scalars.BINARY[code, ty] for code in (BinaryCode.MUL, BinaryCode.ADD))
        fma = scalars.FMA[ty, False, False]
        triples = awkward(ty)
        twice = sum(not same(add(multiply(x, y), z), fma(x, y, z)) for x, y, z in triples)
        assert twice > len(triples) // 10
