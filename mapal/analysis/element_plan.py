"""What the elements of an array are, as a closed form: its law, where it has one.

A consumer may compute an element from the law instead of loading it; the plan never removes an
array and knows no cost. Laws are cut at depth `DEEPEST`: what lies deeper is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mapal.analysis.positions import expanded
from mapal.analysis.tile_safety import is_tile_safe
from mapal.ir import ops
from mapal.ir.graph import Graph, RegionKind
from mapal.ir.ops import FunctionId, MorphismId, ObjectId, RegionId
from mapal.ir.order import OperationItem

DEEPEST = 16


@dataclass(frozen=True, slots=True)
class IndexLaw:
    """Element i is i."""


@dataclass(frozen=True, slots=True)
class BroadcastLaw:
    """Every element is `value`."""

    value: ObjectId


@dataclass(frozen=True, slots=True)
class PairLaw:
    """Element i is the pair of element i of both."""

    left: ElementLaw
    right: ElementLaw


@dataclass(frozen=True, slots=True)
class ApplyLaw:
    """Element i is the body of `map` on its captures and element i of `inner`. `array` is where
    the map put it, for those who rather load it."""

    map: MorphismId
    captures: tuple[ObjectId, ...]
    inner: ElementLaw
    array: ObjectId


@dataclass(frozen=True, slots=True)
class LoadLaw:
    """Element i of an array that has no law; only within other laws."""

    array: ObjectId


ElementLaw = IndexLaw | BroadcastLaw | PairLaw | ApplyLaw | LoadLaw


def element_plan(graph: Graph, function: FunctionId) -> Mapping[ObjectId, ElementLaw]:
    """The laws of the arrays that a function makes outside of loops."""
    return graph.remembered(("element plan", function), lambda: _plan(graph, function))


def _plan(graph: Graph, function: FunctionId) -> dict[ObjectId, ElementLaw]:
    laws: dict[ObjectId, ElementLaw] = {}
    depths: dict[ObjectId, int] = {}
    looping = _inside_loops(graph, function)

    def inner(array: ObjectId) -> ElementLaw:
        law = laws.get(array)
        return LoadLaw(array) if law is None or depths[array] >= DEEPEST else law

    for item in expanded(graph, graph.functions[function].body):
        if not isinstance(item, OperationItem) or item.morphism.region in looping:
            continue
        if len(graph.in_edges[item.target]) != 1:
            continue
        law: ElementLaw
        arrays: tuple[ObjectId, ...] = ()
        match item.morphism.op:
            case ops.Iota():
                law = IndexLaw()
            case ops.Fill():
                law = BroadcastLaw(item.operands[0])
            case ops.Zip():
                arrays = item.operands
                law = PairLaw(inner(arrays[0]), inner(arrays[1]))
            case ops.Enumerate():
                arrays = item.operands
                law = PairLaw(IndexLaw(), inner(arrays[0]))
            case ops.Map(body=body) if is_tile_safe(graph, body):
                *captures, array = item.operands
                arrays = (array,)
                law = ApplyLaw(item.morphism.id, tuple(captures), inner(array), item.target)
            case _:
                continue
        laws[item.target] = law
        # A law that was cut begins anew above the load.
        below = [depths[array] for array in arrays if depths.get(array, DEEPEST) < DEEPEST]
        depths[item.target] = 1 + max(below, default=0)
    return laws


def _inside_loops(graph: Graph, function: FunctionId) -> frozenset[RegionId]:
    """The regions of a function inside any loop; parents come before their children."""
    found: set[RegionId] = set()
    for region in graph.functions[function].regions:
        record = graph.regions[region]
        if record.kind is RegionKind.LOOP_BODY or record.parent in found:
            found.add(region)
    return frozenset(found)
