"""Addresses in maps of maps: an element of an array of arrays, as a place in its memory.

Arrays lie row by row, so `a[i][k]` is at `i * width + k`. Captures are followed outward through the
bodies, and the element of each body is a terminal: rows, lanes, and the steps of a fold.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.analysis.addresses import Affine, Terminal, affine, component, split_element
from mapal.analysis.index_arrays import index_length
from mapal.analysis.tile_safety import is_tile_safe
from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Morphism
from mapal.ir.ops import ObjectId
from mapal.ir.types import Array, Scalar, Type

ROW: Terminal = ("row", 0)
LANE: Terminal = ("lane", 0)
STEP: Terminal = ("step", 0)


@dataclass(frozen=True, slots=True)
class MapOfMaps:
    """A map of `rows` elements whose body gives a map of `lanes` numbers; nothing in it can
    trap. `sites` are the two maps, and the fold in the inner one if there is one; or, of a
    single row, a map and the fold in it. `terminals` stand for their elements."""

    graph: Graph
    rows: int
    lanes: int
    sites: tuple[Morphism, ...]
    terminals: tuple[Terminal, ...] = (ROW, LANE, STEP)

    def place(self, obj: ObjectId) -> tuple[int, Affine] | None:
        """The operand of the outer map that an element of the innermost body lies in, and where,
        counted in numbers."""
        return self._place(obj, len(self.sites) - 1)

    def _place(self, obj: ObjectId, level: int) -> tuple[int, Affine] | None:
        graph = self.graph
        slot = component(graph, obj, self._body(level).input)
        if slot is not None and slot < _captures(self.sites[level]):
            if level == 0:
                return slot, Affine(0, {})
            return self._place(graph.operands(self.sites[level])[slot], level - 1)
        array = self._iterated(obj, level)
        if array is not None:
            if level == 0:
                outer: tuple[int, Affine] | None = (_captures(self.sites[0]), Affine(0, {}))
            else:
                outer = self._place(array, level - 1)
            return self._moved(outer, Affine(0, {self.terminals[level]: 1}), obj)
        access = graph.definer(obj)
        if access is None or not isinstance(access.op, ops.Index):
            return None
        array, index = graph.operands(access)
        return self._moved(self._place(array, level), self._number(index, level), obj)

    def _moved(
        self, outer: tuple[int, Affine] | None, number: Affine | None, obj: ObjectId
    ) -> tuple[int, Affine] | None:
        """The place of an element with a number in an array at a place."""
        size = count_of(self.graph.ty(obj))
        if outer is None or number is None or size is None:
            return None
        distance = number.times(size)
        place = None if distance is None else outer[1].plus(distance)
        return None if place is None else (outer[0], place)

    def _iterated(self, obj: ObjectId, level: int) -> ObjectId | None:
        """The array around a body whose element an object of the body is, also one of a pair."""
        graph, site, body = self.graph, self.sites[level], self._body(level)
        element = _captures(site) + isinstance(site.op, ops.Fold)
        array = _array_of(graph, site)
        if component(graph, obj, body.input) == element:
            return array
        definer = graph.definer(obj)
        if definer is None or not isinstance(definer.op, ops.Proj):
            return None
        if component(graph, definer.source, body.input) != element:
            return None
        pairs = graph.definer(array)
        if pairs is None or not isinstance(pairs.op, ops.Zip):
            return None
        return graph.operands(pairs)[definer.op.index]

    def _number(self, obj: ObjectId, level: int) -> Affine | None:
        return affine(self.graph, obj, lambda leaf: self._terminal(leaf, level))

    def _terminal(self, obj: ObjectId, level: int) -> Affine | None:
        """The number of a row, lane or step, and captured ones."""
        graph, site = self.graph, self.sites[level]
        body, captures = self._body(level), _captures(site)
        array = self._iterated(obj, level)
        if array is not None:
            is_number = index_length(graph, array) is not None
            return Affine(0, {self.terminals[level]: 1}) if is_number else None
        slot = component(graph, obj, body.input)
        if slot is None:
            counts = index_length(graph, _array_of(graph, site)) is not None
            is_step = isinstance(site.op, ops.Fold) and counts
            return split_element(graph, obj, body.input, captures + 1) if is_step else None
        if slot < captures and level > 0:
            return self._number(graph.operands(site)[slot], level - 1)
        return None

    def _body(self, level: int) -> Function:
        op = self.sites[level].op
        assert isinstance(op, ops.Map | ops.Fold)
        return self.graph.functions[op.body]


def map_of_maps(graph: Graph, outer: Morphism) -> MapOfMaps | None:
    """What a Map is as a map of maps of numbers."""
    assert isinstance(outer.op, ops.Map)
    body = graph.functions[outer.op.body]
    inner = last(graph, body)
    if inner is None or not isinstance(inner.op, ops.Map) or not outer.op.captures:
        return None
    ty, made = graph.ty(graph.operands(outer)[-1]), graph.ty(inner.target)
    assert isinstance(ty, Array)
    assert isinstance(made, Array)
    if not isinstance(made.element, Scalar) or not inner.op.captures:
        return None
    if not is_tile_safe(graph, body.id, maps=1):
        return None
    found = last(graph, graph.functions[inner.op.body])
    sites: tuple[Morphism, ...] = (outer, inner)
    if found is not None and isinstance(found.op, ops.Fold):
        sites = (*sites, found)
    return MapOfMaps(graph, ty.length, made.length, sites)


def map_of_folds(graph: Graph, outer: Morphism) -> MapOfMaps | None:
    """What a Map whose body is a fold is as a single row."""
    assert isinstance(outer.op, ops.Map)
    body = graph.functions[outer.op.body]
    fold, ty = last(graph, body), graph.ty(outer.target)
    assert isinstance(ty, Array)
    if fold is None or not isinstance(fold.op, ops.Fold) or not outer.op.captures:
        return None
    return MapOfMaps(graph, 1, ty.length, (outer, fold), (LANE, STEP))


def _captures(site: Morphism) -> int:
    assert isinstance(site.op, ops.Map | ops.Fold)
    return site.op.captures


def _array_of(graph: Graph, site: Morphism) -> ObjectId:
    """What a Map or Fold goes over. A Fold without captures has one operand, a pair."""
    assert isinstance(site.op, ops.Map | ops.Fold)
    if isinstance(site.op, ops.Fold) and not site.op.captures:
        return graph.feeders(site.source)[-1]
    return graph.operands(site)[-1]


def count_of(ty: Type) -> int | None:
    """How many numbers lie in a value of a type, if it has nothing else."""
    if isinstance(ty, Scalar):
        return 1
    if isinstance(ty, Array):
        inner = count_of(ty.element)
        return None if inner is None else inner * ty.length
    return None


def last(graph: Graph, function: Function) -> Morphism | None:
    """The operation whose value a function returns."""
    writer = graph.definer(function.output)
    if writer is not None and isinstance(writer.op, ops.Output):
        return graph.definer(writer.source)
    return writer
