"""Questions about index maps answered by isl, a library of integer sets (Verdoolaege, ICMS 2010).

It knows whole systems of equations, and boxes of any size, so it sees what enumeration cannot.
Opaque components may be any value: they constrain nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import islpy as isl

from mapal.affine import Interval, Sym
from mapal.affine.index import IndexVector, Linear, linear

DISJOINT, SAME_THREAD, CROSS_THREAD = 2, 1, 0
"""Strengths of verdicts about conflicts."""


def text(form: Linear, rename: Mapping[Sym, str]) -> str:
    """A form as isl reads it."""
    terms = [f"{c} * {rename[s]}" for s, c in form.terms.items()]
    return " + ".join([*terms, str(form.offset)])


def _box(names: Iterable[str], ranges: Mapping[str, Interval]) -> list[str]:
    return [f"{ranges[name][0]} <= {name} <= {ranges[name][1]}" for name in names]


def _set(names: Sequence[str], constraints: Sequence[str]) -> isl.Set:
    space = ", ".join(names)
    return isl.Set(f"{{ [{space}] : {' and '.join(constraints) or 'true'} }}")


def conflict(
    left: IndexVector,
    right: IndexVector,
    ranges_left: Mapping[Sym, Interval],
    ranges_right: Mapping[Sym, Interval],
    shared: Mapping[Sym, Interval],
    pairs: Sequence[tuple[Sym, Sym]],
) -> int:
    """The strength of the strongest true verdict about two accesses."""
    one = {s: f"l_{s}" for s in ranges_left} | {s: s for s in shared}
    other = {s: f"r_{s}" for s in ranges_right} | {s: s for s in shared}
    bounds = {one[s]: i for s, i in ranges_left.items()} | dict(shared)
    bounds |= {other[s]: i for s, i in ranges_right.items()}
    names = sorted(bounds)
    constraints = _box(names, bounds)
    for a, b in zip(left, right, strict=True):
        x, y = linear(a), linear(b)
        if x is not None and y is not None:
            constraints.append(f"{text(x, one)} = {text(y, other)}")
    meeting = _set(names, constraints)
    if meeting.is_empty():
        return DISJOINT
    if not pairs:
        return CROSS_THREAD
    equal = _set(names, [f"{one[x]} = {other[y]}" for x, y in pairs])
    return SAME_THREAD if meeting.is_subset(equal) else CROSS_THREAD


def inside(
    indices: IndexVector,
    dims: Sequence[int],
    ranges: Mapping[Sym, Interval],
    premises: Sequence[Linear],
) -> bool:
    """Whether the cell lies in the box of `dims` wherever no premise is negative."""
    names = sorted(ranges)
    same = {name: name for name in names}
    held = [f"{text(premise, same)} >= 0" for premise in premises]
    domain = _set(names, [*_box(names, ranges), *held])
    forms = [linear(index) for index in indices]
    if None in forms:
        return bool(domain.is_empty())
    cells = [
        f"0 <= {text(form, same)} < {dim}"
        for form, dim in zip(forms, dims, strict=True)
        if form is not None
    ]
    return bool(domain.is_subset(_set(names, cells)))


def _mapping(forms: Sequence[Linear], ranges: Mapping[Sym, Interval]) -> isl.Map:
    names = sorted(ranges)
    same = {name: name for name in names}
    cells = ", ".join(text(form, same) for form in forms)
    held = " and ".join(_box(names, ranges)) or "true"
    return isl.Map(f"{{ [{', '.join(names)}] -> [{cells}] : {held} }}")


def is_injective(forms: Sequence[Linear], ranges: Mapping[Sym, Interval]) -> bool:
    """Whether different points have different cells."""
    return bool(_mapping(forms, ranges).is_injective())


def covers(forms: Sequence[Linear], dims: Sequence[int], ranges: Mapping[Sym, Interval]) -> bool:
    """Whether each cell of the box is that of exactly one point, and no other cell is."""
    names = [f"c{axis}" for axis in range(len(dims))]
    box = _set(names, [f"0 <= {name} < {dim}" for name, dim in zip(names, dims, strict=True)])
    mapping = _mapping(forms, ranges)
    return bool(mapping.range().is_equal(box)) and bool(mapping.is_injective())
