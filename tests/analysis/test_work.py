"""The estimate of how much a function computes."""

from __future__ import annotations

import pytest

from mapal.analysis.work import MOST_WORK, USUAL_PASSES, work_of
from mapal.ir.graph import Graph
from mapal.lower import lower
from mapal.syntax import parse


def graph_of(source: str) -> Graph:
    lowered = lower(parse(source).program, "exact")
    assert lowered.graph is not None, lowered.diagnostics
    return lowered.graph


def work(source: str) -> int:
    graph = graph_of(source)
    return work_of(graph, graph.entry)


@pytest.mark.parametrize(
    ("source", "least", "most"),
    [
        ("fn main(a: i32) -> i32 { a + 1 -> ret; }", 1, 3),
        ("fn main(a: [i32; 100]) -> [i32; 100] { a -> map { x -> x * x + x } -> ret; }", 200, 400),
        ("fn main(a: [f32; 50]) -> f32 { (0.0, a) -> fold { s, x -> s + x } -> ret; }", 200, 500),
        ("fn main(a: [f32; 100]) -> [f32; 100] { a -> map { x -> 1.0 / x } -> ret; }", 800, 1100),
        ("fn main(a: [f32; 50]) -> f32 { a -> reduce { s, x -> s + x } -> ret; }", 50, 150),
    ],
)
def test_each_element_counts(source: str, least: int, most: int) -> None:
    assert least <= work(source) <= most


LOOP = """
fn main(bound: i32) -> i32 {{
    mut i: i32 <- 0;
    loop {{
        (i < {bound}) -> {{
            -true-> {{ i + 1 -> i; -> loop; }}
            -false-> i -> r;
        }}
    }}
    r -> ret;
}}
"""


def test_a_loop_counts_its_passes() -> None:
    assert work(LOOP.format(bound=1000)) >= 1000
    assert USUAL_PASSES <= work(LOOP.format(bound="bound")) < 20 * USUAL_PASSES


def test_a_call_counts_what_it_calls() -> None:
    source = """
fn square(a: [i32; 64]) -> [i32; 64] {{ a -> map {{ x -> x * x }} -> ret; }}
fn main(a: [i32; 64]) -> [i32; 64] {{ {} -> ret; }}
"""
    once, twice = work(source.format("a -> square")), work(source.format("a -> square -> square"))
    assert 64 <= once < twice <= 2 * once


def test_counting_stops_somewhere() -> None:
    row = f"{2**31 - 1} -> iota"
    body = f"{row} -> map {{ c -> a + b + c }} -> s; s[0]"
    body = f"{row} -> map {{ b -> {body} }} -> r; r[0]"
    body = f"{row} -> map {{ a -> {body} }}"
    assert work(f"fn main() -> i32 {{ {body} -> all; all[0] -> ret; }}") == MOST_WORK
