"""Makes `data/left.npy`, `data/top.npy` and `data/step.npy`: the part of the complex
plane to show.

The coordinates of the upper left point, and the distance from a point to the next. The
data is this project's own. Needs `pip install numpy`.
"""

from pathlib import Path

import numpy as np

VIEW = {"left": -2.2, "top": 1.0, "step": 0.0125}


def main() -> None:
    """Saves the view as three scalars."""
    data = Path(__file__).parent / "data"
    data.mkdir(exist_ok=True)
    for name, value in VIEW.items():
        np.save(data / f"{name}.npy", np.float64(value))


if __name__ == "__main__":
    main()
