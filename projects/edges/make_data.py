"""Makes `data/photo.npy`: a real photograph as 256 x 256 x 3 bytes.

The picture is the portrait of Rear Admiral Grace M. Hopper that matplotlib ships as
`sample_data/grace_hopper.jpg`: a work of the United States Navy, in the public domain.
Needs `pip install matplotlib pillow numpy`. JPEG decoders differ in the last bit, so the
array that the build uses is kept with the project and not made anew.
"""

from pathlib import Path

import numpy as np
from matplotlib import cbook
from PIL import Image

TOP = 10
SIDE = 256


def main() -> None:
    """Crops the portrait to a square, halves it by means of 2 x 2 pixels, saves it."""
    photograph = Image.open(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False))
    pixels = np.asarray(photograph.convert("RGB"), dtype=np.uint32)
    square = pixels[TOP : TOP + 2 * SIDE, : 2 * SIDE]
    halved = (square.reshape(SIDE, 2, SIDE, 2, 3).sum(axis=(1, 3)) + 2) // 4
    data = Path(__file__).parent / "data"
    data.mkdir(exist_ok=True)
    np.save(data / "photo.npy", halved.astype(np.uint8))


if __name__ == "__main__":
    main()
