"""Can two accesses made by different threads meet in a cell?

The verdicts `Disjoint` and `SameThread` are proofs. `CrossThread` says that a conflict is possible
or was not excluded.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mapal.affine.elimination import System
from mapal.affine.equation import (
    Equation,
    Ranges,
    Var,
    equation_of,
    forced_equalities,
    infeasible,
    solutions,
    variable_of,
)
from mapal.affine.index import (
    POINTS,
    AxisIndex,
    Fixed,
    IndexVector,
    Interval,
    Sym,
    is_dead,
    mentioned,
    points_of,
    vector_text,
)


@dataclass(frozen=True, slots=True)
class Disjoint:
    """No cell is common to both accesses, in whatever threads."""


@dataclass(frozen=True, slots=True)
class SameThread:
    """A common cell implies that all thread coordinates are equal."""


@dataclass(frozen=True, slots=True)
class Example:
    """Two concrete iterations in different threads that name one cell: values by symbol."""

    left: tuple[tuple[Sym, int], ...]
    right: tuple[tuple[Sym, int], ...]


@dataclass(frozen=True, slots=True)
class CrossThread:
    """A conflict is not excluded.

    `reason` is `no_pairs` or `pair_not_forced:x~y` with the first coordinate that the plain rules
    leave open; `witness` says so in words. `example`, where there is one, is a conflict for sure.
    """

    reason: str
    witness: str
    example: Example | None = None


Verdict: TypeAlias = Disjoint | SameThread | CrossThread


@dataclass(frozen=True, slots=True)
class _Question:
    left: tuple[AxisIndex, ...]
    right: tuple[AxisIndex, ...]
    dup_left: Collection[Sym]
    dup_right: Collection[Sym]
    pairs: tuple[tuple[Var, Var], ...]
    ranges: Ranges

    def equations(self) -> list[Equation]:
        axes = (
            equation_of(
                one,
                other,
                dup_left=self.dup_left,
                dup_right=self.dup_right,
                ranges=self.ranges,
            )
            for one, other in zip(self.left, self.right, strict=True)
        )
        return [equation for equation in axes if equation is not None]


def padded(indices: IndexVector, rank: int) -> tuple[AxisIndex, ...]:
    """The vector with zeros at its end, so that it has `rank` components."""
    return (*indices, *[Fixed(0)] * (rank - len(indices)))


def pair_conflict(
    left: IndexVector,
    right: IndexVector,
    *,
    dup_left: Collection[Sym],
    dup_right: Collection[Sym],
    pairs: Sequence[tuple[Sym, Sym]],
    ranges: Ranges,
    points: int = POINTS,
) -> Verdict:
    """Whether two accesses to one array can meet in a cell from different threads.

    `dup_left` and `dup_right` name every symbol that the two threads may see differently: the
    loops inside the parallel region. Loops around it and run-time scalars are in neither. `pairs`
    is the identity of a thread: a left and a right symbol per coordinate. Within `points` what
    the rules leave open is decided by visiting the box.
    """
    if any(is_dead(ranges(Var("L", s))) for s in dup_left) or any(
        is_dead(ranges(Var("R", s))) for s in dup_right
    ):
        return Disjoint()
    rank = max(len(left), len(right))
    identity = tuple(
        (variable_of(x, "L", dup_left), variable_of(y, "R", dup_right)) for x, y in pairs
    )
    question = _Question(
        padded(left, rank), padded(right, rank), dup_left, dup_right, identity, ranges
    )
    equations = question.equations()
    plain = _plain(question, equations)
    if not isinstance(plain, CrossThread):
        return plain
    system = System(equations, ranges)
    if system.contradictory:
        return Disjoint()
    if pairs and all(system.equal(x, y) for x, y in identity):
        return _visited(question, system, SameThread(), points)
    return _visited(question, system, plain, points)


def _plain(question: _Question, equations: list[Equation]) -> Verdict:
    """The verdict axis by axis."""
    ranges = question.ranges
    if any(infeasible(*equation, ranges=ranges, points=0) for equation in equations):
        return Disjoint()
    if not question.pairs:
        return CrossThread("no_pairs", f"no thread identity: {_vectors(question)}")
    forced = set()
    for equation in equations:
        # The plain rules know no shared variable and need every range.
        sides = [variable.side for variable in equation.terms]
        if "S" not in sides and all(ranges(variable) for variable in equation.terms):
            forced |= {tuple(sorted(pair)) for pair in forced_equalities(*equation, ranges=ranges)}
    for one, other in question.pairs:
        if (one, other) not in forced and not _one_value(ranges(one), ranges(other)):
            name = f"{one.symbol}~{other.symbol}"
            return CrossThread(
                f"pair_not_forced:{name}", f"{name} not shown equal: {_vectors(question)}"
            )
    return SameThread()


def _one_value(one: Interval | None, other: Interval | None) -> bool:
    return one is not None and one == other and one[0] == one[1]


def _visited(question: _Question, system: System, verdict: Verdict, points: int) -> Verdict:
    """A verdict at least as strong, by visiting the solutions in the box if it is small."""
    bounds: dict[Var, Interval] = {}
    whole = len(system.equations) == len(question.left)
    equations = []
    for equation in system.equations:
        known = {v: i for v in equation.terms if (i := system.interval(v)) is not None}
        if len(known) == len(equation.terms):
            bounds |= known
            equations.append(equation)
        else:
            # Without the equation there are more solutions, so a proof stays one.
            whole = False
    threads = {system.representative(v) for pair in question.pairs for v in pair}
    open_threads = any(system.interval(variable) is None for variable in threads - bounds.keys())
    bounds |= {v: i for v in threads if (i := system.interval(v)) is not None}
    if not equations or points_of(list(bounds.values())) > points:
        return verdict
    found = False
    for solution in solutions(equations, bounds):
        found = True
        if not isinstance(verdict, CrossThread):
            return verdict
        if open_threads or not question.pairs:
            return verdict
        if not all(_same(system, solution, x, y) for x, y in question.pairs):
            if not whole:
                return verdict
            example = _example(question, system, solution)
            return CrossThread(verdict.reason, verdict.witness, example)
    return SameThread() if found else Disjoint()


def _same(system: System, solution: dict[Var, int], one: Var, other: Var) -> bool:
    return solution[system.representative(one)] == solution[system.representative(other)]


def _example(question: _Question, system: System, solution: dict[Var, int]) -> Example | None:
    """The iterations of a solution; None if a symbol has no range to take a value from."""

    def values(names: set[Sym], side: Literal["L", "R"]) -> tuple[tuple[Sym, int], ...] | None:
        dup = question.dup_left if side == "L" else question.dup_right
        found = []
        for symbol in sorted(names.union(dup)):
            variable = system.representative(variable_of(symbol, side, dup))
            interval = system.interval(variable)
            if interval is None:
                return None
            found.append((symbol, solution.get(variable, interval[0])))
        return tuple(found)

    left = values({*mentioned(question.left), *(x.symbol for x, _ in question.pairs)}, "L")
    right = values({*mentioned(question.right), *(y.symbol for _, y in question.pairs)}, "R")
    return None if left is None or right is None else Example(left, right)


def _vectors(question: _Question) -> str:
    return f"{vector_text(question.left)} against {vector_text(question.right)}"


def separates(
    indices: IndexVector,
    *,
    concurrent: Collection[Sym],
    syms: Sequence[Sym],
    ranges: Ranges,
    points: int = POINTS,
) -> bool:
    """Whether instances of one access that differ in `syms` have different cells.

    `concurrent` contains every symbol that can differ between two instances. Says nothing about
    bounds.
    """
    if not syms:
        return True
    verdict = pair_conflict(
        indices,
        indices,
        dup_left=concurrent,
        dup_right=concurrent,
        pairs=[(symbol, symbol) for symbol in syms],
        ranges=ranges,
        points=points,
    )
    return not isinstance(verdict, CrossThread)
