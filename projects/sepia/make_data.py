"""Makes `data/photo.npy`: a real photograph as 512 x 512 x 3 bytes.

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
SIDE = 512


def main() -> None:
    """Crops the portrait to a square and saves it."""
    photograph = Image.open(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False))
    pixels = np.asarray(photograph.convert("RGB"), dtype=np.uint8)
    square = np.ascontiguousarray(pixels[TOP : TOP + SIDE, :SIDE])
    data = Path(__file__).parent / "data"
    data.mkdir(exist_ok=True)
    np.save(data / "photo.npy", square)


if __name__ == "__main__":
    main()
