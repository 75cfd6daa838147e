"""Comparison of results."""

import numpy as np
import pytest

from mapal.bench.answers import WrongAnswer, require_bits, require_close, same_bits


def test_nan_equals_nan_and_zeros_differ_by_sign() -> None:
    nan = np.array([0x7FC00000, 0xFFC00001], dtype="<u4").view("<f4")
    assert same_bits(nan, nan[::-1].copy())
    assert not same_bits(np.array([0.0], "<f4"), np.array([-0.0], "<f4"))
    assert not same_bits(np.array([1], "<i4"), np.array([1], "<i8"))
    assert not same_bits(np.array([1], "<i4"), np.array([[1]], "<i4"))


def test_a_scalar_is_compared_as_an_array_is() -> None:
    assert same_bits(np.array(0.1, "<f4"), np.array(0.1, "<f4"))
    assert not same_bits(np.array(0.1, "<f4"), np.array(0.2, "<f4"))


def test_a_last_bit_counts_and_is_told() -> None:
    wanted = np.array([1.0, 2.0, 3.0], "<f8")
    found = wanted.copy()
    found[1] = np.nextafter(2.0, 3.0)
    with pytest.raises(WrongAnswer, match=r"ours gives another result: 1 of 3 .* the first at 1"):
        require_bits("ours", [found], [wanted])
    require_close("peer", [found.reshape(3, 1)], [wanted], 1e-12)


def test_zeros_of_another_sign_and_another_type_are_told() -> None:
    zero = np.array([0.0], "<f4")
    with pytest.raises(WrongAnswer, match="zeros of another sign"):
        require_bits("ours", [-zero], [zero])
    with pytest.raises(WrongAnswer, match="float64 instead of float32"):
        require_bits("ours", [zero.astype("<f8")], [zero])


def test_a_tolerance_is_relative_to_the_largest_element() -> None:
    wanted = np.array([0.0, 100.0], "<f4")
    near = np.array([0.05, 100.0], "<f4")
    require_close("peer", [near], [wanted], 1e-3)
    with pytest.raises(WrongAnswer, match=r"peer is off by more than 0\.0001 of the largest"):
        require_close("peer", [near], [wanted], 1e-4)


def test_a_fraction_of_elements_may_be_anything() -> None:
    wanted = np.ones(100, "<f4")
    found = wanted.copy()
    found[:2] = 50
    require_close("peer", [found], [wanted], 1e-3, 0.02)
    with pytest.raises(WrongAnswer, match="off by more"):
        require_close("peer", [found], [wanted], 1e-3, 0.01)


def test_the_number_of_results_and_of_elements_counts() -> None:
    one = np.array([1.0], "<f4")
    with pytest.raises(WrongAnswer, match="gives 2 arrays, not 1"):
        require_close("peer", [one, one], [one], 1.0)
    with pytest.raises(WrongAnswer, match="gives 2 elements, not 1"):
        require_close("peer", [np.ones(2, "<f4")], [one], 1.0)


def test_an_infinite_element_tolerates_nothing() -> None:
    wanted = np.array([np.inf, 1.0, np.nan], "<f4")
    require_close("peer", [np.array([np.inf, 1.0001, np.nan], "<f4")], [wanted], 1e-3)
    for wrong in ([np.inf, 2.0, np.nan], [1.0, 1.0, np.nan], [np.inf, 1.0, 0.0]):
        with pytest.raises(WrongAnswer, match="off by more"):
            require_close("peer", [np.array(wrong, "<f4")], [wanted], 1e-3)


def test_integers_and_truth_values_have_a_largest_element_too() -> None:
    for wanted in (np.array([-(2**31), 1], "<i4"), np.array([True, False])):
        require_close("peer", [wanted.copy()], [wanted], 1e-6)
        with pytest.raises(WrongAnswer, match="off by more"):
            require_close("peer", [wanted[::-1].copy()], [wanted], 1e-6)


@pytest.mark.parametrize("stated", [-1e-9, 1.5, float("inf"), float("nan")])
def test_a_tolerance_that_tolerates_everything_is_none(stated: float) -> None:
    one = np.array([1.0], "<f4")
    with pytest.raises(WrongAnswer, match="peer states a tolerance of"):
        require_close("peer", [one], [one], stated)
    with pytest.raises(WrongAnswer, match="peer states a tolerance of"):
        require_close("peer", [one], [one], 1e-3, stated)


def test_elements_that_are_no_numbers_in_both_are_no_difference() -> None:
    wanted = np.array([np.nan, 1.0, 2.0], "<f4")
    found = np.array([np.nan, 1.0, 3.0], "<f4")
    with pytest.raises(WrongAnswer, match="1 of 3 elements, the first at 2"):
        require_bits("ours", [found], [wanted])
