"""Leaves out total work that nobody reads.

Kept are: what writes the result, what is not total, whatever carries the token, all that these
read, and the guards and loops around them. Everything else is left out, guards and loops as a
whole.
"""

from __future__ import annotations

from mapal.analysis.bounds import accesses_in_range
from mapal.analysis.definitions import definition, live_functions
from mapal.analysis.totality import is_total_morphism
from mapal.ir.graph import Graph, ObjectKind, RegionKind
from mapal.ir.ops import FunctionId, GuardId, LoopId, MorphismId, ObjectId, RegionId
from mapal.ir.order import (
    GuardItem,
    Item,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    guard_item,
    loop_item,
    schedule,
)
from mapal.rewrite.plan import PlanMaker


def analyse(maker: PlanMaker) -> None:
    """Plans to drop what is dead, in every live function."""
    graph = maker.graph
    proved = accesses_in_range(graph)
    for function in live_functions(graph):
        kept = _kept(graph, function, proved)
        for obj in _droppable(graph, function):
            if obj not in kept:
                maker.drop(obj)


def _droppable(graph: Graph, function: FunctionId) -> list[ObjectId]:
    """The values that items define, outermost regions first."""
    return [
        item.target
        for region in graph.functions[function].regions
        for item in schedule(graph, region)
        if graph.objects[item.target].kind is ObjectKind.TEMPORARY
    ]


def _kept(graph: Graph, function: FunctionId, proved: frozenset[MorphismId]) -> set[ObjectId]:
    kept: set[ObjectId] = set()
    entered: set[RegionId] = {graph.functions[function].body}
    work: list[ObjectId] = []

    def enter(region: RegionId) -> None:
        """Keeps the guards and loops around a region."""
        at: RegionId | None = region
        while at is not None and at not in entered:
            entered.add(at)
            work.append(_owner(graph, at).target)
            at = graph.regions[at].parent

    for region in graph.functions[function].regions:
        for item in schedule(graph, region):
            if _is_root(graph, item, proved):
                enter(region)
                if isinstance(item, ReturnSlotItem):
                    work.append(item.source)
                else:
                    work.append(item.target)
    while work:
        obj = work.pop()
        if obj in kept:
            continue
        kept.add(obj)
        if graph.objects[obj].kind is ObjectKind.LOOP_MERGE:
            enter(graph.region_of(obj))
            continue
        found = definition(graph, obj)
        if found is not None:
            enter(graph.region_of(obj))
            work.extend(_read(found))
    return kept


def _is_root(graph: Graph, item: Item, proved: frozenset[MorphismId]) -> bool:
    if graph.objects[item.target].kind is ObjectKind.RETURN or graph.is_token_bearing(item.target):
        return True
    match item:
        case OperationItem(morphism=morphism):
            return not is_total_morphism(graph, morphism.id, proved)
        case LoopItem(loop=loop):
            return not is_total_morphism(graph, loop.enter, proved)
        case _:
            return False


def _owner(graph: Graph, region: RegionId) -> GuardItem | LoopItem:
    record = graph.regions[region]
    assert record.owner is not None, "only the body has no owner"
    if record.kind in (RegionKind.ARM_TRUE, RegionKind.ARM_FALSE):
        return guard_item(graph, GuardId(record.owner))
    return loop_item(graph, LoopId(record.owner))


def _read(item: Item) -> tuple[ObjectId, ...]:
    """All that a kept item needs."""
    match item:
        case OperationItem(operands=operands):
            return operands
        case PackItem(feeders=feeders):
            return feeders
        case ReturnSlotItem(source=source):
            return (source,)
        case GuardItem(guard=guard, when_true=when_true, when_false=when_false):
            return (guard.cond, when_true, when_false)
        case LoopItem(loop=loop, init=init, next_state=next_state, payload=payload):
            return (init, loop.cond, next_state, payload)
