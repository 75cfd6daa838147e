"""Keeps loops loops: the next state goes on depending on the state.

`x * 0` may become 0 anywhere, but if that makes every component of a loop's next state
independent of the state, the back edge closes no cycle and the graph is none. Rare, so that
the entries inside such a loop are given up together.
"""

from __future__ import annotations

from collections.abc import Iterator

from mapal.analysis.positions import positions
from mapal.ir import ops
from mapal.ir.graph import Graph, Loop
from mapal.ir.ops import LoopId, MorphismId, ObjectId
from mapal.ir.order import guard_item, loop_item
from mapal.rewrite.applications import FillOfBody
from mapal.rewrite.entries import RewritePlan
from mapal.rewrite.restriction import restricted


def loops_without_state(graph: Graph, plan: RewritePlan) -> frozenset[LoopId]:
    """The loops whose next state would not depend on their merge any more."""
    if not (plan.alias or plan.constify or plan.reoperand or plan.resolve_guards or plan.stream):
        return frozenset()
    return frozenset(
        loop.id
        for loop in graph.loops
        if loop.id not in plan.resolve_loops and not _depends_on_merge(graph, plan, loop)
    )


def without_loops(graph: Graph, plan: RewritePlan, loops: frozenset[LoopId]) -> RewritePlan:
    """The plan without what it says about the insides of some loops."""
    bodies = [graph.loops[loop] for loop in sorted(loops)]

    def keeps(region: int) -> bool:
        function = graph.regions[region].function
        spans = positions(graph, function)
        return not any(
            loop.function == function and spans.encloses(loop.body, graph.regions[region].id)
            for loop in bodies
        )

    return restricted(graph, plan, keeps)


def _depends_on_merge(graph: Graph, plan: RewritePlan, loop: Loop) -> bool:
    spans = positions(graph, loop.function)
    work = [_resolved(plan, loop_item(graph, loop.id).next_state)]
    seen = set(work)
    while work:
        obj = work.pop()
        if obj == loop.merge:
            return True
        if obj in plan.constify or not spans.encloses(loop.body, graph.region_of(obj)):
            continue
        for edge in graph.in_edges[obj]:
            for source in _sources(graph, plan, edge):
                found = _resolved(plan, source)
                if found not in seen:
                    seen.add(found)
                    work.append(found)
    return False


def _resolved(plan: RewritePlan, obj: ObjectId) -> ObjectId:
    while True:
        following = plan.alias.get(obj, plan.share.get(obj))
        if following is None:
            return obj
        obj = following


def _sources(graph: Graph, plan: RewritePlan, edge: MorphismId) -> Iterator[ObjectId]:
    """What a morphism's target depends on under the plan."""
    morphism = graph.morphisms[edge]
    match morphism.op:
        case ops.Phi(guard=guard) if guard in plan.resolve_guards:
            item = guard_item(graph, guard)
            yield item.when_true if plan.resolve_guards[guard] else item.when_false
        case ops.LoopExit(loop=loop) if loop in plan.resolve_loops:
            yield loop_item(graph, loop).payload
        case ops.LoopBack(loop=loop) if loop in plan.resolve_loops:
            return
        case _ if edge in plan.stream:
            streaming = plan.stream[edge]
            yield from (*streaming.captures, *streaming.sources, *streaming.kept)
            for _, array, place in streaming.steady:
                yield from (array, place)
        case ops.Map(captures=count) if isinstance(plan.apply.get(edge), FillOfBody):
            yield from graph.operands(morphism)[:count]
        case _ if edge in plan.reoperanded:
            for slot, operand in enumerate(graph.operands(morphism)):
                yield plan.reoperand.get((edge, slot), operand)
        case _:
            yield morphism.source
