"""What a pass wants changed: an immutable plan about one graph, and the laws that it obeys.

A pass fills a `PlanMaker`, which refuses what no plan may say; `mapal.rewrite.replay` carries
the plan out. The laws:

| law | what it demands |
|---|---|
| P1 | only temporaries are replaced or left out: the result keeps its writers |
| P2 | a value is replaced by one that exists where it is read and before it is needed; the \
next state, the condition and the value of a loop are not replaced, and the next state goes on \
depending on the state |
| P3 | maps are fused only where no order of traps can change (`map_fusion` proves it) |
| P4 | only total work is left out or moved, and moved only outwards |
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.analysis.bounds import accesses_in_range, total_accesses
from mapal.analysis.positions import comes_before, positions
from mapal.analysis.totality import is_total_definition
from mapal.diagnostics import CompilerBug
from mapal.ir.graph import Graph, Key, ObjectKind, Value
from mapal.ir.ops import GuardId, LoopId, MorphismId, ObjectId, RegionId
from mapal.rewrite.applications import Application, BodyAtPlace
from mapal.rewrite.entries import EMPTY, Fusion, Lifting, RewritePlan, Streaming
from mapal.rewrite.loop_states import loops_without_state, without_loops

__all__ = ["EMPTY", "Declined", "Fusion", "Lifting", "PlanError", "PlanMaker", "RewritePlan"]


STATELESS = "the next state of the loop would not depend on its state"


class PlanError(CompilerBug):
    """A pass planned what a plan law forbids; `law` names it."""

    def __init__(self, law: str, message: str) -> None:
        super().__init__(f"plan law {law}: {message}")
        self.law = law


@dataclass(frozen=True, slots=True)
class Declined:
    """A candidate that a pass left alone: where it stands, and why."""

    key: Key
    reason: str


class PlanMaker:
    """Collects the entries of one pass over one graph. Each method refuses what the laws forbid
    with `PlanError`; `may_replace` and `may_alias` tell beforehand."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.declined: list[Declined] = []
        self._alias: dict[ObjectId, ObjectId] = {}
        self._constify: dict[ObjectId, Value] = {}
        self._drop: dict[ObjectId, None] = {}
        self._share: dict[ObjectId, ObjectId] = {}
        self._reoperand: dict[tuple[MorphismId, int], ObjectId] = {}
        self._fuse: dict[MorphismId, Fusion] = {}
        self._stream: dict[MorphismId, Streaming] = {}
        self._apply: dict[MorphismId, Application] = {}
        self._inline: dict[MorphismId, None] = {}
        self._lift: dict[LoopId, Lifting] = {}
        self._resolve_guards: dict[GuardId, bool] = {}
        self._resolve_loops: dict[LoopId, None] = {}
        self._move: dict[ObjectId, RegionId] = {}

    # Questions ----------------------------------------------------------------------

    def resolved(self, obj: ObjectId) -> ObjectId:
        """What readers of an object will read, by the entries so far."""
        while True:
            following = self._alias.get(obj, self._share.get(obj))
            if following is None:
                return obj
            obj = following

    def may_replace(self, obj: ObjectId) -> bool:
        """P1 and P2 for the key of an entry: a temporary that is no part of a loop's frame, has
        no entry yet and carries no token."""
        return (
            self.graph.objects[obj].kind is ObjectKind.TEMPORARY
            and obj not in _loop_frame(self.graph)
            and obj not in self._alias
            and obj not in self._constify
            and obj not in self._drop
            and not self.graph.is_token_bearing(obj)
        )

    def may_alias(self, obj: ObjectId, value: ObjectId) -> bool:
        """P1 and P2: whether readers of an object may read another value in its place."""
        graph = self.graph
        if obj == value or not self.may_replace(obj) or graph.ty(obj) != graph.ty(value):
            return False
        function = graph.objects[obj].function
        if graph.objects[value].function != function:
            return False
        spans = positions(graph, function)
        if not spans.encloses(graph.region_of(value), graph.region_of(obj)):
            return False
        return comes_before(graph, value, obj)

    # Entries ------------------------------------------------------------------------

    def alias(self, obj: ObjectId, value: ObjectId) -> None:
        """Readers of `obj` read `value`."""
        if not self.may_alias(obj, value):
            raise PlanError("P2", f"object {obj} cannot be replaced by {value}")
        self._alias[obj] = value

    def constify(self, obj: ObjectId, value: Value) -> None:
        """`obj` becomes a constant."""
        if not self.may_replace(obj):
            raise PlanError("P1", f"object {obj} cannot become a constant")
        self._constify[obj] = value

    def drop(self, obj: ObjectId) -> None:
        """`obj` is left out, with the guard or loop whose value it is."""
        record = self.graph.objects[obj]
        if record.kind is not ObjectKind.TEMPORARY or self.graph.is_token_bearing(obj):
            raise PlanError("P1", f"object {obj} cannot be left out")
        if not is_total_definition(self.graph, obj, accesses_in_range(self.graph)):
            raise PlanError("P4", f"object {obj} is not total")
        self._drop[obj] = None

    def share(self, obj: ObjectId, value: ObjectId) -> None:
        """One constant stands for another of the same function."""
        first, second = self.graph.objects[value], self.graph.objects[obj]
        if first.kind is not ObjectKind.CONSTANT or second.kind is not ObjectKind.CONSTANT:
            raise PlanError("P1", "only constants are shared")
        if first.function != second.function or first.ty != second.ty or obj == value:
            raise PlanError("P2", f"constant {obj} is not {value}")
        self._share[obj] = value

    def reoperand(self, morphism: MorphismId, slot: int, value: ObjectId) -> None:
        """An operation reads another value in one of its slots."""
        graph, record = self.graph, self.graph.morphisms[morphism]
        function = record.function
        spans = positions(graph, function)
        old = graph.operands(record)[slot]
        if (
            graph.ty(old) != graph.ty(value)
            or graph.is_token_bearing(old)
            or not spans.encloses(graph.region_of(value), record.region)
            or not comes_before(graph, value, record.target)
        ):
            raise PlanError("P2", f"operand {slot} of {morphism} cannot be object {value}")
        self._reoperand[morphism, slot] = value

    def fuse(self, fusion: Fusion) -> None:
        """Two maps become one; the intermediate array is left out."""
        middle = self.graph.morphisms[fusion.inner].target
        if self.graph.objects[middle].kind is not ObjectKind.TEMPORARY:
            raise PlanError("P1", "the inner map writes the result")
        if len(self.graph.out_edges[middle]) != 1:
            raise PlanError("P3", "the array between two maps has other readers")
        self._fuse[fusion.outer] = fusion

    def stream(self, streaming: Streaming) -> None:
        """A consumer goes over other arrays; what it absorbs, nobody else reads, and what it
        reads exists where it will stand."""
        graph = self.graph
        place = graph.morphisms[streaming.place]
        spans = positions(graph, place.function)
        for obj in (*streaming.captures, *streaming.sources, *streaming.kept):
            if (
                graph.objects[obj].function != place.function
                or not spans.encloses(graph.region_of(obj), place.region)
                or not comes_before(graph, obj, place.target)
            ):
                raise PlanError("P2", f"object {obj} does not exist before {place.id}")
        for obj in streaming.absorbed:
            if graph.objects[obj].kind is not ObjectKind.TEMPORARY:
                raise PlanError("P1", f"array {obj} is the result")
            if len(graph.out_edges[obj]) != 1:
                raise PlanError("P3", f"array {obj} has other readers")
        self._stream[streaming.consumer] = streaming

    def apply(self, operation: MorphismId, application: Application) -> None:
        """The body of a map, applied once, takes the place of an operation."""
        graph = self.graph
        if isinstance(application, BodyAtPlace):
            array = graph.morphisms[application.map].target
            if graph.objects[array].kind is not ObjectKind.TEMPORARY:
                raise PlanError("P1", f"array {array} is the result")
            if len(graph.out_edges[array]) != 1:
                raise PlanError("P3", f"array {array} has other readers")
            if not is_total_definition(graph, array, accesses_in_range(graph)):
                raise PlanError("P4", f"array {array} is not total")
        self._apply[operation] = application

    def inline(self, call: MorphismId) -> None:
        """The callee's body takes the place of a call."""
        self._inline[call] = None

    def lift(self, lifting: Lifting) -> None:
        """A loop becomes a fold or map over a range."""
        self._lift[lifting.loop] = lifting

    def resolve_guard(self, guard: GuardId, arm: bool) -> None:
        """One arm of a guard is kept; the other never runs."""
        self._resolve_guards[guard] = arm

    def resolve_loop(self, loop: LoopId) -> None:
        """A loop whose condition is false at once runs its body and exit in its place."""
        self._resolve_loops[loop] = None

    def move(self, obj: ObjectId, region: RegionId) -> None:
        """A value is computed in a region around its own."""
        graph = self.graph
        function = graph.objects[obj].function
        if graph.objects[obj].kind is not ObjectKind.TEMPORARY or graph.is_token_bearing(obj):
            raise PlanError("P1", f"object {obj} cannot be moved")
        if not is_total_definition(graph, obj, total_accesses(graph)):
            raise PlanError("P4", f"object {obj} is not total")
        if not positions(graph, function).encloses(region, graph.region_of(obj)):
            raise PlanError("P4", f"object {obj} would move to a region that is not around it")
        self._move[obj] = region

    def decline(self, key: Key, reason: str) -> None:
        """Notes a candidate that was left alone."""
        self.declined.append(Declined(key, reason))

    def finish(self) -> RewritePlan:
        """The plan, less what would leave a loop without a state to depend on."""
        plan = self._plan()
        stuck = loops_without_state(self.graph, plan)
        for loop in sorted(stuck):
            self.decline(self.graph.loops[loop].key, STATELESS)
        return without_loops(self.graph, plan, stuck) if stuck else plan

    def _plan(self) -> RewritePlan:
        return RewritePlan(
            alias=self._alias,
            constify=self._constify,
            drop=frozenset(self._drop),
            share=self._share,
            reoperand=self._reoperand,
            fuse=self._fuse,
            stream=self._stream,
            apply=self._apply,
            inline=frozenset(self._inline),
            lift=self._lift,
            resolve_guards=self._resolve_guards,
            resolve_loops=frozenset(self._resolve_loops),
            move=self._move,
        )


def _loop_frame(graph: Graph) -> frozenset[ObjectId]:
    """The next states, conditions, routes and exit objects of all loops."""
    return graph.remembered("loop frame", lambda: _find_loop_frame(graph))


def _find_loop_frame(graph: Graph) -> frozenset[ObjectId]:
    found: set[ObjectId] = set()
    for loop in graph.loops:
        back, leave = graph.morphisms[loop.back], graph.morphisms[loop.leave]
        found |= {back.source, leave.source, leave.target, graph.operands(back)[0], loop.cond}
    return frozenset(found)
