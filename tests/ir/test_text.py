"""The text form reads back exactly, and a damaged text is refused with the line."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapal.diagnostics import CompilerBug, UserError
from mapal.ir.function_builder import FunctionBuilder, Ret
from mapal.ir.graph import Graph, Key, Value
from mapal.ir.ops import BinaryCode, RegionId, UnaryCode
from mapal.ir.text import GraphTextError, parse_graph, print_graph
from mapal.ir.text_types import TypeReader, TypeSpeller
from mapal.ir.text_values import key_text, quoted, read_key, read_string, read_value, value_text
from mapal.ir.types import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    IO,
    STR,
    UNIT,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
    spelled_length,
)
from tests.ir import sample_graphs
from tests.ir.back_door import built, rebuilt
from tests.ir.sample_graphs import at
from tests.strategies import graphs, scalar_types, types, values

K = at(5)


def assert_round_trip(graph: Graph) -> str:
    text = print_graph(graph)
    read = parse_graph(text)
    assert read == graph
    assert print_graph(read) == text
    return text


@pytest.mark.parametrize("make", sample_graphs.ALL)
def test_samples_read_back(make: Callable[[], Graph]) -> None:
    assert_round_trip(make())


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_random_programs_read_back(graph: Graph) -> None:
    assert_round_trip(graph)


def test_the_form_as_documented() -> None:
    def build(f: FunctionBuilder) -> None:
        f.output(f.print(f.input, f.constant(7, I32, at(6)), True, at(6, 9)), at(10))

    text = print_graph(built(IO, IO, build))
    assert text == (
        "mapal-ir 1\n"
        "entry f0\n"
        "\n"
        'function f0 named "main": io -> io @ 0-99 {\n'
        "  objects {\n"
        "    o0 parameter: io @ 0-99\n"
        "    o1 return: io @ 0-99\n"
        "    o2 constant: i32 = 7 @ 6\n"
        "    o3 temporary: (io, i32) @ 6-9\n"
        "    o4 temporary: io @ 6-9\n"
        "  }\n"
        "  r0 body {\n"
        "    m0 o3 = Pair 0/2 o0 @ 6-9\n"
        "    m1 o3 = Pair 1/2 o2 @ 6-9\n"
        "    m2 o4 = Println o3 @ 6-9\n"
        "    m3 o1 = Output o4 @ 10\n"
        "  }\n"
        "}\n"
    )


def test_regions_show_as_nested_blocks() -> None:
    text = print_graph(sample_graphs.looping())
    assert re.search(
        r"m2 o5 = LoopEnter l0 o4 @ 10-19\n"
        r" +l0 loop merge o5 if o9 enter m2 back m18 leave m21 @ 10-19 \{\n"
        r" +r1 loop-body \{\n",
        text,
    )
    assert "g1 guard if o8 value m12" in print_graph(sample_graphs.guarded())
    assert "g0 guard rest if o6 value m16" in print_graph(sample_graphs.guarded())


def test_a_graph_that_is_not_sealed_is_not_printed_in_part() -> None:
    graph = sample_graphs.guarded()
    broken = rebuilt(
        graph, regions={1: {"parent": RegionId(4)}}, morphisms={16: {"region": RegionId(3)}}
    )
    with pytest.raises(CompilerBug):
        print_graph(broken)


# Values, keys, strings --------------------------------------------------------------------


@given(scalar_types.flatmap(lambda ty: st.tuples(st.just(ty), values(ty))))
def test_literals_read_back(literal: tuple[Scalar, Value]) -> None:
    ty, value = literal
    read = read_value(value_text(value), ty)
    assert type(read) is type(value)
    if isinstance(value, float):
        assert isinstance(read, float)
        assert math.isnan(read) == math.isnan(value)
        assert math.isnan(value) or (read, math.copysign(1, read)) == (
            value,
            math.copysign(1, value),
        )
    else:
        assert read == value


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_strings_read_back_from_one_line(text: str) -> None:
    shown = quoted(text)
    assert shown.isprintable()
    assert "\n" not in shown
    assert read_string(shown) == text
    assert read_value(shown, STR) == text


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=4))
def test_keys_read_back(ranges: list[tuple[int, int]]) -> None:
    key: Key = tuple(ranges)
    assert read_key(key_text(key)) == key


def test_every_constant_of_a_graph_reads_back() -> None:
    """The one NaN and both zeros included: they are told apart by their text."""
    numbers = (0.0, -0.0, math.nan, math.inf, -math.inf, 5e-324, 1.7976931348623157e308)

    def build(f: FunctionBuilder) -> None:
        for number in numbers:
            f.constant(number, F64, K)
        f.constant(-(2**63), I64, K)

    graph = built(I32, UNIT, build)
    text = assert_round_trip(graph)
    assert re.findall(r"f64 = (\S+)", text) == [
        "0.0",
        "-0.0",
        "nan",
        "inf",
        "-inf",
        "5e-324",
        "1.7976931348623157e+308",
    ]


# Types ------------------------------------------------------------------------------------


@settings(deadline=None)
@given(types(tokens=True))
def test_types_read_back(ty: Type) -> None:
    speller, reader = TypeSpeller(), TypeReader()
    speller.declare(ty)
    for declaration in speller.declarations:
        if match := re.fullmatch(r"type (%\d+) = (.*)", declaration):
            reader.declare_alias(match.group(1), match.group(2))
        else:
            match = re.fullmatch(r"struct (\w+) \{(.*)\}", declaration)
            assert match is not None
            reader.declare_struct(match.group(1), match.group(2))
    assert reader.read(speller.spell(ty)) == ty


def exponential(levels: int, with_structs: bool) -> Type:
    ty: Type = F32
    for level in range(levels):
        ty = Struct(f"T{level}", (("a", ty), ("b", ty))) if with_structs else Tuple((ty, ty))
    return ty


@pytest.mark.parametrize("with_structs", [True, False])
def test_a_type_with_an_exponential_expansion_reads_back_at_once(with_structs: bool) -> None:
    ty = exponential(60, with_structs)
    graph = built(ty, ty, lambda f: f.output(f.input, K))
    assert len(assert_round_trip(graph)) < 20_000
    assert spelled_length(exponential(60, False)) > 2**60


def test_long_types_are_declared_once() -> None:
    wide = Tuple((I32,) * 40)
    graph = built(wide, Array(wide, 3), lambda f: f.pack_array((f.input,) * 3, K, Ret()))
    text = assert_round_trip(graph)
    assert text.count("i32, i32") > 1
    assert "type %0 = (i32, i32" in text
    assert 'named "main": %0 -> [%0; 3] @' in text


def test_deep_nests_do_not_indent_without_end() -> None:
    def build(f: FunctionBuilder) -> None:
        region = f.region
        guards = []
        for _ in range(500):
            with f.in_region(region):
                guards.append(f.begin_guard(f.input, K))
            region = guards[-1].arm_true
        value = f.input
        for guard in reversed(guards):
            value = f.phi(guard, value, f.input)
        f.output(value, K)

    graph = built(BOOL, BOOL, build)
    assert len(assert_round_trip(graph)) < 250 * len(graph.morphisms)


# Damage -----------------------------------------------------------------------------------

GUARDED = print_graph(sample_graphs.guarded())
COLLECTIONS = print_graph(sample_graphs.collections())
LOOPING = print_graph(sample_graphs.looping())
PRINTING = print_graph(sample_graphs.printing())

DAMAGES: list[tuple[str, str, str, str, int | None]] = [
    # (text, what, by what, part of the message, line: None for any)
    (GUARDED, GUARDED, "", "empty", 1),
    (GUARDED, GUARDED, "\n\n  \n", "empty", 1),
    (GUARDED, "mapal-ir 1", "mapal-ir 2", "format version is 2", 1),
    (GUARDED, "mapal-ir 1", "mapal-ir one", "first line", 1),
    (GUARDED, "entry f0\n", "", "no line names the entry", 0),
    (GUARDED, "entry f0\n", "entry f0\nentry f0\n", "two entries", 3),
    (GUARDED, "entry f0", "entry f7", "BadEntry", 0),
    (GUARDED, "entry f0", "entry f99999999999999999999", "neither", 2),
    (GUARDED, "entry f0", "what is this", "neither", 2),
    (COLLECTIONS, "x: f32", "x f32", "NAME: TYPE", 4),
    (COLLECTIONS, "x: f32, y", "x: f32; y", "lacks ','", 4),
    (COLLECTIONS, "y: f32 }", "y: f31 }", "not declared", 4),
    (COLLECTIONS, "struct Point {", "struct i32 {", "declared twice", 4),
    (COLLECTIONS, "Point { x: f32, y: f32 }", "Point { }", "NonCoreType", None),
    (COLLECTIONS, "[i32; 4]", "[i32; 0]", "", None),
    (COLLECTIONS, "[i32; 4]", "[i32 4]", "lacks ';'", None),
    (COLLECTIONS, "[i32; 4]", "[i32; n]", "length", None),
    (COLLECTIONS, "[i32; 4]", "[i32; 4", "lacks ']'", None),
    (COLLECTIONS, "(i32, Point, ", "(i32 Point, ", "not closed", None),
    (COLLECTIONS, "(i32, Point, ", ")i32, Point, ", "does not begin", None),
    (COLLECTIONS, "(i32, Point, ", "(i32, , ", "does not begin", None),
    (COLLECTIONS, "function f1 named", "function f1 nameless", "FunctionKind", None),
    (COLLECTIONS, "function f1 named", "function f0 named", "defined twice", None),
    (COLLECTIONS, "function f1 named", "function f8 named", "missing", 0),
    (COLLECTIONS, '"double"', '"main"', "DuplicateName", 0),
    (COLLECTIONS, '"double"', '"dou\\qble"', "escape", None),
    (COLLECTIONS, '"double"', '"\\ud800"', "surrogates", None),
    (COLLECTIONS, 'parameters "x"', 'parameters "x", "y"', "BadParameters", 0),
    (COLLECTIONS, "Call f1", "Call f9", "Unowned", None),
    (COLLECTIONS, "Call f1", "Call f0", "", None),
    (COLLECTIONS, "Call f1", "Cull f1", "no operation", None),
    (COLLECTIONS, "captures 1", "captures 0", "", None),
    (COLLECTIONS, "Fma + -", "Fma * -", "no operation", None),
    (GUARDED, "i32 -> i32 @ 0-99", "i32 -> f32 @ 0-99", "another type", 4),
    (GUARDED, "o1 return", "o1 temporary", "0 objects of kind return", 4),
    (GUARDED, "o1 return", "o1 result", "ObjectKind", 7),
    (GUARDED, "o2 constant: i32 = 0", "o2 constant: i32 = 0.5", "no constant", 8),
    (GUARDED, "o2 constant: i32 = 0", "o2 constant: i32 = 99999999999", "BadConstant", 8),
    (GUARDED, "o2 constant: i32 = 0", "o2 constant: i32", "BadConstant", 8),
    (GUARDED, "o2 constant: i32 = 0", "o2 constant: bool = yes", "no constant", 8),
    (GUARDED, "o2 constant: i32 = 0", "o9 constant: i32 = 0", "defined twice", None),
    (GUARDED, "o2 constant: i32 = 0", "o2222 constant: i32 = 0", "o2 is missing", 0),
    (GUARDED, "o2 constant: i32 = 0 @ 1", "o2 constant: i32 = 0 @ 1-", "key", 8),
    (GUARDED, "o2 constant: i32 = 0 @ 1", "o2 constant: i32 = 0 @ 9-1", "BadKey", 0),
    (GUARDED, "o2 constant: i32 = 0 @ 1", "o2 constant", "not of the form", 8),
    (PRINTING, "f32 = nan", "f32 = 0.1", "BadConstant", None),
    (PRINTING, "f32 = nan", "f32 = 1e", "no constant", None),
    (PRINTING, 'str = "a', "str = 3 // ", "", None),
    (PRINTING, "Println o11", "Print o10", "", None),
    (GUARDED, "m2 o6 = Eq o5", "m2 o6 = Eq o5000", "not defined", None),
    (GUARDED, "m2 o6 = Eq o5", "m2 o6000 = Eq o5", "not defined", None),
    (GUARDED, "m2 o6 = Eq o5", "m3 o6 = Eq o5", "defined twice", None),
    (GUARDED, "m2 o6 = Eq o5", "m2 o6 = Add o5", "BadEdgeType", None),
    (GUARDED, "m2 o6 = Eq o5", "m2 o6 = o5", "no place", None),
    (GUARDED, "g0 guard rest if o6", "g0 guard maybe if o6", "no place", None),
    (GUARDED, "g0 guard rest if o6", "g0 guard rest if o8", "two conditions", None),
    (GUARDED, "g0 guard rest if o6", "g1 guard rest if o6", "defined twice", None),
    (GUARDED, "value m16", "value m12", "BadRegion", None),
    (GUARDED, "r1 arm-true", "r1 arm-false", "second region", None),
    (GUARDED, "r1 arm-true", "r1 jump", "no region of kind arm-true", None),
    (GUARDED, "r3 arm-true", "r0 arm-true", "defined twice", None),
    (GUARDED, "r1 arm-true", "r1 arm", "RegionKind", None),
    (GUARDED, "r0 body", "r0 exit", "no body", None),
    (LOOPING, "merge o5", "merge o21", "BadLoop", None),
    (LOOPING, "enter m2 ", "enter m24 ", "BadLoop", None),
    (LOOPING, "r2 jump {", "r2 body {", "no place in a region", None),
    (LOOPING, "r1 loop-body", "r1 body", "", None),
    (LOOPING, "Pair 0/2 o14 @ 10-19", "Pair 0/2 o4 @ 10-19", "BadLoop", None),
]


@pytest.mark.parametrize(
    ("text", "what", "by", "message", "line"), DAMAGES, ids=[str(n) for n in range(len(DAMAGES))]
)
def test_damage_is_one_clear_error(
    text: str, what: str, by: str, message: str, line: int | None
) -> None:
    assert what in text
    with pytest.raises(GraphTextError) as caught:
        parse_graph(text.replace(what, by, 1))
    assert isinstance(caught.value, UserError)
    assert message in caught.value.message
    if line is not None:
        assert caught.value.line == line
    assert (f"line {caught.value.line}:" in caught.value.message) == (caught.value.line > 0)


def test_a_text_that_ends_early() -> None:
    lines = GUARDED.splitlines()
    for count in range(3, len(lines)):
        with pytest.raises(GraphTextError):
            parse_graph("\n".join(lines[:count]))


def test_a_nest_of_brackets_is_refused_before_it_is_deep() -> None:
    for opening in ("[", "("):
        with pytest.raises(GraphTextError, match="nests"):
            parse_graph(
                COLLECTIONS.replace("-> f64", "-> " + opening * 10_000, 1).replace(
                    'k": i32 ->', 'k": ' + opening * 10_000 + " ->", 1
                )
            )


def test_keys_that_leave_no_order() -> None:
    """Two groups by their first range, each of which would have to wait for the other."""

    def build(f: FunctionBuilder) -> None:
        x = f.input
        for place in range(4):
            x = f.unary(UnaryCode.NEG, x, at(place))
        f.output(x, at(9))

    text = print_graph(built(I32, I32, build))
    lines = [
        re.sub(r"@ (\d)$", lambda m: f"@ {int(m.group(1)) % 2}/{m.group(1)}", line)
        if " = Neg" in line
        else line
        for line in text.splitlines()
    ]
    with pytest.raises(GraphTextError, match="no order of evaluation"):
        parse_graph("\n".join(lines))


def test_layout_of_the_text_does_not_matter() -> None:
    graph = sample_graphs.guarded()
    flat = "\r\n\r\n".join(line.strip() for line in GUARDED.splitlines())
    assert parse_graph(flat) == graph


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from((GUARDED, COLLECTIONS, LOOPING, PRINTING)),
    st.randoms(use_true_random=False),
    st.integers(1, 3),
)
def test_random_edits_never_crash(text: str, source: random.Random, edits: int) -> None:
    """A damaged text is an error of its own kind, or still a graph that verifies."""
    for _ in range(edits):
        place = source.randrange(len(text))
        length = source.randrange(4)
        piece = source.choice(["", "0", "7", "f", "o", "{", "}", "\n", " ", '"', "-1", "Pair", "é"])
        text = text[:place] + piece + text[place + length :]
    try:
        parse_graph(text)
    except GraphTextError as error:
        assert str(error)  # noqa: PT017


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from((GUARDED, COLLECTIONS, LOOPING, PRINTING)),
    st.randoms(use_true_random=False),
)
def test_shuffled_numbers_never_crash(text: str, source: random.Random) -> None:
    """Every reference may be wrong: ids are replaced by other small ids."""
    spots = [m.span() for m in re.finditer(r"(?<=[omrgfl])\d+\b", text)]
    for start, end in sorted(source.sample(spots, 2), reverse=True):
        text = text[:start] + str(source.randrange(30)) + text[end:]
    try:
        parse_graph(text)
    except GraphTextError as error:
        assert str(error)  # noqa: PT017


def test_a_hundred_thousand_objects() -> None:
    def build(f: FunctionBuilder) -> None:
        x = f.input
        for place in range(50_000):
            x = f.unary(UnaryCode.NEG, x, at(place))
        f.output(f.binary(BinaryCode.ADD, x, x, K), K)

    assert_round_trip(built(I32, I32, build))
