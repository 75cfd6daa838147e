"""The scalar operations on NumPy arrays, equal to `mapal.ir.scalars` on every element.

Integer division and remainder take a divisor without zeros: who calls has dealt with the trap.
Run inside `np.errstate(all="ignore")`: wrapping, infinities and NaN are results here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.interpreter.lockstep.multiply_add import fma
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.types import BOOL, F32, F64, I32, I64, NUMERIC, U8, Scalar

Numbers = NDArray[Any]
Unary = Callable[[Numbers], Numbers]
Binary = Callable[[Numbers, Numbers], Numbers]

DTYPES: dict[Scalar, np.dtype[Any]] = {
    I32: np.dtype(np.int32),
    I64: np.dtype(np.int64),
    U8: np.dtype(np.uint8),
    F32: np.dtype(np.float32),
    F64: np.dtype(np.float64),
    BOOL: np.dtype(np.bool_),
}

_COMPARISONS: dict[BinaryCode, Binary] = {
    BinaryCode.EQ: np.equal,
    BinaryCode.NEQ: np.not_equal,
    BinaryCode.LT: np.less,
    BinaryCode.GT: np.greater,
    BinaryCode.LE: np.less_equal,
    BinaryCode.GE: np.greater_equal,
    BinaryCode.AND: np.logical_and,
    BinaryCode.OR: np.logical_or,
}
_WRAPPING: dict[BinaryCode, Binary] = {
    BinaryCode.ADD: np.add,
    BinaryCode.SUB: np.subtract,
    BinaryCode.MUL: np.multiply,
}


def binary(code: BinaryCode, ty: Scalar) -> Binary:
    """The function of a binary operation on operands of type `ty`."""
    if code in _COMPARISONS:
        return _COMPARISONS[code]
    if code in _WRAPPING:
        return _WRAPPING[code]
    if ty.is_float:
        return _FLOAT[code]
    if code is BinaryCode.DIV:
        return _quotient if ty.is_signed else np.floor_divide
    if code is BinaryCode.MOD:
        return _remainder if ty.is_signed else np.remainder
    return np.minimum if code is BinaryCode.MIN else np.maximum


def unary(code: UnaryCode, ty: Scalar) -> Unary:
    """The function of a unary operation."""
    if code is UnaryCode.ABS:
        return np.absolute if ty.is_signed else np.positive
    return _UNARY[code]


def signed_fma(negate_product: bool, negate_addend: bool) -> Callable[..., Numbers]:
    """`±(x*y) ± z` rounded once."""

    def apply(x: Numbers, y: Numbers, z: Numbers) -> Numbers:
        return fma(
            np.negative(x) if negate_product else x, y, np.negative(z) if negate_addend else z
        )

    return apply


def conversion(source: Scalar, target: Scalar) -> Unary:
    """The function of a conversion between two different numeric types."""
    dtype = DTYPES[target]
    if not source.is_float or target.is_float:
        return lambda x: x.astype(dtype)
    return _to_i64 if target == I64 else _saturating(target)


def _quotient(a: Numbers, b: Numbers) -> Numbers:
    """Truncated division; the least value by -1 wraps to itself."""
    by_minus_one = b == -1
    divisor = np.where(by_minus_one, b.dtype.type(1), b)
    floored = np.floor_divide(a, divisor)
    rest = a - floored * divisor
    adjusted = floored + ((rest != 0) & ((a < 0) != (divisor < 0))).astype(a.dtype)
    return np.where(by_minus_one, np.negative(a), adjusted)


def _remainder(a: Numbers, b: Numbers) -> Numbers:
    rest: Numbers = a - _quotient(a, b) * b
    return rest


def _minimum(a: Numbers, b: Numbers) -> Numbers:
    lesser = np.fmin(a, b)
    return np.where(a == b, np.where(np.signbit(a), a, b), lesser)


def _maximum(a: Numbers, b: Numbers) -> Numbers:
    greater = np.fmax(a, b)
    return np.where(a == b, np.where(np.signbit(a), b, a), greater)


def _saturating(target: Scalar) -> Unary:
    """Truncation toward zero with clamping, for targets whose bounds are exact in f64."""
    low, high = (0, 255) if target == U8 else (-(2**31), 2**31 - 1)
    dtype = DTYPES[target]

    def convert(x: Numbers) -> Numbers:
        whole = np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=high, neginf=low)
        return np.clip(np.trunc(whole), low, high).astype(dtype)

    return convert


def _to_i64(x: Numbers) -> Numbers:
    wide = x.astype(np.float64)
    inside = (wide >= -(2.0**63)) & (wide < 2.0**63)
    whole = np.where(inside, wide, 0.0).astype(np.int64)
    clamped = np.where(wide > 0, np.int64(2**63 - 1), np.int64(-(2**63)))
    return np.where(inside | np.isnan(wide), whole, clamped)


_FLOAT: dict[BinaryCode, Binary] = {
    BinaryCode.DIV: np.divide,
    BinaryCode.MOD: np.fmod,
    BinaryCode.MIN: _minimum,
    BinaryCode.MAX: _maximum,
}
_UNARY: dict[UnaryCode, Unary] = {
    UnaryCode.NEG: np.negative,
    UnaryCode.NOT: np.logical_not,
    UnaryCode.SQRT: np.sqrt,
    UnaryCode.FLOOR: np.floor,
    UnaryCode.CEIL: np.ceil,
    UnaryCode.ROUND: np.rint,
    UnaryCode.TRUNC: np.trunc,
}

assert all(ty in DTYPES for ty in NUMERIC)
