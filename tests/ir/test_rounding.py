"""Rounding to binary32, and the routes by which operations reach it."""

from __future__ import annotations

import math
import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mapal.ir.rounding import integer_to_f32, round_to_f32, single_cell

AROUND_THE_LARGEST = [
    2.0**128 - 2.0**104,
    2.0**128 - 2.0**103 - 2.0**80,
    2.0**128 - 2.0**103,
    2.0**200,
]


def bits(x: float) -> bytes:
    return b"NaN" if math.isnan(x) else struct.pack("<d", x)


@given(st.floats() | st.floats(width=32) | st.sampled_from(AROUND_THE_LARGEST))
def test_rounding_and_cell_agree_with_numpy(x: float) -> None:
    with np.errstate(over="ignore"):
        expected = float(np.float32(x))
    cell = single_cell()
    cell[0] = x
    assert bits(round_to_f32(x)) == bits(cell[0]) == bits(expected)


def test_overflow_keeps_the_sign() -> None:
    assert round_to_f32(1e300) == math.inf
    assert round_to_f32(-1e300) == -math.inf


def test_cells_are_apart() -> None:
    one, other = single_cell(), single_cell()
    one[0], other[0] = 1.0, 2.0
    assert one[0] == 1.0


@given(st.integers(-(2**63), 2**63 - 1), st.integers(0, 40))
def test_integers_round_as_numpy_does(n: int, shift: int) -> None:
    n >>= shift
    assert integer_to_f32(n) == float(np.int64(n).astype(np.float32))
