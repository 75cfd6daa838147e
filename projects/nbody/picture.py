"""Draws the orbits, the inner planets beside all of them: `build/out/nbody.png`.

Run in the project's directory after a build.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

SIDE = 380
COLOURS = (
    (230, 170, 0),
    (120, 120, 120),
    (200, 150, 90),
    (40, 110, 200),
    (200, 60, 40),
    (180, 120, 70),
    (150, 140, 60),
    (60, 170, 170),
    (60, 60, 190),
)


def draw_orbits(
    picture: Image.Image, left: int, orbits: NDArray[np.float64], radius: float
) -> None:
    """Draws a dot for each body and instant whose distance is within `radius` units."""
    draw = ImageDraw.Draw(picture)
    middle = SIDE / 2
    for body, colour in enumerate(COLOURS):
        size = 3.0 if body == 0 else 1.5
        for x, y in orbits[:, body, :2]:
            across, up = x / radius * middle, y / radius * middle
            if max(abs(across), abs(up)) < middle - 4:
                column, row = left + middle + across, middle - up
                draw.ellipse([column - size, row - size, column + size, row + size], fill=colour)


def main() -> None:
    """Writes the picture."""
    orbits = np.load("build/differential/native/nbody/t1-o2.result.npy")
    picture = Image.new("RGB", (2 * SIDE, SIDE), "white")
    draw_orbits(picture, 0, orbits, 1.8)
    draw_orbits(picture, SIDE, orbits, 32.0)
    ImageDraw.Draw(picture).line([(SIDE, 0), (SIDE, SIDE)], fill=(200, 200, 200))
    target = Path("build/out/nbody.png")
    target.parent.mkdir(parents=True, exist_ok=True)
    picture.save(target)


if __name__ == "__main__":
    main()
