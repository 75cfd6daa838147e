"""Draws the photograph and its turned copy side by side: `build/out/gather.png`.

Run in the project's directory after a build.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

SIDE = 256


def to_bytes(light: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Light of 0 to 1 as the bytes of a picture (gamma 2.2)."""
    return np.rint(light.astype(np.float64) ** (1.0 / 2.2) * 255.0).astype(np.uint8)


def main() -> None:
    """Writes the picture."""
    before = np.load("data/values.npy")
    after = np.load("build/differential/native/gather/t1-o2.result.npy")
    pair = np.hstack([to_bytes(before), to_bytes(after.reshape(SIDE, SIDE))])
    target = Path("build/out/gather.png")
    target.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pair).save(target)


if __name__ == "__main__":
    main()
