"""Rows with their mean taken away, divided by their spread, with NumPy, in place."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-4


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    rows, result = inputs["rows"], outputs[0]
    small = rows.dtype.type(0.00001)

    def run() -> None:
        np.subtract(rows, rows.mean(axis=1, keepdims=True), out=result)
        variance = np.einsum("ij,ij->i", result, result) / rows.dtype.type(rows.shape[1])
        np.divide(result, np.sqrt(variance + small)[:, np.newaxis], out=result)

    return run
