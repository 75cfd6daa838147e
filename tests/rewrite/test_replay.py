"""Replay under the empty plan (C17): same outcome, verified, and a fixpoint of itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from mapal.ir.graph import Graph
from mapal.ir.text import print_graph
from mapal.ir.verify import verify
from mapal.rewrite.order_law import disordered
from mapal.rewrite.replay import replay
from tests.rewrite.programs import EXAMPLES, SOURCES, graph_of_file, inputs_for, outcome_of
from tests.rewrite.regions import region_changes
from tests.strategies import graphs


def check(graph: Graph) -> Graph:
    replayed = replay(graph)
    assert verify(replayed.graph) == []
    assert region_changes(graph, replayed) == []
    assert disordered(graph, replayed) == frozenset()
    again = replay(replayed.graph)
    assert print_graph(again.graph) == print_graph(replayed.graph)
    return replayed.graph


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_c17_sources_replay(source: Path) -> None:
    check(graph_of_file(source))


@pytest.mark.parametrize("source", EXAMPLES, ids=lambda path: path.stem)
def test_c17_examples_keep_their_outcome(source: Path) -> None:
    graph = graph_of_file(source)
    inputs = inputs_for(graph, 0)
    assert outcome_of(check(graph), inputs) == outcome_of(graph, inputs)


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_c17_generated_programs_keep_their_outcome(graph: Graph) -> None:
    result = check(graph)
    for number in range(2):
        inputs = inputs_for(graph, number)
        assert outcome_of(result, inputs) == outcome_of(graph, inputs)
