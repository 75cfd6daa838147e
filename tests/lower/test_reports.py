"""How many errors are reported, and in what order."""

from __future__ import annotations

import pytest

from mapal.lower.cycles import components, on_cycles
from tests.lower.programs import codes_of, places_of


def test_steps_come_in_order() -> None:
    source = (
        "fn f(v: [i32; 0]) -> u16 { 1 + 1.5 -> k; 1 }"
        " fn iota(n: i32, n: i32) { }"
        " fn f() { }"
        " type A { } type B { x: B } type C { y: i32, y: i8 } type C { z: i32 }"
    )
    assert codes_of(source) == [
        *("L1009", "L1006", "L1003", "L1001"),
        *("L1004", "L1010", "L1005", "L1007", "L1102"),
        *("L1208", "L1102"),
        "L1203",
    ]


def test_recursion_stops_before_the_bodies() -> None:
    source = "type A { } fn f(n: u16) -> i32 { n -> f } fn main() { 1 + 1.5 -> k; }"
    assert codes_of(source) == ["L1010", "L1008"]


def test_recursion_is_reported_once_at_the_first_function_of_a_cycle() -> None:
    source = (
        "fn main() { 1 -> a; } fn a(n: i32) { n -> c; } fn b(n: i32) { n -> b; }"
        " fn c(n: i32) { n -> d; n -> a; } fn d(n: i32) { n -> a; }"
    )
    assert places_of(source) == [("L1008", "a")]


def test_what_cannot_be_known_gives_no_second_report() -> None:
    source = (
        "type Bad { x: u16 }"
        " fn f(b: Bad) -> Bad { b.x + 1.5 -> k; b.y -> l; (b, 1) -> m; (m, 1) -> other -> o; b }"
        " fn other(b: Bad, n: i32) -> Bad { b }"
        " fn g(b: Bad, n: i32) { [b] -> map { x -> x.x } -> v; v[0] + 1 -> w; }"
        " fn h() -> (Bad, i32) { 1 -> ret.5; }"
        " fn main(b: Bad) -> Bad { b }"
    )
    assert places_of(source) == [("L1102", "u16")]


def test_literal_errors_of_all_functions_come_before_the_graph() -> None:
    source = (
        "fn f(b: bool) -> i32 { b + 1.5 -> k; ghost } fn g() { ghost -> k; 1 + 1.5 -> l; }"
        " fn h() -> i32 { 1 -> k; } fn main() { ghost -> k; }"
    )
    assert codes_of(source) == ["L1203", "L1203", "L1306"]


def test_the_first_report_ends_a_function_and_not_the_next_one() -> None:
    source = (
        "fn f(n: i32) { ghost -> a; ghost -> b; } fn g(n: i32) { n.0 -> a; ghost -> b; }"
        " fn fine(n: i32) { } fn main() { 1 -> ghost; ghost[0] -> a; }"
    )
    assert codes_of(source) == ["L1101", "L1204", "L1204"]


BODIES_FIRST = {
    "a body behind the mistake": (
        "ghost -> a; [1] -> map { x -> x + true } -> v;",
        ("L1201", "+"),
    ),
    "a body before the mistake": (
        "[1] -> map { x -> x + true } -> v; ghost -> a;",
        ("L1201", "+"),
    ),
    "the first of two bodies": (
        "[1] -> map { x -> x.0 } -> v; [1] -> map { x -> x[0] } -> w;",
        ("L1204", "x.0"),
    ),
    "an inner body before the one around it": (
        "[[1]] -> map { r -> r.0 -> a; r -> map { x -> x + true } } -> v;",
        ("L1201", "+"),
    ),
    "the tail of a fold is the body's": (
        "ghost -> a; (n, [1]) -> fold { s, x -> x < s } -> v;",
        ("L1201", "x < s"),
    ),
    "a body in a loop": (
        "ghost -> a; mut i: i32 <- 0; loop { [1] -> map { x -> x.0 } -> v; (i < 3) ->"
        " { -true-> { i + 1 -> i; -> loop; } -_-> i -> e; } }",
        ("L1204", "x.0"),
    ),
    "a body that needs what was not bound": (
        "ghost -> a; [1] -> map { x -> x + a } -> v; a -> b; a[0] <- 1;",
        ("L1101", "ghost"),
    ),
    "a body of something that was not bound": (
        "ghost -> a; a -> map { x -> x + true } -> v;",
        ("L1101", "ghost"),
    ),
    "statements that rebind what was not bound": (
        "ghost -> mut a; 1 -> a; a + 1 -> b; loop { (a < 3) -> { -true-> { a + 1 -> a; -> loop; }"
        " -_-> a -> e; } } e -> f;",
        ("L1101", "ghost"),
    ),
    "mistakes after the first": ("ghost -> a; n + true -> b; b.0 -> c;", ("L1101", "ghost")),
    "a guard left in the middle": (
        "(1 < 2) -> { -true-> ghost; -_-> 1; } -> a; 1 -> println; [1] -> map { x -> x.0 } -> v;",
        ("L1204", "x.0"),
    ),
}


@pytest.mark.parametrize("name", BODIES_FIRST)
def test_bodies_are_reported_first(name: str) -> None:
    statements, wanted = BODIES_FIRST[name]
    assert places_of(f"fn g(n: i32) {{ {statements} }} fn main() {{ }}") == [wanted]


def test_reductions_are_reported_in_the_order_of_functions() -> None:
    source = (
        "fn f(v: [i32; 2]) { v -> reduce { a, b -> a / b } -> k; }"
        " fn g(n: i32) { ghost -> k; }"
        " fn h(v: [i32; 2]) { v -> reduce { a, b -> a -> late } -> k; }"
        " fn late(n: i32) -> i32 { 1 / n } fn main() { }"
    )
    assert codes_of(source) == ["L1619", "L1101", "L1619"]


@pytest.mark.parametrize(
    ("references", "cyclic"),
    [
        ({}, set()),
        ({"a": []}, set()),
        ({"a": ["a"]}, {"a"}),
        ({"a": ["b"], "b": ["a"]}, {"a", "b"}),
        ({"a": ["b", "c"], "b": ["c"], "c": []}, set()),
        ({"a": ["b"], "b": ["a", "c"], "c": ["b"], "d": ["a"]}, {"a", "b", "c"}),
        ({"a": ["b", "c"], "b": ["a"], "c": ["b"], "d": ["d"]}, {"a", "b", "c", "d"}),
    ],
)
def test_cycles(references: dict[str, list[str]], cyclic: set[str]) -> None:
    assert on_cycles(references) == cyclic
    order = [name for component in components(references) for name in component]
    assert sorted(order) == sorted(references)


def test_components_come_after_those_they_refer_to() -> None:
    chain = {f"n{i}": [f"n{i + 1}"] for i in range(3000)} | {"n3000": []}
    assert components(chain) == [[f"n{i}"] for i in range(3000, -1, -1)]
