"""Inputs made up for a program, by the types of its parameters, the same everywhere.

Each case has a style: all zero; small numbers, which are in range more often than not; the
values at which operations wrap, round or are special; any value at all. Arrays of one case mix
their elements within its style.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from mapal.ir.entry import without_token
from mapal.ir.graph import Graph
from mapal.ir.rounding import round_to_f32
from mapal.ir.scalars import integer_range
from mapal.ir.types import BOOL, F32, Array, Scalar, Struct, Tuple, Type

Draw = Callable[[random.Random, Scalar], int | float | bool]

_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.1, 2.5, -3.5, 1e-40, 1e30, -1e30, math.inf, -math.inf, math.nan)


def _zero(source: random.Random, ty: Scalar) -> int | float | bool:
    return False if ty == BOOL else 0.0 if ty.is_float else 0


def _small(source: random.Random, ty: Scalar) -> int | float | bool:
    if ty == BOOL:
        return source.random() < 0.5
    return source.randrange(-8, 9) / 2 if ty.is_float else source.randrange(8)


def _special(source: random.Random, ty: Scalar) -> int | float | bool:
    if ty == BOOL:
        return source.random() < 0.5
    if ty.is_float:
        return _fitted(source.choice(_FLOATS), ty)
    low, high = integer_range(ty)
    found = source.choice((0, 1, 2, 3, -1, -2, low, low + 1, high, high - 1))
    return max(found, low)


def _any(source: random.Random, ty: Scalar) -> int | float | bool:
    if ty == BOOL:
        return source.random() < 0.5
    if ty.is_float:
        return _fitted(math.ldexp(source.random() - 0.5, source.randrange(-60, 61)), ty)
    low, high = integer_range(ty)
    return source.randint(low, high)


def _fitted(value: float, ty: Scalar) -> float:
    return round_to_f32(value) if ty == F32 else value


_STYLES: tuple[Draw, ...] = (_zero, _small, _special, _any)


def generated_inputs(graph: Graph, number: int) -> dict[str, object]:
    """Case `number` for the entry's parameters: a number or `bool` for a scalar, a list for an
    array, a tuple for a tuple or struct."""
    entry = graph.functions[graph.entry]
    names = entry.parameters
    taken = without_token(graph.ty(entry.input))
    types = taken.items if len(names) > 1 and isinstance(taken, Tuple) else (taken,)
    source = random.Random(number)
    draw = _STYLES[number % len(_STYLES)]
    return {name: _value(source, draw, ty) for name, ty in zip(names, types, strict=False)}


def _value(source: random.Random, draw: Draw, ty: Type) -> object:
    match ty:
        case Scalar():
            return draw(source, ty)
        case Array(element=element, length=length):
            return [_value(source, draw, element) for _ in range(length)]
        case Tuple(items=items) | Struct(items=items):
            return tuple(_value(source, draw, item) for item in items)
        case _:
            raise AssertionError(f"no parameter has type {ty}")
