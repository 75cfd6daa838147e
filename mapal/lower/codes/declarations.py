"""Codes of declarations: what is wrong with functions and types before any body is read."""

from mapal.diagnostics import DiagnosticKind

KINDS = (
    DiagnosticKind(
        "L1001",
        "no `main`",
        "A program runs its function `main`; this text declares none.",
        "fn start() { 1 -> println; }",
        "fn main() { 1 -> println; }",
    ),
    DiagnosticKind(
        "L1002",
        "bad `main` signature",
        "What enters and leaves a program travels as `.npy` files, so a parameter or result of "
        "`main` is a number or bool, an array of such, or an array of tuples or structs whose "
        "components are scalars of one type; a result may also be a tuple of these.",
        "fn main(limits: (i32, f64)) -> i32 { limits.0 }",
        "fn main(low: i32, high: f64) -> i32 { low }",
    ),
    DiagnosticKind(
        "L1003",
        "duplicate function",
        "Two functions have one name. There is no overloading.",
        "fn area(w: i32) -> i32 { w * w }\nfn area(w: f32) -> f32 { w * w }\nfn main() { }",
        "fn area(w: i32) -> i32 { w * w }\nfn area_f32(w: f32) -> f32 { w * w }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1004",
        "duplicate type",
        "Two types have one name, or a type is named like a number type.",
        "type Point { x: i32 }\ntype Point { x: f64 }\nfn main() { }",
        "type Point { x: i32 }\ntype PointF64 { x: f64 }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1005",
        "duplicate field",
        "A field name occurs twice in one type, or is given twice in a struct literal.",
        "type Point { x: i32, x: i32 }\nfn main() { }",
        "type Point { x: i32, y: i32 }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1006",
        "duplicate parameter",
        "Two parameters of a function have one name.",
        "fn add(a: i32, a: i32) -> i32 { a + a }\nfn main() { }",
        "fn add(a: i32, b: i32) -> i32 { a + b }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1007",
        "recursive type",
        "A type contains itself, directly or through other types, so that its values would have "
        "no end. Keep such things in an array and refer to them by index.",
        "type Tree { left: Tree, right: Tree }\nfn main() { }",
        "type Tree { left: i32, right: i32 }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1008",
        "recursive call",
        "A function calls itself, directly or through others. Repetition is written as a loop.",
        "fn down(n: i32) -> i32 { n - 1 -> down }\nfn main() { }",
        "fn down(mut n: i32) -> i32 {\n"
        "    loop { (n > 0) -> { -true-> { n - 1 -> n; -> loop; } -false-> n -> end; } }\n"
        "    end\n"
        "}\n"
        "fn main() { }",
    ),
    DiagnosticKind(
        "L1009",
        "reserved name",
        "A function cannot be named like a number type or like a builtin, the number builtins "
        "(`sqrt`, `max`, `to_f32`, …) excepted, which it hides.",
        "fn fill(n: i32) -> i32 { n }\nfn main() { }",
        "fn filled(n: i32) -> i32 { n }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1010",
        "empty type",
        "A type has at least one field.",
        "type Nothing { }\nfn main() { }",
        "type Nothing { unused: bool }\nfn main() { }",
    ),
)
