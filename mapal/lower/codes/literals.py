"""Codes of types and literals."""

from mapal.diagnostics import DiagnosticKind

_ARRAY = "[" * 32 + "i32" + "; 2]" * 32

KINDS = (
    DiagnosticKind(
        "L1201",
        "type mismatch",
        "Two types that must agree do not, or an operator does not take what it is given. "
        "Nothing converts by itself: `-> to_f64` and its kin convert numbers, and a literal at "
        "the end of a block has its own type unless something fixes it.",
        "fn mean(sum: i32, n: f64) -> f64 { sum / n }\nfn main() { }",
        "fn mean(sum: i32, n: f64) -> f64 { sum -> to_f64 -> / n }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1202",
        "literal out of range",
        "The number does not fit its type: `i32` and `i64` are signed, `u8` holds 0 to 255. A "
        "minus directly before a literal belongs to it.",
        "fn main() { 3000000000 -> println; }",
        "fn main() { 3000000000 -> large: i64; large -> println; }",
    ),
    DiagnosticKind(
        "L1203",
        "literal of the wrong kind",
        "An integer literal stands where a float or bool is needed, a float literal where an "
        "integer is needed, or one literal where two widths are.",
        "fn half(x: f64) -> f64 { x / 2 }\nfn main() { }",
        "fn half(x: f64) -> f64 { x / 2.0 }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1204",
        "not a product or array",
        "`[i]` takes an element of an array and `.k` a component of a tuple or struct; the "
        "value is neither, or the other one.",
        "fn first(v: [i32; 3]) -> i32 { v.0 }\nfn main() { }",
        "fn first(v: [i32; 3]) -> i32 { v[0] }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1205",
        "component out of range",
        "The components of a product are numbered from 0; there is none with this number.",
        "fn last(p: (i32, i32)) -> i32 { p.2 }\nfn main() { }",
        "fn last(p: (i32, i32)) -> i32 { p.1 }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1206",
        "string outside print",
        "A string can be named and printed, and nothing else: it fits no tuple, array, arm or "
        "result, and no body captures it.",
        'fn main() { [1, 2] -> map { x -> ("x", x) } -> pairs; }',
        'fn main() { "x" -> label; label -> print; 1 -> println; }',
    ),
    DiagnosticKind(
        "L1207",
        "unprintable",
        "Numbers, bools and strings can be printed. Of a tuple, struct or array print the parts.",
        "fn main() { (1, 2) -> println; }",
        'fn main() { (1, 2) -> p; p.0 -> print; " " -> print; p.1 -> println; }',
    ),
    DiagnosticKind(
        "L1208",
        "empty array type",
        "An array has at least one element.",
        "fn sum(v: [i32; 0]) -> i32 { 0 }\nfn main() { }",
        "fn sum(v: [i32; 1]) -> i32 { v[0] }\nfn main() { }",
    ),
    DiagnosticKind(
        "L1209",
        "type too deep",
        "Types nest at most 64 levels, those included that operations make of their operands: "
        "an operation on several values reads them as a tuple.",
        f"fn f(v: {_ARRAY}, w: {_ARRAY.replace('i32', _ARRAY)}) {{ }}\nfn main() {{ }}",
        f"fn f(v: {_ARRAY}, w: {_ARRAY}) {{ }}\nfn main() {{ }}",
    ),
)
