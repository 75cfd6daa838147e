"""Random maps in lanes have the bits of the plain loops, on each profile in turn."""

from __future__ import annotations

from collections import Counter

from tests.codegen.random_lanes import BATCH, faults


def test_random_bodies_have_the_bits_of_the_loops() -> None:
    counts: Counter[str] = Counter()
    assert list(faults(1, 0, 3 * BATCH, counts)) == []
    assert counts["in lanes"] > 0.6 * counts["programs"]
