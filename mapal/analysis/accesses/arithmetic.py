"""Integer operations on facts: the exact result as a linear form where there is one, and the
interval that it lies in. Wrapping arithmetic equals its form only if nothing wraps."""

from __future__ import annotations

from mapal.affine.implied import is_nonnegative
from mapal.affine.index import Linear
from mapal.analysis.accesses.facts import Number
from mapal.analysis.accesses.symbols import Symbols, minus, plus, times
from mapal.analysis.intervals import Interval, binary, converted, range_of, unary
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.types import Scalar


def combined(symbols: Symbols, code: BinaryCode, ty: Scalar, a: Number, b: Number) -> Number:
    """The result of an operation on two integers of one type that both have forms."""
    coarse = binary(code, ty, a.interval, b.interval)
    form = _form(symbols, code, ty, a, b)
    return _settled(symbols, ty, coarse, form)


def changed(symbols: Symbols, code: UnaryCode, ty: Scalar, a: Number) -> Number:
    """Negation and absolute value."""
    coarse = unary(code, ty, a.interval)
    form = None
    if a.form is not None:
        if code is UnaryCode.NEG:
            form = times(a.form, -1)
        elif code is UnaryCode.ABS and a.interval.low >= 0:
            form = a.form
    return _settled(symbols, ty, coarse, form)


def as_type(a: Number, target: Scalar) -> Number:
    """A conversion between integer types: the value itself if it fits."""
    fits = a.interval.within(range_of(target))
    return a if fits else Number(converted(a.interval, target))


def meet(a: Interval, low: int, high: int) -> Interval:
    """The common part; the first one if there is none, where nothing ever gets."""
    both = Interval(max(a.low, low), min(a.high, high))
    return both if both.low <= both.high else a


def _settled(symbols: Symbols, ty: Scalar, coarse: Interval, form: Linear | None) -> Number:
    """`coarse` holds of the wrapped result; if it is not the type's whole range, nothing wraps
    according to the operands' intervals."""
    if form is None:
        return Number(coarse)
    everything = range_of(ty)
    low, high = symbols.span(form)
    if everything.low <= low and high <= everything.high:
        return Number(meet(coarse, low, high), form)
    if coarse != everything:
        return Number(coarse, form)
    return Number(everything)


def _form(symbols: Symbols, code: BinaryCode, ty: Scalar, a: Number, b: Number) -> Linear | None:
    """The exact result as a form, before wrapping."""
    if a.form is None or b.form is None:
        return None
    match code:
        case BinaryCode.ADD:
            return plus(a.form, b.form)
        case BinaryCode.SUB:
            return minus(a.form, b.form)
        case BinaryCode.MUL:
            if not b.form.terms:
                return times(a.form, b.form.offset)
            return None if a.form.terms else times(b.form, a.form.offset)
        case BinaryCode.DIV | BinaryCode.MOD:
            return _part_of_division(symbols, code, a, b.form)
        case BinaryCode.MIN | BinaryCode.MAX:
            return _extreme(symbols, code, ty, a, b)
        case _:
            return None


def _part_of_division(
    symbols: Symbols, code: BinaryCode, a: Number, divisor: Linear
) -> Linear | None:
    """By a positive constant, of what is not negative, so that truncating is rounding down."""
    assert a.form is not None
    size = divisor.offset
    if divisor.terms or size < 1 or a.interval.low < 0:
        return None
    both = symbols.divided(a.form, size)
    if both is not None:
        return both[0 if code is BinaryCode.DIV else 1]
    quotient = symbols.quotient(a.form, size)
    return quotient if code is BinaryCode.DIV else minus(a.form, times(quotient, size))


def _extreme(symbols: Symbols, code: BinaryCode, ty: Scalar, a: Number, b: Number) -> Linear | None:
    """The lesser or greater of two: one of them, if that is known, or a symbol on that side of
    both."""
    assert a.form is not None
    assert b.form is not None
    sign = 1 if code is BinaryCode.MIN else -1
    above = symbols.expanded(times(minus(b.form, a.form), sign))
    premises = symbols.premises_about(above)
    if is_nonnegative(above, ranges=symbols.ranges, premises=premises):
        return a.form
    if is_nonnegative(times(above, -1), ranges=symbols.ranges, premises=premises):
        return b.form
    interval = binary(code, ty, a.interval, b.interval)
    found = Linear({symbols.fresh("x", interval.low, interval.high): 1}, 0)
    symbols.define_nonnegative(times(minus(a.form, found), sign))
    symbols.define_nonnegative(times(minus(b.form, found), sign))
    return found
