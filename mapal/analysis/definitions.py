"""What defines each value, and which functions a program uses at all."""

from __future__ import annotations

from collections.abc import Mapping

from mapal.analysis.totality import referenced
from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId, ObjectId
from mapal.ir.order import Item, ReturnSlotItem, schedule


def definition(graph: Graph, obj: ObjectId) -> Item | None:
    """The item whose value an object is: an operation, a pack, a guard or a loop (for its exit
    object). None for parameters, constants, merges and results by component."""
    return _definitions(graph, graph.objects[obj].function).get(obj)


def live_functions(graph: Graph) -> tuple[FunctionId, ...]:
    """The entry and all that it calls or uses as bodies, directly or not, in id order."""
    return graph.remembered("live functions", lambda: _live_functions(graph))


def _definitions(graph: Graph, function: FunctionId) -> Mapping[ObjectId, Item]:
    return graph.remembered(("definitions", function), lambda: _define(graph, function))


def _define(graph: Graph, function: FunctionId) -> dict[ObjectId, Item]:
    return {
        item.target: item
        for region in graph.functions[function].regions
        for item in schedule(graph, region)
        if not isinstance(item, ReturnSlotItem)
    }


def _live_functions(graph: Graph) -> tuple[FunctionId, ...]:
    seen = {graph.entry}
    work = [graph.entry]
    while work:
        for callee in referenced(graph, work.pop()):
            if callee not in seen:
                seen.add(callee)
                work.append(callee)
    return tuple(sorted(seen))
