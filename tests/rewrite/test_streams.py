"""What maps and folds go over and capture: each law, and what keeps it from applying."""

from __future__ import annotations

import pytest

from mapal.ir.graph import Graph
from mapal.rewrite import rewrite
from mapal.rewrite.passes import streams
from mapal.rewrite.pipeline import STREAMS
from tests.rewrite.dataflow import dataflow
from tests.rewrite.outcomes import applied, census, declines, kept, kind, value
from tests.rewrite.programs import graph_of

A, B = [3, 1, 4, 1], [2, 7, 1, 8]


def of(body: str, result: str = "i32", helpers: str = "") -> Graph:
    """A program over two arrays of four numbers and a number."""
    head = f"fn main(p0: [i32; 4], p1: [i32; 4], p2: i32) -> {result}"
    return graph_of(f"{helpers} {head} {{ {body} }}")


SAME = {
    "pairs of numbers and elements": [
        "p0 -> enumerate -> e; (0, e) -> fold { s, x -> s + x.0 * x.1 } -> ret;",
        "4 -> iota -> n; (n, p0) -> zip -> z; (0, z) -> fold { s, x -> s + x.0 * x.1 } -> ret;",
        "4 -> iota -> n; (0, n) -> fold { s, i -> s + i * p0[i] } -> ret;",
    ],
    "a zip on either side": [
        "(p0, p1) -> zip -> z; (0, z) -> fold { s, x -> s + x.0 * x.1 } -> ret;",
        "4 -> iota -> n; (0, n) -> fold { s, i -> s + p0[i] * p1[i] } -> ret;",
        "p1 -> enumerate -> e; (p0, e) -> zip -> z;"
        "(0, z) -> fold { s, x -> s + x.0 * (x.1).1 } -> ret;",
        "(p0, p1) -> zip -> map { x -> x.0 * x.1 } -> m; (0, m) -> fold { s, x -> s + x } -> ret;",
    ],
    "a map under a fold": [
        "p0 -> map { x -> x * p2 + 1 } -> m; (0, m) -> fold { s, x -> s - x } -> ret;",
        "(0, p0) -> fold { s, x -> s - (x * p2 + 1) } -> ret;",
        "4 -> iota -> n; (0, n) -> fold { s, i -> s - (p0[i] * p2 + 1) } -> ret;",
    ],
    "the same array twice": [
        "(p0, p0) -> zip -> z; (0, z) -> fold { s, x -> s + x.0 * x.1 } -> ret;",
        "(0, p0) -> fold { s, x -> s + x * x } -> ret;",
    ],
    "a fill": [
        "(p2, 4) -> fill -> f; (p0, f) -> zip -> z;"
        "(0, z) -> fold { s, x -> s + x.0 * x.1 } -> ret;",
        "(0, p0) -> fold { s, x -> s + x * p2 } -> ret;",
    ],
    "a steady element": [
        "(0, p0) -> fold { s, x -> s + x * p1[2] } -> ret;",
        "p1[2] -> y; (0, p0) -> fold { s, x -> s + x * y } -> ret;",
    ],
    "a pair that is taken apart": [
        "(p2 * 2, p2 - 1) -> t; (0, p0) -> fold { s, x -> s + x * t.0 - t.1 } -> ret;",
        "p2 * 2 -> a; p2 - 1 -> b; (0, p0) -> fold { s, x -> s + x * a - b } -> ret;",
    ],
}


@pytest.mark.parametrize("name", SAME)
def test_spellings_of_one_fold(name: str) -> None:
    texts, values = set(), set()
    for body in SAME[name]:
        graph = of(body)
        texts.add(dataflow(kept(graph, (A, B, 5))))
        values.add(value(graph, A, B, 5))
    assert len(values) == 1
    assert len(texts) == 1, "\n".join(texts)


ABSORBED = {
    "a map that can trap, under a fold that cannot": (
        "p0 -> map { x -> 12 / x } -> m; (0, m) -> fold { s, x -> s + x } -> ret;",
        [([3, 0, 4, 1], B, 5), (A, B, 5)],
    ),
    "a fold that can trap, over a map that cannot": (
        "p0 -> map { x -> x - p2 } -> m; (99, m) -> fold { s, x -> s / x } -> ret;",
        [([3, 5, 4, 1], B, 5), (A, B, 5)],
    ),
    "one side of a zip": (
        "p0 -> map { x -> 12 / x } -> m; (p1, m) -> zip -> z;"
        "(0, z) -> fold { s, x -> s + x.0 * x.1 } -> ret;",
        [([3, 0, 4, 1], B, 5), (A, B, 5)],
    ),
    "both sides of a zip, one of which can trap": (
        "p0 -> map { x -> 12 / x } -> m; p1 -> map { x -> x * p2 } -> n; (n, m) -> zip -> z;"
        "(0, z) -> fold { s, x -> s + x.0 * x.1 } -> ret;",
        [([3, 0, 4, 1], B, 5), (A, B, 5)],
    ),
    "an enumeration": (
        "p0 -> map { x -> 12 / x } -> enumerate -> e;"
        "(0, e) -> fold { s, x -> s + x.0 * x.1 } -> ret;",
        [([3, 0, 4, 1], B, 5), (A, B, 5)],
    ),
}


@pytest.mark.parametrize("name", ABSORBED)
def test_absorbed_maps(name: str) -> None:
    body, arguments = ABSORBED[name]
    graph = of(body)
    assert census(applied(graph, STREAMS, *arguments))["Map"] == 0
    found = census(kept(graph, *arguments))
    assert (found["Map"], found["Fold"]) == (0, 1)


LEFT_ALONE = {
    "two bodies that can trap": (
        "p0 -> map { x -> 12 / x } -> m; (0, m) -> fold { s, x -> s + 3 / x } -> ret;",
        streams.BOTH_TRAP,
    ),
    "two maps that can trap": (
        "p0 -> map { x -> 12 / x } -> m; p1 -> map { x -> 12 / x } -> n; (n, m) -> zip -> z;"
        "(0, z) -> fold { s, x -> s + x.0 * x.1 } -> ret;",
        streams.BOTH_TRAP,
    ),
    "a loop in a body": (
        "p0 -> map { x -> mut y: i32 <- x; loop { (y > 9) -> { -true-> { y / 2 -> y; -> loop; }"
        "-false-> y -> z; } } z } -> m; (0, m) -> fold { s, x -> s + x } -> ret;",
        streams.RUNS_FOREVER,
    ),
    "another reader": (
        "p0 -> map { x -> x * p2 } -> m; (0, m) -> fold { s, x -> s + x } -> t;t + m[2] -> ret;",
        streams.SHARED_ARRAY,
    ),
    "another reader of the zip": (
        "p0 -> map { x -> x * p2 } -> m; (m, p1) -> zip -> z;"
        "(0, z) -> fold { s, x -> s + x.0 * x.1 } -> t; t + z[2].0 -> ret;",
        streams.SHARED_ARRAY,
    ),
    "another region": (
        "p0 -> map { x -> 12 / x } -> m;"
        "(p2 > 4) -> { -true-> { (0, m) -> fold { s, x -> s + x } } -false-> 0; } -> t;"
        "(p2 > 5) -> { -true-> { (1, m) -> fold { s, x -> s - x } } -false-> t; } -> ret;",
        streams.SHARED_ARRAY,
    ),
}


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_maps_that_are_made(name: str) -> None:
    body, reason = LEFT_ALONE[name]
    graph = of(body)
    assert reason in declines(graph, STREAMS)
    arguments = [(A, B, 5), ([12, 0, 40, 1], B, 5), ([1, 50, 7, 0], [0, 1, 0, 1], 6)]
    assert census(kept(graph, *arguments))["Map"] > 0


def test_a_map_in_another_region_is_made() -> None:
    """The map runs before the loop, the fold in each pass of it."""
    graph = of(
        "p0 -> map { x -> 12 / x } -> m; mut t: i32 <- p2;"
        "loop { (t < 90) -> { -true-> { (t, m) -> fold { s, x -> s + x * x } -> t; -> loop; }"
        "-false-> t -> ret; } }"
    )
    assert streams.OTHER_REGION in declines(graph, STREAMS)
    arguments = [(A, B, 5), ([3, 0, 4, 1], B, 99)]
    assert kind(graph, *arguments[1]) == "div_zero"
    assert census(kept(graph, *arguments))["Map"] == 1


def test_a_trap_before_what_the_fold_needs() -> None:
    """The map's trap comes before the trap that computes the seed."""
    graph = of(
        "p0 -> map { x -> 12 / x } -> m; p1[p2] -> seed;(seed, m) -> fold { s, x -> s + x } -> ret;"
    )
    assert streams.LATE_OPERAND in declines(graph, STREAMS)
    assert kind(graph, [3, 0, 4, 1], B, 9) == "div_zero"
    kept(graph, ([3, 0, 4, 1], B, 9), (A, B, 9), (A, B, 2))


def test_a_trap_before_the_other_side_of_a_zip() -> None:
    """The map that can trap comes before an array that is made for others too."""
    graph = of(
        "p0 -> map { x -> 12 / x } -> n; p1 -> map { x -> x * p2 } -> m;"
        "(n, m) -> zip -> z; (0, z) -> fold { s, x -> s + x.0 * x.1 } -> t; t + m[1] - m[2] -> ret;"
    )
    assert streams.LATE_OPERAND in declines(graph, STREAMS)
    kept(graph, ([3, 0, 4, 1], B, 5), (A, B, 5))


def test_bodies_that_hold_others_are_not_copied() -> None:
    helpers = (
        "fn h(a: [i32; 4], k: i32) -> i32 { 4 -> iota -> n; (0, a) -> fold { s, x ->"
        "(0, n) -> fold { t, i -> t + x * k * i } -> u; s + u } -> ret; }"
    )
    graph = of("(p0, p2) -> h -> a; (p1, p2) -> h -> b; a - b -> ret;", helpers=helpers)
    report = rewrite(graph).report
    reasons = {entry["reason"] for entry in report["declined"] if entry["pass"] == STREAMS.name}
    assert reasons == {streams.SHARED_BODY}
    kept(graph, (A, B, 5))


NUMBERED = {
    "from numbers": "4 -> iota -> map { i -> (i, p0[3 - i]) } -> ret;",
    "from an enumeration": "p0 -> enumerate -> map { e -> (e.0, e.1 * p2) } -> ret;",
}


@pytest.mark.parametrize("name", NUMBERED)
def test_pairs_of_numbers_and_values_are_enumerations(name: str) -> None:
    graph = of(NUMBERED[name], "[(i32, i32); 4]")
    found = census(kept(graph, (A, B, 5)))
    assert (found["Map"], found["Enumerate"]) == (1, 1)


def test_two_maps_under_a_zip_become_one() -> None:
    body = "p0 -> map {{ x -> {} }} -> m; p1 -> map {{ x -> {} }} -> n; (m, n) -> zip -> ret;"
    result = "[(i32, i32); 4]"
    arguments = [(A, B, 5), ([3, 0, 4, 1], [0, 1, 1, 1], 5)]
    for first, second, maps in (
        ("x + 1", "x * p2", 1),
        ("12 / x", "x * p2", 1),
        ("x + 1", "12 / x", 1),
        ("12 / x", "12 / x", 2),
    ):
        graph = of(body.format(first, second), result)
        assert census(kept(graph, *arguments))["Map"] == maps
    only = of("p0 -> map { x -> x + 1 } -> m; (m, p1) -> zip -> ret;", result)
    assert census(kept(only, *arguments))["Zip"] == 1


GUARDED = "4 -> iota -> map { i -> (i < p2) -> { -true-> p0[i]; -false-> 0; } } -> ret;"


def test_an_element_read_in_an_arm() -> None:
    """The number has another use in the first program only."""
    assert census(kept(of(GUARDED, "[i32; 4]"), (A, B, 2)))["Iota"] == 1
    other = GUARDED.replace("i < p2", "p2 < 4")
    assert census(kept(of(other, "[i32; 4]"), (A, B, 2), (A, B, 9)))["Iota"] == 0


STAYS = {
    "the array is longer": ("3 -> iota -> map { i -> p0[i] } -> ret;", "[i32; 3]"),
    "an element of a longer array": ("3 -> iota -> map { i -> p0[i] + 1 } -> ret;", "[i32; 3]"),
    "a computed number": ("4 -> iota -> map { i -> p0[3 - i] } -> ret;", "[i32; 4]"),
    "the number as well": ("4 -> iota -> map { i -> p0[i] + i } -> ret;", "[i32; 4]"),
}


@pytest.mark.parametrize("name", STAYS)
def test_numbers_that_are_needed(name: str) -> None:
    body, result = STAYS[name]
    found = census(kept(of(body, result), (A, B, 2)))
    assert (found["Iota"], found["Map"]) == (1, 1)


def test_a_body_that_gives_the_element_itself() -> None:
    copied = of("4 -> iota -> map { i -> p0[i] } -> m; m[1] * m[2] -> ret;")
    assert census(kept(copied, (A, B, 5)))["Map"] == 0
    last = of("4 -> iota -> n; (0, n) -> fold { s, i -> p0[i] } -> ret;")
    assert census(kept(last, (A, B, 5)))["Iota"] == 0
    assert value(last, A, B, 5) == "1"


def test_an_access_that_may_trap_stays_in_the_body() -> None:
    """In an arm, or out of range, an access may run less often than once, or trap."""
    in_arm = of(
        "(0, p0) -> fold { s, x -> (x > 2) -> { -true-> s + p1[p2]; -false-> s; } } -> ret;"
    )
    assert kind(in_arm, [1, 1, 1, 1], B, 9) == "done"
    assert kind(in_arm, A, B, 9) == "index_oob"
    kept(in_arm, ([1, 1, 1, 1], B, 9), (A, B, 9), (A, B, 2))
    guarded = of(
        "(0, p0) -> fold { s, x -> (p2 >= 0) -> { -true-> {"
        "(p2 < 4) -> { -true-> s + p1[p2] * x; -false-> s; } } -false-> s; } } -> ret;"
    )
    assert [kind(guarded, A, B, place) for place in (9, -1, 2)] == ["done"] * 3
    kept(guarded, (A, B, 9), (A, B, -1), (A, B, 2))
    outside = of("(0, p0) -> fold { s, x -> s + p1[p2] * (7 / x) } -> ret;")
    arguments = [([0, 1, 1, 1], B, 9), (A, B, 9), (A, B, 2)]
    kept(outside, *arguments)
    assert kind(outside, *arguments[0]) == kind(outside, *arguments[1])


def test_captures_that_no_one_reads_are_dropped_but_the_state_of_a_loop_stays() -> None:
    graph = of(
        "mut t: [i32; 4] <- p0; mut n: i32 <- 0;"
        "loop { (n < p2) -> { -true-> { t -> map { x -> p1[1] } -> t; n + 1 -> n; -> loop; }"
        "-false-> t[1] -> ret; } }"
    )
    kept(graph, (A, B, 2), (A, B, 0))


def test_a_term_of_too_many_parts_is_left_alone() -> None:
    zips = "".join(f"(z{i}, z{i}) -> zip -> z{i + 1};" for i in range(7))
    text = "x"
    for _ in range(7):
        text = f"({text}).0"
    graph = of(f"p0 -> z0; {zips} (0, z7) -> fold {{ s, x -> s + {text} }} -> ret;")
    assert streams.TOO_LARGE in declines(graph, STREAMS)
    kept(graph, (A, B, 2))
