"""Loops whose next state a pass would make independent of the state: they are left alone."""

from __future__ import annotations

import pytest

from mapal.rewrite import rewrite
from mapal.rewrite.pipeline import INLINING, LOOP_LIFTING, NATURALITY
from mapal.rewrite.plan import STATELESS
from tests.rewrite.outcomes import applied, kept
from tests.rewrite.programs import graph_of

LOOP = "mut i: i32 <- p0; loop {{ (i < 3) -> {{ -true-> {{ {} -> loop; }} -false-> i -> ret; }} }}"

STATES = {
    "a callee that ignores its argument": ("fn f(x: i32) -> i32 { 5 }", "i -> f -> i;"),
    "a callee whose callee does": (
        "fn f(x: i32) -> i32 { 5 } fn g(x: i32) -> i32 { x -> f -> + 1 }",
        "i -> g -> i;",
    ),
    "a callee with a loop that only counts": (
        "fn f(x: i32) -> i32 { mut j: i32 <- 0; mut s: i32 <- x; loop { (j < 5) -> {"
        "-true-> { s + j -> s; j + 1 -> j; -> loop; } -false-> j -> k; } } k }",
        "i -> f -> i;",
    ),
    "an inner loop that only counts": (
        "",
        "mut j: i32 <- 0; mut s: i32 <- i; loop { (j < 5) -> {"
        "-true-> { s + j -> s; j + 1 -> j; -> loop; } -false-> j -> k; } } k -> i;",
    ),
    "an inner loop that has nothing but a counter": (
        "",
        "mut j: i32 <- 0; loop { (j < 5) -> {"
        "-true-> { j + 1 -> j; -> loop; } -false-> j + i -> k; } } k - i -> i; i * 0 + 5 -> i;",
    ),
    "an element of a map that ignores it": ("", "[i, 1, i] -> map { x -> 5 } -> m; m[1] -> i;"),
    "a fill": ("", "[i, 1] -> map { x -> 5 } -> m; m[1] + m[0] -> i;"),
    "a capture that is not used": (
        "",
        "i * 2 -> c; 4 -> iota -> map { x -> c -> y; 7 } -> m; m[1] + m[2] -> i;",
    ),
    "a component of a zip": (
        "",
        "i -> j; [4, 1, 3] -> map { x -> x + 1 } -> m; [1, 2, 3] -> map { x -> j } -> n;"
        "(n, m) -> zip -> map { x -> x.1 } -> q; q[1] + q[2] -> i;",
    ),
    "a fold over numbers": (
        "",
        "i -> j; 3 -> iota -> map { x -> x * 2 + 4 - j * 0 } -> m;"
        "(0, m) -> fold { s, x -> s + x } -> i;",
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_the_loop_stays_a_loop(name: str) -> None:
    helpers, body = STATES[name]
    text = f"{helpers} fn main(p0: i32) -> i32 {{ {LOOP.format(body)} }}"
    graph = graph_of(text)
    result = kept(graph, (0,), (7,))
    assert len(result.loops) >= 1


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("a callee that ignores its argument", INLINING),
        ("an inner loop that only counts", LOOP_LIFTING),
        ("an element of a map that ignores it", NATURALITY),
    ],
)
def test_the_report_says_why(name: str, step: object) -> None:
    helpers, body = STATES[name]
    graph = graph_of(f"{helpers} fn main(p0: i32) -> i32 {{ {LOOP.format(body)} }}")
    declined = rewrite(graph).report["declined"]
    named = [entry["pass"] for entry in declined if entry["reason"] == STATELESS]
    assert getattr(step, "name", None) in named


def test_other_loops_are_not_left_alone() -> None:
    helpers, body = STATES["a callee that ignores its argument"]
    text = (
        f"{helpers} fn main(p0: i32) -> i32 {{ mut k: i32 <- p0; loop {{ (k > 9) -> {{"
        f"-true-> {{ k -> f -> t; k - t -> k; -> loop; }} -false-> k -> e; }} }} e -> mut i;"
        f"loop {{ (i < 3) -> {{ -true-> {{ {body} -> loop; }} -false-> i -> ret; }} }} }}"
    )
    graph = graph_of(text)
    calls = [m for m in applied(graph, INLINING, (0,), (50,)).morphisms if "Call(" in repr(m.op)]
    assert len(calls) == 1
    kept(graph, (0,), (50,))
