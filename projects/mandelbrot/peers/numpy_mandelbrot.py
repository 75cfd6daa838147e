"""The Mandelbrot set with NumPy, in the same order of float64 operations as the program.

All points go through every round together; one that has escaped keeps its values.
"""

import numpy as np
from numpy.typing import NDArray

ROWS, COLUMNS, ROUNDS = 160, 240, 100


def run(inputs: dict[str, NDArray[np.float64]]) -> NDArray[np.uint8]:
    """The result of program `mandelbrot` for its inputs, flat."""
    left, top, step = (float(inputs[name].item()) for name in ("left", "top", "step"))
    cx = np.tile(left + np.arange(COLUMNS, dtype=np.float64) * step, ROWS)
    cy = np.repeat(top - np.arange(ROWS, dtype=np.float64) * step, COLUMNS)
    x, y = np.zeros_like(cx), np.zeros_like(cy)
    count = np.zeros(cx.size, dtype=np.int32)
    for _ in range(ROUNDS):
        xx, yy = x * x, y * y
        inside = xx + yy <= 4.0
        x, y = np.where(inside, xx - yy + cx, x), np.where(inside, 2.0 * x * y + cy, y)
        count += inside
    glow = np.sqrt(count / 100.0) * 255.0
    return np.where(count == ROUNDS, 0.0, glow).astype(np.uint8)
