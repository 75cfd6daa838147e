"""The plate with NumPy, in the same order of float32 operations as the program.

The new temperature of all cells inside the rim is computed with shifted views, and held
cells are put back.
"""

import numpy as np
from numpy.typing import NDArray

SIDE, STEPS = 64, 150


def run(inputs: dict[str, NDArray[np.generic]]) -> NDArray[np.float32]:
    """The result of program `heat` for its inputs, flat."""
    heat = inputs["plate"].astype(np.float32).reshape(SIDE, SIDE)
    power = inputs["power"].astype(np.float32).reshape(SIDE, SIDE)[1:-1, 1:-1]
    held = inputs["held"].astype(np.bool_).reshape(SIDE, SIDE)[1:-1, 1:-1]
    conduct, four = np.float32(0.2), np.float32(4.0)
    for _ in range(STEPS):
        here = heat[1:-1, 1:-1]
        around = heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:]
        moved = here + conduct * (around - four * here) + power
        heat[1:-1, 1:-1] = np.where(held, here, moved)
    return heat.reshape(-1)
