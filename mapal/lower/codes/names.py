"""Codes of names: what they stand for, and what may be done with them."""

from mapal.diagnostics import DiagnosticKind

KINDS = (
    DiagnosticKind(
        "L1101",
        "unknown name",
        "The name is read or updated here, and nothing of that name was bound before. Builtins "
        "are stages and have no value: send something to them.",
        "fn main() { totla + 1 -> println; }",
        "fn main() { 41 -> total; total + 1 -> println; }",
    ),
    DiagnosticKind(
        "L1102",
        "unknown type",
        "No scalar and no declared type has this name. The scalars are `i32`, `i64`, `u8`, "
        "`f32`, `f64` and `bool`.",
        "fn half(x: double) -> f64 { 0.5 }\nfn main() { }",
        "fn half(x: f64) -> f64 { 0.5 }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1103",
        "unknown field",
        "The value has no field of this name, or no fields at all.",
        "type Point { x: i32, y: i32 }\nfn depth(p: Point) -> i32 { p.z }\nfn main() { }",
        "type Point { x: i32, y: i32 }\nfn depth(p: Point) -> i32 { p.y }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1104",
        "assignment to an immutable name",
        "A flow into a name in scope updates it, and an element update replaces the array that "
        "it stands for: both need a name declared with `mut`. Choose a fresh name otherwise.",
        "fn main() { 1 -> count; count + 1 -> count; }",
        "fn main() { 1 -> mut count; count + 1 -> count; }",
    ),
    DiagnosticKind(
        "L1105",
        "function used as a value",
        "A function is applied by sending its argument to it; its name alone is no value.",
        "fn double(n: i32) -> i32 { n * 2 }\nfn main() { double + 1 -> println; }",
        "fn double(n: i32) -> i32 { n * 2 }\nfn main() { 4 -> double -> + 1 -> println; }",
    ),
    DiagnosticKind(
        "L1106",
        "argument by name",
        "Arguments cannot be given one by one: a function takes one value from the wire, the "
        "tuple of its parameters if it has several.",
        "fn scale(n: i32, by: i32) -> i32 { n * by }\nfn main() { 4 -> scale.by; }",
        "fn scale(n: i32, by: i32) -> i32 { n * by }\nfn main() { (2, 4) -> scale -> println; }",
    ),
    DiagnosticKind(
        "L1107",
        "carried name used after its loop",
        "A loop carries the `mut` names that it rebinds from pass to pass. After the loop they "
        "stand for nothing; what is needed leaves as the value of the exit arm.",
        "fn main() {\n"
        "    mut i: i32 <- 0;\n"
        "    loop { (i < 9) -> { -true-> { i + 2 -> i; -> loop; } -false-> i -> last; } }\n"
        "    i -> println;\n"
        "}",
        "fn main() {\n"
        "    mut i: i32 <- 0;\n"
        "    loop { (i < 9) -> { -true-> { i + 2 -> i; -> loop; } -false-> i -> last; } }\n"
        "    last -> println;\n"
        "}",
    ),
    DiagnosticKind(
        "L1108",
        "write to a captured name",
        "The body of a `map`, `fold` or `reduce` sees the names around it as they are at the "
        "stage and cannot change them. Yield a value, accumulate with `fold`, or write a loop.",
        "fn main() {\n"
        "    mut total: i32 <- 0;\n"
        "    [1, 2, 3] -> map { x -> total + x -> total; x } -> copy;\n"
        "}",
        "fn main() { (0, [1, 2, 3]) -> fold { total, x -> total + x } -> println; }",
    ),
)
