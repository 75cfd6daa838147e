"""The units of a region that a parallel schedule moves as a whole.

A unit is one item of the region with everything inside it. Positions number the items of the
region in the order of evaluation, nested ones in their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mapal.analysis.positions import expanded
from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import ObjectId, RegionId
from mapal.ir.order import GuardItem, Item, LoopItem, OperationItem, PackItem, schedule


@dataclass(frozen=True, slots=True)
class Unit:
    """`first` is the position of its first item; `inside` are all items with their positions, the
    unit's own item among them; `reads` are the objects that come from other units, without
    constants."""

    item: Item
    first: int
    inside: tuple[tuple[int, Item], ...]
    reads: tuple[ObjectId, ...]
    defines: frozenset[ObjectId]


def region_units(graph: Graph, region: RegionId) -> tuple[Unit, ...]:
    """The units of a region: its items, each with everything inside it."""
    return graph.remembered(("units", region), lambda: tuple(_units(graph, region)))


def _units(graph: Graph, region: RegionId) -> Iterator[Unit]:
    position = 0
    for item in schedule(graph, region):
        inside = tuple(enumerate(_inside(graph, item), position))
        defines = {each.target for _, each in inside}
        defines |= {each.loop.merge for _, each in inside if isinstance(each, LoopItem)}
        reads = dict.fromkeys(
            obj
            for _, each in inside
            for obj in reads_of(each)
            if obj not in defines and graph.objects[obj].kind is not ObjectKind.CONSTANT
        )
        yield Unit(item, position, inside, tuple(reads), frozenset(defines))
        position += len(inside)


def _inside(graph: Graph, item: Item) -> Iterator[Item]:
    match item:
        case GuardItem(guard=guard):
            yield from expanded(graph, guard.arm_true)
            yield from expanded(graph, guard.arm_false)
            yield item
        case LoopItem(loop=loop):
            yield from expanded(graph, loop.body)
            yield from expanded(graph, loop.exit)
            yield item
            yield from expanded(graph, loop.jump)
        case _:
            yield item


def reads_of(item: Item) -> tuple[ObjectId, ...]:
    """All that an item itself reads, in whatever region."""
    match item:
        case OperationItem(operands=operands):
            return operands
        case PackItem(feeders=feeders):
            return feeders
        case GuardItem(guard=guard, when_true=when_true, when_false=when_false):
            return (guard.cond, when_true, when_false)
        case LoopItem(loop=loop, init=init, next_state=next_state, payload=payload):
            return (init, loop.cond, next_state, payload)
        case _:
            return (item.source,)
