"""The layout of each construct, pinned."""

from __future__ import annotations

import textwrap

import pytest

from mapal.diagnostics import CompilerBug
from mapal.format import format_source
from mapal.syntax import tokenize


def layout(source: str) -> str:
    text = format_source(source).text
    assert text is not None
    assert format_source(text).text == text
    return text


def in_main(body: str) -> str:
    """The lines that a body takes in a function, which has more than one statement."""
    text = layout(f"fn main() {{ first -> stage; {body}\n}}")
    lines = text.split("\n")
    assert lines[:2] == ["fn main() {", "    first -> stage;"]
    assert lines[-2:] == ["}", ""]
    return textwrap.dedent("\n".join(lines[2:-2]))


CASES = {
    "spaces": (
        "a+b*-c->+1->x:i32;y<- -d [ 0 ] . 1;",
        "a + b * -c -> + 1 -> x: i32;\ny <- -d[0].1;",
    ),
    "minus before an arrow": ("- 7 -> x; a -> - 7;", "-7 -> x;\na -> - 7;"),
    "less than minus": ("a < -1 -> x; b -> < -1 -> y;", "a < -1 -> x;\nb -> < -1 -> y;"),
    "component of a component": ("t.0 .1 -> x; (t.0).1 -> y;", "t.0 .1 -> x;\n(t.0).1 -> y;"),
    "not": ("! ! b || !a == ! c -> x;", "!!b || !a == !c -> x;"),
    "bindings": (
        "mut x :[ [f32;3] ; 2 ]<-y; v[ i+1 ]<-P{a:1,b , c: (2 ,3)};",
        "mut x: [[f32; 3]; 2] <- y;\nv[i + 1] <- P { a: 1, b, c: (2, 3) };",
    ),
    "stages": ("a->mut b:(i32,u8)->ret . 0; -> ret;", "a -> mut b: (i32, u8) -> ret.0;\n-> ret;"),
    "clock": ("( )->time->t;", "() -> time -> t;"),
    "guard": (
        "b->{-true->1;-false->{x->y;y}}->z;",
        "b -> { -true-> 1; -false-> { x -> y; y } } -> z;",
    ),
    "guard of many arms": (
        "n->{-1->a;-20->{b->c;c};-300->{b->c;c->d;d->e;e}-_->0;}->z;",
        """\
n -> {
    -1->   a;
    -20->  { b -> c; c };
    -300-> {
        b -> c;
        c -> d;
        d -> e;
        e
    }
    -_->   0;
} -> z;""",
    ),
    "loop": (
        "loop{a[i]->x;(i<n)->{-true->{i+1->i;->loop;}-false->x->y;}}",
        """\
loop {
    a[i] -> x;
    (i < n) -> {
        -true->  { i + 1 -> i; -> loop; }
        -false-> x -> y;
    }
}""",
    ),
    "jump without a block": (
        "loop{i+1->i;(i<n)->{-true->->loop;-false->i->y;}}",
        """\
loop {
    i + 1 -> i;
    (i < n) -> {
        -true->  -> loop;
        -false-> i -> y;
    }
}""",
    ),
    "collections": (
        "v->map{x->x*2}->fold{a,b->a+b}->reduce{ a,b -> c<-a;c+b}->r;",
        """\
v -> map { x -> x * 2 } -> fold { a, b -> a + b } -> reduce { a, b ->
    c <- a;
    c + b
} -> r;""",
    ),
    "nested bodies": (
        "v->map{x->w->map{y->u->map{z->x}}}->r;",
        """\
v -> map { x ->
    w -> map { y -> u -> map { z -> x } }
} -> r;""",
    ),
    "fanout": ("v->{->+1->a;->*2;}->p;", "v -> { -> + 1 -> a; -> * 2; } -> p;"),
    "fanout with blocks": (
        "v->{->map{x->x};->*2;}->p;",
        """\
v -> {
    -> map { x -> x };
    -> * 2;
} -> p;""",
    ),
    "sequence": (
        "v->seq{->println;->a;}->seq{->println;}",
        """\
v -> seq {
    -> println;
    -> a;
} -> seq { -> println; }""",
    ),
    "long chain": (
        "source -> " + " -> ".join(f"stage_number_{n}" for n in range(7)) + ";",
        "source\n" + "\n".join(f"    -> stage_number_{n}" for n in range(7)) + ";",
    ),
    "long headless chain": (
        "v -> seq { -> " + " -> ".join(f"stage_number_{n}" for n in range(7)) + "; }",
        "v -> seq {\n    -> stage_number_0\n"
        + "\n".join(f"        -> stage_number_{n}" for n in range(1, 7))
        + ";\n}",
    ),
    "one block breaks in a long chain": (
        "some_values -> map { element -> element * some_factor + some_offset - other } "
        "-> name_of_result: [i32; 10];",
        """\
some_values -> map { element ->
    element * some_factor + some_offset - other
} -> name_of_result: [i32; 10];""",
    ),
    "several blocks in a long chain": (
        "some_values -> map { element -> element * some_factor } -> reduce { first, second -> "
        "first * second } -> result;",
        """\
some_values
    -> map { element -> element * some_factor }
    -> reduce { first, second -> first * second }
    -> result;""",
    ),
    "long operation": (
        " + ".join(f"(some_factor_{n} * other_{n})" for n in range(4)) + " -> sum;",
        """\
(some_factor_0 * other_0)
    + (some_factor_1 * other_1)
    + (some_factor_2 * other_2)
    + (some_factor_3 * other_3)
    -> sum;""",
    ),
    "long operator stage": (
        "v -> + " + " * ".join(f"some_factor_{n}" for n in range(8)) + " - 1 -> product;",
        "v\n    -> + some_factor_0\n"
        + "\n".join(f"            * some_factor_{n}" for n in range(1, 8))
        + "\n        - 1\n    -> product;",
    ),
    "long bound operation": (
        "sum <- " + " + ".join(f"some_number_{n}" for n in range(8)) + ";",
        "sum <- some_number_0\n"
        + "\n".join(f"    + some_number_{n}" for n in range(1, 8))
        + ";",
    ),
    "long numbers are packed": (
        "[" + ", ".join(str(1000 + n) for n in range(20)) + "] -> v;",
        "[\n    " + ", ".join(str(1000 + n) for n in range(15)) + ",\n"
        "    " + ", ".join(str(1000 + n) for n in range(15, 20)) + "\n] -> v;",
    ),
    "long rows": (
        "[" + ", ".join(f"[1.5, -{n}.25, 2.5, 3.75]" for n in range(5)) + "] -> m: [[f64; 4]; 5];",
        "[\n"
        + ",\n".join(f"    [1.5, -{n}.25, 2.5, 3.75]" for n in range(5))
        + "\n] -> m: [[f64; 4]; 5];",
    ),
    "long call": (
        "(" + ", ".join(f"argument_number_{n}" for n in range(6)) + ") -> function -> result;",
        "(\n"
        + ",\n".join(f"    argument_number_{n}" for n in range(6))
        + "\n) -> function -> result;",
    ),
    "separator at the end": (
        "P { a: 1, b, } -> p; [1,2,] -> v;",
        "P {\n    a: 1,\n    b,\n} -> p;\n[\n    1, 2,\n] -> v;",
    ),
    "blank lines": ("a -> b;\n\n\n\nc -> d;\n\n", "a -> b;\n\nc -> d;"),
    "tail": ("a -> b;\nb", "a -> b;\nb"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_construct(case: str) -> None:
    source, expected = CASES[case]
    assert in_main(source) == expected


ITEMS = {
    "nothing": ("", ""),
    "white space": (" \n\t\n", ""),
    "comment alone": ("  // c  \n\n\n//d", "// c\n\n//d\n"),
    "short functions": (
        "fn f(a:i32,mut b:u8)->i32{a}fn main(){}\ntype P{x:i32 y:f64}type Q{}",
        "fn f(a: i32, mut b: u8) -> i32 { a }\nfn main() { }\n"
        "type P { x: i32 y: f64 }\ntype Q { }\n",
    ),
    "several statements": (
        "fn main(){1->a;2->b;}fn f(){}",
        "fn main() {\n    1 -> a;\n    2 -> b;\n}\n\nfn f() { }\n",
    ),
    "separator at the end": (
        "fn f(a:i32,)->(i32,u8){(a,1)}type P{x:i32,}",
        "fn f(\n    a: i32,\n) -> (i32, u8) {\n    (a, 1)\n}\n\ntype P {\n    x: i32,\n}\n",
    ),
    "long head": (
        "fn function(" + ", ".join(f"parameter_{n}: [f32; 64]" for n in range(4)) + ") -> i32 {}",
        "fn function(\n"
        + ",\n".join(f"    parameter_{n}: [f32; 64]" for n in range(4))
        + "\n) -> i32 { }\n",
    ),
    "long type": (
        "type P { " + ", ".join(f"field_number_{n}: [f32; 64]" for n in range(4)) + " }",
        "type P {\n"
        + ",\n".join(f"    field_number_{n}: [f32; 64]" for n in range(4))
        + "\n}\n",
    ),
    "line ends": ("fn main() {\r\n    // c\r\n    1 -> a;\r\n}\r\n",
                  "fn main() {\n    // c\n    1 -> a;\n}\n"),
    "placeholders": (
        "fn f(v:[i32;{{ N*4 }}]){v[{{N}}]-> x;} // {{N}}",
        "fn f(v: [i32; {{ N*4 }}]) { v[{{N}}] -> x; }  // {{N}}\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ITEMS)
def test_items(case: str) -> None:
    source, expected = ITEMS[case]
    assert layout(source) == expected


COMMENTS = {
    "behind statements": (
        "a -> b;//one\nlong -> name;   // two\nc -> d; \n// three\ne -> f; // four",
        "a -> b;        //one\nlong -> name;  // two\nc -> d;\n// three\ne -> f;  // four",
    ),
    "in empty braces": (
        "v -> map { x -> // one\n }\n loop { // two\n // three\n }\n-> seq { \n// four\n\n }",
        "v -> map { x ->  // one\n}\nloop {  // two\n    // three\n}\n-> seq {\n    // four\n}",
    ),
    "before the end": (
        "b -> { -true-> 1;\n\n // one\n -false-> 2; // two\n // three\n\n }",
        "b -> {\n    -true->  1;\n\n    // one\n    -false-> 2;  // two\n    // three\n}",
    ),
    "between stages": (
        "a // one\n -> b\n // two\n\n // three\n -> c // four\n ; // five",
        "a  // one\n    -> b\n    // two\n\n    // three\n    -> c  // four\n        ;  // five",
    ),
    "in brackets": (
        "(a, // one\n b // two\n , c\n // three\n) -> d;",
        "(\n    a,  // one\n    b   // two\n        ,\n    c\n    // three\n) -> d;",
    ),
    "in an operation": (
        "a + // one\n b\n // two\n * c -> d;",
        "a\n    +  // one\n        b\n        // two\n        * c\n    -> d;",
    ),
    "in a binding": (
        "mut // one\n x // two\n <- \n // three\n\n 5;",
        "mut  // one\n    x  // two\n    <-\n    // three\n\n    5;",
    ),
    "behind a guard arrow": (
        "b -> { -true-> // one\n 1; -false-> 2; } -> c;",
        "b -> {\n    -true->  // one\n        1;\n    -false-> 2;\n} -> c;",
    ),
}


@pytest.mark.parametrize("case", COMMENTS)
def test_comments(case: str) -> None:
    source, expected = COMMENTS[case]
    assert in_main(source) == expected


def test_comments_of_items() -> None:
    source = (
        "// head\n\n// of f\nfn f( // why\n a: i32) { }\n// of g\nfn g() { } // behind\n // end"
    )
    expected = (
        "// head\n\n// of f\nfn f(  // why\n    a: i32\n) { }\n\n"
        "// of g\nfn g() { }  // behind\n// end\n"
    )
    assert layout(source) == expected


@pytest.mark.parametrize(
    "source",
    ["fn main() {", "1 -> x;", "fn main() { /* c */ }", "{{ N - 1 }}", "\ufeff"],
)  # fmt: skip
def test_a_text_that_does_not_parse_has_no_layout(source: str) -> None:
    result = format_source(source)
    assert result.text is None
    assert result.diagnostics


def test_mistakes_of_later_stages_do_not_matter() -> None:
    assert layout("fn f()->what{ghost->x;x}") == "fn f() -> what {\n    ghost -> x;\n    x\n}\n"


def test_tokens_and_comments_are_compared_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mapal.format.layout.print_items", lambda *_: "fn main() { 2 -> x; } // c")
    with pytest.raises(CompilerBug, match="tokens"):
        format_source("fn main() { 1 -> x; } // c")
    with pytest.raises(CompilerBug, match="comments"):
        format_source("fn main() { 2 -> x; } // d")


def test_deepest_nesting() -> None:
    source = "fn main() { " + "(" * 120 + "8" + ")" * 120 + " -> k; }"
    text = layout(source)
    assert [token.text for token in tokenize(text).tokens] == [
        token.text for token in tokenize(source).tokens
    ]
    blocks = "fn main() { " + "b -> { -true-> { " * 60 + "1" + " } -false-> 2; }" * 60 + " -> k; }"
    assert layout(blocks).count("\n") > 120


def test_long_texts_take_linear_time() -> None:
    source = "fn main() { " + "a -> b -> + 1 -> c; // d\n" * 1000 + "}"
    assert layout(source).count("\n") == 1002
    source = "fn main() { x <- 0" + " + 1" * 5_000 + "; }"
    assert layout(source).count("\n") > 5_000
