"""Program positions of accesses, and which is certainly over when another starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Stmt:
    """The position in a list of statements."""

    number: int


@dataclass(frozen=True, slots=True)
class Arg:
    """The number of an inlined computation in the expression of one statement."""

    number: int


class Part(Enum):
    """Parts of one statement in the order of their execution."""

    COND = 2
    BODY = 3
    RHS = 4
    WRITE = 5


PathComponent: TypeAlias = Stmt | Arg | Part
Path: TypeAlias = Sequence[PathComponent]


def _key(component: PathComponent) -> tuple[int, int]:
    match component:
        case Stmt(number):
            return 0, number
        case Arg(number):
            return 1, number
        case Part():
            return component.value, 0


def compare_paths(p: Path, q: Path) -> Literal[-1, 0, 1]:
    """The order of positions, a total one: lexicographic, a proper prefix first."""
    one, other = [_key(c) for c in p], [_key(c) for c in q]
    return 0 if one == other else -1 if one < other else 1


def path_before(p: Path, q: Path) -> bool:
    """Whether what stands at `p` has certainly finished when what stands at `q` runs.

    Within one iteration of the loops around both. Operands of one expression have no order.
    """
    for one, other in zip(p, q, strict=False):
        if one != other:
            if isinstance(one, Arg) and isinstance(other, Arg):
                return False
            return _key(one) < _key(other)
    return len(p) < len(q)


def same_statement(p: Path, q: Path) -> bool:
    """Whether a store and a load belong to one statement: the paths differ in their ends only."""
    return bool(p) and bool(q) and list(p[:-1]) == list(q[:-1])


def stmt_head(p: Path) -> int:
    """The number of the statement at top level, -1 if there is only one."""
    return p[0].number if p and isinstance(p[0], Stmt) else -1
