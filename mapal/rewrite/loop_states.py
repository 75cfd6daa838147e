"""Keeps loops loops: the next state goes on depending on the state.

`x * 0` may become 0 anywhere, and a call the constant that its callee gives; but if that makes
every component of a loop's next state independent of the state, the back edge closes no cycle
and the graph is none. Rare, so that the entries inside such a loop are given up together.
"""

from __future__ import annotations

from collections.abc import Iterator

from mapal.analysis.positions import positions
from mapal.analysis.totality import callees_first
from mapal.ir import ops
from mapal.ir.graph import Graph, Loop, Morphism
from mapal.ir.ops import FunctionId, LoopId, MorphismId, ObjectId, RegionId
from mapal.ir.order import guard_item, loop_item
from mapal.rewrite.applications import Application, BodyAtPlace, FillOfBody
from mapal.rewrite.entries import Lifting, RewritePlan, Streaming
from mapal.rewrite.restriction import restricted


def loops_without_state(graph: Graph, plan: RewritePlan) -> frozenset[LoopId]:
    """The loops whose next state would not depend on their merge any more."""
    takes_places = bool(plan.inline or plan.apply)
    changes = plan.alias or plan.constify or plan.reoperand or plan.resolve_guards
    if not graph.loops or not (changes or takes_places or plan.stream or plan.lift):
        return frozenset()
    dependence = _Dependence(graph, plan)
    return frozenset(
        loop.id
        for loop in graph.loops
        if loop.id not in plan.resolve_loops
        and loop.id not in plan.lift
        and not dependence.on_merge(loop)
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


class _Dependence:
    """What depends on what under a plan."""

    def __init__(self, graph: Graph, plan: RewritePlan) -> None:
        self._graph = graph
        self._plan = plan
        self._lifted = {graph.loops[loop].merge: entry for loop, entry in plan.lift.items()}
        self._reached: dict[FunctionId, frozenset[ObjectId]] = {}
        if plan.inline or plan.apply:
            for function in callees_first(graph):
                output = graph.functions[function].output
                self._reached[function] = frozenset(self._backwards(output))

    def on_merge(self, loop: Loop) -> bool:
        """Whether the next state of a loop depends on its present one."""
        following = loop_item(self._graph, loop.id).next_state
        return loop.merge in self._backwards(following, loop.body)

    def _backwards(self, start: ObjectId, within: RegionId | None = None) -> Iterator[ObjectId]:
        """All that a value depends on, itself included, as far as it stands in a region."""
        graph = self._graph
        spans = positions(graph, graph.objects[start].function)
        work = [self._resolved(start)]
        seen = set(work)
        while work:
            obj = work.pop()
            yield obj
            is_outside = within is not None and not spans.encloses(within, graph.region_of(obj))
            if obj in self._plan.constify or is_outside:
                continue
            for edge in graph.in_edges[obj]:
                for source in self._sources(edge):
                    found = self._resolved(source)
                    if found not in seen:
                        seen.add(found)
                        work.append(found)

    def _resolved(self, obj: ObjectId) -> ObjectId:
        while True:
            following = self._plan.alias.get(obj, self._plan.share.get(obj))
            if following is None:
                return obj
            obj = following

    def _sources(self, edge: MorphismId) -> Iterator[ObjectId]:
        """What a morphism's target depends on."""
        graph, plan = self._graph, self._plan
        morphism = graph.morphisms[edge]
        match morphism.op:
            case ops.Phi(guard=guard) if guard in plan.resolve_guards:
                item = guard_item(graph, guard)
                yield item.when_true if plan.resolve_guards[guard] else item.when_false
            case ops.LoopExit(loop=loop) if loop in plan.resolve_loops or loop in plan.lift:
                yield loop_item(graph, loop).payload
            case ops.LoopBack(loop=loop) if loop in plan.resolve_loops:
                return
            case ops.LoopBack(loop=loop) | ops.LoopEnter(loop=loop) if loop in plan.lift:
                return
            case ops.Proj(index=slot) if morphism.source in self._lifted:
                yield from self._after_passes(self._lifted[morphism.source], slot)
            case _ if edge in plan.stream:
                yield from self._streamed(plan.stream[edge])
            case ops.Call(function=callee) if edge in plan.inline:
                if graph.functions[callee].input in self._reached[callee]:
                    yield morphism.source
            case ops.Map() | ops.Index() | ops.Zip() if edge in plan.apply:
                yield from self._applied(morphism, plan.apply[edge])
            case _ if edge in plan.reoperanded:
                for slot, operand in enumerate(graph.operands(morphism)):
                    yield plan.reoperand.get((edge, slot), operand)
            case _:
                yield morphism.source

    def _after_passes(self, lifting: Lifting, slot: int) -> Iterator[ObjectId]:
        """What a component of a lifted loop's last state depends on: the counter on nothing."""
        if slot != lifting.counter:
            yield from lifting.captures
            if not lifting.is_map:
                yield loop_item(self._graph, lifting.loop).init

    def _streamed(self, streaming: Streaming) -> Iterator[ObjectId]:
        graph = self._graph
        yield from (*streaming.captures, *streaming.sources, *streaming.kept)
        for _, array, place in streaming.steady:
            yield array
            if graph.objects[place].function == graph.objects[array].function:
                # Otherwise it is a constant of the body.
                yield place

    def _applied(self, morphism: Morphism, application: Application) -> Iterator[ObjectId]:
        """What the body of a map depends on, in the place of an operation."""
        graph = self._graph
        match application:
            case FillOfBody():
                assert isinstance(morphism.op, ops.Map), "only maps are fills of their bodies"
                body = graph.functions[morphism.op.body]
                captures = graph.operands(morphism)[: morphism.op.captures]
                for edge in graph.out_edges[body.input]:
                    view = graph.morphisms[edge]
                    if view.target in self._reached[body.id] and isinstance(view.op, ops.Proj):
                        yield captures[view.op.index]
            case BodyAtPlace(map=identity):
                inner = graph.morphisms[identity]
                assert isinstance(inner.op, ops.Map), "only bodies of maps are applied"
                body = graph.functions[inner.op.body]
                if body.input in self._reached[body.id]:
                    yield from (*graph.operands(inner), graph.operands(morphism)[1])
            case _:
                yield from (application.left, application.right)
