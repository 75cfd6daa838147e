"""Programs written in several ways: all ways become the same graph.

The sources lie in `spellings`, named by what they compute and how: with loops in one or two
functions, with maps and folds that capture, with zips, enumerations and several traversals.
What is compared is the whole dataflow of the rewritten graphs (`tests.rewrite.dataflow`): every
operation, constant, type, region and the order of operands; not ids, keys, names, nor the order
of captures and of independent lines, which follow the texts.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from mapal.ir.graph import Graph
from mapal.rewrite import rewrite
from tests.rewrite.dataflow import dataflow
from tests.rewrite.outcomes import census
from tests.rewrite.programs import AMPLE, graph_of, inputs_for, outcome_of

FOLDER = Path(__file__).parent / "spellings"
LEAST = {"matmul": 5, "rows": 3, "fir": 4, "conv2d": 4, "transpose": 4, "nested": 4}
"""How many spellings each program has."""

FAMILIES = {
    name: sorted(group)
    for name, group in itertools.groupby(
        sorted(FOLDER.glob("*.mapal")), key=lambda path: path.name.split(".")[0]
    )
}
NUMBERS = ("f32", "i32")


def spelled(source: Path, number: str) -> Graph:
    """The graph of a spelling, over one type of numbers."""
    text = source.read_text(encoding="utf-8")
    if number.startswith("i"):
        text = text.replace("0.0", "0").replace("1.0", "1")
    return graph_of(text.replace("f32", number))


def test_every_program_has_its_spellings() -> None:
    assert {name: len(sources) for name, sources in FAMILIES.items()} == LEAST


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", LEAST)
def test_spellings_become_the_same_graph(name: str, number: str) -> None:
    texts = {
        source.name: dataflow(rewrite(spelled(source, number)).graph) for source in FAMILIES[name]
    }
    assert len(set(texts.values())) == 1, "\n".join(texts.values())


@pytest.mark.parametrize("name", LEAST)
def test_spellings_differ_before(name: str) -> None:
    texts = [dataflow(spelled(source, "f32")) for source in FAMILIES[name]]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", LEAST)
def test_spellings_compute_the_same(name: str, number: str) -> None:
    outcomes = set()
    for source in FAMILIES[name]:
        graph = spelled(source, number)
        result = rewrite(graph).graph
        for seed in (0, 1):
            inputs = inputs_for(graph, seed)
            expected = outcome_of(graph, inputs, AMPLE)
            assert expected[0] == "done"
            assert outcome_of(result, inputs, AMPLE) == expected
            outcomes.add((seed, str(expected)))
        assert rewrite(result).graph is result
    assert len(outcomes) == 2


@pytest.mark.parametrize("name", LEAST)
def test_nothing_of_the_spelling_is_left(name: str) -> None:
    found = census(rewrite(spelled(FAMILIES[name][0], "f32")).graph)
    for gone in ("loops", "Call", "Update", "Enumerate"):
        assert found[gone] == 0, gone


def test_the_comparison_sees_every_difference() -> None:
    base = "fn main(a: [f32; 4], b: [f32; 4], s: f32) -> [f32; 4] {{ {} }}"
    bodies = [
        "a -> map { x -> x + s } -> ret;",
        "a -> map { x -> s + x } -> ret;",
        "b -> map { x -> x + s } -> ret;",
        "a -> map { x -> x - s } -> ret;",
        "a -> map { x -> x + 1.0 } -> ret;",
        "a -> map { x -> x + 2.0 } -> ret;",
        "a -> map { x -> (x > s) -> { -true-> x; -false-> s; } } -> ret;",
        "a -> map { x -> (x > s) -> { -true-> s; -false-> x; } } -> ret;",
        "4 -> iota -> map { i -> a[i] + b[3 - i] } -> ret;",
        "4 -> iota -> map { i -> a[3 - i] + b[i] } -> ret;",
        "(a, b) -> zip -> map { p -> p.0 + p.1 } -> ret;",
        "4 -> iota -> map { i -> 7 / (i + 1) -> unused; s } -> ret;",
        "4 -> iota -> map { i -> s } -> ret;",
    ]
    texts = [dataflow(graph_of(base.format(body))) for body in bodies]
    assert len(set(texts)) == len(texts)
