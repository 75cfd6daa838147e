"""Every pass alone and all together: the outcome stays, in strict mode (R1, R2, R5, R7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from mapal.ir.graph import Graph
from mapal.ir.text import print_graph
from mapal.rewrite import RewritePass, apply_pass, rewrite_with
from mapal.rewrite.pipeline import PASSES
from tests.rewrite.programs import EXAMPLES, SOURCES, graph_of_file, inputs_for, outcome_of
from tests.rewrite.regions import region_changes
from tests.strategies import graphs

MANY = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def check_pass(graph: Graph, step: RewritePass, numbers: range = range(2)) -> int:
    """Applies a pass once; how much it did."""
    application = apply_pass(graph, step)
    if application.replayed is None:
        return 0
    result = application.replayed.graph
    assert region_changes(graph, application.replayed, application.plan) == []
    for number in numbers:
        inputs = inputs_for(graph, number)
        assert outcome_of(result, inputs) == outcome_of(graph, inputs)
    return application.plan.count


def check_pipeline(graph: Graph) -> None:
    """All passes to the end: same outcome, and nothing left to do (R5)."""
    result = rewrite_with(graph, PASSES)
    for number in range(3):
        inputs = inputs_for(graph, number)
        assert outcome_of(result.graph, inputs) == outcome_of(graph, inputs)
    again = rewrite_with(result.graph, PASSES)
    assert again.report["applied"] == []
    assert again.report["rounds"] == 1
    assert again.graph is result.graph
    assert print_graph(rewrite_with(graph, PASSES).graph) == print_graph(result.graph)


@pytest.mark.parametrize("step", PASSES, ids=lambda step: step.name)
@pytest.mark.parametrize("source", EXAMPLES, ids=lambda path: path.stem)
def test_examples_by_each_pass(source: Path, step: RewritePass) -> None:
    check_pass(graph_of_file(source), step, range(1))


@pytest.mark.parametrize("source", EXAMPLES, ids=lambda path: path.stem)
def test_examples_by_all(source: Path) -> None:
    check_pipeline(graph_of_file(source))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_sources_settle(source: Path) -> None:
    result = rewrite_with(graph_of_file(source), PASSES)
    assert rewrite_with(result.graph, PASSES).report["applied"] == []


@pytest.mark.parametrize("step", PASSES, ids=lambda step: step.name)
@MANY
@given(graph=graphs())
def test_generated_programs_by_each_pass(step: RewritePass, graph: Graph) -> None:
    check_pass(graph, step)


@MANY
@given(graph=graphs())
def test_generated_programs_by_all(graph: Graph) -> None:
    check_pipeline(graph)
