"""Is every cell of an access inside a box of cells, and does an access enumerate the box once?

`why`, where it is given, learns the number of an axis that kept the answer from being yes and one
of `rank`, `opaque`, `no_range`, `dead`, `offset`, `digit`, `reused`, `out_of_box`. The axis of
`rank` is -1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import TypeAlias

from mapal.affine.implied import is_nonnegative
from mapal.affine.index import (
    POINTS,
    IndexVector,
    Interval,
    Linear,
    Sym,
    fold,
    is_dead,
    linear,
    linear_parts,
    mentioned,
    span_of,
    width,
)
from mapal.affine.radix import cells_of

Why: TypeAlias = Callable[[int, str], None]


def _silent(axis: int, code: str) -> None:
    del axis, code


def within_box(
    indices: IndexVector,
    dims: Sequence[int],
    *,
    ranges: Mapping[Sym, Interval],
    premises: Sequence[Linear] = (),
    why: Why = _silent,
) -> bool:
    """Whether the cell lies inside `dims` for every value of the symbols.

    `premises` are forms known not to be negative where the access is made. Without any, the
    answer is exact for linear components with known ranges: both ends of the interval are
    attained.
    """
    if len(indices) != len(dims):
        why(-1, "rank")
        return False
    if any(is_dead(ranges.get(symbol)) for symbol in mentioned(indices)):
        return True
    for axis, (index, dim) in enumerate(zip(indices, dims, strict=True)):
        form = linear(index)
        if form is None:
            why(axis, "opaque")
            return False
        below = Linear({symbol: -c for symbol, c in form.terms.items()}, dim - 1 - form.offset)
        if not (
            is_nonnegative(form, ranges=ranges, premises=premises)
            and is_nonnegative(below, ranges=ranges, premises=premises)
        ):
            known = ranges.keys() >= form.terms.keys()
            why(axis, "out_of_box" if known else "no_range")
            return False
    return True


def covers_box(
    indices: IndexVector,
    dims: Sequence[int],
    *,
    ranges: Mapping[Sym, Interval],
    why: Why = _silent,
    points: int = POINTS,
) -> bool:
    """Whether the mentioned symbols enumerate every cell of `dims` exactly once.

    Loops that the vector does not mention are not considered: a store below such a loop covers
    the box once per iteration.
    """
    if len(indices) != len(dims):
        why(-1, "rank")
        return False
    forms = []
    for axis, index in enumerate(indices):
        form = linear(index)
        code = "opaque" if form is None else _unusable(form, ranges)
        if form is None or code is not None:
            why(axis, code or "opaque")
            return False
        forms.append(fold(form, ranges))
    found = _digits(forms, dims, ranges)
    if found is None or _visited(forms, dims, ranges, points):
        return True
    why(*found)
    return False


def _unusable(form: Linear, ranges: Mapping[Sym, Interval]) -> str | None:
    if not ranges.keys() >= form.terms.keys():
        return "no_range"
    return "dead" if any(is_dead(ranges[symbol]) for symbol in form.terms) else None


def _digits(
    forms: list[Linear], dims: Sequence[int], ranges: Mapping[Sym, Interval]
) -> tuple[int, str] | None:
    """None if each axis is positional notation over symbols of its own, else what is in the way.

    A digit may start anywhere and may run backwards: it counts from the end of its range that
    makes the form least, and the least value of the form takes the place of the offset.
    """
    used: set[Sym] = set()
    for axis, (form, dim) in enumerate(zip(forms, dims, strict=True)):
        if used & form.terms.keys():
            return axis, "reused"
        used |= form.terms.keys()
        if span_of(form.terms, ranges)[0] + form.offset != 0:
            return axis, "offset"
        size = 1
        for coefficient, symbol in sorted((abs(c), s) for s, c in form.terms.items()):
            if coefficient != size:
                return axis, "digit"
            size *= width(ranges[symbol])
        if size != dim:
            return axis, "digit"
    return None


def _visited(
    forms: list[Linear], dims: Sequence[int], ranges: Mapping[Sym, Interval], points: int
) -> bool:
    symbols = sorted({symbol for form in forms for symbol in form.terms})
    total = prod(width(ranges[symbol]) for symbol in symbols)
    if total > points or total != prod(dims):
        return False
    shifted = [_from_zero(form, ranges) for form in forms]
    cells = cells_of(shifted, symbols, lambda symbol: width(ranges[symbol]))
    offsets = [form.offset for form in shifted]
    # As many different cells as the box has, all of them inside, are all of the box.
    return len(cells) == total and all(
        0 <= c + o < d for cell in cells for c, o, d in zip(cell, offsets, dims, strict=True)
    )


def _from_zero(form: Linear, ranges: Mapping[Sym, Interval]) -> Linear:
    shift = sum(c * ranges[symbol][0] for symbol, c in form.terms.items())
    return Linear(form.terms, form.offset + shift)


def all_linear(indices: IndexVector) -> bool:
    """Whether no component is opaque."""
    return len(linear_parts(indices)) == len(indices)
