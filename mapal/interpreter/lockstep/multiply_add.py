"""Fused multiply-add on NumPy arrays, correctly rounded.

f32: the product of two f32 is exact in f64; the sum with the addend is rounded there to odd,
which makes the second rounding to f32 the only one (Boldo and Melquiond, "Emulation of a FMA
and correctly rounded sums: proved algorithms using rounding to odd", IEEE Transactions on
Computers 57(4), 2008). f64: the same paper's algorithm on error-free sums and products (Dekker
1971, Knuth) where no part of it can overflow or underflow; the few other elements go through
the exact scalar function.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.ir.rounding import fma_f64

Floats = NDArray[Any]

_SPLITTER = 134217729.0  # 2^27 + 1
_LARGE = 2.0**480
_SMALL = 2.0**-400


def fma(x: Floats, y: Floats, z: Floats) -> Floats:
    """`x*y + z` rounded once; operands of one float type, broadcast against each other."""
    if np.result_type(x) == np.float32:
        return _fma_f32(x, y, z)
    return _fma_f64(x, y, z)


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded sum and its exact error."""
    total = a + b
    shifted = total - a
    return total, (a - (total - shifted)) + (b - shifted)


def _odd_sum(a: Floats, b: Floats) -> Floats:
    """The sum of two f64 rounded to odd: if it is not exact, the neighbour with an odd last bit."""
    total, error = _two_sum(a, b)
    bits = np.asarray(total, dtype=np.float64).view(np.int64)
    inexact = (error != 0) & np.isfinite(total) & ((bits & 1) == 0)
    # Away from zero when the error has the sign of the sum, else towards it.
    step = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(inexact, bits + step, bits).view(np.float64)


def _fma_f32(x: Floats, y: Floats, z: Floats) -> Floats:
    product = x.astype(np.float64) * y.astype(np.float64)
    addend = z.astype(np.float64)
    direct = product + addend
    # A sum of zero keeps the sign that addition gives it; the rest may need the odd bit.
    careful = np.where(direct == 0, direct, _odd_sum(product, addend))
    return np.where(np.isfinite(direct), careful, direct).astype(np.float32)


def _two_product(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The rounded product and its exact error."""
    product = x * y
    x_high, x_low = _split(x)
    y_high, y_low = _split(y)
    error = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, error


def _split(x: Floats) -> tuple[Floats, Floats]:
    scaled = _SPLITTER * x
    high = scaled - (scaled - x)
    return high, x - high


def _is_tame(x: Floats) -> Floats:
    size = np.abs(x)
    tame: Floats = (size < _LARGE) & (size > _SMALL)
    return tame


def _fma_f64(x: Floats, y: Floats, z: Floats) -> Floats:
    x, y, z = np.broadcast_arrays(x, y, z)
    high, low = _two_product(x, y)
    sum_high, sum_low = _two_sum(z, low)
    total, error = _two_sum(high, sum_high)
    result = np.asarray(total + _odd_sum(sum_low, error))
    tame = _is_tame(x) & _is_tame(y) & (_is_tame(z) | (z == 0)) & (result != 0)
    wild = np.flatnonzero(~tame)
    if wild.size:
        result = result.copy()
        flat = result.reshape(-1)
        xs, ys, zs = x.reshape(-1), y.reshape(-1), z.reshape(-1)
        for at in wild.tolist():
            flat[at] = fma_f64(float(xs[at]), float(ys[at]), float(zs[at]))
    return result
