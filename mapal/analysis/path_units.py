"""The units of a function's body that a parallel schedule moves as a whole, and which of them
stay on the host spine that owns the effects.

A unit is one item of the Body region with everything inside it. Positions number the items of
the whole function in the order of evaluation, nested ones in their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mapal.analysis.positions import expanded
from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import FunctionId, ObjectId, RegionId
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


def units(graph: Graph, function: FunctionId) -> tuple[Unit, ...]:
    """The units of a function in the order of evaluation."""
    return region_units(graph, graph.functions[function].body)


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


def is_clock_read(unit: Unit) -> bool:
    """Whether a unit is a clock read of the body itself."""
    return isinstance(unit.item, OperationItem) and isinstance(unit.item.morphism.op, ops.TimeMs)


def spine(graph: Graph, function: FunctionId) -> frozenset[ObjectId]:
    """The targets of the units on the host spine: whatever hands the token on but clock reads, and
    whatever reads a value that the spine or a clock read made, since nobody else would know when
    it is there."""
    return graph.remembered(("spine", function), lambda: _spine(graph, function))


def _spine(graph: Graph, function: FunctionId) -> frozenset[ObjectId]:
    found: set[ObjectId] = set()
    written: set[ObjectId] = set()
    for unit in units(graph, function):
        if is_clock_read(unit):
            written |= unit.defines
        elif graph.is_token_bearing(unit.item.target) or not written.isdisjoint(unit.reads):
            found.add(unit.item.target)
            written |= unit.defines
    return frozenset(found)
