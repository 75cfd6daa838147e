"""The plate with numba, in two buffers that change roles."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

SIDE, STEPS = 64, 150
RELATIVE_TOLERANCE = 1e-5


def _step(before: Any, after: Any, power: Any, held: Any) -> None:
    fifth, four = np.float32(0.2), np.float32(4)
    for row in range(1, before.shape[0] - 1):
        above, here, below = before[row - 1], before[row], before[row + 1]
        for column in range(1, before.shape[1] - 1):
            around = above[column] + below[column] + here[column - 1] + here[column + 1]
            moved = here[column] + fifth * (around - four * here[column]) + power[row, column]
            after[row, column] = here[column] if held[row, column] else moved


step = numba.njit(fastmath=True)(_step)


def _simulate(heat: Any, other: Any, power: Any, held: Any, steps: int) -> None:
    for _ in range(steps // 2):
        step(heat, other, power, held)
        step(other, heat, power, held)


simulate = numba.njit(fastmath=True)(_simulate)


def run(inputs: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
    """The result of program `heat` for its inputs."""
    heat = inputs["plate"].reshape(SIDE, SIDE).copy()
    power, held = (inputs[name].reshape(SIDE, SIDE) for name in ("power", "held"))
    simulate(heat, heat.copy(), power, held, STEPS)
    return heat
