"""Boxes, fibers, projections and progressions beyond the case file, and their decline codes."""

from __future__ import annotations

import pytest

from mapal.affine import (
    AP,
    Affine,
    AtLeast,
    AtMost,
    Concat,
    Exact,
    Fixed,
    IndexVector,
    Interval,
    Iter,
    Projection,
    SubAxis,
    ap_covered_chunk,
    ap_of_form,
    ap_subset,
    ceil_div,
    covers_box,
    fiber_cardinality,
    fiber_cardinality_ub,
    injective_map,
    is_injective,
    is_surjective,
    radix_rule,
    within_box,
)

BOUNDS: dict[str, Interval] = {"a": (0, 2), "b": (0, 3), "z": (1, 0)}


@pytest.mark.parametrize(
    ("indices", "dims", "codes"),
    [
        ((Iter("a"),), [3, 3], [(-1, "rank")]),
        ((Fixed(0), SubAxis()), [1, 3], [(1, "opaque")]),
        ((Iter("n"),), [3], [(0, "no_range")]),
        ((Iter("b"),), [3], [(0, "out_of_box")]),
        ((Iter("b"),), [4], []),
        ((Iter("z"), SubAxis()), [1, 1], []),
    ],
)
def test_why_not_within(
    indices: IndexVector, dims: list[int], codes: list[tuple[int, str]]
) -> None:
    told: list[tuple[int, str]] = []
    found = within_box(indices, dims, ranges=BOUNDS, why=lambda *code: told.append(code))
    assert (found, told) == (not codes, codes)


@pytest.mark.parametrize(
    ("indices", "dims", "codes"),
    [
        ((Iter("a"),), [3, 3], [(-1, "rank")]),
        ((SubAxis(),), [3], [(0, "opaque")]),
        ((Iter("n"),), [3], [(0, "no_range")]),
        ((Iter("z"),), [3], [(0, "dead")]),
        ((Iter("a"), Iter("a")), [3, 3], [(1, "reused")]),
        ((Affine(((1, "a"),), 1),), [3], [(0, "offset")]),
        ((Affine(((1, "a"), (4, "b"))),), [12], [(0, "digit")]),
        ((Iter("a"),), [4], [(0, "digit")]),
        ((Affine(((-1, "a"), (3, "b")), 2),), [12], []),
        ((), [], []),
    ],
)
def test_why_not_covering(
    indices: IndexVector, dims: list[int], codes: list[tuple[int, str]]
) -> None:
    told: list[tuple[int, str]] = []
    found = covers_box(indices, dims, ranges=BOUNDS, why=lambda *code: told.append(code))
    assert (found, told) == (not codes, codes)


def test_covering_by_visits() -> None:
    # Two axes share a symbol, and yet: (a, b) -> (a, a + b) fills no box, (0, a) does.
    wide: dict[str, Interval] = {"a": (0, 1), "b": (0, 2)}
    skewed = (Affine(((1, "a"), (1, "b"), (-1, "a"))), Iter("a"))
    assert covers_box(skewed, [3, 2], ranges=wide, points=0)
    # a + b - 1 over halves that start anywhere: 2a + b over 2 by 2 with a from 3.
    assert covers_box(
        (Affine(((2, "a"), (1, "b")), -6),), [4], ranges={"a": (3, 4), "b": (0, 1)}, points=0
    )


def test_fibers_beyond_their_rules() -> None:
    skipping = (Affine(((3, "a"), (4, "b"))),)
    domain = [("a", 3), ("b", 2)]
    assert fiber_cardinality(skipping, domain) == Exact(1)
    assert fiber_cardinality(skipping, domain, points=0) == AtLeast(1)
    assert fiber_cardinality((*skipping, SubAxis()), domain) == Exact(1)
    assert fiber_cardinality_ub((*skipping, SubAxis()), domain) == Exact(1)
    assert fiber_cardinality_ub((SubAxis(), Iter("a")), domain) == AtMost(2)
    assert fiber_cardinality((SubAxis(), Iter("a")), domain) == AtLeast(1)
    window = (Affine(((2, "o"), (1, "w"))),)
    assert fiber_cardinality_ub(window, [("o", 3), ("w", 4)]) == AtMost(2)
    assert fiber_cardinality_ub(window, [("o", 3), ("w", 4)], points=0) == AtMost(3)
    assert fiber_cardinality((Affine(((1, "a"), (1, "b"))),), [("a", 3), ("b", 2)]) == AtLeast(1)


def test_fibers_multiply_over_axes_of_their_own() -> None:
    sums = (Affine(((1, "a"), (1, "b"))), Affine(((1, "c"), (1, "d"))))
    domain = [("a", 40), ("b", 50), ("c", 60), ("d", 70), ("e", 2)]
    assert fiber_cardinality_ub(sums, domain) == AtMost(40 * 60 * 2)


def test_a_domain_names_a_symbol_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        fiber_cardinality((), [("a", 1), ("a", 2)])


def test_injectivity_beyond_the_radix_rule() -> None:
    widths = {"a": 3, "b": 2, "dead": 0}

    def width(symbol: str) -> int:
        return widths[symbol]

    assert injective_map((Affine(((3, "a"), (4, "b"))),), width=width)
    assert not injective_map((Affine(((3, "a"), (4, "b"))),), width=width, points=5)
    assert injective_map((Fixed(0), Iter("dead")), width=width)
    assert not injective_map((Iter("a"), Concat(("a", "b"))), width=width)


def test_unknown_widths_are_for_the_heaviest_digit() -> None:
    assert radix_rule([(4, None), (1, 4)])
    assert not radix_rule([(4, 2), (1, None)])
    assert not radix_rule([(1, None), (1, 1), (1, 2)])
    assert radix_rule([])


def test_projections() -> None:
    pieces = (("a", 2), ("b", 3))
    split = Projection((pieces, (("i", 2),)), (Concat(("a", "b")), Iter("i")), (5, 2))
    assert is_surjective(split)
    assert is_injective(split)
    assert not is_surjective(Projection(split.components, split.lhs, (6, 2)))
    assert not is_surjective(Projection(split.components, split.lhs, (5,)))
    twice = Projection((pieces,), (Concat(("a", "b")), Concat(("a", "b"))), (5, 5))
    assert not is_surjective(twice)
    assert is_injective(twice)
    unlisted = Projection((pieces,), (Concat(("b", "a")),), (5,))
    assert not is_surjective(unlisted)
    assert not is_injective(unlisted)
    part = Projection((pieces,), (Concat(("a", "b")), Iter("a")), (5, 2))
    assert not is_injective(part)
    skipping = Projection(((("a", 3),), (("b", 2),)), (Affine(((3, "a"), (4, "b"))),), (11,))
    assert is_injective(skipping)
    assert not is_injective(skipping, points=5)
    assert not is_surjective(Projection(((("a", 3),),), (Iter("n"),), (3,)))
    dead = Projection(((("a", 0),),), (Fixed(0),), (1,))
    assert not is_surjective(dead)
    assert is_injective(dead)


def test_axes_that_share_a_symbol_are_not_independent_whatever_the_coefficients() -> None:
    lhs = (Affine(((2, "a"), (1, "b"))), Affine(((-1, "a"),), 1))
    shared = Projection(((("a", 2),), (("b", 2),)), lhs, (4, 2))
    assert not is_surjective(shared, points=0)
    digits = Projection(((("a", 4),), (("b", 4),)), (Affine(((4, "a"), (1, "b"))),), (16,))
    assert is_surjective(digits, points=0)


def test_surjectivity_of_axes_that_share_a_symbol() -> None:
    # (a + 2b over 2 by 2, b) misses cells; (a, a + b - a) misses none.
    sums = Projection(
        ((("a", 2),), (("b", 2),), (("c", 2),)),
        (Affine(((1, "a"), (1, "b"))), Affine(((1, "b"), (1, "c")))),
        (3, 3),
    )
    assert not is_surjective(sums)
    shared = Projection(
        ((("a", 4),), (("b", 2),)), (Affine(((1, "a"),)), Affine(((1, "b"), (0, "a")))), (4, 2)
    )
    assert is_surjective(shared, points=0)


def test_progressions() -> None:
    assert ceil_div(7, 2) == 4
    with pytest.raises(ValueError, match="positive"):
        ceil_div(1, -1)
    with pytest.raises(ValueError, match="two values"):
        ap_of_form([(1, (3, 3))], 0, exact=True)
    assert ap_subset(AP(5, 5, 3), AP(3, 7, 2))
    assert not ap_subset(AP(5, 6, 1), AP(5, 5, 0))
    assert not ap_subset(AP(2, 6, 1), AP(3, 7, 2))
    assert ap_covered_chunk(AP(0, 0, 0), AP(0, 0, 0)) == (0, 0)
    assert ap_covered_chunk(AP(1, 1, 0), AP(2, 4, 1)) is None
    assert ap_covered_chunk(AP(0, 4, 2), AP(9, 9, 0)) is None
