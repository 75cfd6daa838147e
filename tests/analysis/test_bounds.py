"""Which accesses are proved: what the analysis must find, and what it must not believe."""

from __future__ import annotations

import pytest

from mapal.analysis.bounds import accesses_in_range, total_accesses
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.lower import lower
from mapal.syntax import parse


def graph_of(source: str) -> Graph:
    parsed = parse(source)
    assert not parsed.diagnostics, parsed.diagnostics
    graph = lower(parsed.program, "exact").graph
    assert graph is not None
    return graph


def verdicts(source: str) -> list[bool]:
    """For each access, in the order of the source, whether it is proved."""
    graph = graph_of(source)
    proved = accesses_in_range(graph)
    accesses = [m for m in graph.morphisms if isinstance(m.op, ops.Index | ops.Update)]
    return [access.id in proved for access in sorted(accesses, key=lambda access: access.key)]


PROVED = {
    "element of a range": "9 -> iota -> map { i -> v[i] } -> ret;",
    "row and column": "9 -> iota -> map { i -> v[i / 3 * 3 + i % 3] } -> ret;",
    "captured range in a fold": """
        9 -> iota -> js;
        9 -> iota -> map { i -> (0, js) -> fold { s, j -> s + v[(i + j) / 2] } } -> ret;""",
    "enumerated": "v -> enumerate -> map { p -> v[p.0] } -> ret;",
    "zipped": "(9 -> iota0, v) -> zip -> map { p -> v[p.0] } -> ret;",
    "element of a literal array": """
        [0, 8, 3] -> t: [i32; 3]; t[k] -> at; (v[at], 9) -> fill -> ret;""",
    "after a check of the same index": "v[k] -> a; v[k] -> b; (a + b, 9) -> fill -> ret;",
    "in the arm of its own guard": """
        (k >= 0 && k < 9) -> { -true-> v[k]; -false-> 0; } -> a; (a, 9) -> fill -> ret;""",
    "in the other arm": """
        (k < 0 || k > 8) -> { -true-> 0; -false-> v[k]; } -> a; (a, 9) -> fill -> ret;""",
    "under a negation": """
        !(k >= 0 && k <= 8) -> { -true-> 0; -false-> v[k]; } -> a; (a, 9) -> fill -> ret;""",
    "after conversions": """
        9 -> iota -> map { i -> i -> to_u8 -> u; u -> to_i64 -> w; v[w] } -> ret;""",
    "minimum and maximum": """
        (k, 0) -> max -> low; (low, 8) -> min -> at; (v[at], 9) -> fill -> ret;""",
    "counter of a loop": """
        mut i: i32 <- 0; mut s: i32 <- 0;
        loop { (i < 9) -> { -true-> { s + v[i] -> s; i + 1 -> i; -> loop; } -false-> s -> r; } }
        (r, 9) -> fill -> ret;""",
    "counter that runs down": """
        mut i: i32 <- 8; mut s: i32 <- 0;
        loop { (i >= 0) -> { -true-> { s + v[i] -> s; i - 1 -> i; -> loop; } -false-> s -> r; } }
        (r, 9) -> fill -> ret;""",
    "result of a map of ranges": """
        9 -> iota -> map { i -> 8 - i } -> back; back -> map { i -> v[i] } -> ret;""",
}

OPEN = {
    "one too far": "9 -> iota -> map { i -> v[i + 1] } -> ret;",
    "one below": "9 -> iota -> map { i -> v[i - 1] } -> ret;",
    "wrapping product": "9 -> iota -> map { i -> v[i * 2147483647 % 9] } -> ret;",
    "an input": "(v[k], 9) -> fill -> ret;",
    "absolute value of an input": "k -> abs -> a; (v[a % 9], 9) -> fill -> ret;",
    "the wrong arm": """
        (k >= 0 && k < 9) -> { -true-> 0; -false-> v[k]; } -> a; (a, 9) -> fill -> ret;""",
    "one side only": "(k < 9) -> { -true-> v[k]; -false-> 0; } -> a; (a, 9) -> fill -> ret;",
    "counter used after its step": """
        mut i: i32 <- 0; mut s: i32 <- 0;
        loop { (i < 9) -> { -true-> { i + 1 -> i; s + v[i] -> s; -> loop; } -false-> s -> r; } }
        (r, 9) -> fill -> ret;""",
    "counter that jumps both ways": """
        mut i: i32 <- 0; mut s: i32 <- 0;
        loop { (s < 9) -> { -true-> { s + v[i] -> s; 3 - i -> i; s * i -> i; -> loop; }
                            -false-> s -> r; } }
        (r, 9) -> fill -> ret;""",
    "an array that has been updated": """
        mut t: [i32; 3] <- [0, 1, 2]; t[1] <- k; t[1] -> at; (v[at], 9) -> fill -> ret;""",
}


def _program(body: str) -> str:
    body = body.replace("(9 -> iota0, v)", "(r0, v)")
    start = "9 -> iota -> r0; " if "r0" in body else ""
    return f"fn main(v: [i32; 9], k: i32) -> [i32; 9] {{ {start}{body} }}"


@pytest.mark.parametrize("name", PROVED)
def test_in_range(name: str) -> None:
    assert verdicts(_program(PROVED[name]))[-1]


@pytest.mark.parametrize("name", OPEN)
def test_not_believed(name: str) -> None:
    assert not verdicts(_program(OPEN[name]))[-1]


def test_a_function_must_be_safe_at_all_its_calls() -> None:
    function = "fn at(v: [i32; 9], k: i32) -> i32 { v[k] -> ret; }\n"
    safe = "fn main(v: [i32; 9]) -> i32 { (v, 3) -> at -> a; (v, 8) -> at -> b; a + b -> ret; }"
    unsafe = "fn main(v: [i32; 9]) -> i32 { (v, 3) -> at -> a; (v, 9) -> at -> b; a + b -> ret; }"
    assert verdicts(function + safe) == [True]
    assert verdicts(function + unsafe) == [False]


def test_a_guess_about_an_outer_loop_does_not_leak_from_an_inner_one() -> None:
    source = """
fn main(v: [i32; 9]) -> i32 {
    mut i: i32 <- 0;
    mut s: i32 <- 0;
    loop {
        (i < 9) -> {
            -true-> {
                mut j: i32 <- i;
                loop {
                    (j < 9) -> {
                        -true-> { s + v[j] -> s; j + 1 -> j; i - 1 -> i; -> loop; }
                        -false-> j -> last;
                    }
                }
                i + 2 -> i;
                -> loop;
            }
            -false-> s -> r;
        }
    }
    r -> ret;
}
"""
    assert verdicts(source) == [False]


def test_deep_loops_get_no_guesses_but_end() -> None:
    text = "s + 1 -> s;"
    for depth in range(12):
        text = f"""
            mut i{depth}: i32 <- 0;
            loop {{ (i{depth} < 2) -> {{
                -true-> {{ {text} i{depth} + 1 -> i{depth}; -> loop; }}
                -false-> v[i{depth} % 2] -> e{depth};
            }} }}"""
    source = f"fn main(v: [i32; 9]) -> i32 {{ mut s: i32 <- 0; {text} e11 -> ret; }}"
    assert len(verdicts(source)) == 12


def test_what_only_a_guard_makes_true_is_not_total() -> None:
    source = _program(PROVED["in the arm of its own guard"])
    graph = graph_of(source)
    assert len(accesses_in_range(graph)) == 1
    assert total_accesses(graph) == frozenset()
    always = "9 -> iota -> map { i -> (i > k) -> { -true-> v[i]; -false-> 0; } } -> ret;"
    assert len(total_accesses(graph_of(_program(always)))) == 1


def test_nothing_to_prove_costs_nothing() -> None:
    graph = graph_of("fn main(v: [i32; 9]) -> i32 { v[3] -> ret; }")
    assert accesses_in_range(graph) == frozenset()
    assert ("accesses in range") not in graph.memo
