"""Exact rounding to the two float widths: what Python's own arithmetic does not give.

A Python float is a binary64, and an f32 value is carried as a float that is already rounded.
The sum, difference, product, quotient and square root of f32 values, computed in binary64 and
rounded once more, are correctly rounded, since 53 >= 2 * 24 + 2 (Figueroa, "When is double
rounding innocuous?", 1995). The operations here have no such margin. They go through *rounding
to odd* (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008): an inexact
result keeps its last bit set, so that a second rounding to fewer bits is right.
"""

from __future__ import annotations

import math
import struct
from decimal import Decimal

_SINGLE = struct.Struct("<f")
_DOUBLE = struct.Struct("<d")
_BITS = struct.Struct("<q")
_pack_single = _SINGLE.pack
_unpack_single = _SINGLE.unpack

_SPLITTER = 2.0**27 + 1.0
_LEAST_FAST_FACTOR, _GREATEST_FAST_FACTOR = 2.0**-450, 2.0**450
_LEAST_FAST_ADDEND, _GREATEST_FAST_ADDEND = 2.0**-900, 2.0**900


def round_to_f32(x: float) -> float:
    """The nearest binary32 value, ties to even; overflow gives an infinity."""
    try:
        return _unpack_single(_pack_single(x))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return math.copysign(math.inf, x)


def single_cell() -> memoryview[float]:
    """A writable float of 32 bits: storing to `cell[0]` rounds to nearest even and overflows to
    an infinity. The quickest rounding there is; its owner must not share it between threads."""
    return memoryview(bytearray(4)).cast("f")


def integer_to_f32(n: int) -> float:
    """The nearest binary32 value of an integer of up to 64 bits, rounded once."""
    if -(2**53) <= n <= 2**53:
        return round_to_f32(float(n))
    # The twelve lowest bits become one sticky bit: what is left fits 53 bits, and 24-bit
    # rounding decides far above them.
    return round_to_f32(float((n >> 12 | (n & 0xFFF != 0)) << 12))


def parse_f64(text: str) -> float:
    """A decimal literal (`digits.digits`, optionally signed) as binary64."""
    return float(text)


def parse_f32(text: str) -> float:
    """A decimal literal as binary32, rounded once from its text."""
    nearest = float(text)
    if math.isinf(nearest):
        return nearest
    exact, found = Decimal(text), Decimal(nearest)
    return round_to_f32(_to_odd(nearest, (exact > found) - (exact < found)))


def fma_f32(x: float, y: float, z: float) -> float:
    """`x * y + z` for f32 values, rounded once to binary32."""
    product = x * y  # exact: 48 bits, and the exponents are far inside the range
    total, error = _two_sum(product, z)
    return round_to_f32(_to_odd(total, (error > 0) - (error < 0)))


def fma_f64(x: float, y: float, z: float) -> float:
    """`x * y + z`, rounded once to binary64."""
    if (
        _LEAST_FAST_FACTOR <= abs(x) <= _GREATEST_FAST_FACTOR
        and _LEAST_FAST_FACTOR <= abs(y) <= _GREATEST_FAST_FACTOR
        and _LEAST_FAST_ADDEND <= abs(z) <= _GREATEST_FAST_ADDEND
    ):
        return _error_free_fma(x, y, z)
    if not (math.isfinite(x) and math.isfinite(y)):
        return x * y + z
    if not math.isfinite(z):
        return z
    if x == 0.0 or y == 0.0:
        return x * y + z
    if z == 0.0:
        return x * y  # adding would turn a product that underflowed to -0 into +0
    return _integer_fma(x, y, z)


def _error_free_fma(x: float, y: float, z: float) -> float:
    """Boldo and Melquiond's algorithm; no intermediate value leaves the normal range."""
    high, low = _two_product(x, y)
    above, below = _two_sum(z, low)
    value, rest = _two_sum(high, above)
    tail, error = _two_sum(below, rest)
    return value + _to_odd(tail, (error > 0) - (error < 0))


def _integer_fma(x: float, y: float, z: float) -> float:
    """The same by exact integers; all operands are finite and not zero."""
    x_numerator, x_exponent = _scaled(x)
    y_numerator, y_exponent = _scaled(y)
    z_numerator, z_exponent = _scaled(z)
    product, exponent = x_numerator * y_numerator, x_exponent + y_exponent
    lowest = min(exponent, z_exponent)
    total = (product << (exponent - lowest)) + (z_numerator << (z_exponent - lowest))
    if total == 0:
        return 0.0
    try:
        # Division of integers rounds correctly, subnormal results included.
        return total / (1 << -lowest) if lowest < 0 else float(total << lowest)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def _scaled(x: float) -> tuple[int, int]:
    """A finite float as (integer, power of two)."""
    fraction, exponent = math.frexp(x)
    return int(fraction * 2.0**53), exponent - 53


def _two_sum(a: float, b: float) -> tuple[float, float]:
    """Knuth's sum and its error; an infinite or NaN sum has no error to speak of."""
    total = a + b
    if not math.isfinite(total):
        return total, 0.0
    virtual = total - a
    return total, (a - (total - virtual)) + (b - virtual)


def _two_product(a: float, b: float) -> tuple[float, float]:
    """Dekker's product and its error."""
    product = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    error = a_high * b_high - product + a_high * b_low + a_low * b_high + a_low * b_low
    return product, error


def _split(a: float) -> tuple[float, float]:
    """Veltkamp's halves, 26 bits each."""
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high


def _to_odd(nearest: float, direction: int) -> float:
    """The rounding to odd of an exact value, given the nearest float and the side (-1, 0, 1)
    on which the exact value lies."""
    if direction == 0 or _BITS.unpack(_DOUBLE.pack(nearest))[0] & 1:
        return nearest
    return math.nextafter(nearest, math.copysign(math.inf, direction))
