"""The world token: signatures, order, loops; and how functions hand out their results."""

from __future__ import annotations

import pytest

from mapal.ir import ops
from mapal.ir.graph import Graph, RegionKind
from tests.lower.programs import codes_of, counting, graph_of, places_of

SIGNATURES = {
    "pure": ("fn f(n: i32) -> i32 { n }", "i32 -> i32"),
    "pure, no argument": ("fn f() -> i32 { 1 }", "() -> i32"),
    "pure, no result": ("fn f(n: i32) { n + 1 -> k; }", "i32 -> ()"),
    "pure, several arguments": ("fn f(n: i32, b: bool) { }", "(i32, bool) -> ()"),
    "effect": ("fn f() { 1 -> print; }", "io -> io"),
    "effect and argument": ("fn f(n: i32) { n -> print; }", "(io, i32) -> io"),
    "effect and arguments": (
        "fn f(n: i32, b: bool) { n -> print; }",
        "(io, (i32, bool)) -> io",
    ),
    "effect and result": ("fn f() -> i32 { 1 -> print; 2 }", "io -> (io, i32)"),
    "effect and both": ("fn f(n: i32) -> i32 { n -> print; n }", "(io, i32) -> (io, i32)"),
    "clock": ("fn f() -> f64 { () -> time -> t; t }", "io -> (io, f64)"),
    "through a call": (
        "fn f(n: i32) { n -> g; } fn g(n: i32) { n -> h; } fn h(n: i32) { n -> print; }",
        "(io, i32) -> io",
    ),
    "in a loop": (f"fn f(mut i: i32) {{ {counting(body='i -> print;')} }}", "(io, i32) -> io"),
    "hidden by a local": ("fn f(n: i32) { 0 -> mut print: i32; n -> print; }", "i32 -> ()"),
    "never called": ("fn g(n: i32) { n -> print; } fn f(n: i32) { }", "i32 -> ()"),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name: str) -> None:
    source, wanted = SIGNATURES[name]
    graph = graph_of(source + " fn main() { }")
    function = next(function for function in graph.functions if function.name == "f")
    assert f"{graph.ty(function.input)} -> {graph.ty(function.output)}" == wanted


def effects(graph: Graph, name: str = "main") -> list[object]:
    """What the effects of a function print, by following the token through its Body."""
    function = next(function for function in graph.functions if function.name == name)
    found: list[object] = []
    at = function.input
    while True:
        readers = [graph.morphisms[edge] for edge in graph.out_edges[at]]
        forward = [edge for edge in readers if graph.is_token_bearing(edge.target)]
        if not forward:
            return found
        (edge,) = forward
        if isinstance(edge.op, ops.Print):
            _, value = graph.feeders(edge.source)
            found.append(graph.objects[value].value)
        elif isinstance(edge.op, ops.TimeMs):
            found.append("time")
        elif isinstance(edge.op, ops.Call):
            found.append(graph.functions[edge.op.function].name)
        at = edge.target


def test_effects_are_ordered_as_written() -> None:
    source = (
        "fn show(n: i32) -> i32 { n -> print; n } "
        "fn main() { 1 -> print; 2 -> show -> seq { 3 -> print; -> show -> n; } () -> time -> t;"
        " 4 -> println; }"
    )
    assert effects(graph_of(source)) == [1, "show", 3, "show", "time", 4]


def test_a_loop_with_an_effect_carries_the_token_first() -> None:
    graph = graph_of(f"fn main() {{ mut i: i32 <- 0; {counting(body='i -> print;')} }}")
    (loop,) = graph.loops
    assert str(graph.ty(loop.merge)) == "(io, i32)"


def test_both_arms_of_a_loop_may_have_effects() -> None:
    loop = counting(jump="1 -> print; i + 1 -> i;", leave="{ 2 -> print; i -> e; }")
    graph = graph_of(f"fn main() {{ mut i: i32 <- 0; {loop} e -> print; }}")
    prints = [found for found in graph.morphisms if isinstance(found.op, ops.Print)]
    assert [graph.regions[found.region].kind for found in prints] == [
        RegionKind.JUMP,
        RegionKind.EXIT,
        RegionKind.BODY,
    ]


def test_an_effect_in_an_inner_loop_makes_all_loops_around_it_carry_the_token() -> None:
    inner = "mut j: i32 <- 0; " + counting(
        condition="j < 2", body="j -> print;", jump="j + 1 -> j;", leave="j -> k;"
    )
    graph = graph_of(f"fn main() {{ mut i: i32 <- 0; {counting(body=inner)} }}")
    assert [str(graph.ty(loop.merge)) for loop in graph.loops] == ["(io, i32)", "(io, i32)"]


def test_a_loop_without_an_effect_carries_no_token() -> None:
    graph = graph_of(f"fn main() {{ 1 -> print; mut i: i32 <- 0; {counting()} e -> print; }}")
    (loop,) = graph.loops
    assert str(graph.ty(loop.merge)) == "i32"


def _exiting(leave: str, result: str = "", body: str = "") -> str:
    return f"fn f(mut i: i32) {result} {{ {counting(body=body, leave=leave)} }}"


RESULTS = {
    "bare return": "fn f(n: i32) { n -> print; -> ret; }",
    "return before pure work": "fn f(n: i32) -> i32 { n -> print; n -> ret; n + 1 -> k; }",
    "tail that calls": "fn g(n: i32) -> i32 { n -> print; n } fn f(n: i32) -> i32 { n -> g }",
    "exit that returns": _exiting("i -> ret;", "-> i32", "i -> print;"),
    "exit that returns nothing": _exiting("-> ret;", body="i -> print;"),
    "pure exit that returns": f"fn f(mut i: i32) -> i32 {{ {counting(leave='i * 2 -> ret;')} }}",
    "pure exit that returns nothing": f"fn f(mut i: i32) {{ {counting(leave='-> ret;')} }}",
    "exit that returns the condition": _exiting("-> ret;", "-> bool"),
    "one branch as the tail": "fn f(n: i32) -> i32 { n -> print; n -> { -> + 1; } }",
    "branches as the tail": "fn f(n: i32) -> (i32, i32) { n -> { -> + 1; -> + 2; } }",
    "slots out of order": "fn f(n: i32) -> (i32, bool) { true -> ret.1; n -> ret.0; }",
    "slots in a fanout": "fn f(n: i32) -> (i32, i32) { n -> { -> + 1 -> ret.1; -> ret.0; }; }",
    "slots of an array": "fn f(n: i32) -> [i32; 2] { n -> ret.1; n + 1 -> ret.0; }",
    "slots of a struct": (
        "type P { x: i32, y: bool } fn f(n: i32) -> P { n -> ret.0; true -> ret.1; }"
    ),
    "return of a parameter": "fn f(n: i32) -> i32 { n -> ret; }",
    "return of a literal": "fn f() -> i32 { 7 -> ret; }",
    "return inside seq": "fn f(n: i32) -> i32 { n -> seq { -> + 1 -> ret; }; }",
    "tail without a result": "fn f(n: i32) { n + 1 }",
    "tail without a value": "fn f(n: i32) { n -> print }",
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_accepted(name: str) -> None:
    graph_of(RESULTS[name] + " fn main() { }")


BAD_RESULTS = {
    "branches as the tail of an effectful function": (
        "fn f(n: i32) -> (i32, i32) { n -> print; n -> { -> + 1; -> + 2; } }",
        ["L1306"],
    ),
    "effect behind the return": ("fn f(n: i32) -> i32 { n -> ret; n -> print; }", ["L1307"]),
    "effectful call behind the return": (
        "fn g(n: i32) { n -> print; } fn f(n: i32) { -> ret; n -> g; }",
        ["L1307"],
    ),
    "two bare returns": ("fn f(n: i32) { n -> print; -> ret; -> ret; }", ["L1307"]),
    "slot of an effectful function": (
        "fn f(n: i32) -> (i32, i32) { n -> print; n -> ret.0; n -> ret.1; }",
        ["L1307"],
    ),
    "pure loop that returns from an effectful function": (
        f"fn f(mut i: i32) -> i32 {{ 1 -> print; {counting(leave='i -> ret;')} }}",
        ["L1201"],
    ),
}


@pytest.mark.parametrize("name", BAD_RESULTS)
def test_results_are_refused(name: str) -> None:
    source, codes = BAD_RESULTS[name]
    assert codes_of(source + " fn main() { }") == codes


def test_a_call_without_result_yields_unit_or_nothing() -> None:
    pure = "fn g(n: i32) { } "
    effectful = "fn g(n: i32) { n -> print; } "
    stage = "fn f(n: i32) { n -> g -> k; } fn main() { }"
    assert codes_of(pure + stage) == []
    assert places_of(effectful + stage) == [("L1301", "k")]
    assert codes_of(pure + "fn f(n: i32) { n -> g -> println; } fn main() { }") == ["L1207"]


def test_unit_values_go_nowhere() -> None:
    pure = "fn g(n: i32) { } "
    for use in (
        "(u, 1) -> k;",
        "[u] -> k;",
        "u == u -> k;",
        "[1] -> map { x -> u } -> k;",
        "(u, 3) -> fill -> k;",
        "b -> { -true-> u; -_-> u; } -> k;",
        "u -> g;",
    ):
        source = pure + f"fn f(n: i32, b: bool) {{ n -> g -> u; {use} }} fn main() {{ }}"
        codes_of(source)
