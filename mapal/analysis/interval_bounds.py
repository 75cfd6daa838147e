"""Which array accesses are always in range, by intervals alone: the simple rule that `bounds` is
compared with.

The analysis runs the program on facts instead of values. Bodies of collections are analysed at
each of their sites; named functions, and bodies that become functions, once, with what holds at
all of their calls. An access counts as proved only if it is in range at every place where it
stands. In the arm of a guard and on either way out of a loop's head, the condition narrows the
integers that it compares. For a loop's counters the analysis guesses that they never fall
below, or never rise above, their first value, and keeps a guess only if a pass of the loop
preserves it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mapal.analysis.conditions import comparisons
from mapal.analysis.expansion import outlined_bodies
from mapal.analysis.intervals import (
    Elements,
    Fact,
    Interval,
    binary,
    converted,
    implies,
    join,
    narrowed,
    range_of,
    unary,
)
from mapal.analysis.totality import callees_first
from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.graph import Function, FunctionKind, Graph, ObjectKind
from mapal.ir.ops import BinaryCode, FunctionId, MorphismId, ObjectId, RegionId
from mapal.ir.order import (
    GuardItem,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    schedule,
)
from mapal.ir.types import Array, Scalar, Struct, Tuple, is_integer

DEEPEST_GUESS = 3
"""Loops nested deeper than this get no guesses: each level analyses its passes several
times."""


def in_range_by_intervals(graph: Graph, *, trusts_guards: bool) -> frozenset[MorphismId]:
    """The `Index` and `Update` operations that intervals alone show never to trap; with
    `trusts_guards`, in the arm of a guard thanks to the guard's condition."""
    return _Analysis(graph, trusts_guards).run()


class _Analysis:
    """One run over a graph. `trusts_guards` tells whether a guard's condition narrows what its
    arms read. `_outcome` tells of each access seen whether it was in range at every place so
    far."""

    def __init__(self, graph: Graph, trusts_guards: bool) -> None:
        self.graph = graph
        self.trusts_guards = trusts_guards
        self.outlined = outlined_bodies(graph)
        self._outcome: dict[MorphismId, bool] = {}
        self._arguments: dict[FunctionId, Fact] = {}
        self._is_called: set[FunctionId] = set()
        self._is_guessing = False

    def run(self) -> frozenset[MorphismId]:
        graph = self.graph
        for identity in reversed(callees_first(graph)):
            function = graph.functions[identity]
            is_entry = identity == graph.entry
            stands_alone = function.kind is FunctionKind.NAMED or identity in self.outlined
            if stands_alone and (is_entry or identity in self._is_called):
                taken = None if is_entry else self._arguments[identity]
                _Walk(self, function, taken, 0).run()
        return frozenset(access for access, is_safe in self._outcome.items() if is_safe)

    def note(self, access: MorphismId, is_safe: bool) -> None:
        if not self._is_guessing:
            self._outcome[access] = self._outcome.get(access, True) and is_safe

    def note_call(self, function: FunctionId, argument: Fact) -> None:
        """Adds one call's argument to what holds at all calls."""
        if self._is_guessing:
            return
        if function in self._is_called:
            argument = join(self._arguments[function], argument)
        self._is_called.add(function)
        self._arguments[function] = argument

    @contextmanager
    def guessing(self) -> Iterator[None]:
        """Inside, nothing is recorded: the facts may be wrong."""
        before, self._is_guessing = self._is_guessing, True
        try:
            yield
        finally:
            self._is_guessing = before


class _Walk:
    """The analysis of one function's body, for one fact about its input. `loops` counts the
    loops around it. Facts that hold only in an arm are taken back by a trail of what they
    replaced."""

    def __init__(self, whole: _Analysis, function: Function, taken: Fact, loops: int) -> None:
        self._whole = whole
        self._graph = whole.graph
        self._function = function
        self._loops = loops
        self._facts: dict[ObjectId, Fact] = {function.input: taken}
        self._trail: list[tuple[ObjectId, Fact]] = []
        self._returned: dict[int, Fact] = {}

    def run(self) -> Fact:
        """Analyses the body; the fact about the result."""
        self._region(self._function.body)
        if not self._returned:
            return self._facts.get(self._function.output)
        parts = tuple(self._returned[slot] for slot in sorted(self._returned))
        return self._assembled(self._function.output, parts)

    # Facts --------------------------------------------------------------------------

    def _fact(self, obj: ObjectId) -> Fact:
        fact = self._facts.get(obj)
        if fact is not None:
            return fact
        found = self._graph.objects[obj]
        if found.kind is ObjectKind.CONSTANT and type(found.value) is int:
            return Interval(found.value, found.value)
        return None

    def _interval(self, obj: ObjectId) -> Interval:
        """The interval of an integer object."""
        fact = self._fact(obj)
        return fact if isinstance(fact, Interval) else range_of(self._scalar(obj))

    def _scalar(self, obj: ObjectId) -> Scalar:
        ty = self._graph.ty(obj)
        assert isinstance(ty, Scalar)
        return ty

    def _each(self, array: ObjectId) -> Fact:
        fact = self._fact(array)
        return fact.each if isinstance(fact, Elements) else None

    def _length(self, array: ObjectId) -> int:
        ty = self._graph.ty(array)
        assert isinstance(ty, Array)
        return ty.length

    def _assembled(self, product: ObjectId, parts: tuple[Fact, ...]) -> Fact:
        if not isinstance(self._graph.ty(product), Array):
            return parts
        each = parts[0]
        for part in parts[1:]:
            each = join(each, part)
        return Elements(each)

    def _set(self, obj: ObjectId, fact: Fact) -> None:
        self._trail.append((obj, self._facts.get(obj)))
        self._facts[obj] = fact

    @contextmanager
    def _restored(self) -> Iterator[None]:
        """Facts found inside hold only there."""
        start = len(self._trail)
        try:
            yield
        finally:
            while len(self._trail) > start:
                obj, fact = self._trail.pop()
                self._facts[obj] = fact

    def _assume(self, cond: ObjectId, holds: bool) -> None:
        """Narrows what a condition compares, now that its value is known."""
        for code, left, right in comparisons(self._graph, cond, holds):
            self._compare(code, left, right)

    def _compare(self, code: BinaryCode, left: ObjectId, right: ObjectId) -> None:
        if not is_integer(self._graph.ty(left)):
            return
        both = narrowed(code, self._interval(left), self._interval(right))
        if both is not None:
            self._set(left, both[0])
            self._set(right, both[1])

    # Regions ------------------------------------------------------------------------

    def _region(self, region: RegionId) -> None:
        for item in schedule(self._graph, region):
            match item:
                case OperationItem():
                    self._set(item.target, self._operation(item))
                case PackItem(target=target, feeders=feeders):
                    self._set(target, self._assembled(target, tuple(map(self._fact, feeders))))
                case ReturnSlotItem(slot=slot, source=source):
                    self._returned[slot] = self._fact(source)
                case GuardItem():
                    self._set(item.target, self._guard(item))
                case LoopItem():
                    self._set(item.target, self._loop(item))

    def _guard(self, item: GuardItem) -> Fact:
        """A chain of an integer match is walked along, not descended into; each test that
        fails narrows what follows."""
        arms: list[Fact] = []
        with self._restored():
            while True:
                guard = item.guard
                with self._restored():
                    if self._whole.trusts_guards:
                        self._assume(guard.cond, True)
                    self._region(guard.arm_true)
                    arms.append(self._fact(item.when_true))
                if self._whole.trusts_guards:
                    self._assume(guard.cond, False)
                following = _only_guard(self._graph, item)
                if following is None:
                    break
                item = following
            self._region(item.guard.arm_false)
            arms.append(self._fact(item.when_false))
        result = arms[0]
        for arm in arms[1:]:
            result = join(result, arm)
        return result

    def _loop(self, item: LoopItem) -> Fact:
        record = item.loop
        self._loops += 1
        state = self._state(item)
        with self._restored():
            self._set(record.merge, state)
            self._region(record.body)
            with self._restored():
                self._assume(record.cond, True)
                self._region(record.jump)
            self._assume(record.cond, False)
            self._region(record.exit)
            result = self._fact(item.payload)
        self._loops -= 1
        return result

    def _state(self, item: LoopItem) -> Fact:
        """What holds of a loop's state at the head on every pass: of each guess, what a pass
        preserves."""
        init, merge = self._fact(item.init), item.loop.merge
        scalar_state = is_integer(self._graph.ty(merge))
        starts: tuple[Fact, ...] = (init,) if not isinstance(init, tuple) else init
        if self._loops > DEEPEST_GUESS or not (scalar_state or isinstance(init, tuple)):
            return None
        guesses = [self._guesses(merge, slot, start) for slot, start in enumerate(starts)]
        while any(len(options) > 1 for options in guesses):
            guess = tuple(options[0] for options in guesses)
            after = self._after_pass(item, guess[0] if scalar_state else guess)
            found = (after,) if scalar_state else after
            if not isinstance(found, tuple):
                return None
            kept = [implies(fact, option) for fact, option in zip(found, guess, strict=True)]
            if all(kept):
                return guess[0] if scalar_state else guess
            for options, is_kept in zip(guesses, kept, strict=True):
                if not is_kept:
                    del options[0]
        return None

    def _guesses(self, merge: ObjectId, slot: int, start: Fact) -> list[Fact]:
        """Guesses about one component, best first; the last one is that nothing is known."""
        ty = self._graph.ty(merge)
        part = ty.items[slot] if isinstance(ty, Tuple | Struct) else ty
        if not isinstance(part, Scalar) or not part.is_integer:
            return [start, None] if start is not None else [None]
        everything = range_of(part)
        first = start if isinstance(start, Interval) else everything
        return [
            first,
            Interval(first.low, everything.high),
            Interval(everything.low, first.high),
            None,
        ]

    def _after_pass(self, item: LoopItem, state: Fact) -> Fact:
        """The next state after a pass that began with `state`."""
        record = item.loop
        with self._whole.guessing(), self._restored():
            self._set(record.merge, state)
            self._region(record.body)
            self._assume(record.cond, True)
            self._region(record.jump)
            return self._fact(item.next_state)

    # Operations ---------------------------------------------------------------------

    def _operation(self, item: OperationItem) -> Fact:
        op, operands = item.morphism.op, item.operands
        match op:
            case ops.Proj(index=index):
                product = self._fact(operands[0])
                return product[index] if isinstance(product, tuple) else None
            case ops.Output():
                return self._fact(operands[0])
            case ops.Binary() | ops.Unary() | ops.Widen() | ops.Convert():
                return self._arithmetic(item)
            case ops.Index():
                self._access(item)
                return self._each(operands[0])
            case ops.Update():
                self._access(item)
                return Elements(join(self._each(operands[0]), self._fact(operands[2])))
            case ops.Zip():
                return Elements((self._each(operands[0]), self._each(operands[1])))
            case ops.Enumerate():
                positions = Interval(0, self._length(item.target) - 1)
                return Elements((positions, self._each(operands[0])))
            case ops.Iota():
                return Elements(Interval(0, self._length(item.target) - 1))
            case ops.Fill():
                return Elements(self._fact(operands[0]))
            case ops.Call(function=function):
                self._whole.note_call(function, self._fact(operands[0]))
                return None
            case ops.Map() | ops.Fold() | ops.Reduce():
                return self._collection(item)
            case _:
                return None

    def _arithmetic(self, item: OperationItem) -> Fact:
        op, operands = item.morphism.op, item.operands
        ty, result = self._scalar(operands[0]), self._scalar(item.target)
        if not (ty.is_integer and result.is_integer):
            return None
        match op:
            case ops.Binary(code=code):
                a, b = (self._interval(operand) for operand in operands)
                return binary(code, ty, a, b)
            case ops.Unary(code=unary_code):
                return unary(unary_code, ty, self._interval(operands[0]))
            case _:
                return converted(self._interval(operands[0]), result)

    def _access(self, item: OperationItem) -> None:
        """Notes whether an access is in range. Behind it the index is: otherwise the program
        has trapped."""
        array, index = item.operands[:2]
        valid = Interval(0, self._length(array) - 1)
        found = self._interval(index)
        self._whole.note(item.morphism.id, found.within(valid))
        both = narrowed(BinaryCode.EQ, found, valid)
        if both is not None:
            self._set(index, both[0])

    def _collection(self, item: OperationItem) -> Fact:
        """A collection's body at this site. An accumulator may be anything at first, so what
        holds after one application holds after all of them."""
        op = item.morphism.op
        facts = [self._fact(operand) for operand in item.operands]
        if isinstance(op, ops.Fold) and op.captures == 0:
            pair = facts[0]
            facts = list(pair) if isinstance(pair, tuple) else [None, None]
        array = facts.pop()
        each = array.each if isinstance(array, Elements) else None
        match op:
            case ops.Map(body=body):
                return Elements(self._body(body, [*facts, each]))
            case ops.Fold(body=body):
                return self._body(body, [*facts[:-1], None, each])
            case ops.Reduce(body=body):
                return join(each, self._body(body, [*facts, None, None]))
        raise CompilerBug(f"{op} is no collection")

    def _body(self, body: FunctionId, arguments: list[Fact]) -> Fact:
        taken = tuple(arguments) if len(arguments) > 1 else arguments[0]
        if body in self._whole.outlined:
            self._whole.note_call(body, taken)
            return None
        function = self._graph.functions[body]
        return _Walk(self._whole, function, taken, self._loops).run()


def _only_guard(graph: Graph, item: GuardItem) -> GuardItem | None:
    """The guard that a guard's false arm consists of, if it is nothing else."""
    items = schedule(graph, item.guard.arm_false)
    if len(items) == 1 and isinstance(items[0], GuardItem) and items[0].target == item.when_false:
        return items[0]
    return None
