"""The walk over one function's body: regions, guards and loops.

For a loop's counters the walk guesses that they never fall below, or never rise above, their
first value, and keeps a guess only if a pass of the loop preserves it. Counters that a pass moves
by constants are tied to each other: all of them count passes.
"""

from __future__ import annotations

from dataclasses import replace

from mapal.affine import Part, Stmt, Sym
from mapal.affine.index import Linear
from mapal.analysis.accesses import operations
from mapal.analysis.accesses.counters import counting, passes, runs_through, tied
from mapal.analysis.accesses.facts import (
    UNSEEN,
    Fact,
    Number,
    Place,
    Sequence,
    Stored,
    forgotten,
    implies,
    join,
    number,
    places,
    without_memory,
)
from mapal.analysis.accesses.records import LoopFrame, LoopKind
from mapal.analysis.accesses.symbols import constant, minus
from mapal.analysis.accesses.values import MOST_NAMED, Values, dimensions
from mapal.analysis.accesses.walker import Walker
from mapal.analysis.intervals import range_of
from mapal.analysis.known_integers import known_integers
from mapal.analysis.trip_counts import Counter, Uncounted, counter_of
from mapal.ir import ops
from mapal.ir.graph import Function, Graph, Loop
from mapal.ir.ops import ORDERINGS, ObjectId, RegionId
from mapal.ir.order import (
    GuardItem,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    schedule,
)
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, is_integer

DEEPEST_GUESS = 3
"""Loops nested deeper than this get no guesses: each level walks its passes several times."""

_NEVER: Fact = ()
"""No state: a pass that never goes on."""


class Walk(Values):
    """The walk over one body, for one fact about its input."""

    def __init__(self, walker: Walker, function: Function, taken: Fact, loops: int) -> None:
        super().__init__(walker, function, taken, loops)
        self._returned: dict[int, Fact] = {}

    def inner(self, function: Function, taken: Fact) -> Fact:
        """Walks a body that is applied here."""
        return Walk(self.walker, function, taken, self.loops).run()

    def run(self) -> Fact:
        """Walks the body; the fact about the result."""
        with self.symbols.scope():
            self._region(self.function.body)
            if not self._returned:
                return self._facts.get(self.function.output)
            parts = tuple(self._returned[slot] for slot in sorted(self._returned))
            return self.assembled(self.function.output, parts)

    # Regions ------------------------------------------------------------------------

    def _region(self, region: RegionId) -> None:
        before, self.has_ended = self.has_ended, False
        for position, item in enumerate(schedule(self.graph, region)):
            with self.walker.below(Stmt(position)), self.walker.reached(not self.has_ended):
                self._item(item)
        self.has_ended = before

    def _item(self, item: OperationItem | PackItem | ReturnSlotItem | GuardItem | LoopItem) -> None:
        match item:
            case OperationItem():
                self.set(item.target, operations.operation(self, item))
                if not self.loops and not self.walker.loops and self.is_open(item.target):
                    # One symbol for all iterations that will read it.
                    self.number(item.target)
            case PackItem(target=target, feeders=feeders):
                if isinstance(self.graph.ty(target), Array):
                    for edge, feeder in zip(self.graph.in_edges[target], feeders, strict=False):
                        operations.read_whole(self, edge, feeder)
                self.set(target, self.assembled(target, tuple(map(self.fact, feeders))))
            case ReturnSlotItem(slot=slot, source=source):
                operations.read_whole(self, self.graph.in_edges[item.target][0], source)
                self._returned[slot] = self.fact(source)
            case GuardItem():
                self.set(item.target, self._guard(item))
            case LoopItem():
                self.set(item.target, self._loop(item))
        if isinstance(self.graph.ty(item.target), Array) and not isinstance(item, ReturnSlotItem):
            # In memory from here on, and not of the loop in which somebody first looks at it.
            self.sequence(item.target)

    def _guard(self, item: GuardItem) -> Fact:
        """A chain of an integer match is walked along, not descended into; each test that
        fails narrows what follows."""
        arms: list[Fact] = []
        trusts, goes_on = self.walker.trusts_guards, True
        with self.restored(), self.walker.below(Part.BODY):
            while True:
                guard = item.guard
                with self.restored():
                    selected = not trusts or self.assume(guard.cond, True)
                    with self.walker.arm(len(arms), selected and goes_on):
                        self._region(guard.arm_true)
                        arms.append(self.here(item.when_true))
                if trusts and not self.assume(guard.cond, False):
                    goes_on = False
                following = _only_guard(self.graph, item)
                if following is None:
                    break
                item = following
            with self.walker.arm(len(arms), goes_on):
                self._region(item.guard.arm_false)
                arms.append(self.here(item.when_false))
        result = arms[0]
        for arm in arms[1:]:
            result = join(result, arm)
        # Two arrays under one name from here on: neither can be followed, though another part of
        # the value may be one of them.
        lost = set[Place]().union(*(forgotten(arm, result) for arm in arms))
        self.escape(item.guard.phi, lost)
        return result

    # Loops --------------------------------------------------------------------------

    def _loop(self, item: LoopItem) -> Fact:
        record = item.loop
        self.loops += 1
        state, after = self._state(item)
        with self.restored():
            init = self.fact(item.init)
            counter = passes(self.symbols)
            state = tied(self.symbols, counter, init, state, after)
            counted = self._counted(item)
            if counted is not None:
                state = counting(self.symbols, counter, counted, state)
            inside = LoopFrame(LoopKind.LOOP, counter, False, record.id)
            with_memory = self._with_memory(item, inside, init, state)
            self.set(record.merge, with_memory)
            if not self.walker.is_guessing:
                self.walker.table.counting[record.id] = _only_counts(with_memory, counter)
            with self.walker.below(Part.BODY):
                with self.walker.loop(inside), self.walker.below(Stmt(0)):
                    self._region(record.body)
                exact = counted is not None or self._counts(record.cond, counter)
                with self.restored():
                    goes_on = self.assume(record.cond, True)
                    if counted is not None:
                        last = minus(constant(counted.passes - 1), Linear({counter: 1}, 0))
                        goes_on &= self.symbols.assume_nonnegative(last)
                    frame = replace(inside, exact=exact)
                    below, reached = self.walker.below(Stmt(1)), self.walker.reached(goes_on)
                    with self.walker.loop(frame), below, reached:
                        self._region(record.jump)
                        self._hand_back(item)
                self.assume(record.cond, False)
                if counted is not None:
                    after_all = minus(Linear({counter: 1}, 0), constant(counted.passes))
                    self.symbols.assume_nonnegative(after_all)
                with self.walker.below(Stmt(2)):
                    self._region(record.exit)
            result = self.here(item.payload)
        self.loops -= 1
        return result

    def _counted(self, item: LoopItem) -> Counter | None:
        """The counter that alone decides when the loop ends, from constant to constant."""
        try:
            found = counter_of(self.graph, item.loop.id, known_integers(self.graph))
        except Uncounted:
            return None
        return found if found.passes > 0 else None

    def _counts(self, cond: ObjectId, counter: Sym) -> bool:
        """Whether the passes that go on are those of a range that is known here and now: the
        one that the condition will narrow the counter to."""
        definer = self.graph.definer(cond)
        if definer is None or not isinstance(definer.op, ops.Binary):
            return False
        left, right = self.graph.operands(definer)
        if definer.op.code not in ORDERINGS or not is_integer(self.graph.ty(left)):
            return False
        a, b = self.number(left).form, self.number(right).form
        assert a is not None
        assert b is not None
        conditions = self.differences(definer.op.code, minus(a, b))
        found = runs_through(self.symbols, counter, conditions)
        return found is not None and found.low <= found.high

    def _with_memory(self, item: LoopItem, inside: LoopFrame, init: Fact, state: Fact) -> Fact:
        """The state at the head, its arrays in memory of the loop's own, which the first ones
        are copied to."""
        ty = self.graph.ty(item.loop.merge)
        if isinstance(ty, Array):
            return self._carried(item, inside, ty, init, state)
        if not isinstance(ty, Tuple | Struct) or len(ty.items) > MOST_NAMED:
            return self._unfollowed(item.loop, init, state)
        count = len(ty.items)
        starts = init if isinstance(init, tuple) else (None,) * count
        parts = state if isinstance(state, tuple) else (None,) * count
        return tuple(
            self._carried(item, inside, item_ty, start, part)
            if isinstance(item_ty, Array)
            else self._unfollowed(item.loop, start, part)
            for item_ty, start, part in zip(ty.items, starts, parts, strict=True)
        )

    def _unfollowed(self, loop: Loop, start: Fact, state: Fact) -> Fact:
        """Arrays deeper inside of the state may be others on each pass."""
        self.escape(loop.enter, places(start))
        return without_memory(state)

    def _carried(
        self, item: LoopItem, inside: LoopFrame, ty: Array, start: Fact, state: Fact
    ) -> Fact:
        walker, enter = self.walker, item.loop.enter
        known = state if isinstance(state, Sequence) else Sequence(None)
        if isinstance(start, Sequence):
            operations.read_source(self, enter, start)
        # The value at the head is another one on each pass, in the same memory.
        loops = (*walker.loops, inside)
        array = walker.table.array(item.loop.merge, dimensions(ty), loops, walker.arms)
        walker.record(enter, Part.WRITE, array, array, (), write=True, whole=True)
        return Sequence(known.each, known.position, Stored(array, array))

    def _hand_back(self, item: LoopItem) -> None:
        """Arrays of the next state that are not updates of what they replace are copied."""
        merge = self._facts.get(item.loop.merge)
        following = self.fact(item.next_state)
        olds = merge if isinstance(merge, tuple) else (merge,)
        news = following if isinstance(following, tuple) else (following,)
        if isinstance(merge, tuple) and not isinstance(following, tuple):
            news = (None,) * len(olds)
        elif isinstance(following, tuple) and not isinstance(merge, tuple):
            olds = (None,) * len(news)
        for old, new in zip(olds, news, strict=True):
            if not isinstance(old, Sequence) or not isinstance(old.source, Stored):
                self.escape(item.loop.back, places(new))
                continue
            source = new.source if isinstance(new, Sequence) else UNSEEN
            if isinstance(source, Stored) and source.storage == old.source.storage:
                self.walker.table.handed_on.add(source.array)
                continue
            if isinstance(new, Sequence):
                operations.read_source(self, item.loop.back, new)
            storage = old.source.storage
            self.walker.record(
                item.loop.back, Part.WRITE, storage, storage, (), write=True, whole=True
            )

    def _state(self, item: LoopItem) -> tuple[Fact, Fact]:
        """What holds of a loop's state at the head on every pass, and of the state after a pass:
        of each guess, what a pass preserves."""
        init, merge = self.fact(item.init), item.loop.merge
        ty = self.graph.ty(merge)
        scalar_state = is_integer(ty)
        starts: tuple[Fact, ...] = init if isinstance(init, tuple) else (init,)
        if self.loops > DEEPEST_GUESS or not (scalar_state or isinstance(init, tuple)):
            return self.named(ty, None), None
        guesses = [self._guesses(ty, slot, start) for slot, start in enumerate(starts)]
        while True:
            guess = tuple(options[0] for options in guesses)
            state = self.named(ty, guess[0] if scalar_state else guess)
            after = self._after_pass(item, state)
            if after is _NEVER:
                return state, None
            found = (after,) if scalar_state else after
            if not isinstance(found, tuple):
                return self.named(ty, None), None
            kept = [implies(fact, option) for fact, option in zip(found, guess, strict=True)]
            if all(kept):
                return state, after
            for options, is_kept in zip(guesses, kept, strict=True):
                if not is_kept:
                    del options[0]

    def _guesses(self, ty: Type, slot: int, start: Fact) -> list[Fact]:
        """Guesses about one component, best first; the last one is that nothing is known."""
        part = ty.items[slot] if isinstance(ty, Tuple | Struct) else ty
        if not isinstance(part, Scalar) or not part.is_integer:
            return [start, None] if start is not None else [None]
        everything = range_of(part)
        known = start if isinstance(start, Number) else Number(everything)
        first = known.interval
        within = [Number(first)] if first.low < first.high else []
        upward, downward = number(first.low, everything.high), number(everything.low, first.high)
        return [known, *within, upward, downward, None]

    def _after_pass(self, item: LoopItem, state: Fact) -> Fact:
        """The next state after a pass that began with `state`; `_NEVER` if the loop then always
        ends."""
        record = item.loop
        with self.walker.guessing(), self.restored():
            self.set(record.merge, state)
            self._region(record.body)
            if not self.assume(record.cond, True):
                return _NEVER
            self._region(record.jump)
            return self.here(item.next_state)


def _only_guard(graph: Graph, item: GuardItem) -> GuardItem | None:
    """The guard that a guard's false arm consists of, if it is nothing else."""
    items = schedule(graph, item.guard.arm_false)
    if len(items) == 1 and isinstance(items[0], GuardItem) and items[0].target == item.when_false:
        return items[0]
    return None


def _only_counts(state: Fact, counter: Sym) -> bool:
    """Whether each component is an array, or changes by a constant on each pass."""
    parts = state if isinstance(state, tuple) else (state,)
    return all(
        isinstance(part, Sequence)
        or (
            isinstance(part, Number)
            and part.form is not None
            and (counter in part.form.terms or not part.form.terms)
        )
        for part in parts
    )
