"""Inequalities between symbols that follow from others: `n - 1 - i >= 0`, `9 - n >= 0`, so
`8 - i >= 0`.

A premise is a linear form that is known not to be negative. A form follows if it is a sum of
non-negative multiples of premises and of something that is not negative anywhere in the box: one
direction of Farkas' lemma (Schrijver, Theory of Linear and Integer Programming, 1986, 7.3), with
the multipliers that eliminate one symbol after the other. Sound for integers because it is sound
for rationals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mapal.affine.index import Interval, Linear, Sym

DEEPEST = 3
"""How many premises one proof may use."""

MOST_TRIALS = 400
"""How many sums one proof tries before it gives up."""

_NO_RANGE: tuple[int | None, int | None] = (None, None)


def is_nonnegative(
    form: Linear, *, ranges: Mapping[Sym, Interval], premises: Sequence[Linear] = ()
) -> bool:
    """Whether the form is at least 0 wherever the symbols are in their ranges and no premise is
    negative. A symbol without a range may have any value."""
    if _is_nonnegative_in_box(form, ranges):
        return True
    return bool(premises) and _Search(ranges).follows(form, premises, DEEPEST)


def _is_nonnegative_in_box(form: Linear, ranges: Mapping[Sym, Interval]) -> bool:
    least = form.offset
    for symbol, coefficient in form.terms.items():
        low, high = ranges.get(symbol, _NO_RANGE)
        end = low if coefficient > 0 else high
        if end is None:
            return False
        least += coefficient * end
    return least >= 0


class _Search:
    """One proof: premises are taken away from the form until the box alone decides."""

    def __init__(self, ranges: Mapping[Sym, Interval]) -> None:
        self._ranges = ranges
        self._trials = 0

    def follows(self, form: Linear, premises: Sequence[Linear], depth: int) -> bool:
        for position, premise in enumerate(premises):
            for rest in _eliminations(form, premise):
                self._trials += 1
                if _is_nonnegative_in_box(rest, self._ranges):
                    return True
                if self._trials > MOST_TRIALS:
                    return False
                if depth > 1 and self.follows(rest, premises[position + 1 :], depth - 1):
                    return True
        return False


def _eliminations(form: Linear, premise: Linear) -> Iterator[Linear]:
    """The form less multiples of the premise that leave out a symbol; the form is scaled by a
    positive number, which does not change its sign."""
    tried: set[tuple[int, int]] = set()
    for symbol, wanted in form.terms.items():
        have = premise.terms.get(symbol, 0)
        factors = (abs(have), abs(wanted))
        if wanted * have > 0 and factors not in tried:
            tried.add(factors)
            yield _difference(form, factors[0], premise, factors[1])


def _difference(form: Linear, scale: int, premise: Linear, times: int) -> Linear:
    """`scale * form - times * premise`, whose sign decides for that of the form."""
    terms = {symbol: scale * coefficient for symbol, coefficient in form.terms.items()}
    for symbol, coefficient in premise.terms.items():
        total = terms.get(symbol, 0) - times * coefficient
        if total:
            terms[symbol] = total
        else:
            terms.pop(symbol, None)
    return Linear(terms, scale * form.offset - times * premise.offset)
