"""Which accesses are proved: what the analysis must find, and what it must not believe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mapal.affine import boxes, implied
from mapal.affine.index import Linear
from mapal.analysis.accesses.symbols import Symbols
from mapal.analysis.accesses.values import Values
from mapal.analysis.bounds import accesses_in_range, total_accesses
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import BinaryCode
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
    "a remainder taken away": "9 -> iota -> map { i -> v[i - i % 3 + 2] } -> ret;",
    "columns as rows": "9 -> iota -> map { p -> v[p % 3 * 3 + p / 3] } -> ret;",
    "digits of digits": "9 -> iota -> map { p -> v[p / 3 / 2 * 6 + p / 3 % 2 * 2] } -> ret;",
    "less than another position": """
        9 -> iota -> js;
        9 -> iota -> map { i -> (0, js) -> fold { s, j ->
            (j < i) -> { -true-> v[i - j - 1]; -false-> 0; } -> a; s + a } } -> ret;""",
    "below a bound that is bounded": """
        9 -> iota -> map { n -> (k >= 0 && k < n) -> { -true-> v[k + 9 - n]; -false-> 0; } -> a; a }
        -> ret;""",
    "rows inside": """
        9 -> iota -> map { p -> p / 3 -> row;
            (row > 0 && row < 2) -> { -true-> v[p - 3] + v[p + 3]; -false-> 0; } -> a; a }
        -> ret;""",
    "columns inside": """
        9 -> iota -> map { p -> p % 3 -> column;
            column == 0 || column == 2 -> rim;
            rim -> { -true-> 0; -false-> v[p - 1] + v[p + 1]; } -> a; a } -> ret;""",
    "a neighbour, clamped": """
        9 -> iota -> map { p -> (p - 2, 0) -> max -> q; v[q] } -> ret;""",
    "the lesser of a position and what is read": """
        9 -> iota -> map { p -> (v[p], p) -> min -> q;
            (q >= 0) -> { -true-> v[8 - p + q]; -false-> 0; } -> a; a } -> ret;""",
    "two counters in step": """
        mut i: i32 <- 0; mut j: i32 <- 8; mut s: i32 <- 0;
        loop { (i < 9) -> { -true-> { s + v[j] -> s; i + 1 -> i; j - 1 -> j; -> loop; }
                            -false-> s -> r; } }
        (r, 9) -> fill -> ret;""",
    "counter by twos": """
        mut i: i32 <- 1; mut s: i32 <- 0;
        loop { (i < 9) -> { -true-> { s + v[i - 1] -> s; i + 2 -> i; -> loop; } -false-> s -> r; } }
        (r, 9) -> fill -> ret;""",
    "a loop that never goes on": """
        mut i: i32 <- 9; mut s: i32 <- 0;
        loop { (i < 9) -> { -true-> { s + v[i + 99] -> s; i + 1 -> i; -> loop; }
                            -false-> s -> r; } }
        (r, 9) -> fill -> ret;""",
    "an arm that is never selected": """
        9 -> iota -> map { p -> (p > 8) -> { -true-> v[p]; -false-> 0; } -> a; a } -> ret;""",
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
    "a remainder taken away, one too far": "9 -> iota -> map { i -> v[i - i % 3 + 3] } -> ret;",
    "the greatest remainder": "9 -> iota -> map { i -> v[i % 3 + 7] } -> ret;",
    "rows inside, one too few": """
        9 -> iota -> map { p -> p / 3 -> row;
            (row > 0) -> { -true-> v[p + 3]; -false-> 0; } -> a; a } -> ret;""",
    "the wrong column": """
        9 -> iota -> map { p -> (p % 3 != 1) -> { -true-> v[p - 1]; -false-> 0; } -> a; a }
        -> ret;""",
    "not less than another position": """
        9 -> iota -> js;
        9 -> iota -> map { i -> (0, js) -> fold { s, j ->
            (j <= i) -> { -true-> v[i - j - 1]; -false-> 0; } -> a; s + a } } -> ret;""",
    "a comparison whose operand wraps": """
        (k >= 0 && k + 2 < 9) -> { -true-> v[k + 2]; -false-> 0; } -> a; (a, 9) -> fill -> ret;""",
    "two counters, one step ahead": """
        mut i: i32 <- 0; mut j: i32 <- 7; mut s: i32 <- 0;
        loop { (i < 9) -> { -true-> { s + v[j] -> s; i + 1 -> i; j - 1 -> j; -> loop; }
                            -false-> s -> r; } }
        (r, 9) -> fill -> ret;""",
    "two counters, one that stops": """
        mut i: i32 <- 0; mut j: i32 <- 8; mut s: i32 <- 0;
        loop { (i < 9) -> { -true-> { s + v[j] -> s; i + 1 -> i;
                (i < 3) -> { -true-> j - 1; -false-> j - 3; } -> j; -> loop; } -false-> s -> r; } }
        (r, 9) -> fill -> ret;""",
    "a negative number's remainder": """
        9 -> iota -> map { i -> v[(i - 4) % 3] } -> ret;""",
    "a negative number's quotient": """
        9 -> iota -> map { i -> i - 8 -> m; v[m / 3 * 3 - m] } -> ret;""",
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


def _one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cell behind the end is taken for a cell."""
    right = implied.is_nonnegative

    def broken(form: Linear, **rest: Any) -> bool:
        return right(Linear(form.terms, form.offset + 1), **rest)

    monkeypatch.setattr(boxes, "is_nonnegative", broken)


def _loose_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """`a <= b` is taken for `a < b`."""
    right = Values.differences

    def broken(self: Values, code: BinaryCode, difference: Linear) -> list[Linear]:
        return right(self, BinaryCode.LT if code is BinaryCode.LE else code, difference)

    monkeypatch.setattr(Values, "differences", broken)


def _small_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A remainder misses its greatest value."""
    right = Symbols._take_apart

    def broken(self: Symbols, symbol: str, size: int) -> None:
        right(self, symbol, size)
        self.ranges[f"{symbol}%{size}"] = self.bases[f"{symbol}%{size}"] = (0, size - 2)

    monkeypatch.setattr(Symbols, "_take_apart", broken)


@pytest.mark.parametrize("break_it", [_one_more, _loose_orders, _small_digits])
def test_a_broken_proof_is_found(
    break_it: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    break_it(monkeypatch)
    assert any(verdicts(_program(body))[-1] for body in OPEN.values())
