"""Arithmetic progressions: sets of cells along one axis."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import NamedTuple

from mapal.affine.index import Interval


class AP(NamedTuple):
    """The cells `lo, lo + step, ..., hi`; `step` is 0 iff there is one cell."""

    lo: int
    hi: int
    step: int

    @property
    def last(self) -> int:
        """The position of `hi`, counted from 0."""
        return (self.hi - self.lo) // self.step if self.step else 0


def floor_div(a: int, b: int) -> int:
    """The quotient rounded towards minus infinity; the divisor is positive."""
    if b <= 0:
        raise ValueError("the divisor is not positive")
    return a // b


def ceil_div(a: int, b: int) -> int:
    """The quotient rounded towards plus infinity; the divisor is positive."""
    return -floor_div(-a, b)


def ap_of_form(terms: Iterable[tuple[int, Interval]], offset: int, *, exact: bool) -> AP | None:
    """The values of a form as a progression.

    `terms` are (coefficient, range) with coefficients other than zero and two values at least.
    With `exact` None if some value of the progression is, as far as can be told, not attained;
    without, the least progression around all values, a hull.
    """
    digits = sorted(terms, key=lambda digit: (abs(digit[0]), digit))
    if any(c == 0 or hi <= lo for c, (lo, hi) in digits):
        raise ValueError("a term without two values or with coefficient zero")
    if not digits:
        return AP(offset, offset, 0)
    step = gcd(*(c for c, _ in digits))
    span = 0
    low = high = offset
    dense = True
    for coefficient, (lo, hi) in digits:
        # A step wider than what the lighter digits fill leaves a gap.
        dense = dense and abs(coefficient) <= step + span
        span += abs(coefficient) * (hi - lo)
        low += min(coefficient * lo, coefficient * hi)
        high += max(coefficient * lo, coefficient * hi)
    return AP(low, high, step) if dense or not exact else None


def ap_subset(r: AP, w: AP) -> bool:
    """Whether all cells of `r` are cells of `w`."""
    if r.lo < w.lo or r.hi > w.hi:
        return False
    if w.step == 0:
        return r.lo == r.hi
    if (r.lo - w.lo) % w.step != 0:
        return False
    return r.lo == r.hi or r.step % w.step == 0


def ap_covered_chunk(r: AP, w: AP) -> Interval | None:
    """The run of positions of `r` whose cells `w` contains; None if there is none or it is not
    one run."""
    if w.step == 0:
        inside = r.lo <= w.lo <= r.hi
        if not inside or (r.step and (w.lo - r.lo) % r.step):
            return None
        position = (w.lo - r.lo) // r.step if r.step else 0
        return position, position
    if (r.lo - w.lo) % w.step or r.step % w.step:
        return None
    if r.step == 0:
        return (0, 0) if w.lo <= r.lo <= w.hi else None
    first = max(0, ceil_div(w.lo - r.lo, r.step))
    last = min(r.last, floor_div(w.hi - r.lo, r.step))
    return (first, last) if first <= last else None
