"""The laws of map: `map id = id` and `map g . map f = map (g . f)`.

Fusing runs g on an element before f on the next one. That cannot be seen if neither body runs
forever and at most one of them can trap; the fused map then stands where that one stood. It
computes an element of the inner map for each read of one: they are proved to be read only once.
"""

from __future__ import annotations

from mapal.analysis.bounds import accesses_in_range
from mapal.analysis.definitions import definition, live_functions
from mapal.analysis.legality import is_read_once
from mapal.analysis.positions import comes_before
from mapal.analysis.totality import is_total_function, is_total_morphism, may_run_forever
from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Morphism, ObjectKind
from mapal.ir.ops import MorphismId
from mapal.ir.order import OperationItem
from mapal.rewrite.entries import Fusion
from mapal.rewrite.plan import PlanMaker

LONGEST_KEY = 64
"""Bodies fused into each other have keys no longer than this."""

SHARED = "the array between the maps has other readers"
OTHER_REGION = "the maps stand in different regions"
BOTH_TRAP = "both bodies can trap"
RUNS_FOREVER = "a body has a loop"
LATE_CAPTURES = "the outer map captures what comes after the inner one"
TOO_DEEP = "bodies are fused too deep already"
REPEATS = "elements of the inner map are read more than once"
RESULT = "the map writes the result"


def analyse(maker: PlanMaker) -> None:
    """Plans both laws, in every live function; a map takes part in one fusion at a time."""
    graph = maker.graph
    taken: set[MorphismId] = set()
    for function in live_functions(graph):
        for identity in graph.functions[function].morphisms:
            morphism = graph.morphisms[identity]
            if not isinstance(morphism.op, ops.Map):
                continue
            if is_identity(graph, morphism):
                _leave_out(maker, morphism)
            elif identity not in taken:
                fusion = _fusion(maker, morphism, taken)
                if fusion is not None:
                    maker.fuse(fusion)
                    taken |= {fusion.outer, fusion.inner}


def _leave_out(maker: PlanMaker, morphism: Morphism) -> None:
    array = maker.resolved(maker.graph.operands(morphism)[-1])
    if maker.may_alias(morphism.target, array):
        maker.alias(morphism.target, array)
    else:
        maker.decline(morphism.key, RESULT)


def is_identity(graph: Graph, morphism: Morphism) -> bool:
    """Whether a map gives its array back: its body hands on the element, and all else that the
    body does is total."""
    assert isinstance(morphism.op, ops.Map), "only maps are asked about"
    body = graph.functions[morphism.op.body]
    writers = graph.in_edges[body.output]
    if len(writers) != 1 or not isinstance(graph.morphisms[writers[0]].op, ops.Output):
        return False
    source = graph.morphisms[writers[0]].source
    captures = morphism.op.captures
    if captures:
        element = definition(graph, source)
        if (
            not isinstance(element, OperationItem)
            or element.morphism.op != ops.Proj(captures)
            or element.operands != (body.input,)
        ):
            return False
    elif source != body.input:
        return False
    return all(is_total_morphism(graph, inner) for inner in body.morphisms)


def _fusion(maker: PlanMaker, outer: Morphism, taken: set[MorphismId]) -> Fusion | None:
    """The fusion of a map with the one that made its array, if the laws allow it."""
    graph = maker.graph
    middle = graph.operands(outer)[-1]
    made = definition(graph, middle)
    if not isinstance(made, OperationItem) or not isinstance(made.morphism.op, ops.Map):
        return None
    inner = made.morphism
    if inner.id in taken or graph.objects[middle].kind is not ObjectKind.TEMPORARY:
        return None
    reason = _obstacle(graph, inner, outer)
    if reason is not None:
        maker.decline(outer.key, reason)
        return None
    return Fusion(outer.id, inner.id, at_inner=not _is_total(graph, inner))


def _obstacle(graph: Graph, inner: Morphism, outer: Morphism) -> str | None:
    if len(graph.out_edges[inner.target]) != 1:
        return SHARED
    if inner.region != outer.region:
        return OTHER_REGION
    bodies = [_body(graph, inner), _body(graph, outer)]
    if any(may_run_forever(graph, body.id) for body in bodies):
        return RUNS_FOREVER
    if not _is_total(graph, inner):
        if not _is_total(graph, outer):
            return BOTH_TRAP
        captures = graph.operands(outer)[:-1]
        if not all(comes_before(graph, capture, inner.target) for capture in captures):
            return LATE_CAPTURES
    deepest = max(key_length(graph, body) for body in bodies)
    if deepest + max(len(inner.key), len(outer.key)) > LONGEST_KEY:
        return TOO_DEEP
    return None if is_read_once(graph, inner.id) else REPEATS


def _body(graph: Graph, morphism: Morphism) -> Function:
    assert isinstance(morphism.op, ops.Map), "only maps are asked about"
    return graph.functions[morphism.op.body]


def _is_total(graph: Graph, morphism: Morphism) -> bool:
    return is_total_function(graph, _body(graph, morphism).id, accesses_in_range(graph))


def key_length(graph: Graph, body: Function) -> int:
    """The length of the longest key in a body."""
    return graph.remembered(
        ("key length", body.id),
        lambda: max((len(graph.morphisms[m].key) for m in body.morphisms), default=1),
    )
