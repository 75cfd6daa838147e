"""What names stand for: shadowing, rebinding, scopes, captures, carried names, dead names."""

from __future__ import annotations

import pytest

from mapal.interpreter import run
from mapal.lower.resolve import Builtin, CallFunction, Declare, Rebind, resolve
from mapal.syntax import ast
from tests.lower.programs import codes_of, counting, graph_of, places_of, program


def printed(body: str, declarations: str = "") -> list[str]:
    """The lines that a `main` prints."""
    graph = graph_of(f"{declarations} fn main() {{ {body} }}")
    outcome = run(graph, {}, budget=10**5)
    assert outcome.kind == "done"
    return outcome.output.decode().splitlines()


MEANINGS = [
    ("x", Rebind),
    ("f", CallFunction),
    ("println", Builtin),
    ("zip", Builtin),
    ("to_u8", Builtin),
    ("max", CallFunction),
    ("new", Declare),
    ("reduce", Declare),
    ("i32", Declare),
]


@pytest.mark.parametrize(("name", "kind"), MEANINGS)
def test_meaning_of_a_bare_name(name: str, kind: type) -> None:
    text = f"fn g(mut x: i32) {{ 1 -> {name}; }} fn f(n: i32) {{ }} fn max(n: i32) {{ }}"
    function = program(text).items[0]
    assert isinstance(function, ast.FunctionItem)
    (meaning,) = resolve(function, {"f": 0, "g": 0, "max": 0}).meanings.values()
    assert isinstance(meaning, kind)


def test_a_local_hides_functions_and_builtins() -> None:
    assert printed(
        "0 -> mut f: i32; 0 -> mut println: i32; 4 -> f; 5 -> println; f + println -> print;",
        "fn f(n: i32) -> i32 { n * 100 }",
    ) == ["9"]


def test_a_function_hides_a_number_builtin() -> None:
    assert printed("(3, 9) -> max -> println;", "fn max(a: i32, b: i32) -> i32 { a - b }") == ["-6"]


def test_binding_hides_and_flowing_updates() -> None:
    assert printed("mut x: i32 <- 1; x -> y; x <- 2; y * 10 + x -> println;") == ["12"]
    assert printed("mut x: i32 <- 1; x -> y; 2 -> x; y * 10 + x -> println;") == ["12"]
    assert printed("1 -> x; 2.5 -> x: f64; x -> println;") == ["2.5"]
    assert printed("[1, 2] -> mut v; v -> w; v[0] <- 9; v[0] * 10 + w[0] -> println;") == ["91"]


def test_names_of_an_arm_end_with_it() -> None:
    body = "1 -> n; (n > 0) -> { -true-> { 7 -> n: i32; n } -false-> 0; } -> m; n + m -> println;"
    assert printed(body) == ["8"]
    assert codes_of(
        "fn f(b: bool) { b -> { -true-> { 1 -> n; n } -_-> 0; } -> k; n -> j; } fn main() { }"
    ) == ["L1101"]


def test_names_of_fanouts_and_seq_stay() -> None:
    assert printed(
        "2 -> { -> * 3 -> a; -> seq { -> + 1 -> b; b } -> c; } a + b + c -> println;"
    ) == ["12"]


def test_a_name_of_the_loop_body_ends_with_it() -> None:
    loop = counting(body="i * 2 -> twice;")
    assert codes_of(f"fn f(mut i: i32) {{ {loop} twice -> k; }} fn main() {{ }}") == ["L1101"]


def test_both_arms_see_the_names_at_the_guard() -> None:
    loop = counting(body="i * 10 -> n;", jump="n + 1 -> n2; i + 1 -> i;", leave="(i, n) -> e;")
    assert printed(f"mut i: i32 <- 0; {loop} e.0 + e.1 -> println;") == ["33"]
    other = "fn f(mut i: i32) { loop { (i < 3) -> { -true-> { 1 -> n; i + n -> i; -> loop; }"
    assert codes_of(other + " -false-> n -> e; } } } fn main() { }") == ["L1101"]


def test_a_capture_is_the_value_at_the_stage() -> None:
    assert printed("mut n: i32 <- 1; [0] -> map { x -> x + n } -> v; 5 -> n; v[0] -> println;") == [
        "1"
    ]


def test_bodies_capture_from_any_level() -> None:
    body = "2 -> n; [[1], [2]] -> map { r -> 10 -> m; r -> map { x -> x * n + m } } -> v; "
    assert printed(body + "v[1][0] -> println;") == ["14"]


def test_a_body_makes_a_fresh_local_of_a_name_it_has_not_read() -> None:
    body = "7 -> n; [1] -> map { x -> x + 1 -> n; n * 10 } -> v; v[0] + n -> println;"
    assert printed(body) == ["27"]
    assert codes_of("fn f(n: i32) { [1] -> map { x -> n + 1 -> n; n } -> v; } fn main() { }") == [
        "L1108"
    ]


def test_locals_of_a_body_may_be_mutable_and_carried() -> None:
    loop = counting(condition="i < x", jump="s + i -> s; i + 1 -> i;", leave="s -> e;")
    body = f"[3, 4] -> map {{ x -> mut i: i32 <- 0; mut s: i32 <- 0; {loop} e }} -> v;"
    assert printed(body + "v[0] -> println; v[1] -> println;") == ["3", "6"]


def carried(source: str) -> list[list[str]]:
    """The names that each loop of the first function carries, loops in source order."""
    function = program(source).items[0]
    assert isinstance(function, ast.FunctionItem)
    found = resolve(function, {}).carried
    return [[local.name for local in found[token]] for token in sorted(found)]


CARRIED = {
    "in declaration order": (
        "mut b: i32, mut a: i32, mut i: i32",
        "a -> a; b -> b;",
        ["b", "a", "i"],
    ),
    "element update": ("mut v: [i32; 2], mut i: i32", "v[0] <- 1;", ["v", "i"]),
    "fanout": ("mut a: i32, mut i: i32", "1 -> { -> a; -> n; }", ["a", "i"]),
    "seq": ("mut a: i32, mut i: i32", "1 -> seq { -> a; 2 }  -> n;", ["a", "i"]),
    "fresh name": ("mut a: i32, mut i: i32", "a <- 1;", ["i"]),
    "annotated": ("mut a: i32, mut i: i32", "1 -> a: i32;", ["i"]),
    "only read": ("mut a: i32, mut i: i32", "a + 1 -> n;", ["i"]),
    "immutable": ("a: i32, mut i: i32", "1 -> a;", ["i"]),
    "in a body": ("mut a: i32, mut i: i32", "[1] -> map { x -> 2 -> a; a } -> v;", ["i"]),
}


@pytest.mark.parametrize("name", CARRIED)
def test_carried_names(name: str) -> None:
    parameters, body, wanted = CARRIED[name]
    assert carried(f"fn f({parameters}) {{ {counting(body=body)} }}") == [wanted]


def test_carried_names_of_nested_loops() -> None:
    inner = "mut j: i32 <- 0; " + counting(
        condition="j < i", jump="n + 1 -> n; j + 1 -> j;", leave="j -> k;"
    ).replace("e;", "k;")
    source = f"fn f(mut n: i32, mut i: i32) {{ {counting(body=inner)} }}"
    assert carried(source) == [["n", "i"], ["n", "j"]]


DEAD = {
    "read": "i + 1 -> k;",
    "captured": "[1] -> map { x -> x + i } -> k;",
    "rebound": "4 -> i;",
    "redeclared": "4 -> i: i32; i -> k;",
    "redeclared by a binding": "mut i: i32 <- 4; i -> k;",
    "in an arm": "b -> { -true-> i; -_-> 0; } -> k;",
    "short field": "P { i } -> k;",
}


@pytest.mark.parametrize("name", DEAD)
def test_a_carried_name_is_dead_after_its_loop(name: str) -> None:
    source = f"type P {{ i: i32 }} fn f(b: bool, mut i: i32) {{ {counting()} {DEAD[name]} }}"
    (found,) = places_of(source + " fn main() { }")
    assert found == ("L1107", "i")


def test_a_dead_name_is_reported_where_another_loop_uses_it() -> None:
    again = (
        "mut j: i32 <- 0; loop { (j < 3) -> { -true-> { j + 1 -> j; 7 -> i; -> loop; } -_-> j; } }"
    )
    source = f"fn f(mut i: i32) {{ {counting()} {again} }} fn main() {{ }}"
    assert places_of(source) == [("L1107", "i")]


def test_a_name_of_an_enclosing_loop_lives_on() -> None:
    inner = "mut j: i32 <- 0; " + counting(
        condition="j < 2", jump="j + 1 -> j; n + 10 -> n;", leave="j -> k;"
    )
    outer = counting(body=inner + " n + k -> n;", leave="n -> e;")
    assert printed(f"mut i: i32 <- 0; mut n: i32 <- 0; {outer} e -> println;") == ["88"]


def test_a_name_that_dies_in_one_arm_lives_in_the_other() -> None:
    inner = counting(condition="j < 2", jump="j + 1 -> j;", leave="j -> k;")
    outer = counting(body="mut j: i32 <- 0;", jump=f"{inner} i + k -> i;", leave="i + j -> e;")
    assert printed(f"mut i: i32 <- 0; {outer} e -> println;") == ["4"]


def test_exit_into_a_mutable_name_carries_it() -> None:
    loop = counting(leave="i -> e;")
    source = f"fn f(mut i: i32, mut e: i32) -> i32 {{ {loop} e }} fn main() {{ }}"
    assert places_of(source) == [("L1107", "e")]


@pytest.mark.parametrize("leave", ["-> done;", "i < 1 -> done;", "true -> done: bool;"])
def test_headless_exits_bind_the_condition(leave: str) -> None:
    assert printed(f"mut i: i32 <- 0; {counting(leave=leave)} done -> println;") in (
        ["false"],
        ["true"],
    )
