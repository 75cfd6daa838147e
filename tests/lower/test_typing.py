"""The types of literals: where they come from, where they are only looked at, and conflicts."""

from __future__ import annotations

import pytest

from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind
from tests.lower.programs import codes_of, graph_of, places_of

WIDE = "i64"


def constants(graph: Graph, value: object) -> list[str]:
    """The types of the constants of a value, in the order of their places."""
    found = [
        obj
        for obj in graph.objects
        if obj.kind is ObjectKind.CONSTANT and obj.value == value and obj.value is not True
    ]
    return [str(obj.ty) for obj in sorted(found, key=lambda obj: obj.key)]


UNIFIED = {
    "right operand": "fn f(x: T) -> T { x + 7 }",
    "left operand": "fn f(x: T) -> bool { 7 < x }",
    "comparison": "fn f(x: T) -> bool { x == 7 }",
    "through a name": "fn f(x: T) { 7 -> k; k * x -> y; }",
    "through a chain of operators": "fn f(x: T) -> T { x + 1 + 7 * 2 }",
    "through a negation": "fn f(x: T) -> T { x - -(7 + 1) }",
    "element of an array": "fn f(x: T) { [x, 7] -> v; }",
    "first element of an array": "fn f(x: T) { [7, x] -> v; }",
    "annotation behind": "fn f() { 7 -> k: T; [k] -> v; }",
    "annotation before": "fn f() { k: T <- 7; [k] -> v; }",
    "mutable annotation": "fn f() { 7 -> mut k: T; [k] -> v; }",
    "annotation of a tuple": "fn f() { (7, true) -> k: (T, bool); }",
    "annotation of an array": "fn f() { [1, 7] -> k: [T; 2]; }",
    "annotation of arrays of tuples": "fn f() { [(true, 7)] -> k: [(bool, T); 1]; }",
    "rebinding": "fn f(mut x: T) { 7 -> x; [x] -> v; }",
    "element update": "fn f(mut x: [T; 2]) { x[0] <- 7; }",
    "argument": "fn g(x: T) { } fn f() { 7 -> g; }",
    "one of several arguments": "fn g(b: bool, x: T) { } fn f() { (true, 7) -> g; }",
    "tuple argument": "fn g(p: (bool, T)) { } fn f() { (true, 7) -> g; }",
    "whole return": "fn f() -> T { 7 -> ret; }",
    "slot return": "fn f() -> (bool, T) { true -> ret.0; 7 -> ret.1; }",
    "slot return of an array": "fn f(x: T) -> [T; 2] { x -> ret.0; 7 -> ret.1; }",
    "field": "type P { x: T } fn f() { P { x: 7 } -> p; }",
    "named field": "type P { x: T } fn f() { 7 -> x; P { x } -> p; }",
    "second arm": "fn f(b: bool, x: T) { b -> { -true-> x; -false-> 7; } -> k; }",
    "first arm": "fn f(b: bool, x: T) { b -> { -true-> 7; -false-> x; } -> k; }",
    "arm of a match": "fn f(n: i32, x: T) { n -> { -0-> x; -1-> 7; -_-> x; } -> k; }",
    "start of a fold": "fn f(v: [T; 2]) { (7, v) -> fold { s, e -> s + e } -> k; }",
    "accumulator and tail": "fn f(v: [bool; 2], x: T) { (7, v) -> fold { s, e -> x } -> k; }",
    "tail of a reduce": "fn f(v: [T; 2]) { v -> reduce { a, b -> 7 } -> k; }",
    "pair for max": "fn f(x: T) { (x, 7) -> max -> k; }",
    "pair for min, the other way": "fn f(x: T) { (7, x) -> min -> k; }",
    "operator stage": "fn f(x: T) { x -> + 7 -> k; }",
    "wire of an operator stage": "fn f(x: T) { 7 -> + x -> k; }",
    "guard value": "fn f(x: T, b: bool) { b -> { -true-> 7; -_-> 2; } -> + x -> k; }",
    "fill, then annotation": "fn f() { (7, 3) -> fill -> v: [T; 3]; }",
    "loop exit": "fn f(x: T, mut i: i32) { loop { (i < 3) -> { -true-> { i + 1 -> i; -> loop; }"
    " -false-> 7 -> e; } } e + x -> k; }",
    "carried name": "fn f(x: T) { mut s <- 7; s + x -> k; }",
}


@pytest.mark.parametrize("place", UNIFIED)
@pytest.mark.parametrize("ty", ["i64", "u8", "f32"])
def test_a_literal_takes_the_type_of_its_place(place: str, ty: str) -> None:
    source = UNIFIED[place].replace("T", "@").replace("@", ty)
    value: object = 7
    if ty == "f32":
        for number in ("7", "1", "2"):
            source = _as_float(source, number)
        value = 7.0
    assert constants(graph_of(source + " fn main() { }"), value) == [ty]


def _as_float(source: str, number: str) -> str:
    """The literals of a place as floats; what counts stays an integer."""
    kept = (
        "(i < 3)",
        "i + 1",
        "; 2]",
        "; 1]",
        "; 3]",
        "-1->",
        "n -> { -0->",
        "7, 3)",
        "[0]",
        "ret.1",
    )
    marks = {text: f"\x00{index}\x00" for index, text in enumerate(kept)}
    for text, mark in marks.items():
        if text != "7, 3)":
            source = source.replace(text, mark)
    source = " ".join(
        word.replace(number, f"{number}.0")
        if word.strip("(){}[];,-") == number and "\x00" not in word
        else word
        for word in source.split(" ")
    )
    for text, mark in marks.items():
        source = source.replace(mark, text)
    return source


DEFAULTS = {
    "integer": ("fn f() { 7 -> k; [k] -> v; }", 7, "i32"),
    "float": ("fn f() { 7.5 -> k; [k] -> v; }", 7.5, "f64"),
    "tuple": ("fn f() { (7, 2) -> k; }", 7, "i32"),
    "block tail": ("fn f() -> i32 { 7 }", 7, "i32"),
    "tail of a map": ("fn f(v: [u8; 2]) { v -> map { x -> 7 } -> k; }", 7, "i32"),
    "printed": ("fn f() { 7 -> println; }", 7, "i32"),
    "index": ("fn f(v: [i64; 9]) { v[7] -> k; }", 7, "i32"),
    "converted": ("fn f() { 7 -> to_u8 -> k; }", 7, "i32"),
    "condition": ("fn f() { (7 < 9) -> { -true-> 1; -_-> 2; } -> k; }", 7, "i32"),
    "array element that is looked at": ("fn f() { [7][0] -> k; }", 7, "i32"),
    "rounded": ("fn f() { 7.5 -> sqrt -> k; }", 7.5, "f64"),
    "count": ("fn f() { 7 -> iota -> k; }", 7, "i32"),
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_free_literal_has_the_default_type(name: str) -> None:
    source, value, ty = DEFAULTS[name]
    assert constants(graph_of(source + " fn main() { }"), value) == [ty]


LOOKED_AT = {
    "component": "(1, 2) -> t; t.0 -> k; t -> u: (i64, i32);",
    "element": "[1, 2] -> t; t[0] -> k; t -> u: [i64; 2];",
    "map": "[1, 2] -> t; t -> map { x -> x } -> k; t -> u: [i64; 2];",
    "reduce": "[1, 2] -> t; t -> reduce { a, b -> a } -> k; t -> u: [i64; 2];",
    "zip": "[1, 2] -> t; (t, t) -> zip -> k; t -> u: [i64; 2];",
    "enumerate": "[1, 2] -> t; t -> enumerate -> k; t -> u: [i64; 2];",
    "conversion": "1 -> t; t -> to_u8 -> k; t -> u: i64;",
    "capture": "1 -> t; [true] -> map { x -> t } -> k; t -> u: i64;",
    "fanout": "1 -> t; true -> { -> a; -> seq { t } -> b; } -> k; t -> u: i64;",
}


@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_literal_that_was_looked_at_keeps_its_default(name: str) -> None:
    source = f"fn f() {{ {LOOKED_AT[name]} }} fn main() {{ }}"
    assert codes_of(source) == ["L1201"]
    fixed = source.replace("i64", "i32")
    assert codes_of(fixed) == []


def test_looking_at_one_component_leaves_the_others_open() -> None:
    graph = graph_of("fn f() { (1, 7) -> t; t.0 -> k; t -> u: (i32, i64); } fn main() { }")
    assert constants(graph, 7) == ["i64"]


@pytest.mark.parametrize(
    ("ty", "literal", "codes"),
    [
        ("i32", "2147483647", []),
        ("i32", "2147483648", ["L1202"]),
        ("i32", "-2147483648", []),
        ("i32", "-2147483649", ["L1202"]),
        ("i32", "-(2147483648)", []),
        ("i32", "- -2147483648", []),
        ("i32", "0 - 2147483648", ["L1202"]),
        ("i64", "9223372036854775807", []),
        ("i64", "9223372036854775808", ["L1202"]),
        ("i64", "-9223372036854775808", []),
        ("i64", "18446744073709551615", ["L1202"]),
        ("u8", "255", []),
        ("u8", "256", ["L1202"]),
        ("u8", "-0", []),
        ("u8", "-1", ["L1202"]),
    ],
)
def test_ranges(ty: str, literal: str, codes: list[str]) -> None:
    assert codes_of(f"fn f() {{ x: {ty} <- {literal}; }} fn main() {{ }}") == codes


def test_f32_literals_are_rounded_once() -> None:
    # Halfway between two f32 but for a bit that an f64 cannot hold: rounding twice goes astray.
    text = "1.00000005960464477540"
    graph = graph_of(f"fn f() {{ x: f32 <- {text}; [x] -> v; }} fn main() {{ }}")
    (value,) = [obj.value for obj in graph.objects if obj.kind is ObjectKind.CONSTANT]
    assert value == 1.00000011920928955078125


def test_negative_literals_are_constants() -> None:
    graph = graph_of("fn f() { (-7, -2.5, -(3)) -> k; } fn main() { }")
    assert constants(graph, -7) == ["i32"]
    assert constants(graph, -2.5) == ["f64"]
    assert constants(graph, -3) == ["i32"]
    assert not any(isinstance(found.op, ops.Unary) for found in graph.morphisms)


CONFLICTS = {
    "kinds": ("4 + 0.5 -> k;", "4"),
    "through a name": ("4 -> n; n + 0.5 -> k;", "4"),
    "through two names": ("4 -> n; 0.5 -> x; n == x -> k;", "4"),
    "elements": ("[1.5, 2] -> k;", "2"),
    "annotation": ("1.5 -> k: i32;", "1.5"),
    "annotated twice": ("1 -> k; k -> a: i64; k -> b: u8;", "1"),
    "bool": ("true == 1 -> k;", "1"),
    "array annotation": ("1 -> k: [i32; 2];", "1"),
    "string": ('"a" == 1 -> k;', "1"),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_conflicts_are_reported_at_the_literal(name: str) -> None:
    statements, literal = CONFLICTS[name]
    assert places_of(f"fn f() {{ {statements} }} fn main() {{ }}") == [("L1203", literal)]


def test_every_conflict_is_reported() -> None:
    source = "fn f(x: f32) { x + 1 -> a; x + 2 -> b; } fn g(x: f64) { x + 3 -> a; } fn main() { }"
    assert places_of(source) == [("L1203", "1"), ("L1203", "2"), ("L1203", "3")]
