"""A matrix times a vector with numba, which may reorder sums."""

from collections.abc import Callable, Mapping
from typing import Any

import numba
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-4


def _product(a: Any, x: Any, y: Any) -> None:
    for row in numba.prange(y.size):
        line = a[row]
        total = x[0] - x[0]
        for k in range(x.size):
            total += line[k] * x[k]
        y[row] = total


product = numba.njit(parallel=True, fastmath=True)(_product)


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    x, y = inputs["x"], outputs[0]
    a = inputs["a"].reshape(x.size, x.size)
    return lambda: product(a, x, y)
