"""The growth of rewriting times: figures on small sizes, and what counts as beyond the target."""

from __future__ import annotations

import pytest

from mapal.bench import rewrite_time
from mapal.bench.rewrite_time import SHAPES, RewriteTime, main, markdown
from mapal.interpreter import run
from mapal.ir.verify import verify
from mapal.rewrite import rewrite


@pytest.mark.parametrize("shape", SHAPES)
def test_the_graphs_are_programs_with_work_to_fold(shape: str) -> None:
    graph = SHAPES[shape](400)
    assert verify(graph) == []
    assert 800 <= len(graph.morphisms) <= 2000
    result = rewrite(graph)
    assert result.report["applied"]
    before = run(graph, {"x": 3}, budget=10**5)
    assert before == run(result.graph, {"x": 3}, budget=10**5)


def test_the_table() -> None:
    times = [RewriteTime("chain", (1_000, 10_000), (0.5, 6.0)), RewriteTime("grid", (1, 2), (1, 2))]
    assert markdown(times).splitlines()[2] == "| chain | 0.500 s | 6.000 s | 12.0 |"


def test_what_is_beyond_the_targets() -> None:
    assert RewriteTime("chain", (10, 100), (1.0, 13.0)).problems == []
    assert RewriteTime("chain", (10, 1_000), (1.0, 13.5)).problems == [
        "chain: growth 13.5 from 10 to 1,000 operations"
    ]
    assert RewriteTime("grid", (10,), (30.5,)).problems == ["grid: 30.5 s for 10"]


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewrite_time, "SIZES", (10, 100, 1_000))
    monkeypatch.setattr(rewrite_time, "LARGEST_GROWTH", 1e9)
    assert main(["100"]) == 0
    assert capsys.readouterr().out.startswith("| shape | 10 | 100 | growth |\n")
    monkeypatch.setattr(rewrite_time, "LARGEST_GROWTH", 0.0)
    assert main(["100"]) == 1
    assert "rewrite_times: chain: growth" in capsys.readouterr().err
