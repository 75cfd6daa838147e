"""What regions and functions can do."""

from __future__ import annotations

import pytest

from mapal.analysis.totality import (
    callees_first,
    is_total_function,
    is_total_morphism,
    reachable_functions,
    region_summary,
)
from mapal.ir.ops import BinaryCode, ObjectId
from mapal.ir.types import I32
from tests.analysis.test_bounds import graph_of
from tests.rewrite.build import Lines, Program

TOTAL = {
    "arithmetic": "x + y * 2 - -x -> ret;",
    "division by a literal": "x / 7 + x % -3 -> ret;",
    "literal index": "[1, 2, 3] -> t: [i32; 3]; t[2] -> ret;",
    "a map over total work": "5 -> iota -> map { i -> i * x } -> v; v[1] -> ret;",
    "a call of total work": "x -> twice -> ret;",
    "a loop that reaches its bound": """mut i: i32 <- y;
        loop { (i < x) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> r; } } r -> ret;""",
    "arms": "(x > y) -> { -true-> x; -false-> y; } -> ret;",
}
PARTIAL = {
    "division": "x / y -> ret;",
    "division by a literal zero": "x / 0 -> ret;",
    "index": "[1, 2, 3] -> t: [i32; 3]; t[x] -> ret;",
    "literal index out of range": "[1, 2, 3] -> t: [i32; 3]; t[3] -> ret;",
    "a map over partial work": "5 -> iota -> map { i -> x / i } -> v; v[1] -> ret;",
    "a call of partial work": "x -> inverse -> ret;",
    "a partial arm": "(x > y) -> { -true-> x / y; -false-> y; } -> ret;",
    "a loop": """mut i: i32 <- 0;
        loop { (i < x) -> { -true-> { i + 2 -> i; -> loop; } -false-> i -> r; } } r -> ret;""",
}
HELPERS = (
    "fn twice(x: i32) -> i32 { x * 2 -> ret; }\nfn inverse(x: i32) -> i32 { 100 / x -> ret; }\n"
)


def _graph(body: str) -> tuple[object, bool]:
    graph = graph_of(f"{HELPERS}fn main(x: i32, y: i32) -> i32 {{ {body} }}")
    return graph, is_total_function(graph, graph.entry)


@pytest.mark.parametrize("name", TOTAL)
def test_total(name: str) -> None:
    assert _graph(TOTAL[name])[1]


@pytest.mark.parametrize("name", PARTIAL)
def test_partial(name: str) -> None:
    assert not _graph(PARTIAL[name])[1]


def test_float_division_is_total_and_effects_are_not() -> None:
    graph = graph_of("fn main(x: f32) -> f32 { x / 0.0 + x % 0.0 -> ret; }")
    assert is_total_function(graph, graph.entry)
    graph = graph_of("fn main(x: f32) -> f32 { x -> println; x -> ret; }")
    assert not is_total_function(graph, graph.entry)


def test_cost_and_weight_of_arms() -> None:
    graph = graph_of(
        "fn main(x: i32, y: f32) -> f32 {"
        " (x > 0) -> { -true-> y + 1.0; -false-> { y -> sqrt } } -> ret; }"
    )
    (guard,) = graph.guards
    cheap, slow = (region_summary(graph, arm) for arm in (guard.arm_true, guard.arm_false))
    assert (cheap.cost, cheap.is_heavy) == (1, False)
    assert slow.cost > cheap.cost
    whole = region_summary(graph, graph.functions[graph.entry].body)
    assert whole.cost >= cheap.cost + slow.cost


def test_callees_come_first_and_only_reached_functions_count() -> None:
    source = (
        "fn idle(x: i32) -> i32 { x -> leaf -> ret; }\n"
        "fn main(x: i32) -> i32 { x -> middle -> ret; }\n"
        "fn middle(x: i32) -> i32 { 3 -> iota -> map { i -> i -> leaf } -> v; v[0] + x -> ret; }\n"
        "fn leaf(x: i32) -> i32 { x + 1 -> ret; }\n"
    )
    graph = graph_of(source)
    names = [graph.functions[f].name for f in callees_first(graph)]
    assert names.index("leaf") < names.index("middle") < names.index("main")
    assert {graph.functions[f].name for f in reachable_functions(graph)} == {
        "main",
        "middle",
        "leaf",
    }


@pytest.mark.parametrize("traps_in", [True, False])
def test_a_guard_is_as_total_as_both_arms(traps_in: bool) -> None:
    def main(f: Lines) -> ObjectId:
        def divided() -> ObjectId:
            return f.op(BinaryCode.DIV, f.c(1), f.f.input)

        arms = (divided, lambda: f.c(2)) if traps_in else (lambda: f.c(2), divided)
        return f.phi(f.op(BinaryCode.GT, f.f.input, f.c(3)), *arms)

    graph = Program().main(main, (I32,))
    (guard,) = graph.guards
    assert not is_total_morphism(graph, guard.phi)
