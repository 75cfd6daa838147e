"""Codes of guards."""

from mapal.diagnostics import DiagnosticKind

_COUNT = "fn main() {{\n    mut i: i32 <- 0;\n    loop {{ {body} }}\n}}"

KINDS = (
    DiagnosticKind(
        "L1401",
        "missing arm",
        "A guard yields a value whatever it is given: both truth values, or some integers and "
        "`-_->` for the rest.",
        "fn name(n: i32) -> i32 { n -> { -1-> 10; -2-> 20; } }\nfn main() { }",
        "fn name(n: i32) -> i32 { n -> { -1-> 10; -2-> 20; -_-> 0; } }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1402",
        "duplicate arm",
        "Two arms are for the same value, or a `-_->` has nothing left to stand for.",
        "fn sign(b: bool) -> i32 { b -> { -true-> 1; -false-> 0; -_-> 2; } }\nfn main() { }",
        "fn sign(b: bool) -> i32 { b -> { -true-> 1; -false-> 0; } }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1403",
        "mixed arms",
        "The arms of one guard are for truth values or for integers, not both.",
        "fn code(n: i32) -> i32 { n -> { -0-> 1; -true-> 2; -_-> 3; } }\nfn main() { }",
        "fn code(n: i32) -> i32 { n -> { -0-> 1; -1-> 2; -_-> 3; } }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1404",
        "effect in an arm",
        "An arm computes the value that the guard selects; only a loop's guard has arms that "
        "act. Select what to print, and print it behind the guard.",
        "fn main() { (1 < 2) -> { -true-> { 1 -> println; 1 } -false-> 2; } -> k; }",
        "fn main() { (1 < 2) -> { -true-> 1; -false-> 2; } -> println; }",
    ),
    DiagnosticKind(
        "L1405",
        "`ret` in an arm",
        "An arm that selects a value, or a body, cannot return from the function: returning "
        "does not leave a function. Select the value and return it behind the guard.",
        "fn top(a: i32, b: i32) -> i32 { (a > b) -> { -true-> a -> ret; -false-> b; } }\n"
        "fn main() { }",
        "fn top(a: i32, b: i32) -> i32 { (a > b) -> { -true-> a; -false-> b; } -> ret; }\n"
        "fn main() { }",
    ),
    DiagnosticKind(
        "L1406",
        "guard on the wrong type",
        "Arms for truth values select on a bool, arms for numbers on an integer, and the guard "
        "of a loop on a bool.",
        "fn isOn(n: i32) -> i32 { n -> { -true-> 1; -false-> 0; } }\nfn main() { }",
        "fn isOn(n: i32) -> i32 { (n != 0) -> { -true-> 1; -false-> 0; } }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1407",
        "loop guard not last",
        "The guard with `-> loop` is the last item of its loop's body, and its exit arm has an "
        "end: a value, a name or `-> ret;`.",
        _COUNT.format(
            body="(i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> end; } i -> println;"
        ),
        _COUNT.format(
            body="i -> println; (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> end; }"
        ),
    ),
    DiagnosticKind(
        "L1408",
        "assignment in an arm",
        "An arm cannot rebind a name from outside it: it only computes the value that is "
        "selected. Rebind behind the guard.",
        "fn main() {\n"
        "    mut best: i32 <- 3;\n"
        "    (best < 4) -> { -true-> { 4 -> best; 1 } -false-> 0; } -> changed;\n"
        "}",
        "fn main() {\n"
        "    mut best: i32 <- 3;\n"
        "    (best < 4) -> { -true-> 4; -false-> best; } -> best;\n"
        "}",
    ),
    DiagnosticKind(
        "L1409",
        "bad arms of a loop guard",
        "The guard of a loop has two arms on opposite truth values: one that ends in `-> loop;` "
        "and one that exits.",
        _COUNT.format(
            body="(i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> { i + 2 -> i; -> loop; } }"
        ),
        _COUNT.format(body="(i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> end; }"),
    ),
)
