"""Loops that count: what a pass moves by a constant is a multiple of the number of passes, and a
loop whose only condition compares such a counter with something that stays runs through a range.
"""

from __future__ import annotations

from mapal.affine.index import Linear, Sym
from mapal.analysis.accesses.facts import Fact, Number
from mapal.analysis.accesses.symbols import NOTHING_MORE, Symbols, constant, minus, plus, times
from mapal.analysis.intervals import Interval
from mapal.analysis.trip_counts import Counter


def passes(symbols: Symbols) -> Sym:
    """A symbol that counts the passes of a loop, from 0."""
    return symbols.fresh("t", 0, NOTHING_MORE)


def tied(symbols: Symbols, counter: Sym, init: Fact, state: Fact, after: Fact) -> Fact:
    """The state with each component that a pass moves by a constant as a multiple of the
    passes so far. `after` is the state after a pass that began with `state`.

    By induction on the passes: the form of `after` says that nothing wraps in any of them.
    """
    if not isinstance(state, tuple):
        return _tied_part(symbols, counter, init, state, after)
    starts = init if isinstance(init, tuple) else (None,) * len(state)
    nexts = after if isinstance(after, tuple) else (None,) * len(state)
    return tuple(
        _tied_part(symbols, counter, *parts) for parts in zip(starts, state, nexts, strict=True)
    )


def _tied_part(symbols: Symbols, counter: Sym, init: Fact, state: Fact, after: Fact) -> Fact:
    if not (
        isinstance(init, Number)
        and isinstance(state, Number)
        and isinstance(after, Number)
        and init.form is not None
        and state.form is not None
        and after.form is not None
    ):
        return state
    step = minus(after.form, state.form)
    if step.terms or step.offset == 0 or len(state.form.terms) != 1:
        return state
    form = plus(init.form, Linear({counter: step.offset}, 0))
    interval = state.interval
    symbols.assume_nonnegative(plus(form, constant(-interval.low)))
    symbols.assume_nonnegative(plus(times(form, -1), constant(interval.high)))
    return Number(interval, form)


def counting(symbols: Symbols, counter: Sym, found: Counter, state: Fact) -> Fact:
    """The state with the component that is known to run from a constant, by constant steps, for a
    known number of passes, as a multiple of the passes so far."""
    symbols.assume_nonnegative(Linear({counter: -1}, found.passes))
    ends = (found.start, found.start + found.step * found.passes)
    known = Number(Interval(min(ends), max(ends)), Linear({counter: found.step}, found.start))
    if not isinstance(state, tuple):
        return known if found.slot == 0 else state
    return (*state[: found.slot], known, *state[found.slot + 1 :])


def runs_through(symbols: Symbols, counter: Sym, conditions: list[Linear]) -> Interval | None:
    """The passes of a loop that goes on exactly while all forms are at least 0; None unless there
    is one form, over nothing but the counter, that falls below 0 in the end."""
    if len(conditions) != 1:
        return None
    form = symbols.expanded(conditions[0])
    if set(form.terms) != {counter} or form.terms[counter] > 0:
        return None
    return Interval(0, form.offset // -form.terms[counter])
