"""Looks through arrays that are made by a law: zip, enumerate, range, fill, map.

| law | condition |
|---|---|
| `map first (zip a b) = a`, `map second (zip a b) = b` | what else the body does is total |
| `map second (enumerate a) = a` | likewise |
| `(iota n)[i] = i`, `(fill x n)[i] = x` | the access is proved to be in range |
| `(map f a)[i] = f a[i]` | likewise, f is total, and nobody else reads the map |
| `map f a = fill (f ..) n` | f does not read its element and has no loop |
| `zip (fill x n) (fill y n) = fill (x, y) n` | none |

Cost: each law takes an array, a traversal or an access away and adds none, so that they end. A
body that is applied to an element now runs once and not once for each element. What `f` does
not read is still there before the fill, and a trap of `f` on the first element is the trap of
`f` itself; arrays that are not read any more stay where they are until they are found dead:
what made them may trap. The laws that give a map or fold another array to go over are those of
the pass `streams`.
"""

from __future__ import annotations

from mapal.analysis.body_reads import reads_element
from mapal.analysis.bounds import accesses_in_range
from mapal.analysis.definitions import definition, live_functions
from mapal.analysis.totality import is_total_function, is_total_morphism, may_run_forever
from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism
from mapal.ir.ops import MorphismId, ObjectId
from mapal.ir.order import OperationItem
from mapal.rewrite.applications import BodyAtPlace, FillOfBody, FillOfPair
from mapal.rewrite.plan import PlanMaker

RESULT = "the value is the result, or part of the frame of a loop"
NOT_IN_RANGE = "the access is not proved to be in range"
PARTIAL = "the body of the map can trap or has a loop"
SHARED = "the map has other readers"
OTHER_REGION = "the map stands in another region"
LATE = "the map replaced a loop, and its body can trap"


def analyse(maker: PlanMaker) -> None:
    """Plans all laws, in every live function."""
    graph = maker.graph
    proved = accesses_in_range(graph)
    gone: set[MorphismId] = set()
    for function in live_functions(graph):
        for identity in reversed(graph.functions[function].morphisms):
            morphism = graph.morphisms[identity]
            match morphism.op:
                case ops.Map() if identity not in gone:
                    if not _component(maker, morphism):
                        _steady(maker, morphism, proved)
                case ops.Index():
                    applied = _element(maker, morphism, proved)
                    if applied is not None:
                        gone.add(applied)
                case ops.Zip():
                    _pair(maker, morphism)


def _component(maker: PlanMaker, morphism: Morphism) -> bool:
    """A map that takes one component of the elements of a zip or enumeration; whether it is
    one."""
    graph = maker.graph
    slot = _taken(graph, morphism)
    made = None if slot is None else _made(maker, graph.operands(morphism)[-1])
    if slot is None or made is None:
        return False
    match made.morphism.op:
        case ops.Zip():
            _becomes(maker, morphism, made.operands[slot])
        case ops.Enumerate() if slot == 1:
            _becomes(maker, morphism, made.operands[0])
        case _:
            return False
    return True


def _steady(maker: PlanMaker, morphism: Morphism, proved: frozenset[MorphismId]) -> None:
    """A map that gives the same for every element."""
    graph = maker.graph
    assert isinstance(morphism.op, ops.Map), "only maps are asked about"
    body = graph.functions[morphism.op.body]
    if reads_element(graph, body, morphism.op.captures):
        return
    if may_run_forever(graph, body.id):
        maker.decline(morphism.key, PARTIAL)
    elif morphism.late and not is_total_function(graph, body.id, proved):
        maker.decline(morphism.key, LATE)
    else:
        maker.apply(morphism.id, FillOfBody())


def _pair(maker: PlanMaker, morphism: Morphism) -> None:
    """A zip of two fills."""
    made = [_made(maker, side) for side in maker.graph.operands(morphism)]
    fills = [item for item in made if item is not None and isinstance(item.morphism.op, ops.Fill)]
    if len(fills) == len(made):
        left, right = (item.operands[0] for item in fills)
        maker.apply(morphism.id, FillOfPair(left, right))


def _taken(graph: Graph, morphism: Morphism) -> int | None:
    """Which component of its element the body of a map gives, if it does nothing else."""
    assert isinstance(morphism.op, ops.Map), "only maps are asked about"
    body = graph.functions[morphism.op.body]
    writers = graph.in_edges[body.output]
    if morphism.op.captures or len(writers) != 1:
        return None
    writer = graph.morphisms[writers[0]]
    if isinstance(writer.op, ops.Output):
        given = definition(graph, writer.source)
        if not isinstance(given, OperationItem):
            return None
        writer = given.morphism
    if not isinstance(writer.op, ops.Proj) or writer.source != body.input:
        return None
    if not all(is_total_morphism(graph, inner) for inner in body.morphisms):
        return None
    return writer.op.index


def _element(
    maker: PlanMaker, morphism: Morphism, proved: frozenset[MorphismId]
) -> MorphismId | None:
    """An element of a range, fill or map; the map that is not made any more."""
    graph = maker.graph
    array, place = graph.operands(morphism)
    made = _made(maker, array)
    if made is None or not isinstance(made.morphism.op, ops.Iota | ops.Fill | ops.Map):
        return None
    is_safe = is_total_morphism(graph, morphism.id, proved)
    if isinstance(made.morphism.op, ops.Map):
        reason = _obstacle(graph, morphism, made.morphism, proved)
        if reason is None and not is_safe:
            reason = NOT_IN_RANGE
        if reason is None:
            maker.apply(morphism.id, BodyAtPlace(made.morphism.id))
            return made.morphism.id
        maker.decline(morphism.key, reason)
    elif not is_safe:
        maker.decline(morphism.key, NOT_IN_RANGE)
    elif isinstance(made.morphism.op, ops.Fill):
        _becomes(maker, morphism, made.operands[0])
    elif graph.ty(place) == graph.ty(morphism.target):
        _becomes(maker, morphism, place)
    return None


def _obstacle(
    graph: Graph, access: Morphism, made: Morphism, proved: frozenset[MorphismId]
) -> str | None:
    """Why a map is made although one of its elements is read."""
    if len(graph.out_edges[made.target]) != 1 or graph.operands(access)[0] != made.target:
        return SHARED
    if made.region != access.region:
        return OTHER_REGION
    return None if is_total_morphism(graph, made.id, proved) else PARTIAL


def _made(maker: PlanMaker, array: ObjectId) -> OperationItem | None:
    """The operation that made an array."""
    item = definition(maker.graph, maker.resolved(array))
    return item if isinstance(item, OperationItem) else None


def _becomes(maker: PlanMaker, morphism: Morphism, value: ObjectId) -> None:
    found = maker.resolved(value)
    if maker.may_alias(morphism.target, found):
        maker.alias(morphism.target, found)
    else:
        maker.decline(morphism.key, RESULT)
