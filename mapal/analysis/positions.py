"""Where in the evaluation order of a function each value comes to be, and which region lies in
which: the facts behind replacing one value by another.

The order of a function is that of its body with every guard and loop expanded in place: the
arms of a guard before its value; of a loop the body, the exit, its value, then the jump.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import FunctionId, ObjectId, RegionId
from mapal.ir.order import GuardItem, Item, LoopItem, schedule


@dataclass(frozen=True, slots=True)
class Positions:
    """`of` numbers the values of one function that operations define; `spans` gives for each
    region the first and the last preorder number of itself and what is inside."""

    of: Mapping[ObjectId, int]
    spans: Mapping[RegionId, tuple[int, int]]

    def encloses(self, outer: RegionId, inner: RegionId) -> bool:
        """Whether `outer` is `inner` or lies around it."""
        first, last = self.spans[outer]
        return first <= self.spans[inner][0] <= last


def positions(graph: Graph, function: FunctionId) -> Positions:
    """The positions of one function."""
    return graph.remembered(("positions", function), lambda: _positions(graph, function))


def comes_before(graph: Graph, first: ObjectId, then: ObjectId) -> bool:
    """Whether a value of a function exists before another one is computed."""
    if graph.objects[first].kind in (ObjectKind.PARAMETER, ObjectKind.CONSTANT):
        return True
    places = positions(graph, graph.objects[first].function).of
    return places[first] < places[then]


def expanded(graph: Graph, region: RegionId) -> Iterator[Item]:
    """The items of a region and of all regions inside, in the order of the function. A guard
    or loop comes after its arms or its exit, as its value does."""
    work: list[Iterator[Item | RegionId]] = [_in_place(graph, region)]
    while work:
        for step in work[-1]:
            if isinstance(step, int):
                work.append(_in_place(graph, step))
                break
            yield step
        else:
            work.pop()


def _in_place(graph: Graph, region: RegionId) -> Iterator[Item | RegionId]:
    for item in schedule(graph, region):
        match item:
            case GuardItem(guard=guard):
                yield guard.arm_true
                yield guard.arm_false
                yield item
            case LoopItem(loop=loop):
                yield loop.body
                yield loop.exit
                yield item
                yield loop.jump
            case _:
                yield item


def _positions(graph: Graph, function: FunctionId) -> Positions:
    record = graph.functions[function]
    of: dict[ObjectId, int] = {}
    work: list[Iterator[Item | RegionId]] = [_in_place(graph, record.body)]
    while work:
        for step in work[-1]:
            if isinstance(step, int):
                owner = graph.regions[step]
                if owner.kind.value == "loop-body" and owner.owner is not None:
                    of[graph.loops[owner.owner].merge] = len(of)
                work.append(_in_place(graph, step))
                break
            of[step.target] = len(of)
        else:
            work.pop()
    return Positions(of, _spans(graph, function))


def _spans(graph: Graph, function: FunctionId) -> dict[RegionId, tuple[int, int]]:
    children: dict[RegionId, list[RegionId]] = {}
    record = graph.functions[function]
    for region in record.regions:
        parent = graph.regions[region].parent
        if parent is not None:
            children.setdefault(parent, []).append(region)
    first: dict[RegionId, int] = {}
    sizes: dict[RegionId, int] = {}
    order: list[RegionId] = []
    work = [record.body]
    while work:
        region = work.pop()
        first[region] = len(order)
        order.append(region)
        work.extend(children.get(region, ()))
    for region in reversed(order):
        sizes[region] = 1 + sum(sizes[child] for child in children.get(region, ()))
    return {region: (first[region], first[region] + sizes[region] - 1) for region in order}
