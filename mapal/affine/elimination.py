"""What a system of equations says together: equalities of variables, tighter ranges, or nonsense.

Alternates two sound steps until nothing changes: eliminate variables between the equations (over
the rationals, fraction free, so each new row is an integer combination of the old ones and holds
in every solution), and merge variables that some row forces to be equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from mapal.affine.equation import Equation, Ranges, Terms, Var, forced_equalities, infeasible
from mapal.affine.index import Interval


class System:
    """Equations between variables; `contradictory` if no integers in the ranges satisfy them."""

    def __init__(self, equations: Iterable[Equation], ranges: Ranges) -> None:
        self.equations = list(equations)
        self.contradictory = False
        self._ranges = ranges
        self._parents: dict[Var, Var] = {}
        self._tightened: dict[Var, Interval] = {}
        self._settle()

    def representative(self, variable: Var) -> Var:
        """The least of the variables known to be equal to this one."""
        while variable in self._parents:
            variable = self._parents[variable]
        return variable

    def interval(self, variable: Var) -> Interval | None:
        """The range of everything equal to the variable, None if none of it has one."""
        root = self.representative(variable)
        return self._tightened.get(root, self._ranges(root))

    def equal(self, one: Var, other: Var) -> bool:
        """Whether both have the same value in every solution, as far as is known."""
        if self.representative(one) == self.representative(other):
            return True
        left, right = self.interval(one), self.interval(other)
        return left is not None and left == right and left[0] == left[1]

    def _settle(self) -> None:
        while not self.contradictory:
            self.equations = [self._rewritten(equation) for equation in self.equations]
            rows = [*self.equations, *reduced_rows(self.equations)]
            if any(infeasible(*row, ranges=self.interval, points=0) for row in rows):
                self.contradictory = True
            merged = [
                self._merge(one, other)
                for row in rows
                for one, other in forced_equalities(*row, ranges=self.interval)
            ]
            if not any(merged):
                return

    def _rewritten(self, equation: Equation) -> Equation:
        terms: Terms = {}
        rhs = equation.rhs
        for variable, coefficient in equation.terms.items():
            root = self.representative(variable)
            interval = self.interval(root)
            if interval is not None and interval[0] == interval[1]:
                rhs -= coefficient * interval[0]
            else:
                terms[root] = terms.get(root, 0) + coefficient
        return Equation({v: c for v, c in terms.items() if c}, rhs)

    def _merge(self, one: Var, other: Var) -> bool:
        """Makes two variables one; whether they were not one before."""
        kept, gone = sorted((self.representative(one), self.representative(other)))
        if kept == gone:
            return False
        known = [i for i in (self.interval(kept), self.interval(gone)) if i is not None]
        self._parents[gone] = kept
        if known:
            low, high = max(i[0] for i in known), min(i[1] for i in known)
            self._tightened[kept] = (low, high)
            self.contradictory |= high < low
        return True


def reduced_rows(equations: Iterable[Equation]) -> list[Equation]:
    """The equations in reduced echelon form, each row free of common factors.

    Gauss and Jordan's elimination without fractions; every row is implied by the equations.
    """
    rows = [Equation(dict(terms), rhs) for terms, rhs in equations if terms]
    done = 0
    for variable in sorted({v for row in rows for v in row.terms}):
        candidates = [n for n in range(done, len(rows)) if variable in rows[n].terms]
        if not candidates:
            continue
        rows[done], rows[candidates[0]] = rows[candidates[0]], rows[done]
        pivot = rows[done]
        for number, row in enumerate(rows):
            if number != done and variable in row.terms:
                rows[number] = _without(variable, row, pivot)
        done += 1
    return rows


def _without(variable: Var, row: Equation, pivot: Equation) -> Equation:
    factor, divisor = row.terms[variable], pivot.terms[variable]
    terms = {v: divisor * c for v, c in row.terms.items()}
    for v, c in pivot.terms.items():
        terms[v] = terms.get(v, 0) - factor * c
    rhs = divisor * row.rhs - factor * pivot.rhs
    terms = {v: c for v, c in terms.items() if c}
    common = gcd(*terms.values())
    # A right side off the lattice stays: the divisor test finds it.
    if common > 1 and rhs % common == 0:
        return Equation({v: c // common for v, c in terms.items()}, rhs // common)
    return Equation(terms, rhs)
