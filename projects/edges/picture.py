"""Draws the native result: `build/out/edges.png`, 254 x 254 grey.

Run in the project's directory after a build.
"""

from pathlib import Path

import numpy as np
from PIL import Image

SIDE = 254


def main() -> None:
    """Writes the picture."""
    result = np.load("build/differential/native/edges/t1-o2.result.npy")
    target = Path("build/out/edges.png")
    target.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(result.reshape(SIDE, SIDE)).save(target)


if __name__ == "__main__":
    main()
