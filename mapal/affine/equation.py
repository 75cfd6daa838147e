"""Linear equations between the cells of two accesses, and when they have no solution.

Two accesses speak of two copies of one iteration space. A variable says which copy a symbol
belongs to, or that both copies share it; ranges belong to variables, as one name may be bound
with different bounds on the two sides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Literal, NamedTuple, TypeAlias

from mapal.affine.index import POINTS, AxisIndex, Interval, Sym, is_dead, linear, points_of, width
from mapal.affine.radix import radix_rule

Side: TypeAlias = Literal["L", "R", "S"]


class Var(NamedTuple):
    """A symbol in the copy of the first access (L), of the second (R), or shared by both (S)."""

    side: Side
    symbol: Sym


Terms: TypeAlias = dict[Var, int]
Ranges: TypeAlias = Callable[[Var], Interval | None]


class Equation(NamedTuple):
    """The sum of the terms equals `rhs`; no coefficient is zero."""

    terms: Terms
    rhs: int


@dataclass(frozen=True, slots=True)
class SideRanges:
    """Ranges by side; what a side does not bind, it takes from the shared ones."""

    shared: Mapping[Sym, Interval] = field(default_factory=dict)
    left: Mapping[Sym, Interval] = field(default_factory=dict)
    right: Mapping[Sym, Interval] = field(default_factory=dict)

    def __call__(self, variable: Var) -> Interval | None:
        own = {"L": self.left, "R": self.right, "S": self.shared}[variable.side]
        interval = own.get(variable.symbol)
        return self.shared.get(variable.symbol) if interval is None else interval


def variable_of(symbol: Sym, side: Literal["L", "R"], dup: Collection[Sym]) -> Var:
    """The variable that a symbol is on one side, where the symbols in `dup` are copied."""
    return Var(side if symbol in dup else "S", symbol)


def terms_of(
    index: AxisIndex, *, side: Literal["L", "R"], dup: Collection[Sym], ranges: Ranges
) -> tuple[Terms, int] | None:
    """The terms and the constant of a component on one side, None for an opaque one.

    Variables of one value are part of the constant.
    """
    form = linear(index)
    if form is None:
        return None
    terms: Terms = {}
    constant = form.offset
    for symbol, coefficient in form.terms.items():
        variable = variable_of(symbol, side, dup)
        interval = ranges(variable)
        if interval is not None and interval[0] == interval[1]:
            constant += coefficient * interval[0]
        else:
            terms[variable] = coefficient
    return terms, constant


def equation_of(
    left: AxisIndex,
    right: AxisIndex,
    *,
    dup_left: Collection[Sym],
    dup_right: Collection[Sym],
    ranges: Ranges,
) -> Equation | None:
    """That both components name one coordinate; None if one is opaque and nothing is said."""
    one = terms_of(left, side="L", dup=dup_left, ranges=ranges)
    other = terms_of(right, side="R", dup=dup_right, ranges=ranges)
    if one is None or other is None:
        return None
    terms = dict(one[0])
    for variable, coefficient in other[0].items():
        terms[variable] = terms.get(variable, 0) - coefficient
    return Equation({v: c for v, c in terms.items() if c}, other[1] - one[1])


def infeasible(terms: Mapping[Var, int], rhs: int, *, ranges: Ranges, points: int = POINTS) -> bool:
    """Whether no integers in the ranges satisfy the equation.

    By the greatest common divisor, which needs no ranges (the solvability condition of a linear
    Diophantine equation), by intervals (Banerjee, Dependence Analysis for Supercomputing, 1988),
    and within `points` by all sums.
    """
    if not terms:
        return rhs != 0
    bounds = [(coefficient, ranges(variable)) for variable, coefficient in terms.items()]
    if any(is_dead(interval) for _, interval in bounds):
        return True
    if rhs % gcd(*terms.values()) != 0:
        return True
    known = [(c, interval) for c, interval in bounds if interval is not None]
    if len(known) != len(bounds):
        return False
    low = sum(min(c * lo, c * hi) for c, (lo, hi) in known)
    high = sum(max(c * lo, c * hi) for c, (lo, hi) in known)
    if not low <= rhs <= high:
        return True
    if points_of([interval for _, interval in known]) > points:
        return False
    sums = {0}
    for coefficient, (lo, hi) in known:
        sums = {total + coefficient * x for total in sums for x in range(lo, hi + 1)}
    return rhs not in sums


def matched(terms: Mapping[Var, int], rhs: int) -> list[tuple[int, Var, Var]] | None:
    """The equation as equality of one form at two points: (coefficient, positive, negative).

    None if the constant is not zero or the coefficients do not match one to one.
    """
    if rhs != 0:
        return None
    plus = sorted((c, v) for v, c in terms.items() if c > 0)
    minus = sorted((-c, v) for v, c in terms.items() if c < 0)
    if not plus or [c for c, _ in plus] != [c for c, _ in minus]:
        return None
    return [(c, v, w) for (c, v), (_, w) in zip(plus, minus, strict=True)]


def forced_equalities(
    terms: Mapping[Var, int], rhs: int, *, ranges: Ranges
) -> list[tuple[Var, Var]]:
    """Pairs of variables that are equal in every solution, by the radix rule on joint widths.

    The equation is one form at two points of a common box. A form of one digit needs no range.
    """
    pairs = matched(terms, rhs)
    if pairs is None:
        return []
    digits = [(c, joint_width(ranges(v), ranges(w))) for c, v, w in pairs]
    return [(v, w) for _, v, w in pairs] if radix_rule(digits) else []


def joint_width(one: Interval | None, other: Interval | None) -> int | None:
    """The width of the least interval around both, None if one is unknown."""
    if one is None or other is None:
        return None
    return max(one[1], other[1]) - min(one[0], other[0]) + 1


def forced_pairs(
    terms: Mapping[Var, int], rhs: int, *, ranges: Ranges, points: int = POINTS
) -> list[tuple[Sym, Sym]]:
    """The pairs (x, y), sorted, for which every solution has Left(x) = Right(y).

    Pairs are those of opposite coefficients. A dead range or an equation without solutions forces
    nothing here: it is `infeasible`. Within `points` all solutions are visited.
    """
    bounds = {variable: ranges(variable) for variable in terms}
    if any(is_dead(interval) for interval in bounds.values()):
        return []
    forced = set(_left_right(forced_equalities(terms, rhs, ranges=ranges)))
    candidates = _left_right(
        (v, w) for v, c in terms.items() for w, d in terms.items() if c == -d and v.side == "L"
    )
    known = {variable: interval for variable, interval in bounds.items() if interval is not None}
    if (
        forced.issuperset(candidates)
        or len(known) != len(bounds)
        or points_of(list(known.values())) > points
    ):
        return sorted(forced)
    open_pairs = set(candidates)
    some = False
    for solution in solutions([Equation(dict(terms), rhs)], known):
        some = True
        open_pairs = {
            (x, y) for x, y in open_pairs if solution[Var("L", x)] == solution[Var("R", y)]
        }
    return sorted(forced | open_pairs if some else forced)


def _left_right(pairs: Iterator[tuple[Var, Var]] | list[tuple[Var, Var]]) -> list[tuple[Sym, Sym]]:
    ordered = (sorted(pair) for pair in pairs)
    return [(v.symbol, w.symbol) for v, w in ordered if (v.side, w.side) == ("L", "R")]


def solutions(
    equations: Sequence[Equation], bounds: Mapping[Var, Interval]
) -> Iterator[dict[Var, int]]:
    """Every assignment in the box that satisfies all equations, in order of the variables.

    All variables of the equations are bounded. Visits at most as many points as the box has;
    callers bound it.
    """
    order = sorted(bounds)
    rows = [[equation.terms.get(variable, 0) for variable in order] for equation in equations]
    # What the variables behind each position can still add, per equation.
    tails = [_tail_spans(row, [bounds[variable] for variable in order]) for row in rows]

    def extend(position: int, rests: list[int], values: list[int]) -> Iterator[dict[Var, int]]:
        for tail, rest in zip(tails, rests, strict=True):
            low, high = tail[position]
            if not low <= rest <= high:
                return
        if position == len(order):
            yield dict(zip(order, values, strict=True))
            return
        low, high = bounds[order[position]]
        for value in range(low, high + 1):
            left = [rest - row[position] * value for row, rest in zip(rows, rests, strict=True)]
            yield from extend(position + 1, left, [*values, value])

    if all(width(interval) for interval in bounds.values()):
        yield from extend(0, [equation.rhs for equation in equations], [])


def _tail_spans(row: list[int], intervals: list[Interval]) -> list[Interval]:
    spans = [(0, 0)]
    for coefficient, (lo, hi) in zip(reversed(row), reversed(intervals), strict=True):
        ends = sorted((coefficient * lo, coefficient * hi))
        spans.append((spans[-1][0] + ends[0], spans[-1][1] + ends[1]))
    return spans[::-1]
