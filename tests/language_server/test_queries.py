"""Hovers, definitions and outlines of analysed texts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapal.ir.types import SCALARS
from mapal.language_server.analysis import Analysis, analyse
from mapal.language_server.queries import definition, hover, symbols
from mapal.language_server.words import BUILTINS, KEYWORDS
from mapal.language_server.words import SCALARS as SCALAR_WORDS
from mapal.lower.inspection import NameKind
from mapal.lower.resolve import BUILTINS as BUILTIN_NAMES
from tests.source_programs import random_program
from tests.syntax.test_properties import texts
from tests.token_mutations import example_sources, mutated, pieces

SOURCE = """\
// A place in the plane.
//
// Not a vector.
type Point { x: f64, y: f64 }

type Line { from: Point, to: Point }
// Unrelated.

fn middle(line: Line, mut weight: f64) -> Point {
    line.from.x * weight -> x;
    x + line.to.x -> weight;
    Point { x, y: (line.to).y }
}

// Größe: the longest.
// In "units".
fn longest(sizes: [i32; 4]) -> i32 {
    3 -> limit: i64;
    mut best <- sizes[0];
    sizes -> map { size -> (size, best) -> max } -> largest;
    "é" -> text;
    largest -> reduce { a, b -> (a, b) -> max } -> best;
    best -> ret;
}

fn main() {
    mut values: [i32; 4] <- [1, 2, 3, 4];
    values[1] <- 7;
    values -> longest -> println;
    mut i: i32 <- 0;
    loop {
        (i < 3) -> { -true-> { i + 1 -> i; -> loop; } -false-> i -> end; }
    }
    end -> seq { -> + 1 };
}
"""
GOOD = analyse(SOURCE)


def place(marked: str, source: str = SOURCE) -> int:
    """The byte offset of the `^` in a piece of a source."""
    assert source.count(marked.replace("^", "")) == 1, marked
    position = source.index(marked.replace("^", "")) + marked.index("^")
    return len(source[:position].encode())


def text_of(span: tuple[int, int] | None, source: str = SOURCE) -> str | None:
    return None if span is None else source.encode()[span[0] : span[1]].decode()


def test_the_source_is_accepted() -> None:
    assert GOOD.diagnostics == ()


HOVERS = {
    "x * ^weight": ("mut weight: f64", "", "weight"),
    "-> ^weight;": ("mut weight: f64", "", "weight"),
    "^line.from": ("line: Line", "", "line"),
    "line.^from": ("from: Point", "", "from"),
    "from.^x": ("x: f64", "", "x"),
    "x + line^.to.x": ("line: Line", "", "line"),
    "Point { ^x, y: (": ("x: f64", "", "x"),
    "x, ^y: (": ("y: f64", "", "y"),
    "^Point { x, y: (": ("type Point { x: f64, y: f64 }",
                         "A place in the plane.\n\nNot a vector.", "Point"),
    "weight: ^f64": ("f64", "IEEE 754 floats of 64 bits.", "f64"),
    "line: ^Line": ("type Line { from: Point, to: Point }", "", "Line"),
    "fn ^middle": ("fn middle(line: Line, mut weight: f64) -> Point", "", "middle"),
    "^longest ->": ("fn longest(sizes: [i32; 4]) -> i32",
                    'Größe: the longest.\nIn "units".', "longest"),
    "fn mai^n": ("fn main()", "", "main"),
    "^3 -> limit": ("i64", "", "3"),
    "-> ^limit": ("limit: i64", "", "limit"),
    "mut ^best": ("mut best: i32", "", "best"),
    "b) -> max } -> ^best": ("mut best: i32", "", "best"),
    "map { ^size": ("size: i32", "", "size"),
    "^largest -> reduce": ("largest: [i32; 4]", "", "largest"),
    '"é" -> ^text': ("text: str", "", "text"),
    "^values[1]": ("mut values: [i32; 4]", "", "values"),
    "-false-> i -> ^end": ("end: i32", "", "end"),
    "-> ^println": (*BUILTINS["println"], "println"),
    "best) -> ^max": (*BUILTINS["max"], "max"),
    "weight -^> x;": ("f64 ->", "", "->"),
    "(size, best) -^> max": ("(i32, i32) ->", "", "->"),
    "-^> map {": ("[i32; 4] ->", "", "->"),
    "^map {": (*KEYWORDS["map"], "map"),
    "^reduce": (*KEYWORDS["reduce"], "reduce"),
    "^loop {": (*KEYWORDS["loop"], "loop"),
    "^seq": (*KEYWORDS["seq"], "seq"),
    "best -> r^et": (*KEYWORDS["ret"], "ret"),
}  # fmt: skip


@pytest.mark.parametrize("marked", HOVERS)
def test_hover(marked: str) -> None:
    code, prose, text = HOVERS[marked]
    found = hover(GOOD, place(marked))
    assert found is not None
    assert (found.code, found.prose, text_of(found.span)) == (code, prose, text)


@pytest.mark.parametrize("marked", ["// A ^place", "= 4^", "x ^* weight", '^"é"'])
def test_nothing_to_say(marked: str) -> None:
    source = SOURCE + "// = 4"
    assert hover(analyse(source), place(marked, source)) is None
    assert definition(analyse(source), place(marked, source)) is None


DEFINITIONS = {
    "x * ^weight": "mut ^weight: f64) ->",
    "-> ^weight;": "mut ^weight: f64) ->",
    "^x + line": "weight -> ^x;",
    "line.from^.x": "{ ^from: Point",
    "from.^x": "Point { ^x: f64",
    "(line.to).^y": None,
    "x, ^y: (": "f64, ^y: f64",
    "Point { ^x, y: (": "weight -> ^x;",
    "^Point { x, y: (": "type ^Point",
    "-> ^Point {\n": "type ^Point",
    "values -> ^longest": "fn ^longest",
    "fn ^longest": "fn ^longest",
    "^largest -> reduce": "max } -> ^largest;",
    "(size, ^best)": "mut ^best <-",
    "(a, ^b) -> max": "{ a, ^b ->",
    "{ ^i + 1 -> i": "mut ^i: i32",
    "^end -> seq": "i -> ^end;",
    "^values[1]": "mut ^values:",
    "-> ^println": None,
    "weight: ^f64": None,
    "^3 -> limit": None,
}


@pytest.mark.parametrize("marked", DEFINITIONS)
def test_definition(marked: str) -> None:
    expected = DEFINITIONS[marked]
    found = definition(GOOD, place(marked))
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert found[0] == place(expected)


def test_outline() -> None:
    found = symbols(GOOD)
    assert [(symbol.name, symbol.kind, symbol.detail) for symbol in found] == [
        ("Point", NameKind.TYPE, ""),
        ("Line", NameKind.TYPE, ""),
        ("middle", NameKind.FUNCTION, "(line: Line, mut weight: f64) -> Point"),
        ("longest", NameKind.FUNCTION, "(sizes: [i32; 4]) -> i32"),
        ("main", NameKind.FUNCTION, "()"),
    ]
    assert [(child.name, child.detail) for child in found[1].children] == [
        ("from", "Point"),
        ("to", "Point"),
    ]
    assert text_of(found[1].span) == "type Line { from: Point, to: Point }"
    assert text_of(found[1].children[0].span) == "from: Point"
    assert text_of(found[3].name_span) == "longest"


def test_types_are_known_around_a_mistake() -> None:
    source = (
        "fn main() {\n    1 -> a: i64;\n    a + b -> c;\n    c -> d;\n}\nfn f(x: u8) -> u8 { x }"
    )
    broken = analyse(source)
    assert [report.code for report in broken.diagnostics] == ["L1101"]
    assert hover_code(broken, place("^a +", source)) == "a: i64"
    assert hover_code(broken, place("-> ^d;", source)) == "d"
    assert hover_code(broken, place("{ ^x }", source)) == "x: u8"


def test_types_are_known_beside_text_that_does_not_parse() -> None:
    source = "fn main() {\n    1 -> a: i64;\n    a -> \n}\nfn f(x: u8) -> u8 { x }"
    broken = analyse(source)
    assert [report.code for report in broken.diagnostics] == ["P0001"]
    assert hover_code(broken, place("-> ^a:", source)) == "a: i64"
    assert hover_code(broken, place("{ ^x }", source)) == "x: u8"


def test_recursion_and_doubled_names_leave_names_without_types() -> None:
    loop = analyse("fn f(a: i32) -> i32 { a -> f }\nfn main() { }")
    assert [report.code for report in loop.diagnostics] == ["L1008"]
    assert hover_code(loop, 22) == "a"
    double = "fn f(b: bool) { }\nfn f(c: i32) -> u8 { c -> d; d }\nfn main() { true -> f; }"
    assert hover_code(analyse(double), place("-> ^f;", double)) == "fn f(b: bool)"


def test_broken_types() -> None:
    source = (
        "type T { t: T, u: U }\nfn f(a: T, b: i32, c: V) { a -> d; b -> e: i32; }\nfn main() { }"
    )
    broken = analyse(source)
    assert broken.diagnostics
    assert hover_code(broken, place("^a ->", source)) == "a"
    assert hover_code(broken, place("^b ->", source)) == "b: i32"
    assert definition(broken, place("a: ^T", source)) == (5, 6)
    assert definition(broken, place("c: ^V", source)) is None


def test_sizes_to_fill_in() -> None:
    source = "fn main(v: [i32; {{N*N}}]) -> [i32; 4] { {{N}} -> iota -> w; w }"
    template = analyse(source)
    assert template.diagnostics == ()
    assert hover_code(template, place("^v:", source)) == "v: [i32; 1]"
    assert analyse(source + "}").diagnostics


def hover_code(analysis: Analysis, offset: int) -> str | None:
    found = hover(analysis, offset)
    return None if found is None else found.code


def test_every_word_has_a_text() -> None:
    assert set(BUILTINS) == BUILTIN_NAMES
    assert set(SCALAR_WORDS) == set(SCALARS)
    for code, prose in (*BUILTINS.values(), *KEYWORDS.values()):
        assert code
        assert prose.endswith(".")


# Every text ------------------------------------------------------------------------------

EXAMPLES = [pieces(source) for source in example_sources()]


def survives(source: str, draw: random.Random) -> Analysis:
    """Ask everything about a text."""
    analysis = analyse(source)
    size = len(source.encode("utf-8", "surrogatepass"))
    symbols(analysis)
    for _ in range(20):
        offset = draw.randint(0, size)
        hover(analysis, offset)
        definition(analysis, offset)
    return analysis


@given(texts, st.randoms(use_true_random=False))
@settings(max_examples=80, deadline=None)
def test_any_text(source: str, draw: random.Random) -> None:
    survives(source, draw)


@given(st.integers(0, 2**32), st.sampled_from((0.0, 0.05, 0.2)))
@settings(max_examples=40, deadline=None)
def test_random_programs(seed: int, mistakes: float) -> None:
    analysis = survives(random_program(seed, mistakes), random.Random(seed))
    if not analysis.diagnostics:
        uses = analysis.inspection.uses.values()
        assert all(use.type is not None for use in uses if use.kind is NameKind.LOCAL)


@given(st.integers(0, 2**32), st.sampled_from(range(len(EXAMPLES))), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_damaged_examples(seed: int, example: int, changes: int) -> None:
    draw = random.Random(seed)
    source = mutated(EXAMPLES[example], draw, changes)
    survives(source[: draw.randint(0, len(source))], draw)
