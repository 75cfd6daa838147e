"""Codes of collection operators, `seq` and builtins."""

from mapal.diagnostics import DiagnosticKind


def _in_main(statement: str) -> str:
    return f"fn main() {{ {statement} }}"


KINDS = (
    DiagnosticKind(
        "L1601",
        "wrong number of parameters",
        "The body of `map` takes one element, that of `fold` the accumulator and an element, "
        "that of `reduce` two elements.",
        _in_main("[3, 4] -> map { i, x -> i * x } -> k;"),
        _in_main("[3, 4] -> enumerate -> map { p -> p.0 * p.1 } -> k;"),
    ),
    DiagnosticKind(
        "L1602",
        "`map` of something that is no array",
        "`map` applies its body to every element of an array.",
        _in_main("5 -> map { x -> x * 2 } -> k;"),
        _in_main("5 -> iota -> map { x -> x * 2 } -> k;"),
    ),
    DiagnosticKind(
        "L1603",
        "bad input of `fold`",
        "`fold` takes a pair: the value to start from, and an array.",
        _in_main("[3, 4] -> fold { sum, x -> sum + x } -> k;"),
        _in_main("(0, [3, 4]) -> fold { sum, x -> sum + x } -> k;"),
    ),
    DiagnosticKind(
        "L1604",
        "body without value",
        "A body ends in the value that it yields, without a `;`.",
        _in_main("[3, 4] -> map { x -> x * 2 -> y; } -> k;"),
        _in_main("[3, 4] -> map { x -> x * 2 -> y; y } -> k;"),
    ),
    DiagnosticKind(
        "L1605",
        "effect in a body",
        "The elements of an array may be worked on in any order and at the same time, so a body "
        "cannot print or read the clock. Print in a loop over the finished array.",
        _in_main("[3, 4] -> map { x -> x -> println; x } -> k;"),
        "fn main() {\n"
        "    [3, 4] -> v;\n"
        "    mut i: i32 <- 0;\n"
        "    loop {\n"
        "        (i < 2) -> { -true-> { v[i] -> println; i + 1 -> i; -> loop; }"
        " -false-> -> ret; }\n"
        "    }\n"
        "}",
    ),
    DiagnosticKind(
        "L1606",
        "`zip` of something that is no pair",
        "`zip` takes a pair of arrays.",
        _in_main("[3, 4] -> zip -> k;"),
        _in_main("([3, 4], [5, 6]) -> zip -> k;"),
    ),
    DiagnosticKind(
        "L1607",
        "`zip` of something that is no array",
        "Both components of the pair that enters `zip` are arrays. `fill` makes an array of one "
        "value.",
        _in_main("([3, 4], 5) -> zip -> k;"),
        _in_main("(5, 2) -> fill -> fives; ([3, 4], fives) -> zip -> k;"),
    ),
    DiagnosticKind(
        "L1608",
        "`zip` of different lengths",
        "The arrays that enter `zip` have the same number of elements.",
        _in_main("([3, 4, 5], [6, 7]) -> zip -> k;"),
        _in_main("([3, 4], [6, 7]) -> zip -> k;"),
    ),
    DiagnosticKind(
        "L1609",
        "`enumerate` of something that is no array",
        "`enumerate` pairs every element of an array with its index.",
        _in_main("3 -> enumerate -> k;"),
        _in_main("[3] -> enumerate -> k;"),
    ),
    DiagnosticKind(
        "L1610",
        "`enumerate` of too many elements",
        "Indices are `i32`, so the array has at most 2147483647 elements.",
        "fn f(v: [u8; 3000000000]) { v -> enumerate -> k; }\nfn main() { }",
        "fn f(v: [u8; 2000000000]) { v -> enumerate -> k; }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1611",
        "`seq` without value",
        "Something follows this `seq` and needs its value: end it with an expression, without a "
        "`;`.",
        _in_main("3 -> seq { -> println; } -> k;"),
        _in_main("3 -> seq { -> println; -> + 1 } -> k;"),
    ),
    DiagnosticKind(
        "L1612",
        "bad count of `iota`",
        "The length of an array is part of its type, so `iota` takes a positive `i32` literal or "
        "a name that stands for one.",
        _in_main("2 * 8 -> iota -> k;"),
        _in_main("16 -> iota -> k;"),
    ),
    DiagnosticKind(
        "L1613",
        "bad input of `fill`",
        "`fill` takes a pair: the value, and how often, a positive integer literal or a name "
        "that stands for one.",
        _in_main("(1.5, 0) -> fill -> k;"),
        _in_main("(1.5, 8) -> fill -> k;"),
    ),
    DiagnosticKind(
        "L1614",
        "no such widening",
        "The `widen_` stages take `i32` to `i64`, `f32` or `f64`, and `f32` to `f64`. The `to_` "
        "stages convert every pair of number types.",
        "fn f(x: i64) -> f64 { x -> widen_f64 }\nfn main() { }",
        "fn f(x: i64) -> f64 { x -> to_f64 }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1615",
        "`reduce` of something that is no array",
        "`reduce` combines the elements of an array. It has no start value; `fold` has.",
        _in_main("(0, [3, 4]) -> reduce { a, b -> a + b } -> k;"),
        _in_main("[3, 4] -> reduce { a, b -> a + b } -> k;"),
    ),
    DiagnosticKind(
        "L1616",
        "conversion of something that is no number",
        "The `to_` stages convert numbers. Turn a bool into a number with a guard.",
        "fn f(b: bool) -> i32 { b -> to_i32 }\nfn main() { }",
        "fn f(b: bool) -> i32 { b -> { -true-> 1; -false-> 0; } }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1617",
        "bad input of a number builtin",
        "`sqrt`, `floor`, `ceil`, `round` and `trunc` take a float, `abs` any number.",
        "fn f(n: i32) -> i32 { n -> sqrt }\nfn main() { }",
        "fn f(n: i32) -> f64 { n -> to_f64 -> sqrt }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1618",
        "bad input of `min` or `max`",
        "`min` and `max` take a pair of numbers of one type.",
        "fn f(a: i32, b: i64) -> i64 { (a, b) -> max }\nfn main() { }",
        "fn f(a: i32, b: i64) -> i64 { a -> to_i64 -> wide; (wide, b) -> max }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1619",
        "body of `reduce` that may trap",
        "The elements are combined in a tree, so that a trap in the body would come at a "
        "surprising place, or not at all. The body divides integers by non-zero literals only, "
        "indexes with literals in range only, has no loop, and calls only functions of that "
        "kind. `fold` has no such rule.",
        _in_main("[8, 4, 2] -> reduce { a, b -> a / b } -> k;"),
        _in_main("(1000, [8, 4, 2]) -> fold { a, b -> a / b } -> k;"),
    ),
)
