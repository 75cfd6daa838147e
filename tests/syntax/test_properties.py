"""What holds for every text: totality, places, and independence of layout."""

import itertools

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapal.diagnostics import Diagnostic, LocationTable, render_all, to_json_object
from mapal.syntax import ast, decode_program, encode_program, parse, tokenize
from mapal.syntax.codes import KINDS

WORDS = [
    "fn", "type", "mut", "loop", "ret", "seq", "map", "fold", "true", "false", "executor", "pub",
    "use", "void", "category", "reduce", "filter", "if", "return", "let", "(", ")", "{", "}", "[",
    "]", ",", ":", "::", ";", ".", "...", "+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=",
    ">=", "&&", "||", "!", "->", "<-", "?", "@", "=", "&", "|", "$", "x", "y", "P", "_", "0",
    "7", "2.5", "1e6", "99999999999999999999", '"s"', '"\\q"', '"open\n', "-true->", "-7->",
    "-_->", "- true ->", "-Some(x)->", "// c\n", "/* c */", "é", "\n", "map { x -> x }",
    "fn main() {", "x -> {", "-> f;", "y <- 1;", "v[0] <- 1;", "P { x: 1 }",
]  # fmt: skip

soups = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
inside_main = soups.map(lambda soup: f"fn main() {{ {soup} }}")
texts = st.one_of(st.text(), soups, inside_main)


def places_are_sound(source: str, diagnostics: tuple[Diagnostic, ...]) -> None:
    size = len(source.encode("utf-8", "surrogatepass"))
    spans = []
    for report in diagnostics:
        assert report.code in KINDS
        assert report.span is not None
        start, end = report.span
        assert 0 <= start <= end <= size
        spans.append(report.span)
    assert spans == sorted(spans)


def nodes_are_sound(node: object, outer: tuple[int, int]) -> None:
    """Every node lies inside its parent."""
    if isinstance(node, tuple):
        for item in node:
            nodes_are_sound(item, outer)
    elif isinstance(node, ast.Node):
        first, last = node.tokens
        assert outer[0] <= first <= last <= outer[1]
        for field in msgspec.structs.fields(type(node)):
            if field.name != "tokens":
                nodes_are_sound(getattr(node, field.name), node.tokens)


@given(texts)
@settings(max_examples=400, deadline=None)
def test_lexing_and_parsing_are_total(source: str) -> None:
    lexed = tokenize(source)
    data = source.encode("utf-8", "surrogatepass")
    end = 0
    for token in lexed.tokens:
        assert end <= token.start < token.end <= len(data)
        assert data[token.start : token.end].decode("utf-8", "surrogatepass") == token.text
        end = token.end
    places_are_sound(source, lexed.diagnostics)

    result = parse(source)
    places_are_sound(source, result.diagnostics)
    lexer_reports = [report for report in result.diagnostics if report.code.startswith("L")]
    assert lexer_reports == list(lexed.diagnostics)
    nodes_are_sound(result.program, result.program.tokens)
    assert decode_program(encode_program(result.program)) == result.program
    assert LocationTable.from_json(result.locations.to_json()) == result.locations
    assert len(result.locations.spans) == len(lexed.tokens)


@given(texts)
@settings(deadline=None)
def test_every_report_can_be_shown(source: str) -> None:
    diagnostics = parse(source).diagnostics
    text = render_all(diagnostics, file="f", source=source, locations=None, limit=None)
    assert text.count("error[") >= len(diagnostics)
    text.encode("utf-8", "surrogatepass")
    for report in diagnostics:
        found = to_json_object(report, file="f", source=source, locations=None)
        assert (found["line"], found["column"]) <= (found["end_line"], found["end_column"])


# Programs of the grammar ---------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "reduce", "_", "to_f64", "println", "P"])
TYPES = st.recursive(
    st.sampled_from(["i32", "f64", "P"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda t: f"( {t[0]} , {t[1]} )"),
        inner.map(lambda t: f"[ {t} ; 4 ]"),
    ),
    max_leaves=4,
)


def joined(*parts: st.SearchStrategy[str] | str) -> st.SearchStrategy[str]:
    """Parts side by side, each token followed by a space."""
    return st.tuples(*(st.just(part) if isinstance(part, str) else part for part in parts)).map(
        " ".join
    )


def expressions(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = st.sampled_from(["+", "-", "*", "/", "%", "&&", "||"])
    return st.one_of(
        joined(inner, operators, inner),
        joined("(", inner, "<=", inner, ")"),
        joined("-", inner),
        joined("!", inner),
        joined("(", inner, ")", ".", NAMES),
        joined(NAMES, "[", inner, "]", ".", "0"),
        joined("(", inner, ",", inner, ")"),
        joined("[", inner, ",", inner, ",", "]"),
        joined("(", "P", "{", "x", ":", inner, ",", "y", "}", ")"),
    )


EXPRESSIONS = st.recursive(
    st.one_of(NAMES, st.sampled_from(["7", "2.5", '"s"', "true", "( )"])), expressions, max_leaves=6
)


def statements(blocks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The inside of braces, given a strategy for the inside of inner ones."""
    arm = st.one_of(
        joined(st.sampled_from(["-true->", "-_->", "-12->"]), "{", blocks, "}"),
        joined(st.sampled_from(["-false->", "-3->"]), EXPRESSIONS, ";"),
        joined("-7->", "->", NAMES, ";"),
    )
    guard = joined("-> {", st.lists(arm, min_size=1, max_size=3).map(" ".join), "}")
    stage = st.one_of(
        joined("->", NAMES),
        joined("->", NAMES, ":", TYPES),
        joined("-> mut", NAMES),
        joined(
            "->", st.sampled_from(["ret", "ret . 0", "loop", "( a . b )", "+ 2 * a", "- 1 < 2"])
        ),
        joined("->", st.sampled_from(["map", "fold", "reduce"]), "{ a , b ->", blocks, "}"),
        joined("-> seq {", blocks, "}"),
        joined("-> {", "->", NAMES, "; }"),
        guard,
    )
    stages = st.lists(stage, min_size=1, max_size=3).map(" ".join)
    statement = st.one_of(
        joined("(", EXPRESSIONS, ")", stages, ";"),
        joined(NAMES, guard, ";"),
        joined("->", NAMES, ";"),
        joined(NAMES, "<-", EXPRESSIONS, ";"),
        joined("mut", NAMES, ":", TYPES, "<-", EXPRESSIONS, ";"),
        joined(NAMES, "[", EXPRESSIONS, "]", "<-", EXPRESSIONS, ";"),
        joined("loop {", blocks, "}"),
    )
    tail = st.one_of(st.just(""), joined("(", EXPRESSIONS, ")"), joined(NAMES, stages))
    return joined(st.lists(statement, max_size=3).map(" ".join), tail)


BLOCKS = st.recursive(st.sampled_from(["", "a", "a -> b ;"]), statements, max_leaves=5)
PROGRAMS = st.lists(
    st.one_of(
        joined("fn", NAMES, "( mut a :", TYPES, ", b : i32 , ) ->", TYPES, "{", BLOCKS, "}"),
        joined("fn", NAMES, "( ) {", BLOCKS, "}"),
        joined("type", NAMES, "{ x :", TYPES, "y :", TYPES, ", }"),
    ),
    max_size=3,
).map(" ".join)

LAYOUT = st.sampled_from([" ", "\n", "\t", "\r\n", " // c\n", "\n// é -> {\n\n", "  "])


@given(PROGRAMS, st.data())
@settings(max_examples=300, deadline=None)
def test_programs_of_the_grammar_are_accepted_and_layout_does_not_matter(
    source: str, data: st.DataObject
) -> None:
    result = parse(source)
    assert result.diagnostics == ()
    nodes_are_sound(result.program, result.program.tokens)
    tree = encode_program(result.program)
    assert decode_program(tree) == result.program
    texts = [token.text for token in tokenize(source).tokens]
    gaps = itertools.cycle(data.draw(st.lists(LAYOUT, min_size=1, max_size=7)))
    other = "".join(text + gap for text, gap in zip(texts, gaps, strict=False))
    assert encode_program(parse(other).program) == tree


@given(PROGRAMS, st.data())
@settings(max_examples=300, deadline=None)
def test_damaged_programs_are_reported_and_survived(source: str, data: st.DataObject) -> None:
    texts = [token.text for token in tokenize(source).tokens]
    position = data.draw(st.integers(0, len(texts)))
    word = data.draw(st.sampled_from(WORDS))
    damaged = " ".join([*texts[:position], word, *texts[position + data.draw(st.integers(0, 2)) :]])
    result = parse(damaged)
    places_are_sound(damaged, result.diagnostics)
    nodes_are_sound(result.program, result.program.tokens)


# Size ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "unit",
    ["(", ")", "{", "}", "[", "-", "!", "x ", "x{", "x{;", "f(", "x?", "x::", "9", "=", "é ",
     '"\\q',
     "/*", "a -> {", "-1-> ", "loop {", ":a {", "fn ", "fn a() {", "type A {", "x[", "x -> y ",
     "[ ) ", "( { ", "x < ", "-[a, ", "x { x: ", "if x { ", "@a ", "v -> map { a, ", "..."],
)  # fmt: skip
def test_noise_without_end(unit: str) -> None:
    for source in (unit * 4_000, "fn main() { x -> " + unit * 4_000):
        places_are_sound(source, parse(source).diagnostics)
