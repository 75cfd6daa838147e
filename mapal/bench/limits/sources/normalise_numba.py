"""Rows with their mean taken away, divided by their spread, with numba."""

from collections.abc import Callable, Mapping
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-4


def _normalise(rows: Any, result: Any) -> None:
    for line in numba.prange(rows.shape[0]):
        row, out = rows[line], result[line]
        total = np.float32(0)
        for value in row:
            total += value
        mean = total / np.float32(row.size)
        squares = np.float32(0)
        for value in row:
            squares += (value - mean) * (value - mean)
        spread = np.sqrt(squares / np.float32(row.size) + np.float32(0.00001))
        for k in range(row.size):
            out[k] = (row[k] - mean) / spread


normalise = numba.njit(parallel=True, fastmath=True)(_normalise)


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    rows, result = inputs["rows"], outputs[0]
    return lambda: normalise(rows, result)
