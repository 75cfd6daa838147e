"""Every report of the parser: exactly its code, at its place; recovery; one report a mistake."""

import pytest

from mapal.diagnostics import SourceText
from mapal.syntax import parse

IN_MAIN = "fn main() {{ {} }}"
GUARD = "fn f(n: i32) -> i32 {{ n -> {{ {} }} -> ret; }}"


def places(source: str) -> list[str]:
    text = SourceText(source)
    found = []
    for report in parse(source).diagnostics:
        assert report.span is not None
        line, column = text.position(report.span[0])
        found.append(f"{report.code} {line}:{column}")
    return found


def hints(source: str) -> list[str | None]:
    return [report.hint for report in parse(source).diagnostics]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # Lexer reports that the parser does not repeat.
        ("fn main() { } $", "L0001 1:15"),
        ("fn main() { $ 4 -> k; }", "L0001 1:13"),
        ("fn main() { 4 -> $; }", "L0001 1:18"),
        ("fn main() { 4 $ 5 -> k; }", "L0001 1:15"),
        ("fn main() { # a comment\n 4 -> k; }", "L0001 1:13"),
        ("# a comment\nfn main() { }", "L0001 1:1"),
        ('fn main() { "open\n -> print; }', "L0002 1:13"),
        ('fn main() { "open -> print;\n 4 -> k; }', "L0002 1:13"),
        ('fn main() { "a\\q" -> print; }', "L0003 1:15"),
        ("category Pt { x: i32 } fn main() { }", "L0004 1:1"),
        ("fn main() { } =", "L0005 1:15"),
        ("fn main() { x = 5; x -> k; }", "L0005 1:15"),
        ("fn main() { mut x: i32 = 5; x -> k; }", "L0005 1:24"),
        ("fn main() { mut v <- [1]; v[0] = 5; }", "L0005 1:32"),
        ("fn main() { let x = 5; }", "L0005 1:19"),
        ("fn main() { x += 5; }", "L0005 1:16"),
        ("fn main() { } &", "L0006 1:15"),
        ("fn f(a: bool) -> bool { a | a & a }", ["L0006 1:27", "L0006 1:31"]),
        ("/* no */ fn main() { }", "L0007 1:1"),
        ("fn main() { /* never closed }", "L0007 1:13"),
        ("fn main() { 18446744073709551616 -> k; }", "L0008 1:13"),
        # Unexpected tokens.
        (IN_MAIN.format("4 -> k 5 -> j;"), "P0001 1:20"),
        (IN_MAIN.format("x <- 4\n y <- 5;"), "P0001 2:2"),
        (IN_MAIN.format("4 -> f f;"), "P0001 1:20"),
        (IN_MAIN.format("4 -> f\n 5;"), ["P0001 2:2", "P0003 2:2"]),
        (IN_MAIN.format("4 -> k\n (k < 5) -> j;"), "P0001 2:2"),
        (IN_MAIN.format(";"), "P0001 1:13"),
        (IN_MAIN.format("loop { };"), "P0001 1:21"),
        (IN_MAIN.format("[] -> k;"), "P0001 1:14"),
        (IN_MAIN.format("(4,) -> k;"), "P0001 1:16"),
        (IN_MAIN.format("4 -> k: (i32);"), "P0001 1:25"),
        (IN_MAIN.format("4 -> k: ();"), "P0001 1:22"),
        (IN_MAIN.format("4 -> k: [i32; n];"), "P0001 1:27"),
        (IN_MAIN.format("seq { }"), "P0001 1:13"),
        (IN_MAIN.format("map { x -> x }"), "P0001 1:13"),
        (IN_MAIN.format("fold { s, x -> x }"), "P0001 1:13"),
        (IN_MAIN.format("ret -> k;"), "P0001 1:13"),
        (IN_MAIN.format("loop -> k;"), "P0001 1:18"),
        (IN_MAIN.format("4 -> k <- 5;"), "P0001 1:20"),
        (IN_MAIN.format("y <- 5 -> f;"), "P0001 1:20"),
        (IN_MAIN.format("p.x <- 5;"), "P0001 1:17"),
        (IN_MAIN.format("p[0].x <- 5;"), "P0001 1:20"),
        (IN_MAIN.format("(x) <- 5;"), "P0001 1:17"),
        (IN_MAIN.format("(v[0]) <- 5;"), "P0001 1:20"),
        (IN_MAIN.format("(v)[0] <- 5;"), "P0001 1:20"),
        (IN_MAIN.format("5.. -> x;"), "P0001 1:15"),
        (IN_MAIN.format("4 + x <- 5;"), "P0001 1:19"),
        (IN_MAIN.format("mut 4 -> x;"), "P0001 1:17"),
        (IN_MAIN.format("mut x;"), "P0001 1:18"),
        (IN_MAIN.format("x: i32;"), "P0001 1:19"),
        (IN_MAIN.format("v -> map { x, -> x } -> k;"), "P0001 1:27"),
        (IN_MAIN.format("v -> map { -> x } -> k;"), "P0001 1:24"),
        (IN_MAIN.format("v -> map { x: i32 -> x } -> k;"), "P0001 1:25"),
        (IN_MAIN.format("v -> map { x + 1 } -> k;"), "P0001 1:26"),
        (IN_MAIN.format("v -> map(f) -> k;"), "P0001 1:21"),
        (IN_MAIN.format("4 -> ;"), "P0001 1:18"),
        (IN_MAIN.format("4 -> -> k;"), "P0001 1:18"),
        (IN_MAIN.format("4 -> ret.x;"), "P0001 1:22"),
        (IN_MAIN.format("4 -> ret.0.1;"), "P0001 1:22"),
        (IN_MAIN.format("4 -> mut;"), "P0001 1:21"),
        (IN_MAIN.format("t.0.1 -> k;"), "P0001 1:15"),
        (IN_MAIN.format("t.true -> k;"), "P0001 1:15"),
        (IN_MAIN.format("v[] -> k;"), "P0001 1:15"),
        (IN_MAIN.format("v[0, 1] -> k;"), "P0001 1:16"),
        (IN_MAIN.format("[4; 5] -> k;"), "P0001 1:15"),
        (IN_MAIN.format("(4 -> f) -> k;"), "P0001 1:16"),
        (IN_MAIN.format("(4 5) -> k;"), "P0001 1:16"),
        (IN_MAIN.format("4) -> k;"), "P0001 1:14"),
        (IN_MAIN.format("] 4 -> k;"), "P0001 1:13"),
        (IN_MAIN.format("y <- P { x: 1; y: 2 };"), "P0001 1:26"),
        (IN_MAIN.format("y <- P { 1 };"), "P0001 1:22"),
        (IN_MAIN.format("y <- 1e-6;"), "P0001 1:19"),
        (IN_MAIN.format("1e6 -> y;"), "P0001 1:14"),
        (IN_MAIN.format("0x1F -> y;"), "P0001 1:14"),
        (IN_MAIN.format("5. -> y;"), "P0001 1:16"),
        (IN_MAIN.format(".5 -> y;"), "P0001 1:13"),
        (IN_MAIN.format("x++;"), "P0001 1:15"),
        (IN_MAIN.format("a and b -> c;"), "P0001 1:15"),
        (IN_MAIN.format("{ 4 -> k; }"), "P0001 1:13"),
        (IN_MAIN.format("fn f() { 4 -> k; }"), "P0001 1:13"),
        (IN_MAIN.format("type A { x: i32 }"), "P0001 1:13"),
        (IN_MAIN.format("if x > 0 { 1 -> f; } else { 2 -> f; }"), "P0001 1:13"),
        (IN_MAIN.format("for i in v { i -> f; }"), "P0001 1:13"),
        (IN_MAIN.format("while x < 3 { x -> f; }"), "P0001 1:13"),
        (IN_MAIN.format("return 4 + 5;"), "P0001 1:13"),
        (IN_MAIN.format("let x <- 5;"), "P0001 1:13"),
        (IN_MAIN.format('print "text";'), "P0001 1:13"),
        (IN_MAIN.format("loop (i < 4) { i -> f; }"), "P0001 1:18"),
        (GUARD.format("-0-> x <- 5; -_-> 1;"), "P0001 1:37"),
        (GUARD.format("-0-> loop { } -_-> 1;"), "P0001 1:35"),
        (GUARD.format("-0-> ; -_-> 1;"), "P0001 1:35"),
        (GUARD.format("-0-> 1 2; -_-> 1;"), "P0001 1:37"),
        ("fn main { }", "P0001 1:9"),
        ("fn 4() { }", "P0001 1:4"),
        ("fn main() -> { }", "P0001 1:14"),
        ("fn main() -> void { }", "P0001 1:14"),
        ("fn main();", "P0001 1:10"),
        ("fn main() 4 -> k; }", "P0001 1:11"),
        ("fn f(n) { }", "P0001 1:7"),
        ("fn f(int n) { }", "P0001 1:10"),
        ("fn f(n: i32): i32 { n }", "P0001 1:13"),
        ("fn f(n: i32 m: i32) { }", "P0001 1:13"),
        ("fn", "P0001 1:3"),
        ("fn main() -> i32", "P0001 1:17"),
        ("type { x: i32 }", "P0001 1:6"),
        ("type A;", "P0001 1:7"),
        ("type A { x: i32; }", "P0001 1:16"),
        ("type A { x i32 }", "P0001 1:12"),
        ("type A { mut x: i32, y: i32 }", "P0001 1:10"),
        # Unclosed delimiters.
        (IN_MAIN.format("(4 + 1 -> k;"), "P0002 1:13"),
        (IN_MAIN.format("[4, 1 -> k;"), "P0002 1:13"),
        (IN_MAIN.format("v[4 -> k;"), "P0002 1:14"),
        (IN_MAIN.format("y <- (P { x: 4);"), "P0001 1:27"),
        ("fn main() { y <- P { x: 4", "P0002 1:20"),
        ("fn main() { # note\n 4 -> k;", ["P0002 1:11", "L0001 1:13"]),
        ("fn main() { n -> { -0-> { { 4 } -_-> 5; } -> k; }", "P0001 1:27"),
        ("fn main() { loop 4 -> k; } 5 -> k; }", "P0001 1:18"),
        ("fn main() { 4 -> k;", "P0002 1:11"),
        ("fn main() { loop { 4 -> k;", "P0002 1:18"),
        ("fn main() { 4 -> k; fn g() { }", "P0002 1:11"),
        ("fn main() { v -> map { x -> y -> z; fn g() { }", "P0002 1:22"),
        ("fn main() { 4 -> k; type A { x: i32 }", "P0002 1:11"),
        ("fn f(n: i32 { } fn main() { }", "P0002 1:5"),
        ("fn f(n: [i32; 4) { } fn main() { }", "P0002 1:9"),
        ("type A { x: i32 fn main() { }", "P0002 1:8"),
        # The rest, one by one.
        (IN_MAIN.format("4 + 1;"), "P0003 1:13"),
        (IN_MAIN.format("return;"), "P0003 1:13"),
        (IN_MAIN.format("-7-> k;"), "P0004 1:13"),
        (IN_MAIN.format("loop { -true-> { 4 } }"), "P0004 1:20"),
        (IN_MAIN.format("4 -> seq { -1-> 2; }"), "P0004 1:24"),
        (IN_MAIN.format("v -> map { x -> y -> z; -1-> 2; }"), "P0004 1:37"),
        (GUARD.format("-0-> { -1-> 2; 3 } -_-> 2;"), "P0004 1:37"),
        (GUARD.format("- true -> 1; -false-> 2;"), "P0005 1:30"),
        (GUARD.format("-0-> 1; -_ -> 2;"), "P0005 1:38"),
        (GUARD.format("-0-> 1; -\n_-> 2;"), "P0005 1:38"),
        (GUARD.format("-0-> 1; 5 -> k; -_-> 2;"), "P0006 1:38"),
        (GUARD.format("-0-> 1; 5; -_-> 2;"), "P0006 1:38"),
        (GUARD.format("-0-> 1; -_-> 2; 3"), "P0006 1:46"),
        (GUARD.format("-0-> { 1 } -> k; -_-> 2;"), "P0006 1:41"),
        (GUARD.format("4 -> k; -0-> 1; loop { }"), ["P0006 1:30", "P0006 1:46"]),
        (IN_MAIN.format("0 < n < 9 -> k;"), "P0007 1:19"),
        (IN_MAIN.format("a < b <= c == d && e < f -> k;"), "P0007 1:19"),
        (IN_MAIN.format("a < b < c && d > e > f -> k;"), ["P0007 1:19", "P0007 1:32"]),
        (IN_MAIN.format("n -> > 1 < 2 -> k;"), "P0007 1:22"),
        (IN_MAIN.format("a <- b <- 4;"), "P0008 1:20"),
        (IN_MAIN.format("(n<-1) -> k;"), "P0009 1:15"),
        (IN_MAIN.format("v[n<-1] -> k;"), "P0009 1:16"),
        (IN_MAIN.format("[1, n<-1] -> k;"), "P0009 1:18"),
        (IN_MAIN.format("y <- P { x: n<-1 };"), "P0009 1:26"),
        (IN_MAIN.format("4 -> {};"), "P0010 1:18"),
        ("4 -> k; fn main() { }", "P0012 1:1"),
        ("fn main() { } } fn g() { }", "P0012 1:15"),
        ("fn main() { }\n4 -> k; 5 -> j;\nfn g() { }\n6 -> l;", ["P0012 2:1", "P0012 4:1"]),
        (IN_MAIN.format("mut v[0] <- 5;"), "P0013 1:13"),
        (IN_MAIN.format("v[0]: i32 <- 5;"), "P0014 1:17"),
        (IN_MAIN.format("v[0]: i32;"), "P0014 1:17"),
        (IN_MAIN.format("mut v[0] -> k;"), "P0013 1:13"),
        (IN_MAIN.format("v[0][0] <- 5;"), "P0015 1:17"),
        (IN_MAIN.format("mut v[0][0] <- 5;"), ["P0013 1:13", "P0015 1:21"]),
        # Outside Core.
        (IN_MAIN.format("4 -> k?;"), "P0101 1:19"),
        (IN_MAIN.format("4?? -> k;"), "P0101 1:14"),
        (IN_MAIN.format("c ? 1 : 2 -> k;"), "P0101 1:15"),
        ("@inline fn f() { }", "P0102 1:1"),
        ("@inline(always) @hot fn f() { }", ["P0102 1:1", "P0102 1:17"]),
        (IN_MAIN.format("@here 4 -> k;"), "P0102 1:13"),
        ("fn f(b: Box<i32>) { }", "P0103 1:9"),
        ("fn f(b: Map<K, Box<[i32; 4]>>, c: i32) { }", "P0103 1:9"),
        ("fn f(b: Box<i32) { }", "P0103 1:9"),
        ("fn f<T>(b: i32) { }", "P0103 1:4"),
        ("type A<T> { x: i32 }", "P0103 1:6"),
        ("fn f(v: [i32]) { }", "P0104 1:9"),
        ("fn f(v: [[i32; 4]]) { }", "P0104 1:9"),
        ("type S { -Disc { r: f32 } }", "P0105 1:10"),
        ("type S { -A, x: i32, -B(i32) }", ["P0105 1:10", "P0105 1:22"]),
        (GUARD.format("-Some(v)-> v; -_-> 0;"), "P0106 1:30"),
        # Negated values are statements, and statements do not stand here.
        (GUARD.format("-x-> k; -_-> 0;"), "P0006 1:30"),
        (GUARD.format("- x -> k; -_-> 0;"), "P0006 1:30"),
        (GUARD.format("-(x)-> k; -_-> 0;"), "P0006 1:30"),
        (GUARD.format("-[x]+1-> k; -_-> 0;"), "P0006 1:30"),
        (GUARD.format("-f(x) -> k; -_-> 0;"), ["P0006 1:30", "P0108 1:31"]),
        # What is broken may have been an arm.
        (GUARD.format("4 5; n -> k;"), "P0001 1:32"),
        (GUARD.format("-0-> 1 + ; n -> k;"), "P0001 1:39"),
        (GUARD.format("-0-> -> map { x -> x } n -> k;"), "P0006 1:53"),
        (GUARD.format("-None-> 1; -[a, b]-> 2; -P { x }-> 3;"),
         ["P0106 1:30", "P0106 1:41", "P0106 1:54"]),
        (IN_MAIN.format("[1, ...t] -> k;"), "P0107 1:17"),
        (IN_MAIN.format("f(4) -> k;"), "P0108 1:13"),
        (IN_MAIN.format("f(4);"), "P0108 1:13"),
        (IN_MAIN.format("f(g(4), 5) -> k;"), ["P0108 1:13", "P0108 1:15"]),
        (IN_MAIN.format("4 -> f(5) -> k;"), "P0108 1:18"),
        (IN_MAIN.format("a.f(5) -> k;"), "P0108 1:13"),
        (IN_MAIN.format("iota(4) -> k;"), "P0108 1:13"),
        (IN_MAIN.format("if (x) { 4 -> k; } else { 5 -> k; }"), "P0108 1:13"),
        (IN_MAIN.format("while (x) { 4 -> k; } 5 6;"), ["P0108 1:13", "P0001 1:37"]),
        (IN_MAIN.format("4 -> Math::abs -> k;"), "P0109 1:22"),
        (IN_MAIN.format("a::b::c -> k;"), "P0109 1:14"),
        (IN_MAIN.format("4 -> k: a::b;"), "P0109 1:22"),
        (IN_MAIN.format(":outer { 4 -> k; }"), "P0110 1:13"),
        (IN_MAIN.format(":outer loop { 4 -> k; }"), "P0110 1:13"),
        (IN_MAIN.format("outer: loop { 4 -> k; }"), "P0110 1:13"),
        (IN_MAIN.format("outer { 4 -> k; }"), "P0110 1:13"),
        (IN_MAIN.format("P { x: 1; y: 2 } -> k;"), "P0110 1:13"),
        (IN_MAIN.format("n { -0-> 1; -_-> 2; } -> k;"), "P0110 1:13"),
        (IN_MAIN.format("4 -> :outer;"), "P0110 1:18"),
        (IN_MAIN.format(": 4 -> k;"), "P0110 1:13"),
        ("executor Pool { } fn main() { }", "P0111 1:1"),
        (IN_MAIN.format("executor Pool { }"), "P0111 1:13"),
        ("use math; fn main() { }", "P0112 1:1"),
        ("use a::{b, c}; fn main() { }", "P0112 1:1"),
        ("pub fn main() { }", "P0112 1:1"),
        ("pub(all) type A { x: i32 }", "P0112 1:1"),
        (IN_MAIN.format("use math;"), "P0112 1:13"),
        (IN_MAIN.format("4 -> void { -> k; };"), "P0113 1:18"),
        (IN_MAIN.format("4 -> void;"), "P0113 1:18"),
        (IN_MAIN.format("void 4 -> k;"), "P0113 1:13"),
        (IN_MAIN.format("void { 4 -> k; }"), "P0113 1:13"),
        (IN_MAIN.format("void;"), "P0113 1:13"),
        (IN_MAIN.format("4 -> void { x <- 5; loop { } };"),
         ["P0113 1:18", "P0117 1:25", "P0117 1:33"]),
        (IN_MAIN.format("v -> filter { x -> x > 1 } -> k;"), "P0114 1:18"),
        (IN_MAIN.format("v -> scan { s, x -> s } -> k;"), "P0114 1:18"),
        (IN_MAIN.format("v -> filter { (a, b) -> a } -> k;"), ["P0114 1:18", "P0116 1:27"]),
        (IN_MAIN.format("4 -> { 5 -> j; j } -> k;"), "P0115 1:18"),
        (IN_MAIN.format("4 -> { -> f; -> g } -> k;"), "P0115 1:18"),
        (IN_MAIN.format("4 -> { -> f; x <- 5; } -> k;"), "P0115 1:18"),
        (IN_MAIN.format("4 -> { loop { } } -> k;"), "P0115 1:18"),
        (IN_MAIN.format("4 -> { true -> 1; false -> 2; } -> k;"), "P0115 1:18"),
        (IN_MAIN.format("v -> map { (a, b) -> a } -> k;"), "P0116 1:24"),
        (IN_MAIN.format("v -> fold { s, (a, b) -> s } -> k;"), "P0116 1:28"),
    ],
)  # fmt: skip
def test_reports(source: str, expected: str | list[str]) -> None:
    assert places(source) == ([expected] if isinstance(expected, str) else expected)


def test_nesting() -> None:
    def parenthesised(levels: int) -> str:
        return IN_MAIN.format("(" * levels + "4" + ")" * levels + " -> k;")

    assert places(parenthesised(126)) == []
    assert places(parenthesised(127)) == ["P0011 1:140"]
    assert places(IN_MAIN.format("-" * 126 + "4 -> k;")) == []
    assert places(IN_MAIN.format("-" * 127 + "4 -> k;")) == ["P0011 1:139"]
    blocks = "4 -> seq { "
    assert places(IN_MAIN.format(blocks * 127 + "}" * 127)) == []
    assert places(IN_MAIN.format(blocks * 128 + "}" * 128)) == [f"P0011 1:{13 + 127 * 11}"]
    assert places("fn f(n: " + "[" * 127 + "i32" + "; 1]" * 127 + ") { }") == []
    assert places("fn f(n: " + "[" * 128 + "i32" + "; 1]" * 128 + ") { }") == ["P0011 1:137"]
    struct = "P { x: "
    assert places(IN_MAIN.format("y <- " + struct * 63 + "4" + "}" * 63 + ";")) == []
    assert places(IN_MAIN.format("y <- " + struct * 64 + "4" + "}" * 64 + ";")) == ["P0011 1:459"]


def test_each_overly_deep_statement_is_reported() -> None:
    deep = "(" * 127 + "4" + ")" * 127 + " -> k;"
    assert places(IN_MAIN.format(f"{deep}\n{deep}\n4 5;")) == [
        "P0011 1:140", "P0011 2:128", "P0001 3:3",
    ]  # fmt: skip


def test_independent_errors_are_all_reported() -> None:
    source = """\
fn f(n: i32 -> i32 {
    n + ;
    n -> { -0-> 1; -1-> (; -_-> 2 3; } -> k;
    4 -> map { x -> x +; y ) } -> j;
    g(4) -> h;
    5 -> i
}
type A { x: i32, -B, y i32 }
use math;
fn g() {
    "unclosed -> print;
    6 7;
}
"""
    assert places(source) == [
        "P0002 1:5",
        "P0001 2:9",
        "P0001 3:26",
        "P0001 3:35",
        "P0001 4:24",
        "P0001 4:28",
        "P0108 5:5",
        "P0105 8:18",
        "P0001 8:24",
        "P0112 9:1",
        "L0002 11:5",
        "P0001 12:7",
    ]


def test_braces_that_do_not_match_are_judged_by_layout() -> None:
    missing = """\
fn f(n: i32) -> i32 {
    n -> {
        -0-> 1;
        -_-> {
            n -> k;
            k
    } -> ret;
}
fn main() { }
"""
    [report] = parse(missing).diagnostics
    assert places(missing) == ["P0002 1:21"]
    assert report.notes == (
        "the `}` at 7:5 closes the `{` at 4:14 and does not line up with that line",
    )
    surplus = """\
fn f(n: i32) -> i32 {
    n -> {
        -0-> 1; }
        -1-> { n }
        -_-> 2;
    } -> ret;
}
fn main() { 4 5; }
"""
    assert places(surplus) == ["P0012 6:7", "P0001 8:15"]
    assert parse(surplus).diagnostics[0].notes == (
        "the `}` at 6:5 closes the `{` at 1:21 and does not line up with that line",
    )
    assert parse("fn main() { } }").diagnostics[0].notes == ()


def test_columns_count_characters() -> None:
    assert places('fn main() { "é𝄞" 4; }') == ["P0001 1:18"]
    assert places("// é\n/* é */ fn main() { ; }") == ["L0007 2:1", "P0001 2:21"]
    assert places("\ufefffn main() { ; }") == ["L0001 1:1", "P0001 1:14"]


@pytest.mark.parametrize(
    ("source", "fix"),
    [
        ('println("hello");', '`"hello" -> println`'),
        ("f(4, 5) -> k;", "`(4, 5) -> f`"),
        ("f((4, 5)) -> k;", "`(4, 5) -> f`"),
        ("4 -> f(5) -> k;", "`(value, 5) -> f`"),
        ("4 -> f() -> k;", "`-> f`"),
        ("time() -> t;", "`() -> time`"),
        ("f() -> t;", "`value -> f`"),
        ("f(4,\n5) -> t;", "`(first, second) -> f`"),
        ("return(4);", "`4 -> ret;`"),
        ("x = 5;", "`x <- 5;`"),
        ("let mut x: i32 = 5;", "`mut x: i32 <- 5;`"),
        ("x += 5;", "`x + 5 -> x;`"),
        ("v[i] -= 5;", "`v[i] <- v[i] - 5;`"),
        ("v[i] = 5;", "`v[i] <- 5;`"),
        ("x := 5;", "`x <- 5;`"),
        ("(x = 5) -> y;", "`==`"),
        ("x => y;", "`->`"),
        ("4 -> k 5 -> j;", "`4 -> k;`"),
        ("1e-6 -> x;", "`0.000001`"),
        ("1E6 -> x;", "`1000000.0`"),
        ("2.50e+1 -> x;", "`25.0`"),
        ("1e999 -> x;", "no exponent form"),
        ("0xff -> x;", "`255`"),
        ("5u8 -> x;", "`5 -> x: u8`"),
        ("1_000 -> x;", "`1000`"),
        ("5x -> x;", "space or an operator"),
        ("0x -> x;", "space or an operator"),
        ("0b12 -> x;", "space or an operator"),
        ("0x" + "f" * 30 + " -> x;", "space or an operator"),
        (" " * 100 + "x = 5;", "`x <- 5;`"),
        ("f(" + "x, " * 40 + "x);", "`(first, second) -> f`"),
        ("return " + "x + " * 40 + "x;", "value -> ret"),
        ("5. -> x;", "`5.0`"),
        (".5 -> x;", "`0.5`"),
        ("x++;", "`x + 1 -> x;`"),
        ("x--;", "`x - 1 -> x;`"),
        ("if x { 4 -> k; }", "-true->"),
        ("if (x) { 4 -> k; }", "-true->"),
        ("for i in v { 4 -> k; }", "map { x ->"),
        ("while x { 4 -> k; }", "-> loop;"),
        ("return x + 1;", "`x + 1 -> ret;`"),
        ("return -1;", "`-1 -> ret;`"),
        ("return;", "-> ret"),
        ("break;", "exit arm"),
        ("let x <- 5;", "leave out `let`"),
        ('print "x";', '`"x" -> print;`'),
        ("a and b -> c;", "`&&`"),
        ("a ? 1 : 2 -> c;", "-true->"),
        ("0 < n < 9 -> k;", "`0 < n && n < 9`"),
        ("(n<-1) -> k;", "`n < -1`"),
        ("t.0.1 -> k;", "`(t.0).1`"),
        ("4 -> { true -> 1; _ -> 2; } -> k;", "`-true-> …;`"),
        ("4 -> { -> f; -> g } -> k;", "end every branch with `;`"),
        ("4 -> { 4 -> k; k } -> k;", "`-> seq { … }`"),
        ("[0; 16] -> k;", "-> fill"),
        ("v[i, j] -> k;", "`array[i][j]`"),
        ("x <- 4\n[1, 2] -> k;", "on the line before"),
        ("v -> map(f) -> k;", "`-> map { x -> x -> function }`"),
        ("v -> map { |x| x } -> k;", "without bars"),
        ("y <- 5 -> f;", "`5 -> … -> y;`"),
        ("P { x: 1; y: 2 } -> k;", "commas"),
        ("else { 4 -> k; }", "-true->"),
        ("'a' -> print;", '`"text"`'),
        ("# note", "`//`"),
        ("4 → k;", "`->`"),
        ("a ^ b -> c;", "no power"),
    ],
)
def test_habits_of_other_languages_get_the_fix(source: str, fix: str) -> None:
    hint = hints(IN_MAIN.format(source))[0]
    assert hint is not None
    assert fix in hint


@pytest.mark.parametrize(
    ("source", "fix"),
    [
        ("def f(x): return x", "`fn name("),
        ("struct P { x: i32 }", "`type Name {"),
        ("import math", "one file"),
        ('print("x")', "`fn main() { … }`"),
        ("fn main() { } }", "in the function before"),
        ("fn f(n: i32): i32 { n }", "behind `->`"),
        ("fn f(int n) { }", "`n: int`"),
        ("fn f(n) { }", "`n: i32`"),
        ("fn f(v: [f32]) { }", "`[f32; 16]`"),
        ("fn f() -> void { }", "leave out"),
    ],
)
def test_habits_at_the_top_level(source: str, fix: str) -> None:
    hint = hints(source)[0]
    assert hint is not None
    assert fix in hint


def test_messages_name_what_was_expected_and_found() -> None:
    def message(source: str) -> str:
        return parse(source).diagnostics[0].message

    assert message("fn main") == "expected `(` and the parameters, found the end of the file"
    assert message("fn 4()") == "expected the function's name, found the number `4`"
    assert message("fn loop()") == "expected the function's name, found the keyword `loop`"
    assert message('fn main() { 4 "é"; }').endswith('found the string `"é"`')
    assert message("fn main() { 4 y; }").endswith("found the name `y`")
    assert message("fn main() { (4 ; }").endswith("missing before `;`")
    long_name = "x" * 500
    assert message(f"fn main() {{ 4 {long_name}; }}").endswith(f"the name `{'x' * 39}…`")
    assert message("fn main() { 4 + { } -7-> }").startswith("expected an expression, found `{`")


def test_a_partial_tree_is_kept_for_tools() -> None:
    result = parse("fn f() { 4 5; 6 -> k; } fn 7() { } type A { x: i32 }")
    assert [type(item).__name__ for item in result.program.items] == ["FunctionItem", "TypeItem"]
