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
    "word for or in brackets": statement(
        "(true or false) -> any;", "P0001", 7, "write `||`", "(true || false) -> any;"
    ),
    "word for not in an operand": statement(
        "true && not false -> x;", "P0001", 9, "write `!` before the operand",
        "true && !false -> x;",
    ),
    "type before the name": statement(
        "int x = 4;", "L0005", 7, "write `x: i32 <- 4;`", "x: i32 <- 4;"
    ),
    "type before a name with an arrow": statement(
        "int x <- 4;", "P0001", 5, "the name stands first: `x: i32`", "x: i32 <- 4;"
    ),
    "type before a name behind an arrow": statement(
        "4.0 -> double x;", "P0001", 15, "the name stands first: `x: f64`", "4.0 -> x: f64;"
    ),
    "literal at the end": Habit(
        "fn f() -> f32 { -1.5 }\nfn main() { }", "L1201", (1, 17),
        "write `-1.5 -> ret;`: at the end of a block a literal has its default type",
        "fn f() -> f32 { -1.5 -> ret; }\nfn main() { }",
    ),
    "if as a value": statement(
        "y <- if true { 1 } else { 2 };", "P0001", 6, f"choose a value with a guard: {GUARD}",
        "true -> { -true-> 1; -false-> 2; } -> y;",
    ),
    "other inequality": statement(
        "1 <> 2 -> x;", "P0001", 4, "the operator is `!=`", "1 != 2 -> x;"
    ),
    "three equals signs": statement("1 === 2 -> x;", "L0005", 5, "write `==`", "1 == 2 -> x;"),
    "long arrow": statement("4 --> x;", "P0001", 4, "the arrow is `->`", "4 -> x;"),
    "arrow with a space": statement(
        "4 - > x;", "P0001", 5, "the arrow is `->`, without a space in it", "4 -> x;"
    ),
    "pipe": statement("4 |> half -> x;", "L0006", 3, "the arrow is `->`", "4 -> half -> x;"),
    "power": statement(
        "2 ** 3 -> x;", "P0001", 4, "there is no power operator: write `x * x`",
        "2 * 2 * 2 -> x;",
    ),
    "shift": statement(
        "2 << 3 -> x;", "P0001", 4, "there are no shifts: multiply or divide by a power of two",
        "2 * 8 -> x;",
    ),
    "range": statement(
        "0..9 -> v;", "P0001", 3, "the array 0, 1, …, n-1 is `n -> iota`", "9 -> iota -> v;"
    ),
    "type as a function": statement(
        "f64(4) -> x;", "P0108", 1, "write `4 -> to_f64`", "4 -> to_f64 -> x;"
    ),
    "method": statement(
        "4 -> n; n.half() -> x;", "P0108", 9, "there are no methods: write `n -> half`",
        "4 -> n; n -> half -> x;",
    ),
    "collection as a method": statement(
        "[1, 2] -> v; v.map { x -> x } -> w;", "P0001", 16,
        "a stage stands behind an arrow: `v -> map { … }`",
        "[1, 2] -> v; v -> map { x -> x } -> w;",
    ),
    "array type behind the element": Habit(
        "fn f(v: i32[16]) { }\nfn main() { }", "P0001", (1, 12),
        "an array type is `[i32; 16]`", "fn f(v: [i32; 16]) { }\nfn main() { }",
    ),
    "equals in a declaration": Habit(
        "type P = { x: i32 }\nfn main() { }", "L0005", (1, 8),
        "leave it out: `type P { field: i32, … }`", "type P { x: i32 }\nfn main() { }",
    ),
    "equals in a record": Habit(
        "type P { x: i32 }\nfn main() { P { x = 4 } -> p; }", "L0005", (2, 19),
        "write `x: 4`", "type P { x: i32 }\nfn main() { P { x: 4 } -> p; }",
    ),
    "record as a call": Habit(
        "type P { x: i32 }\nfn main() { P(4) -> p; }", "P0108", (2, 13),
        "a record is made with `P { field: value }`",
        "type P { x: i32 }\nfn main() { P { x: 4 } -> p; }",
    ),
    "update behind an arrow": statement(
        "[1] -> mut v; 5 -> v[0];", "L1302", 17, "an element is updated with `v[index] <- value;`",
        "[1] -> mut v; v[0] <- 5;",
    ),
    "component behind an arrow": statement(
        "(1, 2) -> mut p; 5 -> p.0;", "L1302", 20,
        "a component cannot be updated: build the product anew and send it to `p`",
        "(1, 2) -> mut p; (5, p.1) -> p;",
    ),
    "taking apart behind an arrow": statement(
        "(1, 2) -> (a, b);", "L1302", 8,
        "name the whole and take its components: `… -> pair; pair.0 -> first;`",
        "(1, 2) -> pair; pair.0 -> a; pair.1 -> b;",
    ),
    "joining strings": statement(
        '"a" + "b" -> println;', "L1201", 5,
        "a string can only be named and printed; print one part after the other",
        '"a" -> print; "b" -> println;',
    ),
    "joining a string and a number": statement(
        '"a" + 1 -> println;', "L1203", 7,
        "a string can only be named and printed; print one part after the other",
        '"a" -> print; 1 -> println;',
    ),
    "string type": Habit(
        "fn f(s: string) { }\nfn main() { }", "L1102", (1, 9),
        "a string can only be named and printed: no parameter or field holds one",
        "fn f(s: u8) { }\nfn main() { }",
    ),
    "break as a value": statement(
        "mut i <- 0; loop { (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> break; } }",
        "L1101", 75, f"a loop ends through the exit arm of its guard: {LOOP}",
        "mut i <- 0; loop { (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> e; } }",
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
