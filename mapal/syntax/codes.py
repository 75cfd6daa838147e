"""The catalogue of what lexer and parser report: one entry for each code.

`example` of an entry yields exactly its code; `correction` parses without a report.
"""

from __future__ import annotations

from mapal.diagnostics import DiagnosticKind

_LEXER = (
    DiagnosticKind(
        "L0001",
        "unknown character",
        "No token begins with this character. Outside strings and comments a program uses "
        "ASCII letters, digits, `_` and the operators; neighbouring unknown characters are "
        "reported together. Comments begin with `//`, strings stand in double quotes.",
        "fn main() { 4 -> größe; }",
        "fn main() { 4 -> groesse; }",
    ),
    DiagnosticKind(
        "L0002",
        "unterminated string",
        "A string ends on the line that it begins on. Write a line break inside it as `\\n`.",
        'fn main() {\n    "two -> println;\n}',
        'fn main() {\n    "two" -> println;\n}',
    ),
    DiagnosticKind(
        "L0003",
        "unknown escape",
        'In a string a backslash begins one of `\\\\`, `\\"`, `\\n` and `\\t`, nothing else.',
        'fn main() { "col\\rumn" -> println; }',
        'fn main() { "col\\tumn" -> println; }',
    ),
    DiagnosticKind(
        "L0004",
        "retired keyword",
        "`category` is an old word for `type`, which declares a product with named fields.",
        "category Point { x: f32, y: f32 }\nfn main() { }",
        "type Point { x: f32, y: f32 }\nfn main() { }",
    ),
    DiagnosticKind(
        "L0005",
        "lone equals sign",
        "`name <- value;` binds a name, `value -> name;` binds it too or updates a `mut` name, "
        "and `==` compares. A single `=` does none of these.",
        "fn main() { width = 640; width -> println; }",
        "fn main() { width <- 640; width -> println; }",
    ),
    DiagnosticKind(
        "L0006",
        "lone `&` or `|`",
        "The logical operators are `&&` and `||`; there are no operators on single bits.",
        "fn both(a: bool, b: bool) -> bool { a & b }\nfn main() { }",
        "fn both(a: bool, b: bool) -> bool { a && b }\nfn main() { }",
    ),
    DiagnosticKind(
        "L0007",
        "block comment",
        "Comments run from `//` to the end of the line; text between `/*` and `*/` is passed "
        "over, but reported.",
        "/* entry point */\nfn main() { }",
        "// entry point\nfn main() { }",
    ),
    DiagnosticKind(
        "L0008",
        "integer above 2^64-1",
        "No type holds an integer above 18446744073709551615. This also bounds the number in a "
        "guard arrow and the length of an array. Larger magnitudes need a float.",
        "fn main() { 100000000000000000000 -> println; }",
        "fn main() { 100000000000000000000.0 -> println; }",
    ),
)

_MALFORMED = (
    DiagnosticKind(
        "P0001",
        "unexpected token",
        "The grammar needs something else here. The message names what was expected and what "
        "was found; the hint says what is usually meant. The most frequent causes are a missing "
        "`;`, and words of other languages such as `if`, `for` and `return`.",
        "fn main() {\n    1 -> first\n    2 -> second;\n}",
        "fn main() {\n    1 -> first;\n    2 -> second;\n}",
    ),
    DiagnosticKind(
        "P0002",
        "unclosed delimiter",
        "A `(`, `[` or `{` has no closing partner. The place is that of the opening one; the "
        "message says before which token the closing one is missing.",
        "fn main() { (1, 2 -> pair; }",
        "fn main() { (1, 2) -> pair; }",
    ),
    DiagnosticKind(
        "P0003",
        "bare expression",
        "An expression that ends with `;` and flows nowhere has no effect. Send its value to a "
        "name or a function, or leave out the `;` to make it the value of the block.",
        "fn twice(n: i32) -> i32 { n * 2; }\nfn main() { }",
        "fn twice(n: i32) -> i32 { n * 2 }\nfn main() { }",
    ),
    DiagnosticKind(
        "P0004",
        "arm outside a guard",
        "A guard arrow such as `-true->` begins an arm. Arms stand in the braces of a guard, "
        "behind the value that they look at.",
        "fn main() { -true-> 1 -> println; }",
        "fn main() { true -> { -true-> 1; -false-> 2; } -> println; }",
    ),
    DiagnosticKind(
        "P0005",
        "spaces in a guard arrow",
        "A guard arrow is a single token: no space before or behind what it compares with.",
        "fn sign(b: bool) -> i32 { b -> { -true-> 1; - false -> 0; } -> ret; }\nfn main() { }",
        "fn sign(b: bool) -> i32 { b -> { -true-> 1; -false-> 0; } -> ret; }\nfn main() { }",
    ),
    DiagnosticKind(
        "P0006",
        "statement among arms",
        "The braces of a guard hold arms only. Statements stand before the guard, or inside the "
        "braces of one arm.",
        "fn f(b: bool) -> i32 { b -> { 7 -> k; -true-> k; -false-> 0; } -> ret; }\nfn main() { }",
        "fn f(b: bool) -> i32 { b -> { -true-> { 7 -> k; k } -false-> 0; } -> ret; }\n"
        "fn main() { }",
    ),
    DiagnosticKind(
        "P0007",
        "chained comparison",
        "A comparison yields a truth value, which the next comparison cannot order. Compare "
        "twice and join the results.",
        "fn inside(n: i32) -> bool { 0 <= n < 8 }\nfn main() { }",
        "fn inside(n: i32) -> bool { 0 <= n && n < 8 }\nfn main() { }",
    ),
    DiagnosticKind(
        "P0008",
        "two `<-` in one statement",
        "A statement binds one name.",
        "fn main() { low <- high <- 0; }",
        "fn main() { high <- 0; low <- high; }",
    ),
    DiagnosticKind(
        "P0009",
        "`<-` inside an expression",
        "The longest token wins, so `n<-1` is a name, `<-` and a number. Put a space between "
        "`<` and a minus.",
        "fn below(n: i32) -> bool { (n<-8) }\nfn main() { }",
        "fn below(n: i32) -> bool { (n < -8) }\nfn main() { }",
    ),
    DiagnosticKind(
        "P0010",
        "empty braces in a chain",
        "Braces behind an arrow hold the arms of a guard or the branches of a fanout.",
        "fn main() { 4 -> { } -> k; }",
        "fn main() { 4 -> { -> + 1; } -> k; }",
    ),
    DiagnosticKind(
        "P0011",
        "nesting too deep",
        "Blocks, bracketed expressions, unary operators, struct literals and types nest to 128 "
        "levels. Bind inner parts to names, or move them into functions.",
        f"fn main() {{ {'(' * 127}8{')' * 127} -> k; }}",
        "fn main() { 8 -> k; }",
    ),
    DiagnosticKind(
        "P0012",
        "statement at the top level",
        "Outside functions a program consists of `fn` and `type` declarations. A `}` too many "
        "also ends here: it closes the function early, and the rest stands outside.",
        '"hello" -> println;\nfn main() { }',
        'fn main() { "hello" -> println; }',
    ),
    DiagnosticKind(
        "P0013",
        "`mut` on an element update",
        "The array was declared `mut`; the update of one of its elements is not a declaration.",
        "fn main() { mut row: [i32; 2] <- [0, 0]; mut row[1] <- 7; }",
        "fn main() { mut row: [i32; 2] <- [0, 0]; row[1] <- 7; }",
    ),
    DiagnosticKind(
        "P0014",
        "type on an element update",
        "An element has the element type of its array; an update does not state it again.",
        "fn main() { mut row: [i32; 2] <- [0, 0]; row[1]: i32 <- 7; }",
        "fn main() { mut row: [i32; 2] <- [0, 0]; row[1] <- 7; }",
    ),
    DiagnosticKind(
        "P0015",
        "nested element update",
        "An update replaces one element of a named array. For an element of an element take the "
        "inner array out, update it, and put it back.",
        "fn main() { mut grid: [[i32; 2]; 2] <- [[0, 0], [0, 0]]; grid[1][0] <- 7; }",
        "fn main() {\n    mut grid: [[i32; 2]; 2] <- [[0, 0], [0, 0]];\n"
        "    mut row <- grid[1];\n    row[0] <- 7;\n    grid[1] <- row;\n}",
    ),
)

_OUTSIDE_CORE = (
    DiagnosticKind(
        "P0101",
        "`?` operator",
        "No value of the language can be absent, so there is nothing to test with `?`. A choice "
        "between two values is a guard.",
        "fn main() { 4? -> k; }",
        "fn main() { 4 -> k; }",
    ),
    DiagnosticKind(
        "P0102",
        "annotation",
        "Declarations carry no annotations; how code is compiled is set when it is built.",
        "@fast fn main() { }",
        "fn main() { }",
    ),
    DiagnosticKind(
        "P0103",
        "generic arguments",
        "Types and functions have no type parameters. Declare one for each use.",
        "fn first(pair: Pair<f32>) { }\nfn main() { }",
        "type Pair { a: f32, b: f32 }\nfn first(pair: Pair) { }\nfn main() { }",
    ),
    DiagnosticKind(
        "P0104",
        "array type without a length",
        "The length of an array is part of its type, an integer literal.",
        "fn total(values: [f32]) { }\nfn main() { }",
        "fn total(values: [f32; 8]) { }\nfn main() { }",
    ),
    DiagnosticKind(
        "P0105",
        "sum-type variant",
        "A `type` is a product: all of its fields exist at once. There are no variants.",
        "type Shape { -Circle(f32) }\nfn main() { }",
        "type Shape { kind: i32, size: f32 }\nfn main() { }",
    ),
    DiagnosticKind(
        "P0106",
        "pattern arm",
        "An arm compares with `true`, `false`, an integer or everything else (`_`); it takes "
        "nothing apart.",
        "fn f(n: i32) -> i32 { n -> { -Exactly(k)-> k; -_-> 0; } -> ret; }\nfn main() { }",
        "fn f(n: i32) -> i32 { n -> { -1-> 1; -_-> 0; } -> ret; }\nfn main() { }",
    ),
    DiagnosticKind(
        "P0107",
        "rest element",
        "An array literal lists every element. Longer arrays are made with `iota`, `fill` and "
        "`map`.",
        "fn f(tail: [i32; 2]) { [9, ...tail] -> k; }\nfn main() { }",
        "fn f(tail: [i32; 2]) { [9, tail[0], tail[1]] -> k; }\nfn main() { }",
    ),
    DiagnosticKind(
        "P0108",
        "call with parentheses",
        "A value flows into a function along an arrow; several arguments flow as a tuple.",
        "fn sum(a: i32, b: i32) -> i32 { a + b }\nfn main() { sum(4, 5) -> println; }",
        "fn sum(a: i32, b: i32) -> i32 { a + b }\nfn main() { (4, 5) -> sum -> println; }",
    ),
    DiagnosticKind(
        "P0109",
        "`::` path",
        "A program is one file with one name space for functions and one for types.",
        "fn main() { 4.0 -> math::sqrt -> println; }",
        "fn main() { 4.0 -> sqrt -> println; }",
    ),
    DiagnosticKind(
        "P0110",
        "label",
        "Blocks and loops have no labels; `-> loop` goes round the loop it stands in. A name "
        "before braces that hold statements is taken for a label.",
        "fn main() { :setup { 4 -> k; } }",
        "fn main() { 4 -> k; }",
    ),
    DiagnosticKind(
        "P0111",
        "executor",
        "Where work runs is chosen when the program is built, not in its text.",
        "executor Gpu { }\nfn main() { }",
        "fn main() { }",
    ),
    DiagnosticKind(
        "P0112",
        "`pub` or `use`",
        "A program is one file, all of it visible.",
        "pub fn main() { }",
        "fn main() { }",
    ),
    DiagnosticKind(
        "P0113",
        "`void`",
        "A value that nobody needs is simply not bound, and a function without a result has no "
        "result type. Effects in order stand in `seq`.",
        "fn main() { 4 -> void; }",
        "fn main() { 4 -> unused; }",
    ),
    DiagnosticKind(
        "P0114",
        "other collection operator",
        "The operators with a body are `map`, `fold` and `reduce`.",
        "fn main() { [1, 2] -> each { x -> x + 1 } -> k; }",
        "fn main() { [1, 2] -> map { x -> x + 1 } -> k; }",
    ),
    DiagnosticKind(
        "P0115",
        "anonymous block in a chain",
        "Braces behind an arrow hold either arms or branches, each of which begins with `->` and "
        "ends with `;`. Statements in order stand in `seq`.",
        "fn main() { 4 -> { -> + 1 } -> k; }",
        "fn main() { 4 -> { -> + 1; } -> k; }",
    ),
    DiagnosticKind(
        "P0116",
        "destructuring parameter",
        "A parameter of a body is one name. Take the components of a tuple with `.0` and `.1`.",
        "fn main() { [(1, 2)] -> map { (a, b) -> a * 2 } -> k; }",
        "fn main() { [(1, 2)] -> map { p -> p.0 * 2 } -> k; }",
    ),
    DiagnosticKind(
        "P0117",
        "binding or loop in a `void` block",
        "Reported together with P0113: what stands in the braces of a `void` could only be chains.",
    ),
)

KINDS = {kind.code: kind for kind in (*_LEXER, *_MALFORMED, *_OUTSIDE_CORE)}
"""Every code of this package with its kind, in ascending order."""
