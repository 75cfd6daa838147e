"""Sequences of random edits end where a clean build ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.random_edits import run_sequences


def test_a_few_sequences_without_linking(tmp_path: Path) -> None:
    counts = run_sequences(2, 5, seed=3, directory=tmp_path, whole=False)
    assert counts["sequences"] == 2


@pytest.mark.slow
def test_more_sequences_through_whole_builds(tmp_path: Path) -> None:
    counts = run_sequences(4, 10, seed=4, directory=tmp_path, whole=True)
    assert counts["sequences"] == 4
