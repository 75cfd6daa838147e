"""The Mandelbrot set with numba, point by point."""

from collections.abc import Callable, Mapping
from typing import Any

import numba
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 0.011
TOLERATED_FRACTION = 0.01
WIDTH, MOST = 640, 100


def _escape(left: Any, top: Any, size: Any, width: int, most: int, result: Any) -> None:
    for p in numba.prange(result.size):
        cx, cy = left + (p % width) * size, top - (p // width) * size
        x = y = left - left
        n = 0
        while n < most:
            xx, yy = x * x, y * y
            if xx + yy > 4.0:
                break
            y = 2 * x * y + cy
            x = xx - yy + cx
            n += 1
        result[p] = n


escape = numba.njit(parallel=True, fastmath=True)(_escape)


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    left, top, size = (inputs[name][()] for name in ("left", "top", "step"))
    return lambda: escape(left, top, size, WIDTH, MOST, outputs[0])
