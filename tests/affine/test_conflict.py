"""Verdicts on two accesses, their reasons, witnesses and examples."""

from __future__ import annotations

from mapal.affine import (
    Affine,
    CrossThread,
    Disjoint,
    Dynamic,
    Fixed,
    Interval,
    Iter,
    SameThread,
    SideRanges,
    Verdict,
    pair_conflict,
    separates,
)
from mapal.affine.index import AxisIndex, vector_text


def ask(
    left: list[AxisIndex],
    right: list[AxisIndex],
    pairs: list[tuple[str, str]],
    ranges: dict[str, Interval],
    points: int = 0,
    dup: tuple[str, ...] = ("p", "q"),
) -> Verdict:
    return pair_conflict(
        left,
        right,
        dup_left=dup,
        dup_right=dup,
        pairs=pairs,
        ranges=SideRanges(ranges),
        points=points,
    )


BIG: dict[str, Interval] = {"p": (0, 999), "q": (0, 999)}
SUM = Affine(((1, "p"), (1, "q")))
DIFFERENCE = Affine(((1, "p"), (-1, "q")))


def test_sums_and_differences_decide_together() -> None:
    both = [("p", "p"), ("q", "q")]
    assert ask([SUM, DIFFERENCE], [SUM, DIFFERENCE], both, BIG) == SameThread()


def test_a_shifted_diagonal_contradicts_itself() -> None:
    shifted: list[AxisIndex] = [Iter("p"), Affine(((1, "p"),), 2)]
    assert ask([Iter("p"), Iter("p")], shifted, [], BIG) == Disjoint()


def test_equalities_tighten_ranges() -> None:
    ranges = SideRanges({}, {"p": (0, 4)}, {"p": (4, 9)})
    same = Affine(((1, "p"), (-1, "p")), 7)
    verdict = pair_conflict(
        [Iter("p"), Iter("p")],
        [Iter("p"), same],
        dup_left=["p"],
        dup_right=["p"],
        pairs=[],
        ranges=ranges,
    )
    assert verdict == Disjoint()


def test_ranges_that_never_meet_contradict_an_equality() -> None:
    # Neither equation alone is infeasible: q hides the distance in both.
    ranges = SideRanges({"q": (0, 99)}, {"p": (0, 3)}, {"p": (5, 9)})
    cell = [Affine(((1, "p"), (1, "q"))), Affine(((1, "p"), (2, "q")))]
    verdict = pair_conflict(
        cell,
        cell,
        dup_left=["p", "q"],
        dup_right=["p", "q"],
        pairs=[("p", "p")],
        ranges=ranges,
    )
    assert verdict == Disjoint()


def test_a_race_has_an_example() -> None:
    verdict = ask([SUM], [SUM], [("p", "p")], {"p": (0, 2), "q": (0, 1)}, points=100)
    assert isinstance(verdict, CrossThread)
    assert verdict.reason == "pair_not_forced:p~p"
    assert verdict.witness == "p~p not shown equal: [p + q] against [p + q]"
    assert verdict.example is not None
    left, right = dict(verdict.example.left), dict(verdict.example.right)
    assert left["p"] + left["q"] == right["p"] + right["q"]
    assert left["p"] != right["p"]


def test_no_example_where_something_is_opaque_or_unbounded() -> None:
    unknown = ask([Dynamic(), SUM], [Dynamic(), SUM], [("p", "p")], {"p": (0, 2), "q": (0, 1)}, 99)
    assert isinstance(unknown, CrossThread)
    assert unknown.example is None
    free = ask([Iter("p")], [Iter("p")], [("q", "q")], {"p": (0, 2)}, 99)
    assert isinstance(free, CrossThread)
    assert free.example is None


def test_visits_stop_at_their_budget() -> None:
    cell: list[AxisIndex] = [Affine(((3, "p"), (4, "q")))]
    small: dict[str, Interval] = {"p": (0, 2), "q": (0, 1)}
    assert isinstance(ask(cell, cell, [("p", "p")], small, points=35), CrossThread)
    assert ask(cell, cell, [("p", "p")], small, points=36) == SameThread()


def test_an_equation_without_a_range_is_left_out_of_visits() -> None:
    cell: list[AxisIndex] = [Affine(((3, "p"), (4, "q"))), Affine(((1, "n"), (2, "m")))]
    other: list[AxisIndex] = [cell[0], Iter("m")]
    small: dict[str, Interval] = {"p": (0, 2), "q": (0, 1)}
    assert ask(cell, other, [("p", "p")], small, points=99) == SameThread()


def test_no_pairs_are_only_disjoint_or_not() -> None:
    verdict = ask([Iter("p")], [Iter("p")], [], BIG, points=10)
    assert isinstance(verdict, CrossThread)
    assert verdict.reason == "no_pairs"


def test_separation_of_nothing_and_of_shared_symbols() -> None:
    nothing: list[AxisIndex] = [Fixed(0)]
    assert separates(nothing, concurrent=["p"], syms=[], ranges=SideRanges())
    assert separates(nothing, concurrent=["p"], syms=["q"], ranges=SideRanges())
    assert not separates(nothing, concurrent=["p"], syms=["p"], ranges=SideRanges({"p": (0, 1)}))


def test_vectors_in_words() -> None:
    parts: list[AxisIndex] = [Affine(((2, "i"), (1, "j"), (-1, "k")), -3), Fixed(0), Dynamic(4)]
    assert vector_text(parts) == "[2*i + j + -1*k + -3, 0, dynamic]"
