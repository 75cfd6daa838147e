"""Shapes of a graph that only the finished graph shows: what stands in what.

The emission counts what it means to make; this counts what is there, from the region tree and
the one definition of total, so that a step that stopped making its shape is noticed.
"""

from __future__ import annotations

from collections.abc import Iterable

from mapal.analysis.totality import is_total_morphism
from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph, Loop, Morphism, RegionKind
from mapal.ir.ops import ObjectId, RegionId

_ARMS = (RegionKind.ARM_TRUE, RegionKind.ARM_FALSE)
_PARTS = {
    RegionKind.LOOP_BODY: "body",
    RegionKind.JUMP: "jump arm",
    RegionKind.EXIT: "exit arm",
}


def shapes_of(graph: Graph) -> set[str]:
    """The shapes that occur in a graph."""
    found: set[str] = set()
    for guard in graph.guards:
        found |= _surroundings(graph, guard.region, "guard")
    for loop in graph.loops:
        found |= _surroundings(graph, loop.region, "loop")
        found |= _of_a_loop(graph, loop)
    for morphism in graph.morphisms:
        found |= _of_an_operation(graph, morphism)
    return found


def _path(graph: Graph, region: RegionId) -> Iterable[RegionKind]:
    """The kinds of a region and those around it, inside out."""
    at: RegionId | None = region
    while at is not None:
        yield graph.regions[at].kind
        at = graph.regions[at].parent


def _surroundings(graph: Graph, region: RegionId, what: str) -> set[str]:
    record = graph.regions[region]
    kinds = list(_path(graph, region))
    found: set[str] = set()
    if record.kind in _PARTS:
        found.add(f"{what} in the {_PARTS[record.kind]} of a loop")
    if record.kind in _ARMS:
        found.add(f"{what} in an arm")
    kind = graph.functions[record.function].kind
    if kind is not FunctionKind.NAMED:
        found.add(f"{what} in a {kind.value.replace('-', ' ')}")
    if what == "loop" and kinds.count(RegionKind.LOOP_BODY) >= 2:
        found.add("loops three deep")
    return found


def _of_a_loop(graph: Graph, loop: Loop) -> set[str]:
    found: set[str] = set()
    outer = _loop_around(graph, loop.region)
    if outer is None:
        return found
    init = graph.morphisms[loop.enter].source
    parts = graph.feeders(init) or (init,)
    if any(_is_state_of(graph, part, outer) for part in parts):
        found.add("inner loop that begins with the outer state")
    if graph.is_token_bearing(loop.merge):
        place = _PARTS.get(graph.regions[loop.region].kind)
        if place is not None:
            found.add(f"printing loop in the {place} of a loop")
    value = graph.morphisms[loop.leave].target
    if _reaches(graph, value, outer.merge):
        found.add("name carried by an inner and an outer loop")
    return found


def _loop_around(graph: Graph, region: RegionId) -> Loop | None:
    at: RegionId | None = region
    while at is not None:
        record = graph.regions[at]
        if record.kind is RegionKind.LOOP_BODY:
            return next(loop for loop in graph.loops if loop.body == at)
        at = record.parent
    return None


def _is_state_of(graph: Graph, obj: ObjectId, loop: Loop) -> bool:
    """Whether a value is the state of a loop or a component of it."""
    if obj == loop.merge:
        return True
    definer = graph.definer(obj)
    return definer is not None and isinstance(definer.op, ops.Proj) and definer.source == loop.merge


def _reaches(graph: Graph, start: ObjectId, merge: ObjectId) -> bool:
    """Whether a value goes into a loop's next state by packs, projections and routes alone."""
    seen = {start}
    work = [start]
    while work:
        for edge in graph.out_edges[work.pop()]:
            morphism = graph.morphisms[edge]
            if morphism.target == merge and isinstance(morphism.op, ops.LoopBack):
                return True
            is_way = isinstance(morphism.op, ops.Pair | ops.Proj)
            if is_way and morphism.target not in seen:
                seen.add(morphism.target)
                work.append(morphism.target)
    return False


def _of_an_operation(graph: Graph, morphism: Morphism) -> set[str]:
    kinds = list(_path(graph, morphism.region))
    in_arm = any(kind in _ARMS for kind in kinds)
    in_loop = RegionKind.LOOP_BODY in kinds
    found: set[str] = set()
    match morphism.op:
        case ops.Map() | ops.Fold() | ops.Reduce():
            name = type(morphism.op).__name__
            if in_arm:
                found.add(f"{name} in an arm")
            if in_loop:
                found.add(f"{name} in a loop")
        case ops.Call():
            if in_arm and not is_total_morphism(graph, morphism.id):
                found.add("call that may trap in an arm")
            if in_loop:
                found.add("call in a loop")
        case ops.Binary() | ops.Index() | ops.Update():
            if in_arm and not is_total_morphism(graph, morphism.id):
                found.add("trap in an arm")
                if in_loop:
                    found.add("trap in an arm and a loop")
        case _:
            pass
    return found
