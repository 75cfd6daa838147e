"""What one walk knows of the values of a function, and how conditions narrow it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from mapal.affine import Part
from mapal.affine.index import Linear
from mapal.analysis.accesses.arithmetic import meet
from mapal.analysis.accesses.facts import (
    UNSEEN,
    Fact,
    Number,
    Place,
    Sequence,
    Stored,
    join,
    number,
)
from mapal.analysis.accesses.symbols import constant, minus, plus, times
from mapal.analysis.accesses.walker import Walker
from mapal.analysis.conditions import comparisons
from mapal.analysis.intervals import Interval, narrowed, range_of
from mapal.analysis.liveness import WHOLE
from mapal.ir.graph import Function, ObjectKind
from mapal.ir.ops import BinaryCode, MorphismId, ObjectId
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, is_integer

MOST_NAMED = 64
"""A product with more components gets no symbols beforehand."""


class Values:
    """Facts about the objects of one function. `loops` counts the loops around it. Facts that
    hold only in an arm are taken back by a trail of what they replaced."""

    def __init__(self, walker: Walker, function: Function, taken: Fact, loops: int) -> None:
        self.walker = walker
        self.graph = walker.graph
        self.symbols = walker.symbols
        self.function = function
        self.loops = loops
        self.depth = len(walker.loops)
        """How many loops there are around the body."""
        self._facts: dict[ObjectId, Fact] = {}
        self._trail: list[tuple[ObjectId, Fact]] = []
        self.has_ended = False
        """Whether an operation of this region always traps: what follows never runs."""
        given = self.named(self.graph.ty(function.input), taken)
        self._name(function.input, given)
        self._facts[function.input] = given

    # Facts --------------------------------------------------------------------------

    def fact(self, obj: ObjectId) -> Fact:
        fact = self._facts.get(obj)
        if fact is not None:
            return fact
        found = self.graph.objects[obj]
        if found.kind is ObjectKind.CONSTANT and type(found.value) is int:
            return number(found.value, found.value, constant(found.value))
        return None

    def number(self, obj: ObjectId) -> Number:
        """What is known here of an integer, with a form."""
        fact = self.fact(obj)
        if not isinstance(fact, Number):
            fact = Number(range_of(self.scalar(obj)))
        if fact.form is None:
            fact = Number(fact.interval, self.symbol(fact.interval))
            self.set(obj, fact)
        assert fact.form is not None
        low, high = self.symbols.span(fact.form)
        if fact.interval.within(Interval(low, high)):
            return fact
        return Number(meet(fact.interval, low, high), fact.form)

    def symbol(self, interval: Interval) -> Linear:
        """An unknown integer in an interval as a form."""
        if interval.low == interval.high:
            return constant(interval.low)
        name = self.symbols.fresh("v", interval.low, interval.high)
        if not self.loops and not self.walker.loops:
            self.symbols.parameters.add(name)
        return Linear({name: 1}, 0)

    def named(self, ty: Type, fact: Fact) -> Fact:
        """The fact with a form for the integer, or for those that are components, so that all
        who take the product apart speak of the same symbols."""
        if isinstance(ty, Scalar) and ty.is_integer:
            known = fact if isinstance(fact, Number) else Number(range_of(ty))
            return known if known.form else Number(known.interval, self.symbol(known.interval))
        if isinstance(ty, Tuple | Struct) and len(ty.items) <= MOST_NAMED:
            parts = fact if isinstance(fact, tuple) else (None,) * len(ty.items)
            return tuple(
                self.named(item, part) if isinstance(item, Scalar) else part
                for item, part in zip(ty.items, parts, strict=True)
            )
        return fact

    def scalar(self, obj: ObjectId) -> Scalar:
        ty = self.graph.ty(obj)
        assert isinstance(ty, Scalar)
        return ty

    def sequence(self, obj: ObjectId) -> Sequence:
        """What is known of an array; one that was not looked at yet gets memory."""
        fact = self.fact(obj)
        known = fact if isinstance(fact, Sequence) else Sequence(None)
        if known.source is UNSEEN:
            known = Sequence(known.each, known.position, self.new_array(obj))
            self.set(obj, known)
        return known

    def new_array(self, obj: ObjectId) -> Stored:
        """Memory of its own for an array."""
        dims = dimensions(self.graph.ty(obj))
        array = self.walker.table.array(obj, dims, self.walker.loops, self.walker.arms)
        return Stored(array, array)

    def length(self, array: ObjectId) -> int:
        ty = self.graph.ty(array)
        assert isinstance(ty, Array)
        return ty.length

    def assembled(self, product: ObjectId, parts: tuple[Fact, ...]) -> Fact:
        if not isinstance(self.graph.ty(product), Array):
            return parts
        each = parts[0]
        for part in parts[1:]:
            each = join(each, part)
        return Sequence(each, None, UNSEEN)

    def set(self, obj: ObjectId, fact: Fact) -> None:
        self._name(obj, fact)
        self._trail.append((obj, self._facts.get(obj)))
        self._facts[obj] = fact

    def escape(self, site: MorphismId, places: Collection[Place]) -> None:
        """From here on, arrays have names that the records do not know. Those that were there
        before this body lose them at its end: for others, all of them is read here."""
        walker, table = self.walker, self.walker.table
        for storage, array in sorted(places):
            table.escapes.update((storage, frame) for frame in walker.loops)
            if len(table.arrays[array].loops) < self.depth:
                walker.record(site, Part.RHS, storage, array, (), whole=True)
            else:
                table.escape(storage, array)

    def _name(self, obj: ObjectId, fact: Fact) -> None:
        """Notes where the arrays of a value lie."""
        if self.walker.is_guessing:
            return
        parts = fact if isinstance(fact, tuple) else (fact,)
        for slot, part in enumerate(parts):
            if isinstance(part, Sequence):
                source = part.source
                place = None
                if isinstance(source, Stored) and not source.prefix:
                    place = (source.storage, source.array)
                component = slot if isinstance(fact, tuple) else WHOLE
                self.walker.table.names[obj, component].add(place)

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Facts found inside hold only there."""
        start = len(self._trail)
        with self.symbols.scope():
            try:
                yield
            finally:
                while len(self._trail) > start:
                    obj, fact = self._trail.pop()
                    self._facts[obj] = fact

    def here(self, obj: ObjectId) -> Fact:
        """The fact about a value with what is known of it only here."""
        is_number = is_integer(self.graph.ty(obj)) and isinstance(self.fact(obj), Number)
        return self.number(obj) if is_number else self.fact(obj)

    def is_open(self, obj: ObjectId) -> bool:
        """Whether an integer has no form yet."""
        fact = self._facts.get(obj)
        return is_integer(self.graph.ty(obj)) and not (isinstance(fact, Number) and fact.form)

    # Conditions ---------------------------------------------------------------------

    def assume(self, cond: ObjectId, holds: bool) -> bool:
        """Narrows what a condition compares, now that its value is known. False if it cannot
        have that value."""
        possible = True
        for code, left, right in comparisons(self.graph, cond, holds):
            possible &= self._compare(code, left, right)
        return possible

    def _compare(self, code: BinaryCode, left: ObjectId, right: ObjectId) -> bool:
        if not is_integer(self.graph.ty(left)):
            return True
        a, b = self.number(left), self.number(right)
        both = narrowed(code, a.interval, b.interval)
        if both is None:
            return False
        assert a.form is not None
        assert b.form is not None
        forms = self.differences(code, minus(a.form, b.form))
        possible = [self.symbols.assume_nonnegative(form) for form in forms]
        self.set(left, Number(both[0], a.form))
        self.set(right, Number(both[1], b.form))
        return all(possible)

    def differences(self, code: BinaryCode, difference: Linear) -> list[Linear]:
        """What a comparison says of left less right: forms that are not negative."""
        above, below = difference, times(difference, -1)
        match code:
            case BinaryCode.LT:
                return [plus(below, constant(-1))]
            case BinaryCode.LE:
                return [below]
            case BinaryCode.GT:
                return [plus(above, constant(-1))]
            case BinaryCode.GE:
                return [above]
            case BinaryCode.EQ:
                return [above, below]
            case _:
                # Different, and never on one side: then on the other.
                low, high = self.symbols.span(difference)
                found = [plus(above, constant(-1))] if low == 0 else []
                return [*found, plus(below, constant(-1))] if high == 0 else found


def dimensions(ty: Type) -> tuple[int, ...]:
    """The lengths of the nested axes of an array, outermost first."""
    dims: list[int] = []
    while isinstance(ty, Array):
        dims.append(ty.length)
        ty = ty.element
    return tuple(dims)
