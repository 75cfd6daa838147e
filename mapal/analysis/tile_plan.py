"""Maps of folds of multiply-adds whose cells are independent chains: matrix products, filters.

Blocking such a nest cannot change the order of the operations of any cell, so the result stays
the same bit for bit; that the cells are independent and all addresses linear is asked of
`mapal.analysis.legality`. The plan says where the nests are and which elements each cell reads:

    address = base + ci * row + clane * lane + ck * k + cq * (k / div) + cr * (k % div)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from mapal.analysis.addresses import Affine, affine, component, division
from mapal.analysis.index_arrays import index_length
from mapal.analysis.legality import is_tile
from mapal.analysis.move_plan import split_element
from mapal.analysis.tile_safety import is_tile_safe
from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Morphism, ObjectKind, Value
from mapal.ir.ops import BinaryCode, FunctionId, MorphismId, ObjectId
from mapal.ir.types import Array, Scalar

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
            nest = _nest(graph, morphism, morphism.op)
            site = None if nest is None else nest.site()
            if site is not None and is_tile(
                graph, identity, rule=partial(_fits, graph, site, morphism)
            ):
                found[identity] = site
    return found


def _fits(graph: Graph, site: TileSite, morphism: Morphism) -> bool:
    """The simple rule: no address lies behind its array, so that none wraps."""
    operands = graph.operands(morphism)
    for read in (site.a, site.b):
        ty = graph.ty(operands[read.slot])
        assert isinstance(ty, Array)
        if site.largest(read) >= ty.length:
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Nest:
    """A map over `cells` numbers whose body is a fold over `steps` numbers."""

    graph: Graph
    outer: Function
    captures: int
    cells: int
    fold: Morphism
    inner: Function
    fold_captures: int
    steps: int
    seed: Value
    element: Scalar

    def site(self) -> TileSite | None:
        lanes = self._lanes()
        step = self._step()
        if lanes is None or step is None:
            return None
        x, y, adds_accumulator_first, is_fused = step
        first, second = self._read(x, lanes), self._read(y, lanes)
        if first is None or second is None or (first.lane == 0) == (second.lane == 0):
            return None
        a, b = (first, second) if first.lane == 0 else (second, first)
        return TileSite(
            rows=self.cells // lanes,
            lanes=lanes,
            steps=self.steps,
            a=a,
            b=b,
            seed=self.seed,
            element=self.element,
            multiplies_a_first=a is first,
            adds_accumulator_first=adds_accumulator_first,
            is_fused=is_fused,
        )

    def _lanes(self) -> int | None:
        """The number of lanes: the literal by which the body splits its element, or all cells."""
        splits: dict[int, set[BinaryCode]] = {}
        for identity in self.outer.morphisms:
            found = division(self.graph, self.graph.morphisms[identity].target)
            if found is not None and self._is_element(found[1]):
                splits.setdefault(found[2], set()).add(found[0])
        if not splits:
            return self.cells
        fitting = [
            literal
            for literal, codes in splits.items()
            if len(codes) == 2 and literal >= 1 and self.cells % literal == 0
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _is_element(self, obj: ObjectId) -> bool:
        return component(self.graph, obj, self.outer.input) == self.captures

    def _step(self) -> tuple[ObjectId, ObjectId, bool, bool] | None:
        """The factors of the multiply-add that the inner body returns, whether it names the
        accumulator first, and whether it is fused."""
        graph = self.graph
        result = _last(graph, self.inner)
        if result is None:
            return None
        if result.op == ops.Fma(False, False):
            x, y, z = graph.operands(result)
            return (x, y, False, True) if self._is_accumulator(z) else None
        if result.op != ops.Binary(BinaryCode.ADD):
            return None
        left, right = graph.operands(result)
        if self._is_accumulator(left) == self._is_accumulator(right):
            return None
        product = graph.definer(right if self._is_accumulator(left) else left)
        if product is None or product.op != ops.Binary(BinaryCode.MUL):
            return None
        x, y = graph.operands(product)
        return x, y, self._is_accumulator(left), False

    def _is_accumulator(self, obj: ObjectId) -> bool:
        return component(self.graph, obj, self.inner.input) == self.fold_captures

    def _read(self, factor: ObjectId, lanes: int) -> TileRead | None:
        graph = self.graph
        access = graph.definer(factor)
        if access is None or not isinstance(access.op, ops.Index):
            return None
        array, place = graph.operands(access)
        ty = graph.ty(array)
        assert isinstance(ty, Array)
        slot = self._map_capture(array)
        address = affine(graph, place, lambda obj: self._terminal(obj, lanes))
        if slot is None or ty.element != self.element or address is None:
            return None
        return self._geometry(address, slot)

    def _map_capture(self, array: ObjectId) -> int | None:
        """Which capture of the map an array in the inner body is."""
        place = component(self.graph, array, self.inner.input)
        if place is None or place >= self.fold_captures:
            return None
        slot = component(self.graph, self.graph.operands(self.fold)[place], self.outer.input)
        return slot if slot is not None and slot < self.captures else None

    def _terminal(self, obj: ObjectId, lanes: int) -> Affine | None:
        """The step, its parts, and captured values that are affine in row and lane."""
        graph, step = self.graph, self.fold_captures + 1
        place = component(graph, obj, self.inner.input)
        if place is None:
            return split_element(graph, obj, self.inner.input, step)
        if place == step:
            return Affine(0, {_STEP: 1})
        if place >= self.fold_captures:
            return None
        feeder = graph.operands(self.fold)[place]
        return affine(graph, feeder, lambda outside: self._cell(outside, lanes))

    def _cell(self, obj: ObjectId, lanes: int) -> Affine | None:
        """Row or lane, in the body of the map."""
        if self._is_element(obj):
            return Affine(0, {_LANE: 1}) if lanes == self.cells else None
        found = division(self.graph, obj)
        if found is None or not self._is_element(found[1]) or found[2] != lanes:
            return None
        return Affine(0, {_ROW if found[0] is BinaryCode.DIV else _LANE: 1})

    def _geometry(self, address: Affine, slot: int) -> TileRead | None:
        parts = {name for name in address.terms if name[0] in ("quotient", "remainder")}
        divisors = {divisor for _, divisor in parts}
        row, lane = address.coefficient(_ROW), address.coefficient(_LANE)
        step = address.coefficient(_STEP)
        split = None
        if parts:
            (divisor, *others) = divisors
            if step or others or divisor < 1 or self.steps % divisor:
                return None
            quotient = address.coefficient(("quotient", divisor))
            remainder = address.coefficient(("remainder", divisor))
            split = StepSplit(divisor, quotient, remainder)
        return TileRead(slot, address.base, row, step, lane, split)


def _nest(graph: Graph, morphism: Morphism, op: ops.Map) -> _Nest | None:
    outer = graph.functions[op.body]
    cells = index_length(graph, graph.operands(morphism)[-1])
    fold = _last(graph, outer)
    if cells is None or fold is None or not isinstance(fold.op, ops.Fold):
        return None
    inner = graph.functions[fold.op.body]
    if not is_tile_safe(graph, outer.id, folds=1) or not is_tile_safe(graph, inner.id):
        return None
    *_, start, array = graph.operands(fold) if fold.op.captures else graph.feeders(fold.source)
    seed, steps = graph.objects[start], index_length(graph, array)
    element = graph.ty(inner.output)
    if steps is None or seed.kind is not ObjectKind.CONSTANT or seed.value is None:
        return None
    if not isinstance(element, Scalar) or not element.is_numeric:
        return None
    return _Nest(
        graph,
        outer,
        op.captures,
        cells,
        fold,
        inner,
        fold.op.captures,
        steps,
        seed.value,
        element,
    )


def _last(graph: Graph, function: Function) -> Morphism | None:
    """The operation whose value a function returns."""
    writer = graph.definer(function.output)
    if writer is not None and isinstance(writer.op, ops.Output):
        return graph.definer(writer.source)
    return writer
