"""Literals: which Python values stand for constants of which type."""

from __future__ import annotations

import math
import struct

from mapal.ir.graph import Value
from mapal.ir.types import Scalar, Str, Type


def is_literal_of(value: Value, ty: Type) -> bool:
    """Whether a type holds exactly this value: an integer in range, a float already rounded to
    the type's precision, a `bool` for `bool` only, text that UTF-8 can encode for `str`."""
    match ty:
        case Str():
            return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)
        case Scalar(name="bool"):
            return type(value) is bool
        case Scalar(name="f64"):
            return type(value) is float
        case Scalar(name="f32"):
            return type(value) is float and _is_single(value)
        case Scalar():
            if type(value) is not int:
                return False
            low = -(1 << (ty.bits - 1)) if ty.is_signed else 0
            return low <= value < low + (1 << ty.bits)
        case _:
            return False


def _is_single(value: float) -> bool:
    """Whether a number is one of IEEE 754 binary32."""
    try:
        (rounded,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return False
    return math.isnan(value) or rounded == value
