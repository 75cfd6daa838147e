"""Random maps in lanes end as the interpreter says, on one target after the other."""

from __future__ import annotations

from collections import Counter

from tests.codegen.random_command import faults_of
from tests.codegen.random_lanes import lanes


def test_random_bodies_end_as_the_interpreter_says() -> None:
    counts: Counter[str] = Counter()
    assert list(faults_of("lanes", lanes, batch=4)(1, 0, 12, counts)) == []
    assert counts["kernel side_by_side"] > 0.4 * counts["programs"]
