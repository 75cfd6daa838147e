"""The meaning of every operation on numbers and `bool`: the only place that defines it.

Interpreters, constant folding and tests call these functions. Values are Python `int`, `float`
and `bool`; an f32 value is a float that is already rounded to binary32. Nothing here traps by
itself: integer division and remainder by zero raise `DivisionByZero`, and all else is total.

`BINARY`, `UNARY`, `FMA` and `CONVERT` are tables, so that a caller looks a function up once:

* `BINARY[code, ty]` takes two operands of type `ty`; comparisons give a `bool`;
* `UNARY[code, ty]` takes one;
* `FMA[ty, negate_product, negate_addend]` takes x, y, z and gives `±(x*y) ± z` rounded once;
* `CONVERT[source, target]` covers every ordered pair of numeric types, widenings included.

The first, second and last are made from `RAW_BINARY`, `RAW_UNARY` and `RAW_CONVERT`, which keep
the two halves of an operation apart: a function on unbounded integers or binary64, and how its
result is fitted to the type. An interpreter that fits in line saves a call per operation.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.rounding import (
    fma_f32,
    fma_f64,
    integer_to_f32,
    parse_f32,
    parse_f64,
    round_to_f32,
)
from mapal.ir.types import BOOL, F32, F64, I64, NUMERIC, Scalar

Unary = Callable[[Any], Any]
Binary = Callable[[Any, Any], Any]
Ternary = Callable[[Any, Any, Any], Any]


class DivisionByZero(Exception):  # noqa: N818  # the trap is an outcome, not an error
    """An integer division or remainder with divisor 0: the trap `div_zero`."""


def parse_float(text: str, ty: Scalar) -> float:
    """A decimal literal at the width of `ty`, rounded once; too large a value is infinite."""
    return parse_f32(text) if ty == F32 else parse_f64(text)


def integer_range(ty: Scalar) -> tuple[int, int]:
    """The least and the greatest value of an integer type."""
    if ty.is_signed:
        return -(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1
    return 0, (1 << ty.bits) - 1


def wrapping(ty: Scalar) -> Callable[[int], int]:
    """The function that reduces any integer modulo 2^bits to the range of `ty`."""
    low, _ = integer_range(ty)
    mask = (1 << ty.bits) - 1

    def wrap(n: int) -> int:
        return ((n - low) & mask) + low

    return wrap


class Fit(Enum):
    """How the result of a raw function becomes a value of the result's type."""

    EXACT = "it is one already"
    WRAPPED = "an integer, reduced modulo 2^bits to the range of the type"
    ROUNDED = "a binary64 value, rounded to binary32"


@dataclass(frozen=True, slots=True)
class Raw:
    """An operation in two halves."""

    function: Callable[..., Any]
    fit: Fit = Fit.EXACT


def divide_integers(a: int, b: int) -> int:
    """The quotient, truncated toward zero."""
    if b == 0:
        raise DivisionByZero
    return a // b if a ^ b >= 0 else -(-a // b)


def remainder_of_integers(a: int, b: int) -> int:
    """The remainder that goes with the truncated quotient; it has the sign of `a`."""
    if b == 0:
        raise DivisionByZero
    n = a % b
    return n - b if n and a ^ b < 0 else n


def divide_floats(a: float, b: float) -> float:
    """IEEE division in binary64; Python raises for a zero divisor."""
    if b:
        return a / b
    if a != a or a == 0.0:
        return math.nan
    return math.copysign(math.inf, math.copysign(1.0, a) * math.copysign(1.0, b))


def remainder_of_floats(a: float, b: float) -> float:
    """C `fmod`: exact, so that it serves both widths."""
    if b == 0.0 or math.isinf(a):
        return math.nan
    return math.fmod(a, b)


def minimum_number(a: float, b: float) -> float:
    """IEEE 754-2019 minimumNumber, -0 below +0."""
    if a < b:
        return a
    if b < a:
        return b
    if a == b:
        return a if math.copysign(1.0, a) < 0.0 else b
    return b if a != a else a


def maximum_number(a: float, b: float) -> float:
    """IEEE 754-2019 maximumNumber, -0 below +0."""
    if a > b:
        return a
    if b > a:
        return b
    if a == b:
        return b if math.copysign(1.0, a) < 0.0 else a
    return b if a != a else a


def square_root(x: float) -> float:
    """Correctly rounded in binary64; NaN below zero."""
    return math.sqrt(x) if x >= 0.0 else math.nan


def _integral(choose: Callable[[float], int]) -> Unary:
    """A rounding to an integral float that keeps signed zero, infinities and NaN. Exact at
    both widths: the result never needs more bits than the operand."""

    def integral(x: float) -> float:
        if not -(2.0**52) < x < 2.0**52:
            return x
        return math.copysign(float(choose(x)), x)

    return integral


_INTEGER_ARITHMETIC = {
    BinaryCode.ADD: Raw(operator.add, Fit.WRAPPED),
    BinaryCode.SUB: Raw(operator.sub, Fit.WRAPPED),
    BinaryCode.MUL: Raw(operator.mul, Fit.WRAPPED),
    BinaryCode.DIV: Raw(divide_integers, Fit.WRAPPED),  # the least value by -1
    BinaryCode.MOD: Raw(remainder_of_integers),
    BinaryCode.MIN: Raw(min),
    BinaryCode.MAX: Raw(max),
}


def _float_arithmetic(fit: Fit) -> dict[BinaryCode, Raw]:
    return {
        BinaryCode.ADD: Raw(operator.add, fit),
        BinaryCode.SUB: Raw(operator.sub, fit),
        BinaryCode.MUL: Raw(operator.mul, fit),
        BinaryCode.DIV: Raw(divide_floats, fit),
        BinaryCode.MOD: Raw(remainder_of_floats),
        BinaryCode.MIN: Raw(minimum_number),
        BinaryCode.MAX: Raw(maximum_number),
    }


_COMPARISONS = {
    BinaryCode.EQ: Raw(operator.eq),
    BinaryCode.NEQ: Raw(operator.ne),
    BinaryCode.LT: Raw(operator.lt),
    BinaryCode.GT: Raw(operator.gt),
    BinaryCode.LE: Raw(operator.le),
    BinaryCode.GE: Raw(operator.ge),
}


def _raw_binary() -> dict[tuple[BinaryCode, Scalar], Raw]:
    table: dict[tuple[BinaryCode, Scalar], Raw] = {}
    for ty in NUMERIC:
        arithmetic = _float_arithmetic(_float_fit(ty)) if ty.is_float else _INTEGER_ARITHMETIC
        for code, raw in (arithmetic | _COMPARISONS).items():
            table[code, ty] = raw
    table[BinaryCode.EQ, BOOL] = Raw(operator.eq)
    table[BinaryCode.NEQ, BOOL] = Raw(operator.ne)
    table[BinaryCode.AND, BOOL] = Raw(operator.and_)
    table[BinaryCode.OR, BOOL] = Raw(operator.or_)
    return table


def _float_fit(ty: Scalar) -> Fit:
    return Fit.ROUNDED if ty == F32 else Fit.EXACT


def _raw_unary() -> dict[tuple[UnaryCode, Scalar], Raw]:
    table: dict[tuple[UnaryCode, Scalar], Raw] = {(UnaryCode.NOT, BOOL): Raw(operator.not_)}
    for ty in NUMERIC:
        sign_fit = Fit.EXACT if ty.is_float else Fit.WRAPPED
        table[UnaryCode.NEG, ty] = Raw(operator.neg, sign_fit)
        table[UnaryCode.ABS, ty] = Raw(abs, sign_fit)
        if ty.is_float:
            table[UnaryCode.SQRT, ty] = Raw(square_root, _float_fit(ty))
            table[UnaryCode.FLOOR, ty] = Raw(_integral(math.floor))
            table[UnaryCode.CEIL, ty] = Raw(_integral(math.ceil))
            table[UnaryCode.ROUND, ty] = Raw(_integral(round))
            table[UnaryCode.TRUNC, ty] = Raw(_integral(math.trunc))
    return table


def _fma_table() -> dict[tuple[Scalar, bool, bool], Ternary]:
    table: dict[tuple[Scalar, bool, bool], Ternary] = {}
    for ty, fma in ((F32, fma_f32), (F64, fma_f64)):
        for negate_product in (False, True):
            for negate_addend in (False, True):
                signed = _signed_fma(fma, negate_product, negate_addend)
                table[ty, negate_product, negate_addend] = signed
    return table


def _signed_fma(fma: Ternary, negate_product: bool, negate_addend: bool) -> Ternary:
    """Changing the sign of an operand is exact, so the signs can be applied before."""
    if not negate_product and not negate_addend:
        return fma

    def signed(x: float, y: float, z: float) -> Any:
        return fma(-x if negate_product else x, y, -z if negate_addend else z)

    return signed


def _saturating(ty: Scalar) -> Unary:
    """Truncation toward zero, clamped to the range of `ty`; NaN gives 0."""
    low, high = integer_range(ty)
    below, beyond = float(low - 1), float(high + 1)  # for i64, low - 1 becomes low: clamped too

    def truncate(x: float) -> int:
        if below < x < beyond:
            return int(x)
        if x != x:
            return 0
        return low if x < 0.0 else high

    return truncate


def _unchanged(x: Any) -> Any:
    return x


def _raw_conversion(source: Scalar, target: Scalar) -> Raw:
    if target.is_integer:
        return Raw(_saturating(target)) if source.is_float else _between_integers(source, target)
    if source == I64 and target == F32:
        return Raw(integer_to_f32)  # binary64 does not hold every i64
    if source.is_integer:
        return Raw(float, _float_fit(target))
    return Raw(_unchanged, Fit.ROUNDED if (source, target) == (F64, F32) else Fit.EXACT)


def _between_integers(source: Scalar, target: Scalar) -> Raw:
    source_low, source_high = integer_range(source)
    target_low, target_high = integer_range(target)
    fits = target_low <= source_low and source_high <= target_high
    return Raw(_unchanged, Fit.EXACT if fits else Fit.WRAPPED)


def _complete_unary(raw: Raw, ty: Scalar) -> Unary:
    """The operation whose result has type `ty`."""
    function = raw.function
    match raw.fit:
        case Fit.EXACT:
            return function
        case Fit.WRAPPED:
            wrap = wrapping(ty)
            return lambda x: wrap(function(x))
        case Fit.ROUNDED:
            return lambda x: round_to_f32(function(x))


def _complete_binary(raw: Raw, ty: Scalar) -> Binary:
    """The operation whose result has type `ty`."""
    function = raw.function
    match raw.fit:
        case Fit.EXACT:
            return function
        case Fit.WRAPPED:
            wrap = wrapping(ty)
            return lambda a, b: wrap(function(a, b))
        case Fit.ROUNDED:
            return lambda a, b: round_to_f32(function(a, b))


RAW_BINARY: dict[tuple[BinaryCode, Scalar], Raw] = _raw_binary()
RAW_UNARY: dict[tuple[UnaryCode, Scalar], Raw] = _raw_unary()
RAW_CONVERT: dict[tuple[Scalar, Scalar], Raw] = {
    (source, target): _raw_conversion(source, target) for source in NUMERIC for target in NUMERIC
}

BINARY: dict[tuple[BinaryCode, Scalar], Binary] = {
    (code, ty): _complete_binary(raw, ty) for (code, ty), raw in RAW_BINARY.items()
}
UNARY: dict[tuple[UnaryCode, Scalar], Unary] = {
    (code, ty): _complete_unary(raw, ty) for (code, ty), raw in RAW_UNARY.items()
}
CONVERT: dict[tuple[Scalar, Scalar], Unary] = {
    (source, target): _complete_unary(raw, target) for (source, target), raw in RAW_CONVERT.items()
}
FMA: dict[tuple[Scalar, bool, bool], Ternary] = _fma_table()
