"""The radix rule: a linear form is a numeral system when each digit outweighs all lighter ones.

Sufficient for injectivity, not necessary (`3a + 4b` over 3 by 2 is injective and fails it). See
Knuth, The Art of Computer Programming, volume 2, section 4.1, on mixed-radix systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

from mapal.affine.index import POINTS, Concat, IndexVector, Linear, Sym, linear_parts, mentioned


def radix_rule(digits: Iterable[tuple[int, int | None]]) -> bool:
    """Whether the form with these (absolute coefficient, width) differs at different points.

    A width of None is unknown, which only the heaviest digit may be.
    """
    reach: int | None = 0
    for coefficient, width in sorted(digits, key=lambda d: (d[0], d[1] is None, d[1] or 0)):
        if reach is None or coefficient < 1 + reach:
            return False
        reach = None if width is None else reach + coefficient * (width - 1)
    return True


def pinned_symbols(
    forms: Iterable[Linear], width: Callable[[Sym], int | None], known: Iterable[Sym] = ()
) -> set[Sym]:
    """The symbols that equal values of all forms force to be equal.

    `known` and the symbols of width 1 count as equal from the start; they are not returned unless
    known. What is pinned cancels in the next form, so the order of the forms does not matter.
    """
    pinned = set(known)
    waiting = list(forms)
    changed = True
    while changed:
        changed = False
        for form in waiting:
            rest = {s: c for s, c in form.terms.items() if width(s) != 1 and s not in pinned}
            if rest and radix_rule((abs(c), width(s)) for s, c in rest.items()):
                pinned |= rest.keys()
                changed = True
    return pinned


def injective_map(
    indices: IndexVector, *, width: Callable[[Sym], int], points: int = POINTS
) -> bool:
    """Whether different points of the mentioned symbols have different cells.

    `width` is 1 for symbols not under consideration. Opaque components pin nothing, and the
    symbols of a `Concat` count as mentioned.
    """
    concatenated = {s for index in indices if isinstance(index, Concat) for s in index.symbols}
    names = sorted(concatenated.union(mentioned(indices)))
    if any(width(symbol) < 1 for symbol in names):
        return True
    wide = [symbol for symbol in names if width(symbol) > 1]
    forms = linear_parts(indices)
    if pinned_symbols(forms, width).issuperset(wide):
        return True
    total = 1
    for symbol in wide:
        total *= width(symbol)
        if total > points:
            return False
    return len(cells_of(forms, wide, width)) == total


def cells_of(
    forms: Iterable[Linear], symbols: Iterable[Sym], width: Callable[[Sym], int]
) -> dict[tuple[int, ...], int]:
    """Each cell that the points of a box from zero reach, and how many points reach it.

    Visits every point: callers bound the product of the widths.
    """
    order = list(symbols)
    rows = [[form.terms.get(symbol, 0) for symbol in order] for form in forms]
    counts: dict[tuple[int, ...], int] = {}
    for point in product(*(range(width(symbol)) for symbol in order)):
        cell = tuple(sum(c * x for c, x in zip(row, point, strict=True)) for row in rows)
        counts[cell] = counts.get(cell, 0) + 1
    return counts
