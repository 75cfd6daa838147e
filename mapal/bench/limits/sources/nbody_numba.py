"""Bodies under their own gravity with numba."""

from collections.abc import Callable, Mapping
from math import sqrt
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-9
STEPS = 4392


def _simulate(start: Any, end: Any, steps: int) -> None:
    count = start.shape[0]
    mass = start[:, 0].copy()
    x, y, z = start[:, 1].copy(), start[:, 2].copy(), start[:, 3].copy()
    u, v, w = start[:, 4].copy(), start[:, 5].copy(), start[:, 6].copy()
    ax, ay, az = np.empty(count), np.empty(count), np.empty(count)
    for _ in range(steps):
        for i in range(count):
            x[i] += 0.5 * u[i]
            y[i] += 0.5 * v[i]
            z[i] += 0.5 * w[i]
            ax[i] = ay[i] = az[i] = 0.0
        for j in range(count):
            for i in range(count):
                dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
                square = dx * dx + dy * dy + dz * dz
                safe = square if square > 0.0 else 1.0
                weight = mass[j] / (safe * sqrt(safe)) if square > 0.0 else 0.0
                ax[i] += weight * dx
                ay[i] += weight * dy
                az[i] += weight * dz
        for i in range(count):
            u[i] += ax[i]
            v[i] += ay[i]
            w[i] += az[i]
            x[i] += 0.5 * u[i]
            y[i] += 0.5 * v[i]
            z[i] += 0.5 * w[i]
    end[:, 0] = mass
    end[:, 1], end[:, 2], end[:, 3] = x, y, z
    end[:, 4], end[:, 5], end[:, 6] = u, v, w


simulate = numba.njit(fastmath=True, error_model="numpy")(_simulate)


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    start, end = inputs["start"].reshape(-1, 7), outputs[0].reshape(-1, 7)
    return lambda: simulate(start, end, STEPS)
