"""The tree as canonical JSON."""

import json
import sys

import pytest

from mapal.diagnostics import UserError
from mapal.syntax import decode_program, encode_program, parse


def test_encoding_is_one_line_of_json_with_the_classes_of_the_nodes() -> None:
    data = encode_program(parse("fn main() { 4 -> print; }").program)
    assert data.endswith(b"}\n")
    assert data.count(b"\n") == 1
    tree = json.loads(data)
    assert (tree["type"], tree["tokens"]) == ("Program", [0, 9])
    assert tree["items"][0]["body"]["statements"][0]["chain"]["head"] == {
        "type": "IntegerLiteral",
        "tokens": [5, 5],
        "value": 4,
    }


@pytest.mark.parametrize(
    "source",
    [
        "",
        "fn main() { 18446744073709551615 -> { -18446744073709551615-> 1; -_-> 2; } -> k; }",
        'type A { x: [(i32, f64); 2] } fn f() { "\\n\\t\\"é𝄞\\\\" -> print; A { x } -> mut k: A; }',
    ],
)
def test_encoding_reads_back(source: str) -> None:
    program = parse(source).program
    assert decode_program(encode_program(program)) == program


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        (b'"Program"', b'"Block"'),
        (b'"tokens":[0,9]', b'"tokens":[0]'),
        (b'"tokens":[0,9]', b'"tokens":[0,"9"]'),
        (b'"value":4', b'"value":"4"'),
        (b'"value":4', b'"value":4.5'),
        (b'"value":4', b'"valve":4'),
        (b'"IntegerLiteral"', b'"ImaginaryLiteral"'),
        (b'"name":"main"', b'"name":null'),
        (b"}\n", b"\n"),
    ],
)
def test_anything_else_is_refused(what: bytes, instead: bytes) -> None:
    data = encode_program(parse("fn main() { 4 -> print; }").program)
    assert what in data
    with pytest.raises(UserError, match="not a syntax tree"):
        decode_program(data.replace(what, instead))


@pytest.mark.parametrize("data", [b"", b"\xff", b"[" * 1_000_000])
def test_noise_is_refused(data: bytes) -> None:
    with pytest.raises(UserError):
        decode_program(data)


def test_wide_programs() -> None:
    terms, stages, statements = 100_000, 20_000, 20_000
    source = (
        "fn main() { "
        + " + ".join(["x"] * terms)
        + " -> k; x"
        + " -> f" * stages
        + "; "
        + "x <- y;" * statements
        + " t"
        + ".x[0]" * 10_000
        + " }"
    )
    result = parse(source)
    assert result.diagnostics == ()
    program = result.program
    assert decode_program(encode_program(program)) == program


DEEPEST = [
    "fn main() { " + "a -> { -_-> { " * 63 + "b" + " } }" * 63 + " }",
    "fn main() { " + "a -> seq { " * 127 + "};" * 127 + " }",
    "fn main() { " + "loop { " * 126 + "a -> b;" + "}" * 126 + " }",
    "fn main() { " + "1 + (" * 126 + "a" + ")" * 126 + " }",
    "fn main() { " + "a[" * 126 + "a" + "]" * 126 + " }",
    "fn main() { " + "P { x: " * 63 + "a" + " }" * 63 + " }",
    "fn main() { v" + " -> map { x -> x" * 126 + "}" * 126 + " }",
    "fn f(v: " + "[" * 127 + "i32" + "; 1]" * 127 + ") { }",
]
"""Programs of 128 levels, by what costs the most frames and nodes a level."""


@pytest.mark.parametrize("source", DEEPEST)
def test_deep_programs_from_a_deep_stack(source: str) -> None:
    limit = sys.getrecursionlimit()

    def descend(frames: int) -> None:
        if frames:
            descend(frames - 1)
            return
        result = parse(source)
        assert result.diagnostics == ()
        data = encode_program(result.program)
        assert encode_program(decode_program(data)) == data

    descend(limit - 300)
    assert sys.getrecursionlimit() == limit
