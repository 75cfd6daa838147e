"""Coverage beyond the case file: one-value symbols, loops with one name, unions, budgets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mapal.affine import (
    Access,
    Affine,
    Covered,
    Dynamic,
    Fixed,
    Iter,
    Part,
    Stmt,
    Unknown,
    read_covered_before,
)
from mapal.affine.box_union import boxes_cover

READ = Access(map=(Iter("u"),), loops=(("u", 0, 7),), path=(Stmt(9), Part.RHS))
WRITE = Access(map=(Iter("i"),), write=True, loops=(("i", 0, 7),), path=(Stmt(0), Part.WRITE))


def test_a_thread_of_one_number_is_a_constant() -> None:
    write = replace(WRITE, map=(Iter("t"),), loops=(("t", 3, 3),))
    read = replace(READ, map=(Fixed(3),), loops=(("t", 3, 3),))
    assert read_covered_before(read, [write], thread=["t"]) == Covered()
    assert read_covered_before(replace(read, map=(Fixed(2),)), [write], thread=["t"]) == Unknown(
        "not_covered", ("residual_parameter",)
    )


def test_tied_axes_of_one_value_are_not_tied() -> None:
    write = replace(WRITE, map=(Iter("i"), Iter("i")), loops=(("i", 4, 4),))
    read = replace(READ, map=(Fixed(4), Fixed(4)), loops=())
    assert read_covered_before(read, [write], points=0) == Covered()


def test_stores_of_unlike_depth_are_fixed_at_the_loops_they_share() -> None:
    # The inner store shares b with the load: what other iterations of b store is not there yet.
    outer, inner = ("a", 0, 1), ("b", 0, 3)
    read = Access(
        map=(Iter("u"),),
        loops=(outer, inner, ("u", 0, 3)),
        path=(Stmt(1), Stmt(1), Part.RHS),
    )
    same = Access(
        map=(Iter("b"),), write=True, loops=(outer, inner), path=(Stmt(1), Stmt(0), Part.WRITE)
    )
    before = Access(map=(Fixed(0),), write=True, loops=(outer,), path=(Stmt(0), Part.WRITE))
    found = read_covered_before(read, [same, before])
    assert found == Unknown("not_covered", ("residual_parameter", "partial"))
    enough = replace(before, map=(Iter("k"),), loops=(outer, ("k", 0, 3)))
    assert read_covered_before(read, [same, enough]) == Covered()


def test_inner_loops_with_the_name_of_an_outer_one() -> None:
    outer = ("b", 0, 3)
    read = Access(map=(Iter("b"),), loops=(outer, ("b", 0, 2)), path=(Stmt(0), Stmt(1), Part.RHS))
    once = Access(map=(Iter("b"),), write=True, loops=(outer,), path=(Stmt(0), Stmt(0), Part.WRITE))
    assert isinstance(read_covered_before(read, [once]), Unknown)
    deeper = replace(once, loops=(outer, ("k", 0, 2)), map=(Iter("k"),))
    assert read_covered_before(read, [deeper]) == Covered()


def test_a_store_without_a_place_is_not_before() -> None:
    assert read_covered_before(READ, [replace(WRITE, path=())]) == Unknown(
        "no_prior_writes", ("not_before",)
    )


def test_a_load_counts_for_nothing() -> None:
    found = read_covered_before(READ, [replace(WRITE, write=False)])
    assert found == Unknown("no_prior_writes", ("not_a_write",))


def test_a_dead_bound_of_a_scalar_bounds_nothing() -> None:
    read = replace(READ, map=(Iter("n"),), loops=())
    found = read_covered_before(read, [WRITE], static_range={"n": (3, 2)})
    assert found == Unknown("not_covered", ("unbounded_parameter",))


def test_scalars_of_which_nothing_is_known_cancel_under_visits() -> None:
    diagonal = (Affine(((1, "u"), (1, "n"))), Iter("u"))
    read = replace(READ, map=diagonal)
    write = replace(WRITE, map=(Affine(((1, "i"), (1, "n"))), Iter("i")))
    assert read_covered_before(read, [write], points=0) == Unknown("not_covered", ("tied_axes",))
    assert read_covered_before(read, [write]) == Covered()
    other = replace(write, map=(Affine(((1, "i"), (2, "n"))), Iter("i")))
    assert isinstance(read_covered_before(read, [other]), Unknown)


def test_runs_of_digits_and_data_of_known_extent() -> None:
    blocks = replace(
        WRITE, map=(Affine(((4, "i"), (2, "k"))),), vec_len=2, loops=(("i", 0, 1), ("k", 0, 1))
    )
    assert read_covered_before(READ, [blocks], points=0) == Covered()
    gather = replace(READ, map=(Dynamic(8),), dynamic=True, loops=())
    assert read_covered_before(gather, [WRITE], points=0) == Covered()
    assert read_covered_before(replace(gather, map=(Dynamic(9),)), [WRITE]) == Unknown(
        "dynamic_read"
    )
    assert read_covered_before(replace(gather, map=(Fixed(0),)), [WRITE]) == Unknown("dynamic_read")


def test_a_whole_load_takes_a_whole_store() -> None:
    read = replace(READ, map=(), whole=True, loops=())
    assert read_covered_before(read, [WRITE]) == Unknown("uninterpretable_read")
    assert read_covered_before(read, [replace(WRITE, map=(), whole=True)]) == Covered()


def test_many_boxes_are_not_looked_at() -> None:
    writes = [replace(WRITE, map=(Fixed(n),), loops=()) for n in range(70)]
    read = replace(READ, loops=(("u", 0, 69),))
    found = read_covered_before(read, writes, points=0)
    assert found == Unknown("not_covered", ("partial",) * 70)
    assert read_covered_before(read, writes) == Covered()
    assert read_covered_before(replace(read, loops=(("u", 0, 59),)), writes[:60], points=0) == (
        Covered()
    )


@pytest.mark.parametrize(
    ("boxes", "target", "covered"),
    [
        ([], [], False),
        ([()], [], True),
        ([[(0, 1)], [(2, 3)]], [(0, 3)], True),
        ([[(0, 1)], [(3, 3)]], [(0, 3)], False),
        ([[(-5, 9)]], [(0, 3)], True),
        ([[(0, 0), (0, 1)], [(1, 1), (0, 0)]], [(0, 1), (0, 1)], False),
        ([[(0, 0), (0, 1)], [(0, 1), (0, 0)], [(1, 1), (1, 1)]], [(0, 1), (0, 1)], True),
    ],
)
def test_unions(
    boxes: list[list[tuple[int, int]]], target: list[tuple[int, int]], covered: bool
) -> None:
    assert boxes_cover(boxes, target) is covered
