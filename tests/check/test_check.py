"""The checks of a lowered program: one return, no effects in fanouts."""

from __future__ import annotations

import pytest

from mapal.check import KINDS, check
from mapal.diagnostics import DiagnosticKind
from mapal.lower import lower
from mapal.syntax import parse


def reports(source: str) -> list[tuple[str, str]]:
    """Codes and the text they are about."""
    parsed = parse(source)
    assert parsed.diagnostics == ()
    lowered = lower(parsed.program, "exact")
    assert lowered.graph is not None, lowered.diagnostics
    found: list[tuple[str, str]] = []
    for item in check(parsed.program, lowered.graph):
        assert item.tokens is not None
        assert item.hint
        start, end = parsed.locations.span_of(item.tokens)
        found.append((item.code, source.encode()[start:end].decode()))
    return found


@pytest.mark.parametrize("kind", KINDS, ids=[kind.code for kind in KINDS])
def test_catalogue(kind: DiagnosticKind) -> None:
    assert {code for code, _ in reports(kind.example)} == {kind.code}
    assert reports(kind.correction) == []
    assert kind.explanation.endswith(".")


ACCEPTED = {
    "one return": "fn f(n: i32) -> i32 { n -> ret; } fn main() { }",
    "slots": "fn f(n: i32) -> (i32, i32) { n -> ret.0; n -> ret.1; } fn main() { }",
    "pure branches": "fn main() { 4 -> { -> + 1 -> a; -> * 2 -> b; } a + b -> println; }",
    "call of a pure function": "fn f(n: i32) { } fn main() { 4 -> { -> f; -> k; } }",
    "seq": "fn main() { 4 -> seq { -> print; -> println; } }",
    "local named like an effect": "fn main() { 0 -> mut print: i32; 4 -> { -> print; -> k; } }",
    "effect behind the block": "fn main() { 4 -> { -> a; -> b; } a -> println; }",
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str) -> None:
    assert reports(ACCEPTED[name]) == []


REFUSED = {
    "second return": ("fn f(n: i32) -> i32 { n -> ret; n + 1 -> ret; }", ["-> ret"]),
    "return and tail": ("fn f(n: i32) -> i32 { n -> ret; n + 1 }", ["n + 1"]),
    "three": ("fn f(n: i32) -> i32 { n -> ret; 1 -> ret; n }", ["-> ret", "n"]),
    "return in a fanout": ("fn f(n: i32) -> i32 { n -> { -> ret; -> + 1 -> ret; }; }", ["-> ret"]),
    "loop exit and return": (
        "fn f(mut i: i32) -> i32 { 1 -> ret; loop { (i < 3) ->"
        " { -true-> { i + 1 -> i; -> loop; } -_-> i -> ret; } } }",
        ["-> ret"],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_several_returns(name: str) -> None:
    source, places = REFUSED[name]
    assert reports(source + " fn main() { }") == [("T0101", place) for place in places]


EFFECTS = {
    "print": ("4 -> { -> print; -> k; }", ["print"]),
    "both": ("4 -> { -> print; -> println; }", ["print", "println"]),
    "clock": ("4 -> { -> seq { () -> time -> t; }; -> k; }", ["time"]),
    "call": ("4 -> { -> show; -> k; }", ["show"]),
    "seq does not help": ("4 -> { -> seq { -> print; 1 } -> k; }", ["print"]),
    "fanout in a fanout": ("4 -> { -> { -> print; -> k; }; -> l; }", ["print"]),
    "loop in a branch": (
        "4 -> { -> seq { mut i: i32 <- 0; loop { i -> print; (i < 3) ->"
        " { -true-> { i + 1 -> i; -> loop; } -_-> i -> e; } } }; -> k; }",
        ["print"],
    ),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_effects_in_fanouts(name: str) -> None:
    statements, places = EFFECTS[name]
    source = f"fn show(n: i32) {{ n -> println; }} fn main() {{ {statements} }}"
    assert reports(source) == [("T0201", place) for place in places]


def test_returns_come_in_function_order_then_effects_in_source_order() -> None:
    source = (
        "fn main() { 4 -> { -> print; -> k; } }"
        " fn g(n: i32) { n -> { -> println; -> k; } }"
        " fn f(n: i32) -> i32 { n -> ret; n }"
        " fn h(n: i32) -> i32 { n -> ret; n }"
    )
    assert reports(source) == [
        ("T0101", "n"),
        ("T0101", "n"),
        ("T0201", "print"),
        ("T0201", "println"),
    ]
