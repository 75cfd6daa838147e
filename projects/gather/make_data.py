"""Makes `data/values.npy` and `data/index.npy`: a photograph and a table that turns it.

The picture is the portrait of Rear Admiral Grace M. Hopper that matplotlib ships as
`sample_data/grace_hopper.jpg`: a work of the United States Navy, in the public domain.
The table says for each of 256 x 256 pixels which one it shows: the nearest one to its
place before a turn by 30 degrees about the middle. Beyond the borders the picture goes on
as in a mirror.
Needs `pip install matplotlib pillow numpy`.
"""

from pathlib import Path

import numpy as np
from matplotlib import cbook
from numpy.typing import NDArray
from PIL import Image

TOP = 10
SIDE = 256
DEGREES = 30.0


def mirrored(position: NDArray[np.float64]) -> NDArray[np.int32]:
    """The row or column nearest to a position, reflected into 0 to 255 at the borders."""
    place = np.mod(np.rint(position).astype(np.int32), 2 * SIDE)
    return np.where(place < SIDE, place, 2 * SIDE - 1 - place).astype(np.int32)


def turn() -> NDArray[np.int32]:
    """The index table, flat."""
    middle, angle = (SIDE - 1) / 2, np.radians(DEGREES)
    row, column = np.mgrid[0:SIDE, 0:SIDE].astype(np.float64) - middle
    rows = mirrored(middle + row * np.cos(angle) - column * np.sin(angle))
    columns = mirrored(middle + row * np.sin(angle) + column * np.cos(angle))
    return (rows * SIDE + columns).reshape(-1)


def main() -> None:
    """Saves photograph and table."""
    photograph = Image.open(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False))
    grey = np.asarray(photograph.convert("L"), dtype=np.float64)[TOP:, :][: 2 * SIDE, : 2 * SIDE]
    light = (grey / 255.0) ** 2.2
    halved = light.reshape(SIDE, 2, SIDE, 2).mean(axis=(1, 3))
    data = Path(__file__).parent / "data"
    data.mkdir(exist_ok=True)
    np.save(data / "values.npy", halved.astype(np.float32))
    np.save(data / "index.npy", turn())


if __name__ == "__main__":
    main()
