"""The order key of every construct: the tokens that decide which trap is named."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism
from mapal.syntax import parse
from tests.lower.programs import graph_of

DECLARATIONS = "type P { x: i32 } fn half(n: i32) -> i32 { n / 2 } "
HEAD = "fn f(a: i32, d: i32, b: bool, v: [i32; 3], x: f64, p: P) { "

KEYS: dict[str, tuple[str, str, str]] = {
    "binary operator": ("a + d -> k;", "Add", "+"),
    "operator of a chain": ("a + 1 * d -> k;", "Mul", "*"),
    "comparison": ("(a < d) -> k;", "Lt", "<"),
    "logic": ("b && b -> k;", "And", "&&"),
    "operator stage": ("a -> - d -> k;", "Sub", "-"),
    "unary operator": ("-a -> k;", "Neg", "-"),
    "not": ("!b -> k;", "Not", "!"),
    "call": ("a -> half -> k;", "Call", "half"),
    "number builtin": ("x -> sqrt -> k;", "Sqrt", "sqrt"),
    "maximum": ("(a, d) -> max -> k;", "Max", "max"),
    "conversion": ("x -> to_i32 -> k;", "Convert", "to_i32"),
    "widening": ("a -> widen_i64 -> k;", "Widen", "widen_i64"),
    "zip": ("(v, v) -> zip -> k;", "Zip", "zip"),
    "enumerate": ("v -> enumerate -> k;", "Enumerate", "enumerate"),
    "iota": ("3 -> iota -> k;", "Iota", "iota"),
    "fill": ("(a, 3) -> fill -> k;", "Fill", "fill"),
    "print": ("a -> print;", "Print", "print"),
    "clock": ("() -> time -> k;", "TimeMs", "time"),
    "map": ("v -> map { e -> e } -> k;", "Map", "-> map { e -> e }"),
    "fold": ("(a, v) -> fold { s, e -> s } -> k;", "Fold", "-> fold { s, e -> s }"),
    "reduce": ("v -> reduce { s, e -> s } -> k;", "Reduce", "-> reduce { s, e -> s }"),
    "boolean guard": ("b -> { -true-> a; -_-> d; } -> k;", "Phi", "-> { -true-> a; -_-> d; }"),
    "discriminant": ("a -> { -7-> a; -_-> d; } -> k;", "Phi", "-7->"),
    "test of a discriminant": ("a -> { -7-> a; -_-> d; } -> k;", "Eq", "-7->"),
    "index": ("v[a + 1] -> k;", "Index", "v[a + 1]"),
    "index in an expression": ("a + v[d] -> k;", "Index", "v[d]"),
    "member": ("p.x + 1 -> k;", "Proj", "p.x"),
    "component": ("(a, d) -> t; t.1 -> k;", "Proj", "t.1"),
    "element update": ("v -> mut w; w[a] <- d + 1; w -> k;", "Update", "w[a] <- d + 1;"),
    "loop": (
        "mut i: i32 <- 0; loop { (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -_-> i -> e; } }",
        "LoopExit",
        "loop { (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -_-> i -> e; } }",
    ),
    "inverted condition": (
        "mut i: i32 <- 0; loop { (i > 3) -> { -_-> { i + 1 -> i; -> loop; } -true-> i -> e; } }",
        "Not",
        "-> { -_-> { i + 1 -> i; -> loop; } -true-> i -> e; }",
    ),
}


def named(graph: Graph, name: str) -> Iterator[Morphism]:
    function = next(function for function in graph.functions if function.name == "f")
    for edge in function.morphisms:
        morphism = graph.morphisms[edge]
        op = morphism.op
        found = op.code.value if isinstance(op, ops.Binary | ops.Unary) else type(op).__name__
        if found == name:
            yield morphism


@pytest.mark.parametrize("name", KEYS)
def test_key(name: str) -> None:
    statements, operation, text = KEYS[name]
    source = DECLARATIONS + HEAD + statements + " } fn main() { }"
    locations = parse(source).locations
    morphism = next(reversed([*named(graph_of(source), operation)]))
    assert len(morphism.key) == 1
    start, end = locations.span_of(morphism.key[0])
    assert source[start:end] == text
    offset = len(DECLARATIONS + HEAD)
    assert start >= offset


def test_fused_multiply_adds_have_the_key_of_the_sum() -> None:
    source = "fn f(a: f64, b: f64) -> f64 { b - a * b } fn main() { }"
    graph = graph_of(source, "fused")
    (morphism,) = named(graph, "Fma")
    start, end = parse(source).locations.span_of(morphism.key[0])
    assert source[start:end] == "-"


def test_layout_and_comments_change_no_key() -> None:
    source = DECLARATIONS + HEAD + "a + d -> k; v[k] -> l; a -> half -> m; } fn main() { }"
    spread = source.replace(" ", "\n  // a comment\n ")
    assert graph_of(source) == graph_of(spread)


def test_everything_a_composite_mints_has_its_key() -> None:
    graph = graph_of("fn f(v: [i32; 3], i: i32) -> i32 { v[i] } fn main() { }")
    (index,) = named(graph, "Index")
    for edge in graph.in_edges[index.source]:
        assert graph.morphisms[edge].key == index.key
