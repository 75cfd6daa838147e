"""Lowering is total: every text that parses gives a graph that verifies, or reports.

The texts are random programs without and with mistakes, and the example programs with tokens
damaged. Seeds are numbers, so a failure names its text.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapal.check import KINDS as CHECKED
from mapal.check import check
from mapal.ir.text import parse_graph, print_graph
from mapal.ir.verify import verify
from mapal.lower import lower
from mapal.lower.codes import KINDS
from mapal.syntax import parse
from tests.source_grammar import grammar_program
from tests.source_programs import random_program
from tests.token_mutations import example_sources, mutated, pieces

EXAMPLES = [pieces(source) for source in example_sources()]
INTERNAL = {"L1000", "L1901"}


def outcome(source: str) -> str:
    """What becomes of a text: parse, report or graph. Asserts what lowering promises."""
    parsed = parse(source)
    if parsed.diagnostics:
        return "parse"
    graphs = []
    for arithmetic in ("exact", "fused"):
        lowered = lower(parsed.program, arithmetic)
        if lowered.graph is None:
            assert lowered.diagnostics
            for found in lowered.diagnostics:
                assert found.code in KINDS
                assert found.code not in INTERNAL
                assert found.message
                assert found.hint
                assert found.tokens is not None
                parsed.locations.span_of(found.tokens)
            continue
        assert lowered.diagnostics == ()
        assert verify(lowered.graph) == []
        for found in check(parsed.program, lowered.graph):
            assert found.code in {kind.code for kind in CHECKED}
            assert found.tokens is not None
            parsed.locations.span_of(found.tokens)
        graphs.append(lowered.graph)
    assert len(graphs) in (0, 2), "the arithmetic mode decides nothing but the graph"
    if not graphs:
        return "report"
    text = print_graph(graphs[0])
    assert print_graph(parse_graph(text)) == text
    return "graph"


@given(st.integers(0, 2**32))
def test_random_programs(seed: int) -> None:
    assert outcome(random_program(seed)) != "parse"


@given(st.integers(0, 2**32), st.sampled_from((0.01, 0.05, 0.2)))
def test_random_programs_with_mistakes(seed: int, mistakes: float) -> None:
    outcome(random_program(seed, mistakes))


@given(st.integers(0, 2**32))
def test_texts_from_the_grammar(seed: int) -> None:
    outcome(grammar_program(seed))


@given(st.integers(0, 2**32), st.sampled_from(range(len(EXAMPLES))), st.integers(1, 4))
def test_damaged_examples(seed: int, example: int, changes: int) -> None:
    outcome(mutated(EXAMPLES[example], random.Random(seed), changes))


def test_random_programs_nearly_always_lower() -> None:
    found = [outcome(random_program(seed)) for seed in range(60)]
    assert found.count("graph") >= 57


def test_damaged_examples_reach_lowering() -> None:
    draw = random.Random(1)
    found = [outcome(mutated(draw.choice(EXAMPLES), draw, 1)) for _ in range(150)]
    assert found.count("graph") >= 3
    assert found.count("report") >= 20


@pytest.mark.slow
def test_many_texts() -> None:
    draw = random.Random(7)
    for seed in range(20_000):
        outcome(random_program(seed, draw.choice((0.0, 0.01, 0.05))))
        outcome(mutated(draw.choice(EXAMPLES), draw, draw.randint(1, 3)))
        outcome(grammar_program(seed))
