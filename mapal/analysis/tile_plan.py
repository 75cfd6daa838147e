"""Maps of folds of multiply-adds whose cells are independent chains: matrix products, filters.

Blocking such a nest cannot change the order of the operations of any cell, so the result stays
the same bit for bit; that the cells are independent and all addresses linear is asked of
`mapal.analysis.legality`. The plan says where the nests are and which elements each cell reads:

    address = base + ci * row + clane * lane + ck * k + cq * (k / div) + cr * (k % div)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from mapal.analysis.addresses import Affine, affine, component, division, split_element
from mapal.analysis.fold_nests import FoldNest, Step, fold_nest
from mapal.analysis.legality import is_tile
from mapal.analysis.nested_addresses import count_of, map_of_folds, map_of_maps
from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism, Value
from mapal.ir.ops import BinaryCode, FunctionId, MorphismId, ObjectId
from mapal.ir.types import Scalar

_ROW, _LANE, _STEP = ("row", 0), ("lane", 0), ("step", 0)


@dataclass(frozen=True, slots=True)
class StepSplit:
    """A read by quotient and remainder of the step by a literal."""

    divisor: int
    quotient: int
    remainder: int


@dataclass(frozen=True, slots=True)
class TileRead:
    """What one factor reads: an element of the capture `slot` of the map."""

    slot: int
    base: int
    row: int
    step: int
    lane: int
    split: StepSplit | None = None


@dataclass(frozen=True, slots=True)
class TileSite:
    """`rows * lanes` cells, each a fold of `steps` multiply-adds from `seed`; `b` is the factor
    that moves with the lane, `a` the other. The two orders tell how the program wrote them;
    `is_fused` whether product and sum are one operation."""

    rows: int
    lanes: int
    steps: int
    a: TileRead
    b: TileRead
    seed: Value
    element: Scalar
    multiplies_a_first: bool
    adds_accumulator_first: bool
    is_fused: bool

    def largest(self, read: TileRead) -> int:
        """The largest address of a read, if none wraps."""
        largest = read.base + read.row * (self.rows - 1) + read.lane * (self.lanes - 1)
        if read.split is None:
            return largest + read.step * (self.steps - 1)
        last_quotient = self.steps // read.split.divisor - 1
        return (
            largest
            + read.split.quotient * last_quotient
            + read.split.remainder * (read.split.divisor - 1)
        )


def tile_plan(graph: Graph, function: FunctionId) -> Mapping[MorphismId, TileSite]:
    """The tiles among the maps of a function: `b` moves by one element with the lane."""
    return graph.remembered(
        ("tile plan", function),
        lambda: {key: site for key, site in _sites(graph, function).items() if site.b.lane == 1},
    )


def strided_tile_plan(graph: Graph, function: FunctionId) -> Mapping[MorphismId, TileSite]:
    """What would be tiles if neighbouring lanes lay beside each other: products with a transposed
    matrix."""
    return graph.remembered(
        ("strided tile plan", function),
        lambda: {key: site for key, site in _sites(graph, function).items() if site.b.lane != 1},
    )


def _sites(graph: Graph, function: FunctionId) -> Mapping[MorphismId, TileSite]:
    return graph.remembered(("tiles of any stride", function), lambda: _plan(graph, function))


def _plan(graph: Graph, function: FunctionId) -> dict[MorphismId, TileSite]:
    found: dict[MorphismId, TileSite] = {}
    for identity in graph.functions[function].morphisms:
        morphism = graph.morphisms[identity]
        if isinstance(morphism.op, ops.Map) and morphism.op.captures:
            nest = fold_nest(graph, morphism)
            if nest is None:
                site = _nested(graph, morphism)
                if site is not None and _fits(graph, site, morphism):
                    found[identity] = site
                continue
            site = _Tiling(nest).site()
            if site is not None and is_tile(
                graph, identity, rule=partial(_fits, graph, site, morphism)
            ):
                found[identity] = site
    return found


def _fits(graph: Graph, site: TileSite, morphism: Morphism) -> bool:
    """The simple rule: no address lies behind its array, so that none wraps."""
    operands = graph.operands(morphism)
    for read in (site.a, site.b):
        length = count_of(graph.ty(operands[read.slot]))
        if length is None or site.largest(read) >= length:
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Tiling:
    """What a nest is as a tile."""

    nest: FoldNest

    def site(self) -> TileSite | None:
        lanes, step = self._lanes(), self.nest.step()
        if lanes is None or step is None:
            return None
        reads = [self._read(factor, lanes) for factor in step.factors]
        return _assembled(self.nest, step, reads, self.nest.cells // lanes, lanes)

    def _lanes(self) -> int | None:
        """The number of lanes: the literal by which the body splits its element, or all cells."""
        graph, nest = self.nest.graph, self.nest
        splits: dict[int, set[BinaryCode]] = {}
        for identity in nest.outer.morphisms:
            found = division(graph, graph.morphisms[identity].target)
            if found is not None and nest.is_element(found[1]):
                splits.setdefault(found[2], set()).add(found[0])
        if not splits:
            return nest.cells
        fitting = [
            literal
            for literal, codes in splits.items()
            if len(codes) == 2 and literal >= 1 and nest.cells % literal == 0
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _read(self, factor: ObjectId, lanes: int) -> TileRead | None:
        found = self.nest.read(factor)
        if found is None:
            return None
        slot, place = found
        address = affine(self.nest.graph, place, lambda obj: self._terminal(obj, lanes))
        return None if address is None else _geometry(address, slot, self.nest.steps)

    def _terminal(self, obj: ObjectId, lanes: int) -> Affine | None:
        """The step, its parts, and captured values that are affine in row and lane."""
        nest = self.nest
        graph, step = nest.graph, nest.fold_captures + 1
        place = component(graph, obj, nest.inner.input)
        if place is None:
            return split_element(graph, obj, nest.inner.input, step)
        if place == step:
            return Affine(0, {_STEP: 1})
        feeder = nest.captured(obj)
        if feeder is None:
            return None
        return affine(graph, feeder, lambda outside: self._cell(outside, lanes))

    def _cell(self, obj: ObjectId, lanes: int) -> Affine | None:
        """Row or lane, in the body of the map."""
        nest = self.nest
        if nest.is_element(obj):
            return Affine(0, {_LANE: 1}) if lanes == nest.cells else None
        found = division(nest.graph, obj)
        if found is None or not nest.is_element(found[1]) or found[2] != lanes:
            return None
        return Affine(0, {_ROW if found[0] is BinaryCode.DIV else _LANE: 1})


def _nested(graph: Graph, morphism: Morphism) -> TileSite | None:
    """What a map of maps of folds, or of folds, is as a tile where it goes over elements."""
    maps = map_of_maps(graph, morphism) or map_of_folds(graph, morphism)
    if maps is None or not isinstance(maps.sites[-1].op, ops.Fold):
        return None
    nest = fold_nest(graph, maps.sites[-2], over_numbers=False)
    step = None if nest is None else nest.step()
    if nest is None or step is None:
        return None
    reads: list[TileRead | None] = []
    for factor in step.factors:
        found = maps.place(factor)
        reads.append(None if found is None else _geometry(found[1], found[0], nest.steps))
    return _assembled(nest, step, reads, maps.rows, maps.lanes)


def _assembled(
    nest: FoldNest, step: Step, reads: Sequence[TileRead | None], rows: int, lanes: int
) -> TileSite | None:
    first, second = reads
    if first is None or second is None or (first.lane == 0) == (second.lane == 0):
        return None
    a, b = (first, second) if first.lane == 0 else (second, first)
    return TileSite(
        rows=rows,
        lanes=lanes,
        steps=nest.steps,
        a=a,
        b=b,
        seed=nest.seed,
        element=nest.element,
        multiplies_a_first=a is first,
        adds_accumulator_first=step.adds_accumulator_first,
        is_fused=step.is_fused,
    )


def _geometry(address: Affine, slot: int, steps: int) -> TileRead | None:
    parts = {name for name in address.terms if name[0] in ("quotient", "remainder")}
    divisors = {divisor for _, divisor in parts}
    row, lane = address.coefficient(_ROW), address.coefficient(_LANE)
    step = address.coefficient(_STEP)
    split = None
    if parts:
        (divisor, *others) = divisors
        if step or others or divisor < 1 or steps % divisor:
            return None
        quotient = address.coefficient(("quotient", divisor))
        remainder = address.coefficient(("remainder", divisor))
        split = StepSplit(divisor, quotient, remainder)
    return TileRead(slot, address.base, row, step, lane, split)
