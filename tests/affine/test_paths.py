"""Orders of program positions."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from mapal.affine import Arg, Part, Stmt, compare_paths, path_before, same_statement, stmt_head
from mapal.affine.paths import PathComponent

COMPONENTS: st.SearchStrategy[PathComponent] = st.one_of(
    st.builds(Stmt, st.integers(0, 12)), st.builds(Arg, st.integers(0, 12)), st.sampled_from(Part)
)
PATHS = st.lists(COMPONENTS, max_size=4)


@given(PATHS, PATHS, PATHS)
def test_positions_are_totally_ordered(
    p: list[PathComponent], q: list[PathComponent], r: list[PathComponent]
) -> None:
    assert compare_paths(p, q) == -compare_paths(q, p)
    assert (compare_paths(p, q) == 0) == (p == q)
    if compare_paths(p, q) <= 0 and compare_paths(q, r) <= 0:
        assert compare_paths(p, r) <= 0


@given(PATHS, PATHS)
def test_before_is_the_order_but_for_operands(
    p: list[PathComponent], q: list[PathComponent]
) -> None:
    first = next(((a, b) for a, b in zip(p, q, strict=False) if a != b), None)
    operands = first is not None and all(isinstance(side, Arg) for side in first)
    assert path_before(p, q) == (compare_paths(p, q) < 0 and not operands)


def test_kinds_are_ordered_and_numbers_are_numbers() -> None:
    kinds: list[PathComponent] = [Stmt(2), Stmt(10), Arg(1), Arg(10), *Part]
    for (m, one), (n, other) in product(enumerate(kinds), repeat=2):
        assert compare_paths([one], [other]) == (m > n) - (m < n)
    assert compare_paths([Stmt(1)], [Arg(1)]) == -1


def test_statements() -> None:
    assert not same_statement([], [])
    assert same_statement([Stmt(1), Part.RHS], (Stmt(1), Part.WRITE))
    assert not same_statement([Stmt(1), Part.RHS], [Arg(1), Part.WRITE])
    assert stmt_head([]) == -1
    assert stmt_head([Arg(3), Stmt(1)]) == -1
