"""Looks through arrays that are made by a law: zip, enumerate, range, fill.

| law | condition |
|---|---|
| `map first (zip a b) = a`, `map second (zip a b) = b` | what else the body does is total |
| `map second (enumerate a) = a` | likewise |
| `(iota n)[i] = i`, `(fill x n)[i] = x` | the access is proved to be in range |

Each law takes an operation away and none puts one back, so that they end. The arrays that are
not read any more stay where they are until they are found dead: what made them may trap.
"""

from __future__ import annotations

from mapal.analysis.bounds import accesses_in_range
from mapal.analysis.definitions import definition, live_functions
from mapal.analysis.totality import is_total_morphism
from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism
from mapal.ir.ops import MorphismId, ObjectId
from mapal.ir.order import OperationItem
from mapal.rewrite.plan import PlanMaker

RESULT = "the value is the result, or part of the frame of a loop"
NOT_IN_RANGE = "the access is not proved to be in range"


def analyse(maker: PlanMaker) -> None:
    """Plans all laws, in every live function."""
    graph = maker.graph
    proved = accesses_in_range(graph)
    for function in live_functions(graph):
        for identity in graph.functions[function].morphisms:
            morphism = graph.morphisms[identity]
            match morphism.op:
                case ops.Map():
                    _component(maker, morphism)
                case ops.Index():
                    _element(maker, morphism, proved)


def _component(maker: PlanMaker, morphism: Morphism) -> None:
    """A map that takes one component of the elements of a zip or enumeration."""
    graph = maker.graph
    slot = _taken(graph, morphism)
    if slot is None:
        return
    made = _made(maker, graph.operands(morphism)[-1])
    if made is None:
        return
    match made.morphism.op:
        case ops.Zip():
            _becomes(maker, morphism, made.operands[slot])
        case ops.Enumerate() if slot == 1:
            _becomes(maker, morphism, made.operands[0])


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


def _element(maker: PlanMaker, morphism: Morphism, proved: frozenset[MorphismId]) -> None:
    """An element of a range or fill."""
    graph = maker.graph
    array, place = graph.operands(morphism)
    made = _made(maker, array)
    if made is None or not isinstance(made.morphism.op, ops.Iota | ops.Fill):
        return
    if not is_total_morphism(graph, morphism.id, proved):
        maker.decline(morphism.key, NOT_IN_RANGE)
    elif isinstance(made.morphism.op, ops.Fill):
        _becomes(maker, morphism, made.operands[0])
    elif graph.ty(place) == graph.ty(morphism.target):
        _becomes(maker, morphism, place)


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
