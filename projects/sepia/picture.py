"""Checks the native result against NumPy and draws it: `build/out/sepia.png`.

Run in the project's directory after a build.
"""

import runpy
from pathlib import Path

import numpy as np
from PIL import Image

SIDE = 512


def main() -> None:
    """Compares element by element, then writes the picture."""
    result = np.load("build/differential/native/sepia/t1-o2.result.npy")
    reference = runpy.run_path("peers/numpy_sepia.py")["reference"]
    wanted = reference(np.load("data/photo.npy"))
    different = np.flatnonzero(result.reshape(-1) != wanted)
    if different.size:
        raise SystemExit(f"sepia differs from NumPy in {different.size} elements")
    target = Path("build/out/sepia.png")
    target.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(result.reshape(SIDE, SIDE, 3)).save(target)


if __name__ == "__main__":
    main()
