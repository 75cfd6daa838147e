"""What an extraction knows of values: integers as linear forms with intervals, arrays by what
holds at each position and by the memory that their elements are read from.

None stands for a value of which nothing is known. Facts are immutable and true of the value
wherever it is used; what only holds in a place is in the symbols' ranges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from mapal.affine.index import Linear, Sym
from mapal.analysis.intervals import Interval


@dataclass(frozen=True, slots=True)
class Number:
    """An integer. It lies in the interval and equals the form, if there is one."""

    interval: Interval
    form: Linear | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """An array, or a part of one, that has memory: `array` is the value, `storage` what it was
    made of by updates, `prefix` the cell of the outer axes that it is."""

    storage: int
    array: int
    prefix: tuple[Linear | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Joined:
    """Elements that are pairs of elements of two arrays (or of a position and an element)."""

    parts: tuple[Source, ...]


class Unseen(Enum):
    """The source of an array whose memory has not been asked for yet."""

    UNSEEN = "unseen"


UNSEEN = Unseen.UNSEEN

Source = Stored | Joined | Unseen | None
"""Where the elements of an array are read from; None for a law without memory."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """An array. `each` holds for every element; it may mention `position`, a symbol that stands
    for the position of the element."""

    each: Fact
    position: Sym | None = None
    source: Source = UNSEEN


Fact = Number | Sequence | tuple["Fact", ...] | None


def number(low: int, high: int, form: Linear | None = None) -> Number:
    return Number(Interval(low, high), form)


Placing = Callable[[Linear], Linear | None]
"""What becomes of a form that names a cell."""


def mapped(fact: Fact, change: Callable[[Number], Number], place: Placing | None = None) -> Fact:
    """The fact with all its numbers changed, also those about elements, and with the cells that
    it names placed anew."""
    match fact:
        case Number():
            return change(fact)
        case Sequence():
            source = fact.source if place is None else _placed(fact.source, place)
            return Sequence(mapped(fact.each, change, place), fact.position, source)
        case tuple():
            return tuple(mapped(part, change, place) for part in fact)
        case _:
            return None


def _placed(source: Source, place: Placing) -> Source:
    match source:
        case Stored(prefix=prefix):
            forms = tuple(None if form is None else place(form) for form in prefix)
            return Stored(source.storage, source.array, forms)
        case Joined(parts=parts):
            return Joined(tuple(_placed(part, place) for part in parts))
        case _:
            return source


Place = tuple[int, int]
"""Storage and array value."""


def places(fact: Fact) -> set[Place]:
    """Where the arrays of a value lie."""
    match fact:
        case Sequence(source=source):
            return places_of(source) | places(fact.each)
        case tuple():
            return set[Place]().union(*map(places, fact))
        case _:
            return set()


def places_of(source: Source) -> set[Place]:
    match source:
        case Stored(storage=storage, array=array):
            return {(storage, array)}
        case Joined(parts=parts):
            return set[Place]().union(*map(places_of, parts))
        case _:
            return set()


def unrelated(fact: Fact) -> Fact:
    """The fact without forms and memory: what may be said where other symbols are in use."""
    match fact:
        case Number():
            return Number(fact.interval) if fact.form is not None else fact
        case Sequence():
            return Sequence(unrelated(fact.each))
        case tuple():
            return tuple(map(unrelated, fact))
        case _:
            return None


def without_memory(fact: Fact) -> Fact:
    """The fact with nothing said of where arrays lie."""
    match fact:
        case Sequence():
            return Sequence(without_memory(fact.each), fact.position)
        case tuple():
            return tuple(map(without_memory, fact))
        case _:
            return fact


def join(a: Fact, b: Fact) -> Fact:
    """What holds of a value that obeys one of two facts."""
    match a, b:
        case Number(), Number():
            low = min(a.interval.low, b.interval.low)
            high = max(a.interval.high, b.interval.high)
            return Number(Interval(low, high), a.form if a.form == b.form else None)
        case Sequence(), Sequence():
            if a.position != b.position:
                a, b = _without_positions(a), _without_positions(b)
            source = a.source if a.source == b.source and a.source is not None else UNSEEN
            return Sequence(join(a.each, b.each), a.position, source)
        case tuple(), tuple():
            return tuple(join(x, y) for x, y in zip(a, b, strict=True))
        case _:
            return None


def forgotten(fact: Fact, joined: Fact) -> set[Place]:
    """Where arrays lie that a value obeying `fact` has in it, and of which `joined`, a fact that
    it obeys too, does not tell in that part of the value."""
    match fact, joined:
        case Sequence(), Sequence():
            here = set() if fact.source == joined.source else places_of(fact.source)
            return here | forgotten(fact.each, joined.each)
        case tuple(), tuple():
            pairs = zip(fact, joined, strict=True)
            return set[Place]().union(*(forgotten(part, known) for part, known in pairs))
        case _:
            return places(fact)


def _without_positions(fact: Sequence) -> Sequence:
    return Sequence(mapped(fact.each, lambda n: Number(n.interval)), None, fact.source)


def implies(a: Fact, b: Fact) -> bool:
    """Whether every value that obeys `a` obeys `b`. Memory does not count."""
    match a, b:
        case _, None:
            return True
        case Number(), Number():
            return a.interval.within(b.interval) and (b.form is None or a.form == b.form)
        case Sequence(), Sequence():
            same = a.position == b.position or _mentions_nothing(b.each)
            return same and implies(a.each, b.each)
        case tuple(), tuple():
            return all(implies(x, y) for x, y in zip(a, b, strict=True))
        case _:
            return False


def _mentions_nothing(fact: Fact) -> bool:
    match fact:
        case Number():
            return fact.form is None
        case Sequence():
            return _mentions_nothing(fact.each)
        case tuple():
            return all(map(_mentions_nothing, fact))
        case _:
            return True
