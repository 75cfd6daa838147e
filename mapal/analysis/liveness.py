"""Which arrays are read where: the facts behind updating in place.

For every region, the last position in its schedule at which each value is read, and what the
region reads from outside itself. A position is an index into `schedule(graph, region)`; what a
region hands to its guard, loop or function when it ends counts as read at the position after
the last item. Values without arrays in them are left out: nobody asks about them.

A read names a component where that is all it touches: projecting the counter out of a loop's
state does not read the array beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mapal.ir import ops
from mapal.ir.graph import Graph, RegionKind
from mapal.ir.ops import FunctionId, GuardId, LoopId, ObjectId, RegionId
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
from mapal.ir.types import Array, Struct, Tuple, Type

WHOLE = -1
"""The component of a read that takes all of an object."""

Read = tuple[ObjectId, int]
"""An object and one of its components, or `WHOLE`."""


@dataclass(frozen=True, slots=True)
class RegionReads:
    """`last` maps a read to the last position that performs it; `outside` are the reads of
    objects that the region does not define, nested regions included."""

    last: Mapping[Read, int]
    outside: frozenset[Read]


def contains_array(graph: Graph, ty: Type) -> bool:
    """Whether an array occurs in a type (inside tuples and structs, or as the type itself)."""
    match ty:
        case Array():
            return True
        case Tuple() | Struct():
            query = ("contains array", ty)
            return graph.remembered(
                query, lambda: any(contains_array(graph, item) for item in ty.items)
            )
        case _:
            return False


def region_reads(graph: Graph, region: RegionId) -> RegionReads:
    """The reads of one region."""
    return _function_reads(graph, graph.regions[region].function)[region]


def loop_reads(graph: Graph, loop: LoopId) -> frozenset[Read]:
    """What the regions of a loop read from outside it, on any pass."""
    record = graph.loops[loop]
    table = _function_reads(graph, record.function)
    return _loop_outside(graph, loop, table)


def _function_reads(graph: Graph, function: FunctionId) -> dict[RegionId, RegionReads]:
    return graph.remembered(("region reads", function), lambda: _compute(graph, function))


def _compute(graph: Graph, function: FunctionId) -> dict[RegionId, RegionReads]:
    """Innermost regions first; ids ascend from parent to child."""
    table: dict[RegionId, RegionReads] = {}
    for region in reversed(graph.functions[function].regions):
        items = schedule(graph, region)
        last: dict[Read, int] = {}
        for position, item in enumerate(items):
            for read in _item_reads(graph, item, table):
                last[read] = position
        for read in _closing_reads(graph, region, table):
            last[read] = len(items)
        defined = {item.target for item in items}
        outside = frozenset(read for read in last if read[0] not in defined)
        table[region] = RegionReads(last, outside)
    return table


def _item_reads(
    graph: Graph, item: Item, table: Mapping[RegionId, RegionReads]
) -> frozenset[Read] | set[Read]:
    match item:
        case OperationItem(morphism=morphism, operands=operands):
            part = morphism.op.index if isinstance(morphism.op, ops.Proj) else WHOLE
            return {(obj, part) for obj in operands if _matters(graph, obj)}
        case PackItem(feeders=feeders):
            return {(obj, WHOLE) for obj in feeders if _matters(graph, obj)}
        case ReturnSlotItem(source=source):
            return {(source, WHOLE)} if _matters(graph, source) else set()
        case GuardItem(guard=guard):
            return table[guard.arm_true].outside | table[guard.arm_false].outside
        case LoopItem(loop=loop, init=init):
            outside = _loop_outside(graph, loop.id, table)
            return outside | {(init, WHOLE)} if _matters(graph, init) else outside


def _closing_reads(
    graph: Graph, region: RegionId, table: Mapping[RegionId, RegionReads]
) -> frozenset[Read] | set[Read]:
    record = graph.regions[region]
    if record.owner is None:
        return set()
    match record.kind:
        case RegionKind.ARM_TRUE:
            handed = guard_item(graph, GuardId(record.owner)).when_true
        case RegionKind.ARM_FALSE:
            handed = guard_item(graph, GuardId(record.owner)).when_false
        case RegionKind.JUMP:
            handed = loop_item(graph, LoopId(record.owner)).next_state
        case RegionKind.EXIT:
            handed = loop_item(graph, LoopId(record.owner)).payload
        case _:
            loop = graph.loops[LoopId(record.owner)]
            return table[loop.jump].outside | table[loop.exit].outside
    return {(handed, WHOLE)} if _matters(graph, handed) else set()


def _loop_outside(
    graph: Graph, loop: LoopId, table: Mapping[RegionId, RegionReads]
) -> frozenset[Read]:
    """The reads of a LoopBody and its arms, less what the pass itself defines. The body's own
    closing reads already cover those of the arms."""
    record = graph.loops[loop]
    return frozenset(read for read in table[record.body].outside if read[0] != record.merge)


def _matters(graph: Graph, obj: ObjectId) -> bool:
    return contains_array(graph, graph.ty(obj))
