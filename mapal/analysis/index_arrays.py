"""Which arrays are ranges, seen through packs and captures, and where the bodies of a graph are
used."""

from __future__ import annotations

from collections.abc import Mapping

from mapal.analysis.definitions import live_functions
from mapal.analysis.element_plan import IndexLaw, element_plan
from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism
from mapal.ir.ops import FunctionId, ObjectId
from mapal.ir.types import Array

MOST_HOPS = 16


def sites(graph: Graph) -> Mapping[FunctionId, tuple[Morphism, ...]]:
    """The collection operations of live functions that use each body."""
    return graph.remembered("sites", lambda: _sites(graph))


def _sites(graph: Graph) -> dict[FunctionId, tuple[Morphism, ...]]:
    found: dict[FunctionId, tuple[Morphism, ...]] = {}
    for function in live_functions(graph):
        for identity in graph.functions[function].morphisms:
            morphism = graph.morphisms[identity]
            if isinstance(morphism.op, ops.Map | ops.Fold | ops.Reduce):
                body = morphism.op.body
                found[body] = (*found.get(body, ()), morphism)
    return found


def index_length(graph: Graph, array: ObjectId) -> int | None:
    """The length n of an array whose element i is i; None for any other array. Looks through at
    most `MOST_HOPS` components of packs and captures of bodies with one site."""
    at = array
    for _ in range(MOST_HOPS + 1):
        function = graph.objects[at].function
        if isinstance(element_plan(graph, function).get(at), IndexLaw):
            ty = graph.ty(at)
            assert isinstance(ty, Array)
            return ty.length
        definer = graph.definer(at)
        if definer is None or not isinstance(definer.op, ops.Proj):
            return None
        following = _behind(graph, function, definer.source, definer.op.index)
        if following is None:
            return None
        at = following
    return None


def _behind(graph: Graph, function: FunctionId, product: ObjectId, index: int) -> ObjectId | None:
    """What a component of a pack, or a capture of a body, is."""
    if graph.is_pack(product):
        return graph.slot_feeder(product, index)
    users = sites(graph).get(function, ())
    if product != graph.functions[function].input or len(users) != 1:
        return None
    (site,) = users
    assert isinstance(site.op, ops.Map | ops.Fold | ops.Reduce)
    return graph.operands(site)[index] if index < site.op.captures else None
