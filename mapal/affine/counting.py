"""How many points of a loop box share a cell.

The fiber of a cell is the set of points mapped to it; only cells that are hit count. Symbols
outside of the domain are fixed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from mapal.affine.boxes import all_linear
from mapal.affine.index import POINTS, IndexVector, Linear, Sym, linear_parts
from mapal.affine.radix import cells_of, pinned_symbols


@dataclass(frozen=True, slots=True)
class Exact:
    """Every fiber has this size."""

    count: int


@dataclass(frozen=True, slots=True)
class AtLeast:
    """No fiber is smaller."""

    count: int


@dataclass(frozen=True, slots=True)
class AtMost:
    """No fiber is larger."""

    count: int


class _Domain:
    """A domain, the linear components over it, and which symbols they pin."""

    def __init__(self, indices: IndexVector, domain: Sequence[tuple[Sym, int]]) -> None:
        self.widths = dict(domain)
        if len(self.widths) != len(domain):
            raise ValueError("the domain names a symbol twice")
        self.opaque = not all_linear(indices)
        self.forms = [
            Linear({s: c for s, c in form.terms.items() if s in self.widths}, 0)
            for form in linear_parts(indices)
        ]
        used = {symbol for form in self.forms for symbol in form.terms}
        self.mentioned = [symbol for symbol in self.widths if symbol in used]
        self.base = prod(w for symbol, w in self.widths.items() if symbol not in used)
        pinned = pinned_symbols(self.forms, self.width)
        self.pins_mentioned = all(self.width(s) == 1 or s in pinned for s in self.mentioned)

    def width(self, symbol: Sym) -> int:
        return self.widths[symbol]

    def extremes(self, points: int) -> tuple[int, int] | None:
        """The least and the greatest fiber of the linear components; None past the budget."""
        if prod(map(self.width, self.mentioned)) > points:
            return None
        counts = cells_of(self.forms, self.mentioned, self.width).values()
        return self.base * min(counts), self.base * max(counts)


def fiber_cardinality(
    indices: IndexVector, domain: Sequence[tuple[Sym, int]], *, points: int = POINTS
) -> Exact | AtLeast:
    """The size of the fibers, or a lower bound.

    `domain` lists each symbol once, with its width. An opaque component may split what the linear
    ones merge, so with one only a fiber of one point is certain.
    """
    box = _Domain(indices, domain)
    if any(w < 1 for w in box.widths.values()):
        return Exact(0)
    if box.pins_mentioned:
        if not box.opaque or box.base == 1:
            return Exact(box.base)
        return AtLeast(1)
    found = box.extremes(points)
    if box.opaque:
        return Exact(1) if found is not None and found[1] == 1 else AtLeast(1)
    if found is None:
        return AtLeast(box.base)
    return Exact(found[0]) if found[0] == found[1] else AtLeast(found[0])


def fiber_cardinality_ub(
    indices: IndexVector, domain: Sequence[tuple[Sym, int]], *, points: int = POINTS
) -> Exact | AtMost:
    """The size of the fibers, or an upper bound. Arguments as of `fiber_cardinality`."""
    box = _Domain(indices, domain)
    if any(w < 1 for w in box.widths.values()):
        return Exact(0)
    found = (1, box.base) if box.pins_mentioned else box.extremes(points)
    if box.pins_mentioned and not box.opaque:
        return Exact(box.base)
    if found is None:
        return AtMost(box.base * min(_bounds(box)))
    if found[1] == 1 or (found[0] == found[1] and not box.opaque):
        return Exact(found[1])
    return AtMost(found[1])


def _bounds(box: _Domain) -> list[int]:
    """Upper bounds of how many points of the mentioned symbols share a cell.

    One equation with all symbols but one fixed has at most one solution, so a component loses its
    widest symbol. Components over symbols of their own multiply.
    """
    total = prod(map(box.width, box.mentioned))
    parts = [form for form in box.forms if form.terms]
    bounds = [total]
    bounds += [total // max(map(box.width, form.terms)) for form in parts]
    uses = Counter(symbol for form in parts for symbol in form.terms)
    alone = [form for form in parts if all(uses[symbol] == 1 for symbol in form.terms)]
    bounds.append(total // prod(max(map(box.width, form.terms)) for form in alone))
    return bounds
