"""What holds for the layout of every program: tokens and comments stay, and it is its own."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mapal.format import format_source
from mapal.format.measure import WIDTH
from mapal.format.placeholders import with_numbers
from mapal.format.trivia import find_trivia
from mapal.syntax import encode_program, parse, tokenize
from tests.source_programs import random_program
from tests.syntax.test_properties import PROGRAMS
from tests.token_mutations import example_sources, mutated, pieces

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("projects", "tests")
    for path in (ROOT / folder).rglob("*.mapal")
    if "build" not in path.relative_to(ROOT).parts
)

EXAMPLES = [pieces(source) for source in example_sources()]
LAYOUT = st.sampled_from(
    [" ", "\n", "\t", "\r\n", "\n\n\n", " // c\n", " // d  \n\n// é -> {\n\n", "\n// e\n", "  "]
)
NO_COMMENTS = st.sampled_from([" ", "\n", "\t", "\r\n  "])


def formatted(source: str) -> str:
    """The layout of a text that parses, checked for all that a layout promises."""
    result = format_source(source)
    assert result.text is not None, result.diagnostics
    assert result.diagnostics == ()
    assert shape(result.text) == shape(source)
    assert format_source(result.text).text == result.text
    for line in result.text.split("\n"):
        assert line == line.rstrip()
    return result.text


def shape(source: str) -> tuple[bytes, list[str], list[str]]:
    """Tree, tokens and comments of a text."""
    readable = with_numbers(source)
    tokens = tokenize(readable).tokens
    comments = find_trivia(source, tokens).texts()
    return encode_program(parse(readable).program), [token.text for token in tokens], comments


def spread(source: str, gaps: list[str]) -> str:
    """The tokens of a source with other gaps between them."""
    texts = [token.text for token in tokenize(source).tokens]
    return "".join(text + gap for text, gap in zip(texts, itertools.cycle(gaps), strict=False))


@pytest.mark.parametrize("file", FILES)
def test_files_of_the_repository(file: str) -> None:
    source = (ROOT / file).read_text(encoding="utf-8")
    if format_source(source).text is None:
        assert parse(source).diagnostics
        return
    formatted(source)


@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("projects/")])
def test_projects_are_laid_out(file: str) -> None:
    source = (ROOT / file).read_text(encoding="utf-8")
    assert format_source(source).text == source, f"run: mapal fmt {file}"


@pytest.mark.parametrize("file", [file for file in FILES if "filetests" not in file])
def test_lines_are_not_too_wide(file: str) -> None:
    text = format_source((ROOT / file).read_text(encoding="utf-8")).text
    assert text is not None
    assert all(len(line) <= WIDTH or "//" in line for line in text.split("\n"))


def test_most_files_have_a_layout() -> None:
    count = sum(format_source((ROOT / file).read_text(encoding="utf-8")).text is not None
                for file in FILES)  # fmt: skip
    assert count > 80


@given(PROGRAMS, st.lists(LAYOUT, min_size=1, max_size=9))
@settings(max_examples=120, deadline=None)
def test_programs_of_the_grammar(source: str, gaps: list[str]) -> None:
    formatted(spread(source, gaps))


@given(st.integers(0, 2**32), st.lists(LAYOUT, min_size=1, max_size=9))
@settings(max_examples=30, deadline=None)
def test_random_programs(seed: int, gaps: list[str]) -> None:
    formatted(spread(random_program(seed), gaps))


@given(st.integers(0, 2**32), st.lists(NO_COMMENTS, min_size=1, max_size=5))
@settings(max_examples=30, deadline=None)
def test_the_former_layout_does_not_matter(seed: int, gaps: list[str]) -> None:
    source = random_program(seed)
    assert formatted(spread(source, gaps)) == formatted(spread(source, [" "]))


@given(st.integers(0, 2**32), st.sampled_from(range(len(EXAMPLES))), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_damaged_programs(seed: int, example: int, changes: int) -> None:
    source = mutated(EXAMPLES[example], random.Random(seed), changes)
    if parse(source).diagnostics:
        assert format_source(source).text is None
    else:
        formatted(source)


@given(st.text(alphabet='fn main(){}[]->;:,.a1"/\n\\ =+-<é', max_size=60))
@settings(max_examples=300, deadline=None)
def test_total(source: str) -> None:
    result = format_source(source)
    assert (result.text is None) == bool(result.diagnostics)
