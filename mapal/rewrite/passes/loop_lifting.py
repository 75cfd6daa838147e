"""Turns counting loops into folds and maps over a range.

A loop whose state is a counter, of any integer type, that runs from one constant to another,
beside values that each pass renews, is a fold of one pass over the range of passes; with no
values it is nothing but the counter's last value. Constants are literals and integers that are
proved to have one value; if the only value is an array of which each pass writes a cell of its
own, in or against their order, and none reads what another writes, the loop is a map
(`mapal.analysis.legality.writing_order`); against the order only if nothing in it can trap. The
range is never stored, so that the number of passes has no limit of its own.

What the loop ran, the fold must run: work that can trap stands in the jump region and takes
part in the next values; what stands before the condition runs once more on leaving, and must
be total. The exit region, total too, is repeated after the fold on the last values.
"""

from __future__ import annotations

from mapal.analysis.bounds import accesses_in_range
from mapal.analysis.definitions import definition, live_functions
from mapal.analysis.known_integers import known_integers
from mapal.analysis.legality import Writing, WritingOrder, writing_order
from mapal.analysis.positions import positions
from mapal.analysis.totality import is_total_morphism
from mapal.analysis.trip_counts import Counter, Uncounted, counter_of, views_of
from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph, Loop, ObjectKind, RegionKind
from mapal.ir.ops import BinaryCode, MorphismId, ObjectId, RegionId, UnaryCode
from mapal.ir.order import (
    GuardItem,
    Item,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    loop_item,
    schedule,
)
from mapal.ir.types import (
    Array,
    Struct,
    Tuple,
    Type,
    contains_str,
    contains_token,
    has_no_representation,
)
from mapal.rewrite.entries import Lifting
from mapal.rewrite.plan import PlanMaker

EFFECTS = "the loop carries the token"
INNER_LOOP = "a loop inside is left"
MANY_PASSES = "the loop passes more often than a range can count"
NO_PASS = "the loop ends at once"
CARRIES_ARRAY = "a value that is an array is not written once per pass"
IN_PLACE = "a loop around changes the array in place"
TRAPS_BACKWARDS = "an array is written from its end, by work that can trap"
RUNS_ON_LEAVING = "work that can trap also runs on leaving"
WOULD_VANISH = "work that can trap takes no part in the next values"
ERASED = "a value from outside has no representation"

_CLONED = (ops.Widen, ops.Convert)
_CLONED_BINARY = frozenset(BinaryCode) - {BinaryCode.DIV, BinaryCode.MOD}
_CLONED_UNARY = frozenset({UnaryCode.NEG, UnaryCode.NOT})


class _DeclinedError(Exception):
    """The loop stays a loop; the message is the reason."""


def analyse(maker: PlanMaker) -> None:
    """Plans every loop that has the shape, in all live functions."""
    graph = maker.graph
    for function in live_functions(graph):
        for loop in graph.functions[function].loops:
            try:
                maker.lift(_Candidate(graph, graph.loops[loop]).lifting())
            except _DeclinedError as reason:
                maker.decline(graph.loops[loop].key, str(reason))


class _Candidate:
    def __init__(self, graph: Graph, loop: Loop) -> None:
        self.graph = graph
        self.loop = loop
        self.item = loop_item(graph, loop.id)
        self.spans = positions(graph, loop.function)
        self.views: dict[ObjectId, int] = {}

    def lifting(self) -> Lifting:
        graph = self.graph
        state = graph.ty(self.loop.merge)
        if contains_token(state):
            raise _DeclinedError(EFFECTS)
        counter = self._counter()
        types = state.items if isinstance(state, Tuple) else (state,)
        following = definition(graph, self.item.next_state)
        feeders = following.feeders if isinstance(following, PackItem) else ()
        values = tuple(slot for slot in range(len(types)) if slot != counter.slot)
        written = self._written(values, feeders)
        results = tuple(feeders[slot] for slot in values)
        if written is not None:
            results = written.operands[2:]
        elif any(_holds_array(types[slot]) for slot in values):
            raise _DeclinedError(CARRIES_ARRAY)
        inside, outside = self._closure(results)
        reads = frozenset[MorphismId]() if written is None else self._reads(values[0], inside)
        first = self._first_value(values[0]) if reads else None
        if first is not None:
            outside.append(first)
        after = self._after()
        self._check_coverage(inside, written)
        start, step = counter.start, counter.step
        if written is not None and self._is_backwards(written, reads, counter, inside):
            start, step = start + step * (counter.passes - 1), -step
        clones, captures = self._captured(outside)
        by_slot: list[list[ObjectId]] = [[] for _ in types]
        for view, slot in self.views.items():
            by_slot[slot].append(view)
        return Lifting(
            loop=self.loop.id,
            is_map=written is not None,
            count=counter.passes,
            counter=counter.slot,
            start=start,
            step=step,
            last=counter.start + counter.step * counter.passes,
            values=values,
            views=tuple(map(tuple, by_slot)),
            results=results,
            inside=frozenset(inside) - self.views.keys(),
            clones=clones,
            captures=captures,
            after=after,
            first=first,
        )

    def _counter(self) -> Counter:
        """What decides how often the loop passes."""
        try:
            self.views = views_of(self.graph, self.loop)
            counter = counter_of(self.graph, self.loop.id, known_integers(self.graph))
        except Uncounted as reason:
            raise _DeclinedError(str(reason)) from None
        if counter.passes < 1:
            raise _DeclinedError(NO_PASS)
        if counter.passes >= 2**31:
            raise _DeclinedError(MANY_PASSES)
        return counter

    def _written(
        self, values: tuple[int, ...], feeders: tuple[ObjectId, ...]
    ) -> OperationItem | None:
        """The update by which each pass writes an array, if the loop carries nothing else."""
        if len(values) != 1:
            return None
        written = definition(self.graph, feeders[values[0]])
        if not isinstance(written, OperationItem) or written.morphism.op != ops.Update():
            return None
        if written.morphism.region not in (self.loop.body, self.loop.jump):
            return None
        return written if self.views.get(written.operands[0]) == values[0] else None

    def _reads(self, slot: int, inside: dict[ObjectId, None]) -> frozenset[MorphismId]:
        """The accesses to an array of the state by which a pass computes its element. Raises if
        the array is needed in another way."""
        found = set()
        for obj in inside:
            item = None if obj in self.views else definition(self.graph, obj)
            if item is None or all(self.views.get(part) != slot for part in self._read(item)):
                continue
            if not isinstance(item, OperationItem) or item.morphism.op != ops.Index():
                raise _DeclinedError(CARRIES_ARRAY)
            found.add(item.morphism.id)
        return frozenset(found)

    def _first_value(self, slot: int) -> ObjectId:
        """A component of the state before the loop, which a map reads besides what it writes.
        Raises where that costs: what is changed again and again stays in one place."""
        init = definition(self.graph, self.item.init)
        if not isinstance(init, PackItem):
            raise _DeclinedError(CARRIES_ARRAY)
        if self._is_repeated():
            raise _DeclinedError(IN_PLACE)
        return init.feeders[slot]

    def _is_repeated(self) -> bool:
        """Whether the loop stands in another one, or in the body of a fold."""
        graph = self.graph
        if graph.functions[self.loop.function].kind is FunctionKind.FOLD_BODY:
            return True
        at: RegionId | None = self.loop.region
        while at is not None and graph.regions[at].kind is not RegionKind.LOOP_BODY:
            at = graph.regions[at].parent
        return at is not None

    def _is_backwards(
        self,
        written: OperationItem,
        reads: frozenset[MorphismId],
        counter: Counter,
        inside: dict[ObjectId, None],
    ) -> bool:
        """Whether the passes write the last cell first. Raises if a pass has no cell of its own,
        or may see what another one writes, or if a map would trap in another order."""
        array, place, _ = written.operands
        is_counter = self.views.get(place) == counter.slot
        order = writing_order(
            self.graph,
            Writing(self.loop.id, self.views[array], written.morphism.id, reads),
            rule=lambda: is_counter and self._fills(array, counter) and not reads,
        )
        if order is None:
            raise _DeclinedError(CARRIES_ARRAY)
        if order is WritingOrder.FORWARDS:
            if not is_counter:
                # Folding makes it the counter first, if it can.
                raise _DeclinedError(CARRIES_ARRAY)
            return False
        if not all(self._never_traps(obj) for obj in inside):
            raise _DeclinedError(TRAPS_BACKWARDS)
        return True

    def _fills(self, array: ObjectId, counter: Counter) -> bool:
        """Whether the counter's values are the places of an array in their order."""
        ty = self.graph.ty(array)
        assert isinstance(ty, Array)
        return (counter.start, counter.step, counter.passes) == (0, 1, ty.length)

    def _never_traps(self, obj: ObjectId) -> bool:
        """Whether what computes a value of the loop is total."""
        item = definition(self.graph, obj)
        proved = accesses_in_range(self.graph)
        match item:
            case OperationItem(morphism=morphism):
                return is_total_morphism(self.graph, morphism.id, proved)
            case GuardItem(guard=guard):
                return is_total_morphism(self.graph, guard.phi, proved)
            case _:
                return True

    # What a pass computes -----------------------------------------------------------

    def _is_inside(self, obj: ObjectId) -> bool:
        record = self.graph.objects[obj]
        if record.kind in (ObjectKind.PARAMETER, ObjectKind.CONSTANT):
            return False
        return self.spans.encloses(self.loop.body, self.graph.region_of(obj))

    def _closure(self, roots: tuple[ObjectId, ...]) -> tuple[dict[ObjectId, None], list[ObjectId]]:
        """What some values of the loop are computed from: inside, the views included, and
        outside without constants."""
        inside: dict[ObjectId, None] = {}
        outside: dict[ObjectId, None] = {}
        work = list(roots)
        while work:
            obj = work.pop()
            if obj in inside or obj in outside:
                continue
            if not self._is_inside(obj):
                if self.graph.objects[obj].kind is not ObjectKind.CONSTANT:
                    outside[obj] = None
                continue
            inside[obj] = None
            if obj in self.views:
                continue
            item = definition(self.graph, obj)
            if item is None or isinstance(item, LoopItem):
                raise _DeclinedError(INNER_LOOP)
            work.extend(self._read(item))
        return inside, list(outside)

    def _read(self, item: Item) -> list[ObjectId]:
        """What an item reads; of a guard also all that its arms compute."""
        match item:
            case OperationItem(operands=operands):
                return list(operands)
            case PackItem(feeders=feeders):
                return list(feeders)
            case GuardItem(guard=guard, when_true=when_true, when_false=when_false):
                arms = [
                    inner.target
                    for arm in (guard.arm_true, guard.arm_false)
                    for inner in schedule(self.graph, arm)
                ]
                return [guard.cond, when_true, when_false, *arms]
            case _:
                raise _DeclinedError(INNER_LOOP)

    def _after(self) -> frozenset[ObjectId]:
        """What the exit region computes, and from what."""
        computed = tuple(item.target for item in schedule(self.graph, self.loop.exit))
        inside, _ = self._closure((*computed, self.item.payload))
        return frozenset(inside) - self.views.keys()

    def _check_coverage(self, inside: dict[ObjectId, None], written: OperationItem | None) -> None:
        """Nothing that can trap may run less often, or vanish. What writes the array that a map
        makes is in range on every pass."""
        proved = accesses_in_range(self.graph)
        for region in (self.loop.body, self.loop.exit):
            if not self._is_total(region):
                raise _DeclinedError(RUNS_ON_LEAVING)
        for item in schedule(self.graph, self.loop.jump):
            if isinstance(item, LoopItem):
                raise _DeclinedError(INNER_LOOP)
            if item.target in inside or isinstance(item, PackItem | ReturnSlotItem):
                continue
            if written is not None and item.target == written.target:
                continue
            identity = item.guard.phi if isinstance(item, GuardItem) else item.morphism.id
            if not is_total_morphism(self.graph, identity, proved):
                raise _DeclinedError(WOULD_VANISH)

    def _is_total(self, region: RegionId) -> bool:
        proved = accesses_in_range(self.graph)
        for item in schedule(self.graph, region):
            match item:
                case LoopItem():
                    raise _DeclinedError(INNER_LOOP)
                case OperationItem(morphism=morphism):
                    if not is_total_morphism(self.graph, morphism.id, proved):
                        return False
                case GuardItem(guard=guard):
                    if not is_total_morphism(self.graph, guard.phi, proved):
                        return False
                case _:
                    pass
        return True

    # What the body takes from outside -------------------------------------------------

    def _captured(
        self, outside: list[ObjectId]
    ) -> tuple[tuple[ObjectId, ...], tuple[ObjectId, ...]]:
        """Total scalar work outside the loop is repeated in the body, so that addresses stay
        visible; what it starts from is captured."""
        clones: dict[ObjectId, None] = {}
        captures: dict[ObjectId, None] = {}
        work = list(outside)
        while work:
            obj = work.pop()
            if obj in clones or obj in captures:
                continue
            if self.graph.objects[obj].kind is ObjectKind.CONSTANT:
                continue
            item = definition(self.graph, obj)
            if item is not None and self._is_cloned(item):
                clones[obj] = None
                work.extend(self._read(item))
            else:
                captures[obj] = None
        for capture in captures:
            ty = self.graph.ty(capture)
            if contains_token(ty) or contains_str(ty) or has_no_representation(ty):
                raise _DeclinedError(ERASED)
        places = self.spans.of
        return (
            tuple(sorted(clones, key=places.__getitem__)),
            tuple(sorted(captures, key=lambda obj: (places.get(obj, -1), obj))),
        )

    def _is_cloned(self, item: Item) -> bool:
        graph = self.graph
        if graph.is_token_bearing(item.target) or isinstance(graph.ty(item.target), Array):
            return False
        match item:
            case PackItem():
                return True
            case OperationItem(morphism=morphism, operands=operands):
                match morphism.op:
                    case ops.Proj():
                        source = graph.objects[operands[0]]
                        return isinstance(definition(graph, source.id), PackItem)
                    case ops.Binary(code=code):
                        return code in _CLONED_BINARY
                    case ops.Unary(code=code):
                        return code in _CLONED_UNARY
                    case op:
                        return isinstance(op, _CLONED)
            case _:
                return False


def _holds_array(ty: Type) -> bool:
    """Whether an array occurs in a type."""
    work = [ty]
    while work:
        part = work.pop()
        if isinstance(part, Array):
            return True
        if isinstance(part, Tuple | Struct):
            work.extend(part.items)
    return False
