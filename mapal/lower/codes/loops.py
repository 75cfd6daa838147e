"""Codes of loops."""

from mapal.diagnostics import DiagnosticKind

KINDS = (
    DiagnosticKind(
        "L1501",
        "no exit",
        "The body of a loop ends in a guard with one arm that goes on and one that exits; this "
        "loop could never end, or never repeat.",
        "fn main() { mut i: i32 <- 0; loop { i + 1 -> i; i -> println; } }",
        "fn main() {\n"
        "    mut i: i32 <- 0;\n"
        "    loop {\n"
        "        i -> println;\n"
        "        (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> -> ret; }\n"
        "    }\n"
        "}",
    ),
    DiagnosticKind(
        "L1502",
        "no carried state",
        "A loop changes something from pass to pass: a `mut` name from outside that its body "
        "rebinds with `value -> name` or `name[i] <- value`. A `name <- value` makes a new name.",
        "fn main() {\n"
        "    mut i: i32 <- 0;\n"
        "    loop { (i < 3) -> { -true-> { i <- 1; -> loop; } -false-> i -> end; } }\n"
        "}",
        "fn main() {\n"
        "    mut i: i32 <- 0;\n"
        "    loop { (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> end; } }\n"
        "}",
    ),
    DiagnosticKind(
        "L1503",
        "condition or state independent of the loop",
        "The condition of a loop depends on what the loop carries, and something that it "
        "carries depends on the pass before; otherwise every pass would be the same.",
        "fn run(more: bool) -> i32 {\n"
        "    mut i: i32 <- 0;\n"
        "    loop { more -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> end; } }\n"
        "    end\n"
        "}\n"
        "fn main() { }",
        "fn run(more: i32) -> i32 {\n"
        "    mut i: i32 <- 0;\n"
        "    loop { (i < more) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> end; } }\n"
        "    end\n"
        "}\n"
        "fn main() { }",
    ),
    DiagnosticKind(
        "L1504",
        "return from an inner loop",
        "A loop inside another exits to the pass around it, not to the caller. Give the exit "
        "value a name and return it behind the outer loop, or move the inner loop into a "
        "function.",
        "fn main() {\n"
        "    mut i: i32 <- 0;\n"
        "    loop {\n"
        "        mut j: i32 <- 0;\n"
        "        loop { (j < i) -> { -true-> { j + 1 -> j; -> loop; } -false-> -> ret; } }\n"
        "        (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> end; }\n"
        "    }\n"
        "}",
        "fn main() {\n"
        "    mut i: i32 <- 0;\n"
        "    loop {\n"
        "        mut j: i32 <- 0;\n"
        "        loop { (j < i) -> { -true-> { j + 1 -> j; -> loop; } -false-> j -> k; } }\n"
        "        (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> end; }\n"
        "    }\n"
        "}",
    ),
)
