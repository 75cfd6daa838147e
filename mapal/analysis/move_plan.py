"""Maps that only move data: each element is one element of a captured array, at an address that
is affine in the quotient and remainder of its number by a literal. Transposition is one.

Geometry only: that any order of moving is right is asked of `mapal.analysis.legality`, and which
one is good for a cache is for code generation to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from mapal.analysis.addresses import Affine, affine, component, split_element
from mapal.analysis.index_arrays import index_length
from mapal.analysis.legality import is_move
from mapal.analysis.nested_addresses import LANE, ROW, count_of, last, map_of_maps
from mapal.analysis.tile_safety import is_tile_safe
from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism
from mapal.ir.ops import FunctionId, MorphismId, ObjectId
from mapal.ir.types import Array, Type


@dataclass(frozen=True, slots=True)
class MoveSite:
    """Element `row * width + column` of `rows * width` is element `row_step * row + column_step *
    column` of the capture `slot`, which has `length` elements of type `element`."""

    width: int
    rows: int
    row_step: int
    column_step: int
    slot: int
    element: Type
    length: int

    @property
    def largest(self) -> int:
        """The largest address, if none wraps."""
        return self.row_step * (self.rows - 1) + self.column_step * (self.width - 1)


def move_plan(graph: Graph, function: FunctionId) -> Mapping[MorphismId, MoveSite]:
    """The moving maps of a function."""
    return graph.remembered(("move plan", function), lambda: _plan(graph, function))


def _plan(graph: Graph, function: FunctionId) -> dict[MorphismId, MoveSite]:
    found: dict[MorphismId, MoveSite] = {}
    for identity in graph.functions[function].morphisms:
        morphism = graph.morphisms[identity]
        if isinstance(morphism.op, ops.Map) and morphism.op.captures:
            site = _site(graph, morphism, morphism.op)
            if site is not None and is_move(graph, identity, rule=partial(_fits, site)):
                found[identity] = site
            nested = _nested(graph, morphism)
            if nested is not None and _fits(nested):
                found[identity] = nested
    return found


def _fits(site: MoveSite) -> bool:
    """The simple rule: no address lies behind the array, so that none wraps."""
    return site.largest < site.length


def _nested(graph: Graph, morphism: Morphism) -> MoveSite | None:
    """What a map of maps is as a move."""
    maps = map_of_maps(graph, morphism)
    if maps is None or len(maps.sites) > 2 or min(maps.rows, maps.lanes) < 2:
        return None
    inner = maps.sites[1].op
    assert isinstance(inner, ops.Map)
    body = graph.functions[inner.body]
    access = last(graph, body)
    if access is None or not is_tile_safe(graph, body.id):
        return None
    found = maps.place(access.target)
    if found is None or set(found[1].terms) != {ROW, LANE} or found[1].base != 0:
        return None
    slot, place = found
    row_step, column_step = place.coefficient(ROW), place.coefficient(LANE)
    length = count_of(graph.ty(graph.operands(morphism)[slot]))
    if length is None:
        return None
    element = graph.ty(access.target)
    return MoveSite(maps.lanes, maps.rows, row_step, column_step, slot, element, length)


def _site(graph: Graph, morphism: Morphism, op: ops.Map) -> MoveSite | None:
    body = graph.functions[op.body]
    count = index_length(graph, graph.operands(morphism)[-1])
    access = graph.definer(body.output)
    if count is None or access is None or not is_tile_safe(graph, op.body):
        return None
    if isinstance(access.op, ops.Output):
        access = graph.definer(access.source)
    if access is None or not isinstance(access.op, ops.Index):
        return None
    array, place = graph.operands(access)
    slot = component(graph, array, body.input)
    if slot is None or slot >= op.captures:
        return None
    address = affine(graph, place, lambda obj: split_element(graph, obj, body.input, op.captures))
    return None if address is None else _geometry(graph, address, count, slot, array)


def _geometry(
    graph: Graph, address: Affine, count: int, slot: int, array: ObjectId
) -> MoveSite | None:
    ty = graph.ty(array)
    assert isinstance(ty, Array)
    widths = {divisor for _, divisor in address.terms}
    kinds = {kind for kind, _ in address.terms}
    if len(widths) != 1 or kinds != {"quotient", "remainder"} or address.base != 0:
        return None
    (width,) = widths
    rows, rest = divmod(count, width) if width >= 2 else (0, 1)
    if rest or rows < 2:
        return None
    row_step = address.coefficient(("quotient", width))
    column_step = address.coefficient(("remainder", width))
    return MoveSite(width, rows, row_step, column_step, slot, ty.element, ty.length)
