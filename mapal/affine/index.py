"""Index vectors: how loop variables name a cell, one component per array axis.

A component is linear (a sum of integer multiples of symbols plus an offset) or opaque (any
integer, possibly another at each evaluation). All integers are unbounded. A symbol names a loop;
one that no loop binds stands for a run-time scalar.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple, TypeAlias

Sym: TypeAlias = str
Interval: TypeAlias = tuple[int, int]
"""Inclusive ends; the interval is dead, its loop never runs, if the upper lies below the lower."""

POINTS = 4096
"""How many points of a box a query may visit to decide exactly what its rules leave open."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The constant cell."""

    cell: int


@dataclass(frozen=True, slots=True)
class Iter:
    """The value of one symbol."""

    symbol: Sym


@dataclass(frozen=True, slots=True)
class Affine:
    """The sum of the terms `(coefficient, symbol)` and the offset."""

    terms: tuple[tuple[int, Sym], ...]
    offset: int = 0


@dataclass(frozen=True, slots=True)
class SubAxis:
    """An axis addressed jointly with its neighbour. Opaque."""


@dataclass(frozen=True, slots=True)
class Concat:
    """An axis made of pieces laid end to end, each with its own symbol. Opaque outside of
    projections."""

    symbols: tuple[Sym, ...]


@dataclass(frozen=True, slots=True)
class Dynamic:
    """A run-time integer; with an extent it is known to lie in `[0, extent)`. Opaque."""

    extent: int | None = None


AxisIndex: TypeAlias = Fixed | Iter | Affine | SubAxis | Concat | Dynamic
IndexVector: TypeAlias = Sequence[AxisIndex]


class Linear(NamedTuple):
    """A linear component in normal form: no coefficient is zero."""

    terms: dict[Sym, int]
    offset: int


def linear(index: AxisIndex) -> Linear | None:
    """The normal form of a linear component, None for an opaque one.

    Coefficients of one symbol are summed, so `i - i` mentions nothing.
    """
    match index:
        case Fixed(cell):
            return Linear({}, cell)
        case Iter(symbol):
            return Linear({symbol: 1}, 0)
        case Affine(terms, offset):
            sums: dict[Sym, int] = {}
            for coefficient, symbol in terms:
                sums[symbol] = sums.get(symbol, 0) + coefficient
            return Linear({symbol: total for symbol, total in sums.items() if total}, offset)
        case _:
            return None


def linear_parts(indices: IndexVector) -> list[Linear]:
    """The normal forms of the linear components, in order of axes."""
    return [form for form in map(linear, indices) if form is not None]


def mentioned(indices: IndexVector) -> list[Sym]:
    """The symbols of the linear components, sorted."""
    return sorted({symbol for form in linear_parts(indices) for symbol in form.terms})


def fold(form: Linear, ranges: Mapping[Sym, Interval]) -> Linear:
    """The form with each symbol of one value replaced by that value."""
    terms: dict[Sym, int] = {}
    offset = form.offset
    for symbol, coefficient in form.terms.items():
        interval = ranges.get(symbol)
        if interval is not None and interval[0] == interval[1]:
            offset += coefficient * interval[0]
        else:
            terms[symbol] = coefficient
    return Linear(terms, offset)


def is_dead(interval: Interval | None) -> bool:
    """Whether no value lies in the interval; an unknown one may have values."""
    return interval is not None and interval[1] < interval[0]


def width(interval: Interval) -> int:
    """How many integers lie in the interval."""
    return max(0, interval[1] - interval[0] + 1)


def points_of(intervals: Sequence[Interval]) -> int:
    """How many points the box of the intervals has."""
    return prod(map(width, intervals))


def span_of(terms: Mapping[Sym, int], ranges: Mapping[Sym, Interval]) -> Interval:
    """The least and the greatest value of the terms; the ends are attained.

    Every symbol has a range that is not dead.
    """
    low = sum(min(c * ranges[s][0], c * ranges[s][1]) for s, c in terms.items())
    high = sum(max(c * ranges[s][0], c * ranges[s][1]) for s, c in terms.items())
    return low, high


def vector_text(indices: IndexVector) -> str:
    """An index vector for messages."""
    return "[" + ", ".join(map(_component_text, indices)) + "]"


def _component_text(index: AxisIndex) -> str:
    form = linear(index)
    if form is None:
        return type(index).__name__.lower()
    parts = [s if c == 1 else f"{c}*{s}" for s, c in sorted(form.terms.items())]
    return " + ".join([*parts, *([str(form.offset)] if form.offset or not parts else [])])
