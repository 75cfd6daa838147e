"""The text that `print` writes, exact at both float widths.

A float prints as the shortest decimal that reads back to the same value at its own width; of
the shortest ones the nearest, and of two equally near the larger in magnitude. The digits are
found by exact integer arithmetic in the manner of Steele and White ("How to print floating-point
numbers accurately", 1990) and are laid out positionally, never with an exponent.
"""

from __future__ import annotations

import math

from mapal.ir.graph import Value
from mapal.ir.types import F32, F64, Scalar, Type

_SIGNIFICAND_BITS = {F32: 24, F64: 53}
_LEAST_EXPONENT = {F32: -149, F64: -1074}
"""Exponent of the last bit of a subnormal number."""

LONGEST_SIGNIFICAND = {F32: 9, F64: 17}
"""So many significant digits identify every value."""


def format_value(value: Value, ty: Type) -> str:
    """The printed text of a number, `bool` or string."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        assert isinstance(ty, Scalar)
        return format_float(value, ty)
    return str(value)


def format_float(x: float, ty: Scalar) -> str:
    """The printed text of an f32 or f64 value."""
    if x != x:
        return "NaN"
    sign = "-" if math.copysign(1.0, x) < 0 else ""
    if math.isinf(x):
        return f"{sign}inf"
    if x == 0.0:
        return f"{sign}0"
    digits, exponent = shortest_digits(abs(x), ty)
    return sign + _positional(str(digits), exponent)


def shortest_digits(x: float, ty: Scalar) -> tuple[int, int]:
    """(digits, exponent) with `digits * 10**exponent` the shortest decimal for a positive
    finite value of `ty`; `digits` does not end in 0."""
    _, exponent = math.frexp(x)
    exponent = max(exponent - _SIGNIFICAND_BITS[ty], _LEAST_EXPONENT[ty])
    significand = int(math.ldexp(x, -exponent))
    return _search(significand, exponent, ty)


def _search(significand: int, exponent: int, ty: Scalar) -> tuple[int, int]:
    """All quantities below are multiples of a quarter of the last bit, over a power of two:
    the value is 4 * significand, its interval reaches 2 above and 2 below it, or 1 below where
    the next smaller float is only half as far."""
    narrow = significand == 1 << (_SIGNIFICAND_BITS[ty] - 1) and exponent > _LEAST_EXPONENT[ty]
    value, low, high = 4 * significand, 4 * significand - (1 if narrow else 2), 4 * significand + 2
    numerator, denominator = 1 << max(exponent - 2, 0), 1 << max(2 - exponent, 0)
    value, low, high = value * numerator, low * numerator, high * numerator
    ends_included = significand % 2 == 0
    magnitude = _decimal_magnitude(value, denominator)
    for count in range(1, LONGEST_SIGNIFICAND[ty] + 1):
        power = magnitude - count
        unit = denominator * 10 ** max(power, 0)
        scale = 10 ** max(-power, 0)
        below = value * scale // unit
        fitting = [
            digits
            for digits in (below + 1, below)
            if _inside(digits * unit, low * scale, high * scale, ends_included)
        ]
        if fitting:
            nearest = min(fitting, key=lambda digits: abs(digits * unit - value * scale))
            return _without_trailing_zeros(nearest, power)
    raise AssertionError("some decimal of that length always reads back")


def _inside(x: int, low: int, high: int, ends_included: bool) -> bool:
    return low <= x <= high if ends_included else low < x < high


def _decimal_magnitude(numerator: int, denominator: int) -> int:
    """The m with 10^(m-1) <= numerator / denominator < 10^m."""
    estimate = math.floor((numerator.bit_length() - denominator.bit_length()) * math.log10(2))
    while numerator * 10 ** max(-estimate, 0) >= denominator * 10 ** max(estimate, 0):
        estimate += 1
    return estimate


def _without_trailing_zeros(digits: int, exponent: int) -> tuple[int, int]:
    while digits % 10 == 0:
        digits, exponent = digits // 10, exponent + 1
    return digits, exponent


def _positional(digits: str, exponent: int) -> str:
    if exponent >= 0:
        return digits + "0" * exponent
    point = len(digits) + exponent
    if point > 0:
        return f"{digits[:point]}.{digits[point:]}"
    return "0." + "0" * -point + digits
