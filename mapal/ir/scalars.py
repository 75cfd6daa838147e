"""The meaning of every operation on numbers and `bool`: the only place that defines it.

Interpreters, constant folding and tests call these functions. Values are Python `int`, `float`
and `bool`; an f32 value is a float that is already rounded to binary32. Nothing here traps by
itself: integer division and remainder by zero raise `DivisionByZero`, and all else is total.

`BINARY`, `UNARY`, `FMA` and `CONVERT` are tables, so that a caller looks a function up once:

* `BINARY[code, ty]` takes two operands of type `ty`; comparisons give a `bool`;
* `UNARY[code, ty]` takes one;
* `FMA[ty, negate_product, negate_addend]` takes x, y, z and gives `±(x*y) ± z` rounded once;
* `CONVERT[source, target]` covers every ordered pair of numeric types, widenings included.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
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
from mapal.ir.types import BOOL, F32, F64, NUMERIC, Scalar

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


def _integer_arithmetic(ty: Scalar) -> dict[BinaryCode, Binary]:
    low, high = integer_range(ty)
    wrap = wrapping(ty)

    def add(a: int, b: int) -> int:
        n = a + b
        return n if low <= n <= high else wrap(n)

    def subtract(a: int, b: int) -> int:
        n = a - b
        return n if low <= n <= high else wrap(n)

    def multiply(a: int, b: int) -> int:
        n = a * b
        return n if low <= n <= high else wrap(n)

    def divide(a: int, b: int) -> int:
        if b == 0:
            raise DivisionByZero
        if a ^ b >= 0:
            n = a // b
            return n if n <= high else low  # the least value divided by -1
        return -(-a // b)

    def remainder(a: int, b: int) -> int:
        if b == 0:
            raise DivisionByZero
        n = a % b
        return n - b if n and a ^ b < 0 else n

    return {
        BinaryCode.ADD: add,
        BinaryCode.SUB: subtract,
        BinaryCode.MUL: multiply,
        BinaryCode.DIV: divide,
        BinaryCode.MOD: remainder,
        BinaryCode.MIN: min,
        BinaryCode.MAX: max,
    }


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


def _add_f32(a: float, b: float) -> float:
    return round_to_f32(a + b)


def _subtract_f32(a: float, b: float) -> float:
    return round_to_f32(a - b)


def _multiply_f32(a: float, b: float) -> float:
    return round_to_f32(a * b)


def _divide_f32(a: float, b: float) -> float:
    return round_to_f32(divide_floats(a, b))


def _square_root_f32(x: float) -> float:
    return round_to_f32(square_root(x))


_FLOAT_ARITHMETIC: dict[Scalar, dict[BinaryCode, Binary]] = {
    F32: {
        BinaryCode.ADD: _add_f32,
        BinaryCode.SUB: _subtract_f32,
        BinaryCode.MUL: _multiply_f32,
        BinaryCode.DIV: _divide_f32,
        BinaryCode.MOD: remainder_of_floats,
        BinaryCode.MIN: minimum_number,
        BinaryCode.MAX: maximum_number,
    },
    F64: {
        BinaryCode.ADD: operator.add,
        BinaryCode.SUB: operator.sub,
        BinaryCode.MUL: operator.mul,
        BinaryCode.DIV: divide_floats,
        BinaryCode.MOD: remainder_of_floats,
        BinaryCode.MIN: minimum_number,
        BinaryCode.MAX: maximum_number,
    },
}

_COMPARISONS: dict[BinaryCode, Binary] = {
    BinaryCode.EQ: operator.eq,
    BinaryCode.NEQ: operator.ne,
    BinaryCode.LT: operator.lt,
    BinaryCode.GT: operator.gt,
    BinaryCode.LE: operator.le,
    BinaryCode.GE: operator.ge,
}


def _binary_table() -> dict[tuple[BinaryCode, Scalar], Binary]:
    table: dict[tuple[BinaryCode, Scalar], Binary] = {}
    for ty in NUMERIC:
        arithmetic = _FLOAT_ARITHMETIC[ty] if ty.is_float else _integer_arithmetic(ty)
        for code, function in (arithmetic | _COMPARISONS).items():
            table[code, ty] = function
    table[BinaryCode.EQ, BOOL] = operator.eq
    table[BinaryCode.NEQ, BOOL] = operator.ne
    table[BinaryCode.AND, BOOL] = operator.and_
    table[BinaryCode.OR, BOOL] = operator.or_
    return table


def _unary_table() -> dict[tuple[UnaryCode, Scalar], Unary]:
    table: dict[tuple[UnaryCode, Scalar], Unary] = {(UnaryCode.NOT, BOOL): operator.not_}
    for ty in NUMERIC:
        if ty.is_float:
            table[UnaryCode.NEG, ty] = operator.neg
            table[UnaryCode.ABS, ty] = abs
            table[UnaryCode.FLOOR, ty] = _integral(math.floor)
            table[UnaryCode.CEIL, ty] = _integral(math.ceil)
            table[UnaryCode.ROUND, ty] = _integral(round)
            table[UnaryCode.TRUNC, ty] = _integral(math.trunc)
        else:
            table[UnaryCode.NEG, ty] = _after(operator.neg, wrapping(ty))
            table[UnaryCode.ABS, ty] = _after(abs, wrapping(ty))
    table[UnaryCode.SQRT, F32] = _square_root_f32
    table[UnaryCode.SQRT, F64] = square_root
    return table


def _after(first: Unary, then: Unary) -> Unary:
    def both(x: Any) -> Any:
        return then(first(x))

    return both


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

    def truncate(x: float) -> int:
        if x != x:
            return 0
        if x <= low:
            return low
        if x >= high:
            return high
        return int(x)

    return truncate


def _unchanged(x: Any) -> Any:
    return x


def _conversion(source: Scalar, target: Scalar) -> Unary:
    if source.is_integer and target.is_integer:
        source_low, source_high = integer_range(source)
        target_low, target_high = integer_range(target)
        fits = target_low <= source_low and source_high <= target_high
        return _unchanged if fits else wrapping(target)
    if target.is_integer:
        return _saturating(target)
    if source.is_integer:
        return integer_to_f32 if target == F32 else float
    return round_to_f32 if (source, target) == (F64, F32) else _unchanged


BINARY: dict[tuple[BinaryCode, Scalar], Binary] = _binary_table()
UNARY: dict[tuple[UnaryCode, Scalar], Unary] = _unary_table()
FMA: dict[tuple[Scalar, bool, bool], Ternary] = _fma_table()
CONVERT: dict[tuple[Scalar, Scalar], Unary] = {
    (source, target): _conversion(source, target) for source in NUMERIC for target in NUMERIC
}
