"""Codes of chains and returns."""

from mapal.diagnostics import DiagnosticKind

KINDS = (
    DiagnosticKind(
        "L1301",
        "no value on the wire",
        "The stage takes a value, and none reaches it: the chain has no head here, or the stage "
        "before yields nothing, as a print or a call without result does. `()` is no value.",
        "fn main() { 5 -> print -> println; }",
        "fn main() { 5 -> print; 5 -> println; }",
    ),
    DiagnosticKind(
        "L1302",
        "stage ignores the wire",
        "A stage works on the value it is sent. An expression that does not is no stage, and "
        "`time` takes nothing.",
        "fn grow(n: i32, by: i32) -> i32 { n -> by * 2 -> ret; }\nfn main() { }",
        "fn grow(n: i32, by: i32) -> i32 { n -> + by * 2 -> ret; }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1303",
        "stage after `ret`",
        "`-> ret` ends its chain.",
        "fn same(n: i32) -> i32 { n -> ret -> println; }\nfn main() { }",
        "fn same(n: i32) -> i32 { n -> println; n -> ret; }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1304",
        "misplaced `-> loop`",
        "`-> loop;` is a statement of its own, the last of the arm of a loop's guard that goes "
        "on. It stands nowhere else.",
        "fn main() {\n"
        "    mut i: i32 <- 0;\n"
        "    loop {\n"
        "        i * 2 -> loop;\n"
        "        (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> end; }\n"
        "    }\n"
        "}",
        "fn main() {\n"
        "    mut i: i32 <- 0;\n"
        "    loop { (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> end; } }\n"
        "}",
    ),
    DiagnosticKind(
        "L1305",
        "branch without value",
        "What a block joins, or a loop binds at its exit, must be a value; this branch or exit "
        "arm ends in something that yields none.",
        "fn show(n: i32) { n -> println; }\nfn main() { 4 -> { -> show; -> * 2; } -> both; }",
        "fn next(n: i32) -> i32 { n + 1 }\nfn main() { 4 -> { -> next; -> * 2; } -> both; }",
    ),
    DiagnosticKind(
        "L1306",
        "incomplete return",
        "A function with a result returns it exactly once: whole by `-> ret` or as the end of "
        "its body, or every component once by `-> ret.0`, `-> ret.1`, ….",
        "fn split(n: i32) -> (i32, i32) { n / 10 -> ret.0; n % 10 -> rest; }\nfn main() { }",
        "fn split(n: i32) -> (i32, i32) { n / 10 -> ret.0; n % 10 -> ret.1; }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1307",
        "return of a function with effects",
        "A function that prints or reads the clock returns once, whole, and has no effect "
        "after that.",
        'fn noisy(n: i32) -> i32 { n -> ret; "done" -> println; }\nfn main() { }',
        'fn noisy(n: i32) -> i32 { "done" -> println; n -> ret; }\nfn main() { }',
    ),
)
