"""Makes `data/plate.npy`, `data/power.npy` and `data/held.npy`.

A plate of 64 x 64 cells at 20.1 degrees carries two heaters, 1.7 and 0.9 degrees a step,
and a cooled hole that is held at 5.3 degrees like the rim is at 20.1. The data is this
project's own. Needs `pip install numpy`.
"""

from pathlib import Path

import numpy as np

SIDE = 64


def main() -> None:
    """Saves temperatures, heating a step, and which cells keep their temperature."""
    plate = np.full((SIDE, SIDE), 20.1, dtype=np.float32)
    power = np.zeros((SIDE, SIDE), dtype=np.float32)
    held = np.zeros((SIDE, SIDE), dtype=np.bool_)
    held[[0, -1], :] = True
    held[:, [0, -1]] = True

    power[12:20, 10:26] = 1.7
    power[38:46, 40:48] = 0.9
    row, column = np.mgrid[0:SIDE, 0:SIDE]
    hole = (row - 44) ** 2 + (column - 20) ** 2 <= 36
    held |= hole
    plate[hole] = 5.3

    data = Path(__file__).parent / "data"
    data.mkdir(exist_ok=True)
    np.save(data / "plate.npy", plate)
    np.save(data / "power.npy", power)
    np.save(data / "held.npy", held)


if __name__ == "__main__":
    main()
