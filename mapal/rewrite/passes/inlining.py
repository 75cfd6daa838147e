"""Puts the bodies of small functions in the place of their calls.

Two caps, which change nothing but speed: a callee has at most `LARGEST_CALLEE` morphisms, its
own inlined calls counted, and a function grows by at most `LARGEST_GROWTH`. What was inlined
is told by its longer keys, so that the budget is a fact about the graph and not about how
often the pass ran.
"""

from __future__ import annotations

from mapal.analysis.definitions import live_functions
from mapal.analysis.totality import callees_first
from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Key, Morphism
from mapal.ir.ops import FunctionId, RegionId
from mapal.rewrite.plan import PlanMaker

LARGEST_CALLEE = 256
LARGEST_GROWTH = 4096
LONGEST_KEY = 64
"""Calls inlined into each other are no deeper than this."""

IS_ENTRY = "the callee is the entry"
HAS_LOOP = "the callee has a loop"
TOO_LARGE = "the callee is too large"
GROWN = "the calling function has grown enough"
TOO_DEEP = "calls are inlined too deep already"
NO_RESULT = "the callee has no result"
SAME_PLACE = "another call has the same place in the source"


def analyse(maker: PlanMaker) -> None:
    """Plans all inlining, callees before callers."""
    graph = maker.graph
    live = frozenset(live_functions(graph))
    sizes: dict[FunctionId, int] = {}
    depths: dict[FunctionId, int] = {}
    for identity in callees_first(graph):
        if identity in live:
            _into(maker, graph.functions[identity], sizes, depths)


def _into(
    maker: PlanMaker,
    function: Function,
    sizes: dict[FunctionId, int],
    depths: dict[FunctionId, int],
) -> None:
    """Plans the inlining into one function; notes its size and depth of keys after that."""
    graph = maker.graph
    morphisms = [graph.morphisms[morphism] for morphism in function.morphisms]
    size = len(morphisms)
    depth = max((len(morphism.key) for morphism in morphisms), default=1)
    grown = sum(len(morphism.key) > 1 for morphism in morphisms)
    places: set[tuple[RegionId, Key]] = set()
    calls = [morphism for morphism in morphisms if isinstance(morphism.op, ops.Call)]
    for call in sorted(calls, key=lambda call: (call.key, call.id)):
        callee = _callee(graph, call)
        reason = _obstacle(graph, callee, sizes[callee.id])
        deeper = len(call.key) + depths[callee.id]
        if reason is None and grown + sizes[callee.id] > LARGEST_GROWTH:
            reason = GROWN
        if reason is None and deeper > LONGEST_KEY:
            reason = TOO_DEEP
        if reason is None and (call.region, call.key) in places:
            reason = SAME_PLACE
        if reason is not None:
            maker.decline(call.key, reason)
            continue
        places.add((call.region, call.key))
        maker.inline(call.id)
        grown += sizes[callee.id]
        size += sizes[callee.id]
        depth = max(depth, deeper)
    sizes[function.id] = size
    depths[function.id] = depth


def _callee(graph: Graph, call: Morphism) -> Function:
    assert isinstance(call.op, ops.Call), "only calls are asked about"
    return graph.functions[call.op.function]


def _obstacle(graph: Graph, callee: Function, size: int) -> str | None:
    """Why no call of a function is inlined."""
    if callee.id == graph.entry:
        return IS_ENTRY
    if callee.loops:
        return HAS_LOOP
    if size > LARGEST_CALLEE:
        return TOO_LARGE
    if not graph.in_edges[callee.output]:
        return NO_RESULT
    return None
