"""Medians, ratios, and the rounds that count."""

import pytest

from mapal.bench.figures import counted_rounds, of_rounds, ratio_figures, time_figures


def test_only_quiet_rounds_count_if_there_are_enough() -> None:
    assert counted_rounds([True, False, True, True]) == [0, 2, 3]
    assert counted_rounds([True, False, True, False]) == [0, 1, 2, 3]
    assert of_rounds([5.0, 6.0, 7.0], [0, 2]) == [5.0, 7.0]


def test_times_and_ratios() -> None:
    assert time_figures([3.0, 1.0, 2.0]) == {"median_ms": 2.0, "min_ms": 1.0, "max_ms": 3.0}
    found = ratio_figures([1.0, 2.0, 3.0, 4.0, 5.0], [2.0] * 5)
    assert found["ratio"] == 1.5
    assert found["ratio_of_least"] == 0.5
    assert (found["ratio_min"], found["ratio_max"]) == (0.5, 2.5)
    assert found["ratio_quartiles"] == [1.0, 2.0]


def test_a_single_round_is_all_of_its_ratios() -> None:
    found = ratio_figures([1.0], [4.0])
    assert found["ratio_quartiles"] == [0.25, 0.25]
    assert found["ratio"] == pytest.approx(0.25)
