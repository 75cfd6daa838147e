"""Makes `data/matrix.npy`: a real photograph as 256 x 256 values of light, float32.

The picture is the portrait of Rear Admiral Grace M. Hopper that matplotlib ships as
`sample_data/grace_hopper.jpg`: a work of the United States Navy, in the public domain.
Needs `pip install matplotlib pillow numpy`.
"""

from pathlib import Path

import numpy as np
from matplotlib import cbook
from PIL import Image

TOP = 10
SIDE = 256


def main() -> None:
    """Crops, turns bytes into light (gamma 2.2), halves by means of 2 x 2 pixels."""
    photograph = Image.open(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False))
    grey = np.asarray(photograph.convert("L"), dtype=np.float64)[TOP:, :][: 2 * SIDE, : 2 * SIDE]
    light = (grey / 255.0) ** 2.2
    halved = light.reshape(SIDE, 2, SIDE, 2).mean(axis=(1, 3))
    data = Path(__file__).parent / "data"
    data.mkdir(exist_ok=True)
    np.save(data / "matrix.npy", halved.astype(np.float32))


if __name__ == "__main__":
    main()
