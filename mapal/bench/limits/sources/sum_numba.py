"""The sum with numba, which may reorder it."""

from collections.abc import Callable, Mapping
from typing import Any

import numba
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-3


def _total(x: Any, result: Any) -> None:
    value = x[0] - x[0]
    for i in numba.prange(x.size):
        value += x[i]
    result[0] = value


total = numba.njit(fastmath=True, parallel=True)(_total)


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    x, result = inputs["x"], outputs[0].reshape(1)
    return lambda: total(x, result)
