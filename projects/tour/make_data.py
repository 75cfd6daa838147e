"""Makes the inputs of program `statistics`: `data/rain.npy` and others.

Invented rainfall of twelve months in millimetres, with one decimal so that no value has
an exact binary form; the data is this project's own. Needs `pip install numpy`.
"""

from pathlib import Path

import numpy as np

RAIN = (52.3, 41.7, 38.9, 30.1, 61.4, 70.2, 88.6, 79.9, 44.4, 40.6, 57.8, 60.3)


def main() -> None:
    """Saves the four inputs."""
    data = Path(__file__).parent / "data"
    data.mkdir(exist_ok=True)
    months = np.arange(1, 13)
    np.save(data / "rain.npy", np.array(RAIN, dtype=np.float32))
    np.save(data / "threshold.npy", np.float32(65.5))
    np.save(data / "summer.npy", (months >= 6) & (months <= 8))
    np.save(data / "places.npy", np.array([[3000000000, 2], [-7, 11], [5, 5]], dtype=np.int64))


if __name__ == "__main__":
    main()
