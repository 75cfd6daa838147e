"""Cases C78, C83, C84, C87, C88 and C90, from source texts, before and after the passes."""

from __future__ import annotations

from typing import Literal

import pytest

from mapal.interpreter import run
from mapal.ir.graph import Graph
from mapal.ir.reduction import reduce_sequence
from mapal.ir.text import print_graph
from mapal.lower import lower
from mapal.rewrite import rewrite
from mapal.syntax import parse
from tests.rewrite.outcomes import census
from tests.rewrite.programs import strict

Mode = Literal["exact", "fused"]


def graph_of(text: str, mode: Mode = "exact") -> Graph:
    parsed = parse(text)
    assert parsed.diagnostics == ()
    lowered = lower(parsed.program, mode)
    assert lowered.diagnostics == ()
    assert lowered.graph is not None
    return lowered.graph


def both(graph: Graph, **inputs: object) -> object:
    """The result, which the passes keep."""
    before = run(graph, inputs, budget=10**6)
    for least in (None, 1):
        after = run(rewrite(graph).graph, inputs, budget=10**6, lockstep_from=least)
        assert strict(after) == strict(before)
    assert before.kind == "done"
    return before.output.decode() if before.output else before.result


NESTED = """
fn main() {
    mut i: i32 <- 0;
    loop {
        i -> println;
        (i < 2) -> {
            -true-> {
                mut j: i32 <- 0;
                loop {
                    (j < 2) -> {
                        -true-> { 10 + j -> println; j + 1 -> j; -> loop; }
                        -false-> j -> done;
                    }
                }
                i + 1 -> i;
                -> loop;
            }
            -false-> i -> last;
        }
    }
    last -> println;
}
"""


def test_c78_effects_at_two_depths() -> None:
    assert both(graph_of(NESTED)) == "0\n10\n11\n1\n10\n11\n2\n2\n"


FUSED = {
    "a * b + c": (1, 0),
    "a * b - c": (1, 0),
    "c - a * b": (1, 0),
    "a * b + c * a": (1, 1),
}


@pytest.mark.parametrize("expression", FUSED)
def test_c83_fused_rule(expression: str) -> None:
    text = f"fn main(a: f64, b: f64, c: f64) -> f64 {{ {expression} }}"
    fused, products = FUSED[expression]
    graph = graph_of(text, "fused")
    assert (census(graph)["Fma"], census(graph)["Mul"]) == (fused, products)
    after = census(rewrite(graph).graph)
    assert (after["Fma"], after["Mul"]) == (fused, products)
    both(graph, a=1.1, b=2.3, c=-0.7)
    assert census(graph_of(text))["Fma"] == 0


@pytest.mark.parametrize(
    "text",
    [
        "fn main(a: f64, b: f64, c: f64) -> f64 { a * b -> m; m + m }",
        "fn main(a: i32, b: i32, c: i32) -> i32 { a * b + c }",
        "fn p(a: f64, b: f64) -> f64 { a * b }\n"
        "fn main(a: f64, b: f64, c: f64) -> f64 { (a, b) -> p -> + c -> ret; }",
    ],
)
def test_c83_c84_no_multiply_add(text: str) -> None:
    graph = graph_of(text, "fused")
    assert census(graph)["Fma"] == census(rewrite(graph).graph)["Fma"] == 0
    number = 3 if "i32" in text else 1.7
    both(graph, a=number, b=number, c=number)


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 9, 31, 64, 70])
def test_c87_reduce(length: int) -> None:
    text = f"fn main(v: [i32; {length}]) -> i32 {{ v -> reduce {{ a, b -> a * 31 + b }} -> ret; }}"
    data = [7 * place % 13 - 5 for place in range(length)]

    def combine(a: int, b: int) -> int:
        return (a * 31 + b + 2**31) % 2**32 - 2**31

    assert both(graph_of(text), v=data) == reduce_sequence(data, combine)


def test_c87_a_body_that_can_trap_is_refused() -> None:
    parsed = parse("fn main(v: [i32; 1]) -> i32 { v -> reduce { a, b -> a / b } -> ret; }")
    lowered = lower(parsed.program, "exact")
    assert [found.code for found in lowered.diagnostics] == ["L1619"]


@pytest.mark.parametrize("body", ["s + x", "s - x", "s + x + s"])
def test_c88_a_float_fold_goes_from_left_to_right(body: str) -> None:
    text = f"fn main(v: [f32; 5]) -> f32 {{ (0.0, v) -> fold {{ s, x -> {body} }} -> ret; }}"
    both(graph_of(text), v=[1e8, 1.0, -1e8, 1.0, 3.0])


def test_c90_keys_are_token_ordinals() -> None:
    text = "fn main(d: i32) -> i32 { 100 / d -> q; q + 1 -> ret; }"
    spread = "// words\nfn main(d: i32)\n\n  -> i32 {\n 100 / d -> q; // more\n q + 1\n -> ret; }\n"
    first, second = graph_of(text), graph_of(spread)
    assert print_graph(first) == print_graph(second)
    assert print_graph(rewrite(first).graph) == print_graph(rewrite(second).graph)
    assert run(first, {"d": 0}, budget=99).trap == run(second, {"d": 0}, budget=99).trap
