"""Maps whose body is a fold of multiply-adds from a literal: what tiles and small products are
made of."""

from __future__ import annotations

from dataclasses import dataclass

from mapal.analysis.addresses import component
from mapal.analysis.index_arrays import index_length
from mapal.analysis.tile_safety import is_tile_safe
from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Morphism, ObjectKind, Value
from mapal.ir.ops import BinaryCode, ObjectId
from mapal.ir.types import Array, Scalar


@dataclass(frozen=True, slots=True)
class Step:
    """The multiply-add that the inner body returns: its factors, whether it names the
    accumulator first, and whether it is fused."""

    factors: tuple[ObjectId, ObjectId]
    adds_accumulator_first: bool
    is_fused: bool


@dataclass(frozen=True, slots=True)
class FoldNest:
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

    def is_element(self, obj: ObjectId) -> bool:
        """Whether an object of the outer body is the number of the cell."""
        return component(self.graph, obj, self.outer.input) == self.captures

    def step(self) -> Step | None:
        """The step, if it is a multiply-add."""
        graph = self.graph
        result = _last(graph, self.inner)
        if result is None:
            return None
        if result.op == ops.Fma(False, False):
            x, y, z = graph.operands(result)
            return Step((x, y), False, True) if self._is_accumulator(z) else None
        if result.op != ops.Binary(BinaryCode.ADD):
            return None
        left, right = graph.operands(result)
        if self._is_accumulator(left) == self._is_accumulator(right):
            return None
        product = graph.definer(right if self._is_accumulator(left) else left)
        if product is None or product.op != ops.Binary(BinaryCode.MUL):
            return None
        x, y = graph.operands(product)
        return Step((x, y), self._is_accumulator(left), False)

    def read(self, factor: ObjectId) -> tuple[int, ObjectId] | None:
        """The capture of the map that a factor is an element of, and the index."""
        access = self.graph.definer(factor)
        if access is None or not isinstance(access.op, ops.Index):
            return None
        array, place = self.graph.operands(access)
        ty, slot = self.graph.ty(array), self._map_capture(array)
        assert isinstance(ty, Array)
        return None if slot is None or ty.element != self.element else (slot, place)

    def captured(self, obj: ObjectId) -> ObjectId | None:
        """What a capture in the inner body is in the outer one."""
        place = component(self.graph, obj, self.inner.input)
        if place is None or place >= self.fold_captures:
            return None
        return self.graph.operands(self.fold)[place]

    def _is_accumulator(self, obj: ObjectId) -> bool:
        return component(self.graph, obj, self.inner.input) == self.fold_captures

    def _map_capture(self, array: ObjectId) -> int | None:
        """Which capture of the map an array in the inner body is."""
        feeder = self.captured(array)
        slot = None if feeder is None else component(self.graph, feeder, self.outer.input)
        return slot if slot is not None and slot < self.captures else None


def fold_nest(graph: Graph, morphism: Morphism, *, over_numbers: bool = True) -> FoldNest | None:
    """The nest that a Map is; nothing in it can trap, and what it reads is in range. Without
    `over_numbers`, map and fold may go over any elements, not only their numbers."""
    op = morphism.op
    assert isinstance(op, ops.Map)
    outer = graph.functions[op.body]
    length = index_length if over_numbers else _length
    cells = length(graph, graph.operands(morphism)[-1])
    fold = _last(graph, outer)
    if cells is None or fold is None or not isinstance(fold.op, ops.Fold):
        return None
    inner = graph.functions[fold.op.body]
    if not is_tile_safe(graph, outer.id, folds=1) or not is_tile_safe(graph, inner.id):
        return None
    *_, start, array = graph.operands(fold) if fold.op.captures else graph.feeders(fold.source)
    seed, steps = graph.objects[start], length(graph, array)
    element = graph.ty(inner.output)
    if steps is None or seed.kind is not ObjectKind.CONSTANT or seed.value is None:
        return None
    if not isinstance(element, Scalar) or not element.is_numeric:
        return None
    return FoldNest(
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


def _length(graph: Graph, array: ObjectId) -> int | None:
    ty = graph.ty(array)
    return ty.length if isinstance(ty, Array) else None


def _last(graph: Graph, function: Function) -> Morphism | None:
    """The operation whose value a function returns."""
    writer = graph.definer(function.output)
    if writer is not None and isinstance(writer.op, ops.Output):
        return graph.definer(writer.source)
    return writer
