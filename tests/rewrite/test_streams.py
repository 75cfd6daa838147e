"""What maps and folds go over and capture: each law, and what keeps it from applying."""

from __future__ import annotations

import pytest

from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph, Key
from mapal.ir.ops import ObjectId
from mapal.ir.types import I32
from mapal.rewrite import rewrite
from mapal.rewrite.driver import ORDER_WOULD_CHANGE
from mapal.rewrite.passes import streams
from mapal.rewrite.passes.map_fusion import LONGEST_KEY
from mapal.rewrite.pipeline import STREAMS
from tests.rewrite.build import ADD, MUL, Lines, Program
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


def test_a_map_that_is_absorbed_absorbs_none() -> None:
    """The fold takes the last map over, which alone would take the first one over."""
    graph = of(
        "p0 -> map { x -> x * p2 } -> m; (m, p1) -> zip -> map { x -> x.0 - x.1 } -> n;"
        "(0, n) -> fold { s, x -> s + x } -> ret;"
    )
    assert census(applied(graph, STREAMS, (A, B, 5)))["Map"] == 1
    assert census(kept(graph, (A, B, 5)))["Map"] == 0


def folding(key: Key, *, is_shared: bool) -> Graph:
    """A fold of a map, as a pair of seed and array that may have another reader. `key` is that
    of the map's body."""
    program = Program()
    double = program.helper(
        lambda f: f.f.binary(MUL, f.f.input, f.c(2), key), kind=FunctionKind.MAP_BODY, name="one"
    )
    add = program.helper(
        lambda f: f.op(ADD, f.arg(0), f.arg(1)),
        (I32, I32),
        kind=FunctionKind.FOLD_BODY,
        name="two",
    )

    def main(f: Lines) -> ObjectId:
        pair = f.pack(f.f.input, f.map(double, f.iota(4)))
        total = f.f.fold_product(add, pair, f.key())
        last = f.index(f.proj(pair, 1), f.c(3)) if is_shared else f.c(0)
        return f.op(ADD, total, last)

    return program.main(main, (I32,))


def test_a_pair_with_another_reader_goes_on_holding_its_map() -> None:
    graph = folding(((1, 1),), is_shared=True)
    assert streams.SHARED_ARRAY in declines(graph, STREAMS)
    assert value(kept(graph, (5,)), 5) == "23"
    only = folding(((1, 1),), is_shared=False)
    assert census(applied(only, STREAMS, (5,)))["Map"] == 0


def test_bodies_are_fused_to_a_depth() -> None:
    """Keys grow by one range with each level."""
    graph = folding(((1, 1),) * LONGEST_KEY, is_shared=False)
    assert streams.TOO_DEEP in declines(graph, STREAMS)
    assert census(kept(graph, (5,)))["Map"] == 1


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


OVER_A_ZIP = (
    "p0 -> map {{ x -> x + 1 }} -> m; p1 -> map {{ x -> x * p2 }} -> n; (m, n) -> zip -> z;"
    "(0, z) -> fold {{ s, x -> {} }} -> ret;"
)


def test_maps_under_a_zip_that_a_fold_goes_over_are_for_the_fold() -> None:
    """Its body has a loop, so that it leaves them; they do not become one in its place."""
    loop = (
        "mut y: i32 <- x.0 + x.1; loop { (y > 9) -> { -true-> { y / 2 -> y; -> loop; }"
        "-false-> y -> t; } } s + t"
    )
    graph = of(OVER_A_ZIP.format(loop))
    assert streams.RUNS_FOREVER in declines(graph, STREAMS)
    assert census(applied(graph, STREAMS, (A, B, 5)))["Map"] == 2
    assert census(kept(of(OVER_A_ZIP.format("s + x.0 * x.1")), (A, B, 5)))["Map"] == 0


NOT_NUMBERED = {
    "something else than the number": ("(p2, p0[3 - i])", "[(i32, i32); 4]"),
    "three values": ("(i, p0[3 - i], p2)", "[(i32, i32, i32); 4]"),
}


@pytest.mark.parametrize("name", NOT_NUMBERED)
def test_other_tuples_are_no_enumerations(name: str) -> None:
    given, result = NOT_NUMBERED[name]
    graph = of(f"4 -> iota -> map {{ i -> {given} }} -> ret;", result)
    assert census(applied(graph, STREAMS, (A, B, 2)))["Enumerate"] == 0
    kept(graph, (A, B, 2))


def test_a_pair_that_is_read_as_a_whole_is_captured_as_one() -> None:
    graph = of(
        "(p2 * 2, p2 - 1) -> t; (t, p0) -> fold { s, x -> (x > s.0) -> {"
        "-true-> (x, s.1 + t.1); -false-> t; } } -> r; r.0 - r.1 -> ret;"
    )
    assert applied(graph, STREAMS, (A, B, 5), (A, B, 1)) is graph
    kept(graph, (A, B, 5), (A, B, 1))


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


def test_an_access_in_an_arm_is_not_made_for_those_that_do_not_run_it() -> None:
    graph = of("(0, p0) -> fold { s, x -> (x > 2) -> { -true-> s + p1[2]; -false-> s; } } -> ret;")
    assert applied(graph, STREAMS, (A, B, 5)) is graph
    kept(graph, (A, B, 5))


def test_an_access_that_may_trap_is_in_no_plan() -> None:
    """A plan that moves it would be given up, and with it the law about the zip."""
    graph = of(
        "(p0, p0) -> zip -> z;(0, z) -> fold { s, x -> s + p1[p2] * (7 / x.0) - x.1 } -> ret;"
    )
    arguments = [([0, 1, 1, 1], B, 9), (A, B, 9), (A, B, 2)]
    fold = applied(graph, STREAMS, *arguments)
    assert ORDER_WOULD_CHANGE not in declines(graph, STREAMS)
    (index,) = (m for m in fold.morphisms if isinstance(m.op, ops.Index))
    assert index.function != fold.entry
    kept(graph, *arguments)


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
