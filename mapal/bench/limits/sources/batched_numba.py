"""Many products of 4 x 4 matrices with numba."""

from collections.abc import Callable, Mapping
from typing import Any

import numba
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-5


def _products(a: Any, b: Any, c: Any) -> None:
    for matrix in numba.prange(a.shape[0]):
        for row in range(4):
            for column in range(4):
                total = a[matrix, row, 0] * b[matrix, 0, column]
                for k in range(1, 4):
                    total += a[matrix, row, k] * b[matrix, k, column]
                c[matrix, row, column] = total


products = numba.njit(parallel=True, fastmath=True)(_products)


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    a, b = inputs["a"].reshape(-1, 4, 4), inputs["b"].reshape(-1, 4, 4)
    c = outputs[0].reshape(-1, 4, 4)
    return lambda: products(a, b, c)
