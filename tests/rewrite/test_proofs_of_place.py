"""Accesses that are proved to be in range by an access before them: none moves before that one."""

from __future__ import annotations

import pytest

from mapal.rewrite import apply_pass
from mapal.rewrite.driver import ORDER_WOULD_CHANGE
from mapal.rewrite.pipeline import MAP_FUSION, STREAMS
from tests.rewrite.outcomes import declines, ending, kept
from tests.rewrite.programs import graph_of

HEAD = "fn main(p0: [i32; 4], p1: [i32; 9], p2: i32) -> i32 "
SHORT = [3, 1, 4, 1]
ARGUMENTS = [
    (SHORT, numbers, place)
    for numbers in ([1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 0, 4, 5, 6, 7, 8, 9])
    for place in (1, 6, 20, -1)
]

PROGRAMS = {
    "a steady access behind another": (
        "{ (0, p1) -> fold { s, x -> p0[p2] -> a; p1[p2] -> b; s + a * b * x } -> ret; }",
        STREAMS,
    ),
    "a fold that would stand where a map did": (
        "{ p1 -> map { x -> 12 / x } -> m; p0[p2] -> y;"
        "(3, m) -> fold { s, x -> s + x * p1[p2] } -> z; y + z -> ret; }",
        STREAMS,
    ),
    "a map that would stand where another did": (
        "{ p1 -> map { x -> 12 / x } -> m; p0[p2] -> y;"
        "m -> map { x -> x * p1[p2] } -> n; y + n[2] + n[3] -> ret; }",
        MAP_FUSION,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_access_that_traps_stays_the_first(name: str) -> None:
    body, step = PROGRAMS[name]
    graph = graph_of(HEAD + body)
    kept(graph, *ARGUMENTS)
    assert apply_pass(graph, step).replayed is None
    assert ORDER_WOULD_CHANGE in declines(graph, step)


def test_a_steady_access_that_the_one_before_it_still_precedes() -> None:
    graph = graph_of(
        HEAD + "{ mut t: i32 <- 0; mut i: i32 <- 0; loop { (i < 3) -> { -true-> { p0[p2] -> y;"
        "(t, p1) -> fold { s, x -> s + x * p1[p2] } -> z; y + z -> t; i + 1 -> i; -> loop; }"
        "-false-> t -> ret; } } }"
    )
    assert apply_pass(graph, STREAMS).replayed is not None
    kept(graph, *ARGUMENTS)


def test_without_the_access_before_it_the_trap_is_its_own() -> None:
    """The same fold, with nothing that proves the access: it stays in the body."""
    graph = graph_of(HEAD + "{ (0, p1) -> fold { s, x -> s + p1[p2] * x } -> ret; }")
    kept(graph, *ARGUMENTS)
    assert ending(graph, *ARGUMENTS[2])[0] == "trapped"


def test_a_proof_that_holds_at_the_new_place_too() -> None:
    """The number of an outer map is in range wherever its body reads it."""
    graph = graph_of(
        HEAD + "{ 9 -> iota -> map { i -> (0, p0) -> fold { s, x -> s + x * p1[i] } } -> m;"
        "m[1] + m[2] + p0[p2] -> ret; }"
    )
    application = apply_pass(graph, STREAMS)
    assert application.replayed is not None
    laws = [streaming.law for streaming in application.plan.stream.values()]
    assert "steady access" in laws
    kept(graph, *ARGUMENTS)
