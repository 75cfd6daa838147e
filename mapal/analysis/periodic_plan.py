"""Maps of folds of multiply-adds whose reads repeat from period to period: many small products.

A body that takes the number of its cell apart by literals, as in `cell / 16` and `cell % 16 / 4`,
does the same every so many cells, at addresses that move on by a fixed distance. The plan lists
the addresses of one period, each found by evaluating the index as the program has it: cell
`period * q + r` has the value `constant + factor * q`, as long as divisors divide the factors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import lcm

from mapal.analysis.addresses import component, division
from mapal.analysis.fold_nests import FoldNest, fold_nest
from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind, Value
from mapal.ir.ops import BinaryCode, FunctionId, MorphismId, ObjectId
from mapal.ir.types import Array, Scalar, Type

MOST_CELLS = 64
"""Of a period."""

_MOST_READS = 4096
_LARGEST = 2**31 - 1
"""Where the arithmetic of `i32` would wrap."""


@dataclass(frozen=True, slots=True)
class PeriodicRead:
    """What one factor reads of the capture `slot`: in period q, at step k, cell r of the period
    reads element `offsets[k][r] + stride * q`."""

    slot: int
    stride: int
    offsets: tuple[tuple[int, ...], ...]

    def of_several(self, count: int) -> PeriodicRead:
        """The same read, `count` periods at a time."""
        starts = [self.stride * number for number in range(count)]
        rows = (tuple(start + at for start in starts for at in row) for row in self.offsets)
        return PeriodicRead(self.slot, self.stride * count, tuple(rows))


@dataclass(frozen=True, slots=True)
class PeriodicSite:
    """`periods` periods of `cells` cells, each cell a fold of `steps` multiply-adds of elements
    of `x` and `y` from `seed`; `is_fused` tells whether product and sum are one operation."""

    periods: int
    cells: int
    steps: int
    x: PeriodicRead
    y: PeriodicRead
    seed: Value
    element: Scalar
    is_fused: bool

    def of_several(self, count: int) -> PeriodicSite:
        """The same map with `count` periods as one; what is left over is left out."""
        return replace(
            self,
            periods=self.periods // count,
            cells=self.cells * count,
            x=self.x.of_several(count),
            y=self.y.of_several(count),
        )


def periodic_plan(graph: Graph, function: FunctionId) -> Mapping[MorphismId, PeriodicSite]:
    """The periodic maps of a function."""
    return graph.remembered(("periodic plan", function), lambda: _plan(graph, function))


def _plan(graph: Graph, function: FunctionId) -> dict[MorphismId, PeriodicSite]:
    found: dict[MorphismId, PeriodicSite] = {}
    for identity in graph.functions[function].morphisms:
        morphism = graph.morphisms[identity]
        if isinstance(morphism.op, ops.Map) and morphism.op.captures:
            nest = fold_nest(graph, morphism)
            captures = [graph.ty(obj) for obj in graph.operands(morphism)]
            site = None if nest is None else _site(nest)
            if site is not None and all(_fits(read, site, captures) for read in (site.x, site.y)):
                found[identity] = site
    return found


def _fits(read: PeriodicRead, site: PeriodicSite, captures: Sequence[Type]) -> bool:
    ty = captures[read.slot]
    assert isinstance(ty, Array)
    last = max(map(max, read.offsets)) + read.stride * (site.periods - 1)
    return last < ty.length


def _site(nest: FoldNest) -> PeriodicSite | None:
    step, cells = nest.step(), _period(nest)
    if step is None or cells is None or cells * nest.steps > _MOST_READS:
        return None
    reads = [_read(nest, factor, cells) for factor in step.factors]
    x, y = reads
    if x is None or y is None:
        return None
    return PeriodicSite(
        periods=nest.cells // cells,
        cells=cells,
        steps=nest.steps,
        x=x,
        y=y,
        seed=nest.seed,
        element=nest.element,
        is_fused=step.is_fused,
    )


def _period(nest: FoldNest) -> int | None:
    """The least number of cells after which every quotient and remainder of the outer body may
    repeat."""
    graph = nest.graph
    literals = [
        found[2]
        for identity in nest.outer.morphisms
        if (found := division(graph, graph.morphisms[identity].target)) is not None
    ]
    if not literals or min(literals) < 1:
        return None
    cells = lcm(*literals)
    return cells if 1 < cells <= MOST_CELLS and nest.cells % cells == 0 else None


def _read(nest: FoldNest, factor: ObjectId, cells: int) -> PeriodicRead | None:
    found = nest.read(factor)
    if found is None:
        return None
    slot, place = found
    evaluation = _Evaluation(nest, cells)
    rows: list[tuple[int, ...]] = []
    strides: set[int] = set()
    for step in range(nest.steps):
        values = [evaluation.inner(place, cell, step) for cell in range(cells)]
        known = [value for value in values if value is not None]
        if len(known) < cells:
            return None
        rows.append(tuple(constant for constant, _ in known))
        strides |= {stride for _, stride in known}
    return PeriodicRead(slot, strides.pop(), tuple(rows)) if len(strides) == 1 else None


_Form = tuple[int, int]
"""A constant, and the factor of the number of the period."""


class _Evaluation:
    """Values of integers for each cell of a period and step."""

    def __init__(self, nest: FoldNest, cells: int) -> None:
        self._nest = nest
        self._cells = cells
        self._outer: dict[tuple[ObjectId, int], _Form | None] = {}

    def inner(self, obj: ObjectId, cell: int, step: int) -> _Form | None:
        """The value of an object of the inner body."""
        nest = self._nest
        place = component(nest.graph, obj, nest.inner.input)
        if place == nest.fold_captures + 1:
            return step, 0
        feeder = nest.captured(obj)
        if feeder is not None:
            return self.outer(feeder, cell)
        return self._operation(obj, lambda operand: self.inner(operand, cell, step))

    def outer(self, obj: ObjectId, cell: int) -> _Form | None:
        """The value of an object of the outer body."""
        key = obj, cell
        if key not in self._outer:
            if self._nest.is_element(obj):
                self._outer[key] = cell, self._cells
            else:
                self._outer[key] = self._operation(obj, lambda operand: self.outer(operand, cell))
        return self._outer[key]

    def _operation(self, obj: ObjectId, value: Callable[[ObjectId], _Form | None]) -> _Form | None:
        graph = self._nest.graph
        record = graph.objects[obj]
        if record.kind is ObjectKind.CONSTANT:
            return (record.value, 0) if type(record.value) is int and record.value >= 0 else None
        definer = graph.definer(obj)
        if definer is None or not isinstance(definer.op, ops.Binary):
            return None
        left, right = (value(operand) for operand in graph.operands(definer))
        if left is None or right is None:
            return None
        found = _combined(definer.op.code, left, right)
        periods = self._nest.cells // self._cells
        if found is None or found[0] + found[1] * (periods - 1) > _LARGEST:
            return None
        return found


def _combined(code: BinaryCode, left: _Form, right: _Form) -> _Form | None:
    """The form of an operation on two forms of numbers that are not negative."""
    (a, p), (b, q) = left, right
    match code:
        case BinaryCode.ADD:
            return a + b, p + q
        case BinaryCode.MUL if q == 0:
            return a * b, p * b
        case BinaryCode.MUL if p == 0:
            return a * b, q * a
        case BinaryCode.DIV if q == 0 and b > 0 and p % b == 0:
            return a // b, p // b
        case BinaryCode.MOD if q == 0 and b > 0 and p % b == 0:
            return a % b, 0
        case _:
            return None
