"""Does an operation write every cell of its target, and none twice?

A projection has loop components, each a list of alternatives `(symbol, width)`. One alternative is
an ordinary loop; several are a loop over pieces laid end to end, and the operation runs once per
block, a choice of one alternative in each component.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from math import prod
from typing import TypeAlias

from mapal.affine.index import POINTS, AxisIndex, Concat, Linear, Sym, linear, linear_parts
from mapal.affine.progression import ap_of_form
from mapal.affine.radix import pinned_symbols

Component: TypeAlias = Sequence[tuple[Sym, int]]


@dataclass(frozen=True, slots=True)
class Projection:
    """Loop components, and the index vector and the dimensions of the target.

    A `Concat` axis that lists exactly the alternatives of one component, in order, places each
    piece after the widths of those before it.
    """

    components: tuple[Component, ...]
    lhs: tuple[AxisIndex, ...]
    lhs_dims: tuple[int, ...]

    def widths(self) -> dict[Sym, int]:
        """The width of each symbol; a symbol in two places makes the projection meaningless.

        Raises ValueError for such a projection.
        """
        pairs = [pair for component in self.components for pair in component]
        if len({symbol for symbol, _ in pairs}) != len(pairs):
            raise ValueError("a projection names a symbol twice")
        return dict(pairs)

    def component_of(self, index: Concat) -> int | None:
        """The number of the component whose alternatives the axis lists, in order."""
        listed = [tuple(s for s, _ in component) for component in self.components]
        return listed.index(index.symbols) if index.symbols in listed else None

    def split_symbols(self) -> set[Sym]:
        """The symbols that are one alternative of several."""
        return {s for c in self.components if len(c) > 1 for s, _ in c}


def is_surjective(projection: Projection, *, points: int = POINTS) -> bool:
    """Whether every cell of the target is written by some point."""
    widths = projection.widths()
    dims = projection.lhs_dims
    if len(projection.lhs) != len(dims) or any(w < 1 for w in widths.values()):
        return False
    if _reaches_each_axis(projection, widths):
        return True
    if not _readable(projection, widths) or _visits(projection) > points:
        return False
    cells = set(_cells(projection, widths))
    inside = all(0 <= x < d for cell in cells for x, d in zip(cell, dims, strict=True))
    return inside and len(cells) == prod(dims)


def _reaches_each_axis(projection: Projection, widths: dict[Sym, int]) -> bool:
    """Whether each axis reaches all positions and no two axes share what moves them."""
    split = projection.split_symbols()
    uses: Counter[Sym] = Counter()
    for index, dim in zip(projection.lhs, projection.lhs_dims, strict=True):
        form = linear(index)
        if form is not None:
            if not widths.keys() - split >= form.terms.keys():
                return False
            moving = {s: c for s, c in form.terms.items() if widths[s] > 1}
            uses.update(moving.keys())
            # A symbol of one value is 0: ranges of loop axes start there.
            terms = [(c, (0, widths[s] - 1)) for s, c in moving.items()]
            reached = ap_of_form(terms, form.offset, exact=True)
            if reached is None or reached[:2] != (0, dim - 1) or reached.step > 1:
                return False
        elif isinstance(index, Concat) and (number := projection.component_of(index)) is not None:
            if sum(w for _, w in projection.components[number]) != dim:
                return False
            uses.update(index.symbols)
        else:
            return False
    return all(count == 1 for count in uses.values())


def is_injective(projection: Projection, *, points: int = POINTS) -> bool:
    """Whether no cell of the target is written twice."""
    widths = projection.widths()
    if any(w < 1 for w in widths.values()):
        return True
    forms = linear_parts(projection.lhs)
    split = projection.split_symbols()
    if any(split & form.terms.keys() for form in forms):
        return False
    concats = [index for index in projection.lhs if isinstance(index, Concat)]
    placed = {n for n in map(projection.component_of, concats) if n is not None}
    if any(len(c) > 1 and n not in placed for n, c in enumerate(projection.components)):
        return False
    listed = {s for number in placed for s, _ in projection.components[number]}
    pinned = pinned_symbols(forms, lambda symbol: widths.get(symbol, 1), listed)
    if all(w == 1 or s in pinned for s, w in widths.items()):
        return True
    if not _readable(projection, widths) or _visits(projection) > points:
        return False
    cells = list(_cells(projection, widths))
    return len(set(cells)) == len(cells)


def _readable(projection: Projection, widths: dict[Sym, int]) -> bool:
    """Whether every axis has a known position at each point of each block."""
    whole = widths.keys() - projection.split_symbols()
    return all(
        whole >= form.terms.keys()
        if (form := linear(index)) is not None
        else isinstance(index, Concat) and projection.component_of(index) is not None
        for index in projection.lhs
    )


def _visits(projection: Projection) -> int:
    return prod(sum(w for _, w in component) for component in projection.components)


def _cells(projection: Projection, widths: dict[Sym, int]) -> Iterator[tuple[int, ...]]:
    """The cell of every point of every block."""
    starts: dict[Sym, int] = {}
    for component in projection.components:
        ends = accumulate((w for _, w in component), initial=0)
        starts |= {s: start for (s, _), start in zip(component, ends, strict=False)}
    for block in product(*projection.components):
        symbols = [symbol for symbol, _ in block]
        for values in product(*(range(widths[symbol]) for symbol in symbols)):
            point = dict(zip(symbols, values, strict=True))
            yield tuple(_position(linear(i), i, point, starts) for i in projection.lhs)


def _position(
    form: Linear | None, index: AxisIndex, point: dict[Sym, int], starts: dict[Sym, int]
) -> int:
    if form is not None:
        return form.offset + sum(c * point[s] for s, c in form.terms.items())
    assert isinstance(index, Concat)
    (live,) = [symbol for symbol in index.symbols if symbol in point]
    return starts[live] + point[live]
