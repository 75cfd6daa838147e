"""The Mandelbrot set with numba, point by point."""

from math import sqrt
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

COLUMNS, COUNT, ROUNDS = 240, 38400, 100
RELATIVE_TOLERANCE = 0.02
TOLERATED_FRACTION = 0.01
"""Where a contraction keeps a point in for another round, its shade is another one."""


def _shade(left: float, top: float, step: float, columns: int, rounds: int, result: Any) -> None:
    for p in numba.prange(result.size):
        cx, cy = left + (p % columns) * step, top - (p // columns) * step
        x = y = 0.0
        n = 0
        while n < rounds:
            xx, yy = x * x, y * y
            if xx + yy > 4.0:
                break
            y = 2.0 * x * y + cy
            x = xx - yy + cx
            n += 1
        result[p] = 0 if n == rounds else np.uint8(sqrt(n / 100.0) * 255.0)


shade = numba.njit(parallel=True, fastmath=True)(_shade)


def run(inputs: dict[str, NDArray[np.float64]]) -> NDArray[np.uint8]:
    """The result of program `mandelbrot` for its inputs."""
    left, top, step = (float(inputs[name].item()) for name in ("left", "top", "step"))
    result = np.empty(COUNT, dtype=np.uint8)
    shade(left, top, step, COLUMNS, ROUNDS, result)
    return result
