"""Draws the result: `build/out/mandelbrot.png`, 240 x 160 greys, twice enlarged.

Run in the project's directory after a build.
"""

from pathlib import Path

import numpy as np
from PIL import Image

ROWS, COLUMNS = 160, 240


def main() -> None:
    """Writes the picture."""
    result = np.load("build/differential/native/mandelbrot/t1-o2.result.npy")
    target = Path("build/out/mandelbrot.png")
    target.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.fromarray(result.reshape(ROWS, COLUMNS))
    picture.resize((2 * COLUMNS, 2 * ROWS), Image.Resampling.NEAREST).save(target)


if __name__ == "__main__":
    main()
