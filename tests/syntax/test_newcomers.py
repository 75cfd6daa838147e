"""Habits from other languages: each gives one message at its place that names the fix, and the
text with that fix is accepted."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from mapal.check import check
from mapal.diagnostics import SourceText
from mapal.lower import lower
from mapal.syntax import parse

GUARD = "`(condition) -> { -true-> …; -false-> …; } -> result;`"
LOOP = "`loop { (condition) -> { -true-> { …; -> loop; } -false-> value -> result; } }`"


class Habit(NamedTuple):
    source: str
    code: str
    place: tuple[int, int]
    hint: str
    fixed: str


def in_main(body: str) -> str:
    return f"fn half(n: i32) -> i32 {{ n / 2 }}\nfn main() {{\n    {body}\n}}"


def statement(body: str, code: str, column: int, hint: str, fixed: str) -> Habit:
    """A habit in a statement on line 3, at a column counted from the statement's first."""
    return Habit(in_main(body), code, (3, 4 + column), hint, in_main(fixed))


HABITS = {
    "call with parentheses": statement(
        "half(8) -> println;", "P0108", 1, "write `8 -> half`", "8 -> half -> println;"
    ),
    "call as a stage": statement(
        "8 -> half() -> println;", "P0108", 6, "write `-> half`", "8 -> half -> println;"
    ),
    "print with parentheses": statement(
        'println("hello");', "P0108", 1, 'write `"hello" -> println`', '"hello" -> println;'
    ),
    "assignment": statement(
        "size = 640;",
        "L0005",
        6,
        "write `size <- 640;` to bind a new name, `640 -> size;` to update a `mut` name",
        "size <- 640;",
    ),
    "assignment with a type": statement(
        "size: i64 = 640;", "L0005", 11, "write `size: i64 <- 640;`", "size: i64 <- 640;"
    ),
    "declaration": statement(
        "let mut size = 640;", "L0005", 14, "write `mut size <- 640;`", "mut size <- 640;"
    ),
    "compound assignment": statement(
        "mut size <- 0; size += 8;", "L0005", 22, "write `size + 8 -> size;`",
        "mut size <- 0; size + 8 -> size;",
    ),
    "increment": statement(
        "mut size <- 0; size++;", "P0001", 21, "there is no `++`: write `size + 1 -> size;`",
        "mut size <- 0; size + 1 -> size;",
    ),
    "missing semicolon": Habit(
        in_main("1 -> first\n    2 -> second;"),
        "P0001",
        (4, 5),
        "end the statement with `;`: `1 -> first;`",
        in_main("1 -> first;\n    2 -> second;"),
    ),
    "missing semicolon of a binding": Habit(
        in_main("first <- 1\n    second <- 2;"),
        "P0001",
        (4, 5),
        "end the statement with `;`: `first <- 1;`",
        in_main("first <- 1;\n    second <- 2;"),
    ),
    "exponent": statement(
        "tiny <- 1e-6;", "P0001", 10, "there is no exponent form: write `0.000001`",
        "tiny <- 0.000001;",
    ),
    "exponent of a fraction": statement(
        "2.5e3 -> println;", "P0001", 4, "there is no exponent form: write `2500.0`",
        "2500.0 -> println;",
    ),
    "bare point": statement("half <- .5;", "P0001", 9, "write `0.5`", "half <- 0.5;"),
    "if": statement(
        "if 8 > 4 { 1 } else { 2 }", "P0001", 1, f"choose a value with a guard: {GUARD}",
        "(8 > 4) -> { -true-> 1; -false-> 2; } -> result;",
    ),
    "if with parentheses": statement(
        "if (8 > 4) { 1 } else { 2 }", "P0108", 1, f"choose a value with a guard: {GUARD}",
        "(8 > 4) -> { -true-> 1; -false-> 2; } -> result;",
    ),
    "conditional operator": statement(
        "8 > 4 ? 1 : 2 -> result;", "P0101", 7, f"choose with a guard: {GUARD}",
        "(8 > 4) -> { -true-> 1; -false-> 2; } -> result;",
    ),
    "for": statement(
        "for i in [1, 2] { i -> half; }",
        "P0001",
        1,
        "go through an array with `array -> map { x -> … } -> result;` (`n -> iota` is the array "
        f"0, 1, …, n-1), or repeat with {LOOP}",
        "[1, 2] -> map { i -> i -> half } -> result;",
    ),
    "while": statement(
        "while true { }",
        "P0001",
        1,
        f"repeat with a guarded loop: {LOOP}",
        "mut n: i32 <- 9; loop { (n > 0) -> { -true-> { n -> half -> n; -> loop; }"
        " -false-> n -> result; } }",
    ),
    "return": Habit(
        "fn half(n: i32) -> i32 { return n / 2; }\nfn main() { }",
        "P0001",
        (1, 26),
        "write `n / 2 -> ret;`",
        "fn half(n: i32) -> i32 { n / 2 -> ret; }\nfn main() { }",
    ),
    "return with parentheses": Habit(
        "fn half(n: i32) -> i32 { return (n / 2); }\nfn main() { }",
        "P0108",
        (1, 26),
        "write `n / 2 -> ret;`",
        "fn half(n: i32) -> i32 { n / 2 -> ret; }\nfn main() { }",
    ),
    "return as a stage": Habit(
        "fn half(n: i32) -> i32 { n / 2 -> return; }\nfn main() { }",
        "L1306",
        (1, 4),
        "end the function with an expression, or send a value to `-> ret;`",
        "fn half(n: i32) -> i32 { n / 2 -> ret; }\nfn main() { }",
    ),
    "comment": statement(
        "# half of it", "L0001", 1, "a comment begins with `//`", "// half of it"
    ),
    "word for and": statement(
        "true and false -> both;", "P0001", 6, "write `&&`", "true && false -> both;"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HABITS)
def test_habit(name: str) -> None:
    habit = HABITS[name]
    parsed = parse(habit.source)
    found = parsed.diagnostics or lower(parsed.program, "exact").diagnostics
    assert [report.code for report in found] == [habit.code]
    (report,) = found
    start, _ = report.span or parsed.locations.span_of(report.tokens or (0, 0))
    assert SourceText(habit.source).position(start) == habit.place
    assert report.hint == habit.hint

    fixed = parse(habit.fixed)
    assert fixed.diagnostics == ()
    lowered = lower(fixed.program, "exact")
    assert lowered.graph is not None
    assert check(fixed.program, lowered.graph) == ()
