"""A small differential matrix, with tasks in any order that their edges allow."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mapal.codegen import emit
from mapal.codegen.emit import Emission
from mapal.sweep import native
from tests.sweep.thread_matrix import COUNTS, run_generated


def test_generated_programs_end_alike_at_every_count() -> None:
    counts = run_generated(12, seed=77)
    assert counts["failures"] == 0
    assert counts["runs"] >= 12 * len(COUNTS) * len(native.LEVELS)


def test_plans_without_their_edges_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The matrix, held to a fault that one thread, whose tosses are always the same, runs into."""
    task = r"(ptr @task\.\d+, i64 1, i64 1, i32 1, i32 \d+, i32 \d+), i32 \d+, i32 \d+,"

    def careless(*arguments: Any, **options: Any) -> Emission:
        emission = emit(*arguments, **options)
        text = re.sub(task, r"\1, i32 0, i32 0,", emission.ll)
        return Emission(text, emission.plan, emission.device_ll)

    monkeypatch.setattr(native, "emit", careless)
    assert run_generated(20, seed=78, first=220)["failures"] > 0
