"""What is known about values without running the program: intervals of integers.

A fact about a value is an `Interval` for an integer, a tuple of facts for a product, `Elements`
for an array (one fact that holds for every element), or None: nothing is known. All functions
are pure and conservative: the exact results lie in what they return.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.types import Scalar


@dataclass(frozen=True, slots=True)
class Interval:
    """All integers from `low` to `high`, both included."""

    low: int
    high: int

    def within(self, outer: Interval) -> bool:
        return outer.low <= self.low and self.high <= outer.high


@dataclass(frozen=True, slots=True)
class Elements:
    """An array each of whose elements obeys one fact."""

    each: Fact


Fact = Interval | Elements | tuple["Fact", ...] | None


def range_of(ty: Scalar) -> Interval:
    """All values of an integer type."""
    if ty.is_signed:
        return Interval(-(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1)
    return Interval(0, (1 << ty.bits) - 1)


def join(a: Fact, b: Fact) -> Fact:
    """What holds of a value that obeys one of two facts."""
    match a, b:
        case Interval(), Interval():
            return Interval(min(a.low, b.low), max(a.high, b.high))
        case Elements(), Elements():
            return Elements(join(a.each, b.each))
        case tuple(), tuple():
            return tuple(join(x, y) for x, y in zip(a, b, strict=True))
        case _:
            return None


def implies(a: Fact, b: Fact) -> bool:
    """Whether every value that obeys `a` obeys `b`."""
    match a, b:
        case _, None:
            return True
        case Interval(), Interval():
            return a.within(b)
        case Elements(), Elements():
            return implies(a.each, b.each)
        case tuple(), tuple():
            return all(implies(x, y) for x, y in zip(a, b, strict=True))
        case _:
            return False


def fitting(result: Interval, ty: Scalar) -> Interval:
    """The result of wrapping arithmetic: itself if nothing wraps, else anything."""
    everything = range_of(ty)
    return result if result.within(everything) else everything


def binary(code: BinaryCode, ty: Scalar, a: Interval, b: Interval) -> Interval:
    """Arithmetic on two integers of one type."""
    rule = _BINARY.get(code)
    return range_of(ty) if rule is None else fitting(rule(a, b), ty)


def unary(code: UnaryCode, ty: Scalar, a: Interval) -> Interval:
    """Negation and absolute value of an integer."""
    if code is UnaryCode.NEG:
        return fitting(Interval(-a.high, -a.low), ty)
    if code is UnaryCode.ABS:
        low = 0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
        return fitting(Interval(low, max(abs(a.low), abs(a.high))), ty)
    return range_of(ty)


def converted(a: Interval, target: Scalar) -> Interval:
    """An integer converted to another integer type."""
    return fitting(a, target)


def _product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(corners), max(corners))


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _quotient(a: Interval, b: Interval) -> Interval:
    """Truncating division; a divisor of 0 never gets here at run time. Magnitudes do not grow,
    except that the least integer by -1 may wrap, which `fitting` notices."""
    if b.low >= 1:
        corners = [_truncated(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        return Interval(min(corners), max(corners))
    largest = max(abs(a.low), abs(a.high))
    return Interval(-largest, largest)


def _remainder(a: Interval, b: Interval) -> Interval:
    """The remainder has the sign of the dividend and is smaller than the divisor."""
    bound = max(abs(b.low), abs(b.high), 1) - 1
    low = 0 if a.low >= 0 else max(a.low, -bound)
    high = 0 if a.high <= 0 else min(a.high, bound)
    return Interval(low, high)


_BINARY: dict[BinaryCode, Callable[[Interval, Interval], Interval]] = {
    BinaryCode.ADD: lambda a, b: Interval(a.low + b.low, a.high + b.high),
    BinaryCode.SUB: lambda a, b: Interval(a.low - b.high, a.high - b.low),
    BinaryCode.MUL: _product,
    BinaryCode.DIV: _quotient,
    BinaryCode.MOD: _remainder,
    BinaryCode.MIN: lambda a, b: Interval(min(a.low, b.low), min(a.high, b.high)),
    BinaryCode.MAX: lambda a, b: Interval(max(a.low, b.low), max(a.high, b.high)),
}


def narrowed(code: BinaryCode, a: Interval, b: Interval) -> tuple[Interval, Interval] | None:
    """Both operands of a comparison that is known to hold; None if it cannot hold."""
    low, high = Interval(a.low, a.high), Interval(b.low, b.high)
    match code:
        case BinaryCode.LT:
            low, high = _ordered(a, b, 1)
        case BinaryCode.LE:
            low, high = _ordered(a, b, 0)
        case BinaryCode.GT:
            high, low = _ordered(b, a, 1)
        case BinaryCode.GE:
            high, low = _ordered(b, a, 0)
        case BinaryCode.EQ:
            both = Interval(max(a.low, b.low), min(a.high, b.high))
            low = high = both
        case BinaryCode.NEQ:
            low, high = _without(a, b), _without(b, a)
        case _:
            return a, b
    if low.low > low.high or high.low > high.high:
        return None
    return low, high


def _without(interval: Interval, other: Interval) -> Interval:
    """An interval without the one value that another holds, if that is its first or last."""
    if other.low < other.high:
        return interval
    low = interval.low + (interval.low == other.low)
    return Interval(low, interval.high - (interval.high == other.low))


def _ordered(small: Interval, large: Interval, gap: int) -> tuple[Interval, Interval]:
    return (
        Interval(small.low, min(small.high, large.high - gap)),
        Interval(max(large.low, small.low + gap), large.high),
    )


OPPOSITE = {
    BinaryCode.LT: BinaryCode.GE,
    BinaryCode.GE: BinaryCode.LT,
    BinaryCode.GT: BinaryCode.LE,
    BinaryCode.LE: BinaryCode.GT,
    BinaryCode.EQ: BinaryCode.NEQ,
    BinaryCode.NEQ: BinaryCode.EQ,
}
"""The comparison that holds where another does not."""
