"""Proofs about random programs hold in the interpreter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mapal.analysis.accesses import Extraction, extract
from mapal.ir.graph import Graph
from tests.analysis import random_bounds


def test_a_batch_is_sound(capsys: pytest.CaptureFixture[str]) -> None:
    assert random_bounds.main(["--count", "25", "--seed", "2"]) == 0
    assert "25 programs" in capsys.readouterr().out


@pytest.mark.slow
def test_many_are_sound() -> None:
    assert random_bounds.main(["--count", "3000", "--seed", "5"]) == 0


def test_a_wrong_proof_is_reported(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def all_of_them(graph: Graph) -> Extraction:
        right = extract(graph)
        return replace(right, in_range=frozenset(m.id for m in graph.morphisms))

    monkeypatch.setattr(random_bounds, "extract", all_of_them)
    assert random_bounds.main(["--count", "25", "--seed", "2"]) == 1
    assert "a proved access traps" in capsys.readouterr().out


def test_a_proof_that_intervals_find_is_missed_by_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        random_bounds, "extract", lambda graph: replace(extract(graph), in_range=frozenset())
    )
    assert random_bounds.main(["--count", "25", "--seed", "2"]) == 1
    assert "intervals prove more" in capsys.readouterr().out
