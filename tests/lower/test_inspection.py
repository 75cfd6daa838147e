"""What names stand for, also in programs that are wrong."""

from __future__ import annotations

import pytest

from mapal.ir.types import F32, I32, I64
from mapal.lower.inspection import NameKind, NameUse, inspect
from mapal.syntax import parse, tokenize


def uses(source: str) -> list[tuple[str, NameUse | None]]:
    """Every name and number of a text with its use."""
    found = inspect(parse(source).program).uses
    return [
        (token.text, found.get(ordinal))
        for ordinal, token in enumerate(tokenize(source).tokens)
        if token.kind in ("name", "integer", "float")
    ]


def test_every_kind() -> None:
    source = "type T { x: f32 } fn f(t: T) -> f32 { t.x * 2.0 -> sqrt } fn main() { }"
    field = NameUse(NameKind.FIELD, "x", 3, F32)
    struct = NameUse(NameKind.TYPE, "T", 1)
    found = uses(source)
    local = found[4][1]
    assert local is not None
    assert (local.kind, local.declared, str(local.type)) == (NameKind.LOCAL, 10, "T")
    assert found == [
        ("T", struct),
        ("x", field),
        ("f32", NameUse(NameKind.SCALAR, "f32")),
        ("f", NameUse(NameKind.FUNCTION, "f", 8)),
        ("t", local),
        ("T", struct),
        ("f32", NameUse(NameKind.SCALAR, "f32")),
        ("t", local),
        ("x", field),
        ("2.0", NameUse(NameKind.LITERAL, "f32", type=F32)),
        ("sqrt", NameUse(NameKind.BUILTIN, "sqrt")),
        ("main", NameUse(NameKind.FUNCTION, "main", 26)),
    ]


def test_all_forms_of_locals() -> None:
    source = (
        "fn main() { mut v: [i64; 2] <- [1, 2]; v[0] <- 3; 7 -> mut n; n -> k: i32; n + k -> n;"
        " loop { (n < 9) -> { -true-> { n + 1 -> n; -> loop; } -false-> n -> end; } }"
        " end -> last; }"
    )
    types = {
        name: str(use.type)
        for name, use in uses(source)
        if use is not None and use.kind is NameKind.LOCAL
    }
    assert types == {"v": "[i64; 2]", "n": "i32", "k": "i32", "end": "i32", "last": "i32"}
    literals = [use.type for name, use in uses(source) if use and use.kind is NameKind.LITERAL]
    assert literals == [I64, I64, I32, I64, I32, I32, I32]


@pytest.mark.parametrize(
    ("source", "known"),
    [
        # Before the mistake and behind it, but for what the mistake was to bind.
        ("fn main() { 1 -> a; ghost -> b; 2 -> c; b -> d; }",
         {"a": "i32", "b": None, "c": "i32", "d": None}),
        # Other functions are not concerned.
        ("fn f(x: u8) { ghost -> b; } fn main() { 1 -> a; }", {"x": "u8", "b": None, "a": "i32"}),
        # A mistake of literal typing hides the types of its function's locals, not the others'.
        ("fn f(x: u8) { 4 + 0.5 -> b; } fn main() { 1 -> a; }",
         {"x": "u8", "b": None, "a": "i32"}),
        # Unknown and broken types.
        ("fn f(x: U, y: u8) { x -> b; } fn main() { 1 -> a; }",
         {"x": None, "y": "u8", "b": None, "a": "i32"}),
        ("type T { t: T } fn f(x: T, y: u8) { y -> b: u8; } fn main() { 1 -> a; }",
         {"x": None, "y": "u8", "b": None, "a": "i32"}),
        # Recursion leaves no types at all, two functions of a name those of the first.
        ("fn f(x: u8) -> u8 { x -> f } fn main() { 1 -> a; }", {"x": None, "a": None}),
        ("fn f(x: u8) { x -> b; } fn f(y: i64) { y -> c; } fn main() { }",
         {"x": "u8", "b": "u8", "y": "i64", "c": None}),
        # A text that does not parse: what stands beside the mistake.
        ("fn main() { 1 -> a; 2 -> ; 3 -> c; } fn f(x: u8) { x -> b; }",
         {"a": "i32", "c": "i32", "x": "u8", "b": "u8"}),
        ("fn main() { 1 -> a; -> { } } fn f(x: u8) { x -> b; }",
         {"a": None, "x": "u8", "b": "u8"}),
    ],
)  # fmt: skip
def test_programs_with_mistakes(source: str, known: dict[str, str | None]) -> None:
    found = {
        use.name: None if use.type is None else str(use.type)
        for _, use in uses(source)
        if use is not None and use.kind is NameKind.LOCAL
    }
    assert found == known


def test_members_are_followed_through_products() -> None:
    source = (
        "type P { x: f32 } type L { ps: [P; 2] }"
        " fn f(l: L, t: (P, i32)) -> f32 { l.ps[0].x + t.0.x } fn main() { }"
    )
    fields = [
        (use.name, str(use.type), use.declared)
        for _, use in uses(source)
        if use is not None and use.kind is NameKind.FIELD
    ]
    assert fields[2:] == [("ps", "[P; 2]", 10), ("x", "f32", 3), ("x", "f32", 3)]


@pytest.mark.parametrize("member", ["l.y", "l.ps.x", "l.9.x", "l[0].x", "ghost.x", "(l).x"])
def test_members_that_lead_nowhere(member: str) -> None:
    source = f"type P {{ x: f32 }} type L {{ ps: [P; 2] }} fn f(l: L) {{ {member} -> k; }}"
    last = [use for name, use in uses(source) if name == member.rpartition(".")[2]][-1]
    assert last is None or last.declared is None or member == "(l).x"


def test_struct_literals() -> None:
    source = "type P { x: f32, y: f32 } fn f(x: f32) -> P { P { x, y: x, z: x } }"
    found = uses(source)[-7:]
    kinds = [(name, None if use is None else use.kind.value) for name, use in found]
    assert kinds == [
        ("P", "type"),
        ("P", "type"),
        ("x", "local"),
        ("y", "field"),
        ("x", "local"),
        ("z", "field"),
        ("x", "local"),
    ]
    assert found[5][1] == NameUse(NameKind.FIELD, "z")


def test_wires() -> None:
    source = (
        "fn main() { 1 -> a: i64; (a, 2.5) -> p -> print; a -> { -0-> a; -_-> -> + a; } -> b; }"
    )
    found = inspect(parse(source).program).uses
    tokens = tokenize(source).tokens
    wires = [
        (tokens[ordinal].text, str(use.type))
        for ordinal, use in sorted(found.items())
        if use.kind is NameKind.WIRE
    ]
    types = ["i64", "(i64, f64)", "(i64, f64)", "i64", "i64", "i64"]
    assert wires == [("->", ty) for ty in types]
