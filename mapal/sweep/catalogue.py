"""The types and literals that scripts name by number, simplest first."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import cache

from mapal.ir.entry import npy_form
from mapal.ir.graph import Value
from mapal.ir.rounding import round_to_f32
from mapal.ir.scalars import integer_range
from mapal.ir.types import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    U8,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
)

SCALARS: tuple[Scalar, ...] = (I32, I64, F64, F32, U8, BOOL)
NUMBERS: tuple[Scalar, ...] = (I32, I64, F64, F32, U8)

LENGTHS = (3, 1, 2, 4, 5, 8, 7, 16, 13, 64, 65)
"""Lengths of arrays: small ones, and some around the width of vectors and of the tree of a
`reduce`."""


def struct_of(items: tuple[Type, ...]) -> Struct:
    """The struct with these components; its name spells them, so equal names mean equal types."""
    name = "S" + "".join(map(_spelled, items))
    return Struct(name, tuple((f"field{slot}", item) for slot, item in enumerate(items)))


def _spelled(ty: Type) -> str:
    match ty:
        case Array(element=element, length=length):
            return f"_a{length}{_spelled(element)}"
        case Tuple(items=items):
            return f"_t{len(items)}" + "".join(map(_spelled, items))
        case _:
            return f"_{ty}"


def _catalogue() -> tuple[Type, ...]:
    types: list[Type] = list(SCALARS)
    types += [Array(ty, 3) for ty in SCALARS]
    types += [Tuple((I32, F64)), Tuple((BOOL, I64)), Tuple((F32, F32, F32)), Tuple((U8, I32))]
    types += [struct_of((I32, I32)), struct_of((F32, BOOL, I64)), struct_of((F64, F64))]
    types += [Array(ty, length) for ty in NUMBERS for length in (1, 2, 4, 5, 8)]
    types += [Array(Tuple((I32, F32)), 3), Array(Tuple((F64, F64)), 4), Array(Array(I32, 3), 2)]
    types += [Array(struct_of((I32, I32)), 2), Array(Array(F32, 2), 3)]
    types += [Tuple((Array(I32, 3), I32)), Tuple((Tuple((I32, BOOL)), F64))]
    types += [struct_of((Array(F64, 2), U8)), Tuple((I32, Array(Tuple((U8, I64)), 2)))]
    types += [Array(ty, length) for ty in (I32, F32, F64) for length in (16, 64, 65)]
    return tuple(types)


TYPES: tuple[Type, ...] = _catalogue()


def type_at(code: int) -> Type:
    """The type of a number."""
    return TYPES[code % len(TYPES)]


def entry_type_at(code: int) -> Type:
    """The type of a number, among those that a program's input can have."""
    return _ENTRY_TYPES[code % len(_ENTRY_TYPES)]


_ENTRY_TYPES = tuple(ty for ty in TYPES if npy_form(ty) is not None)


# Literals -------------------------------------------------------------------------------------

_FLOAT_CORNERS = (
    0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 2.5, -2.5, -0.5, 3.5, -0.0, 100.0, 0.1, -7.75, 1e10, -3e9,
    16777217.0, 2147483648.0, 4294967295.5, 255.5, 256.0, -1e-3, 1e30, math.inf, -math.inf,
    math.nan, 9223372036854775808.0, -9223372036854775808.0, 9007199254740993.0,
)  # fmt: skip
_SINGLE_CORNERS = (1e-45, 1.1754943508222875e-38, 3.4028234663852886e38, 1.0000001192092896)
_DOUBLE_CORNERS = (5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1.0000000000000002)
_INTEGER_CORNERS = (
    0, 1, 2, 3, -1, -2, 5, 7, 10, -3, 4, 6, 100, 31, 32, 63, 64, 127, 128, 255, 256, -128,
)  # fmt: skip


@cache
def corners(ty: Scalar) -> tuple[Value, ...]:
    """Values worth trying, simplest first; each once."""
    if ty == BOOL:
        return (False, True)
    if ty.is_float:
        own = _SINGLE_CORNERS if ty == F32 else _DOUBLE_CORNERS
        fit: Callable[[float], float] = round_to_f32 if ty == F32 else float
        values = [fit(value) for value in (*_FLOAT_CORNERS, *own, *(-value for value in own))]
        return tuple({struct.pack("<d", value): value for value in values}.values())
    low, high = integer_range(ty)
    extremes = (low, high, low + 1, high - 1, high // 2, high // 2 + 1)
    found = [value for value in (*_INTEGER_CORNERS, *extremes) if low <= value <= high]
    return tuple(dict.fromkeys(found))


def literal(ty: Scalar, number: int) -> Value:
    """The value of a number: a corner, or, beyond them, the number's low bits as the value's."""
    table = corners(ty)
    if number < len(table):
        return table[number]
    bits = (number - len(table)) & ((1 << ty.bits) - 1)
    if ty == BOOL:
        return bool(bits)
    if ty == F64:
        return _no_nan(struct.unpack("<d", bits.to_bytes(8, "little"))[0])
    if ty == F32:
        return _no_nan(struct.unpack("<f", bits.to_bytes(4, "little"))[0])
    low, _ = integer_range(ty)
    return bits + low if ty.is_signed else bits


def _no_nan(value: float) -> float:
    """There is one NaN."""
    return math.nan if math.isnan(value) else value


def value_of(ty: Type, number: int) -> object:
    """A value of any type without tokens and text, in the interpreter's form."""
    state = number * 0x9E3779B97F4A7C15 + 0x7F4A7C15

    def next_number() -> int:
        nonlocal state
        # SplitMix64 (Steele, Lea and Flood, 2014).
        state = (state + 0x9E3779B97F4A7C15) & (2**64 - 1)
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
        return mixed ^ (mixed >> 31)

    def make(part: Type) -> object:
        match part:
            case Scalar():
                drawn = next_number()
                small = drawn % 4
                table = corners(part)
                if small == 3:
                    return literal(part, len(table) + (drawn >> 2))
                limit = min(len(table), 6) if small else len(table)
                return table[(drawn >> 2) % limit]
            case Array(element=element, length=length):
                return [make(element) for _ in range(length)]
            case Tuple(items=items) | Struct(items=items):
                return tuple(make(item) for item in items)
            case _:
                raise TypeError(f"no values of type {part}")

    return make(ty)
