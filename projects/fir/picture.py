"""Draws the measured series and the filtered one: `build/out/fir.png`.

Run in the project's directory after a build.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

WIDTH, HEIGHT, MARGIN = 760, 400, 44
LOWEST, HIGHEST, STEP = 310, 375, 10
FIRST_YEAR, WEEKS_A_YEAR = 1958.24, 365.25 / 7
INK, PALE, GRID, LINE = (40, 40, 40), (140, 170, 210), (225, 225, 225), (200, 40, 30)


def points(series: NDArray[np.float64], first: int, weeks: int) -> list[tuple[float, float]]:
    """Picture coordinates of a series whose first value belongs to week `first`."""
    across = (WIDTH - 2 * MARGIN) / (weeks - 1)
    up = (HEIGHT - 2 * MARGIN) / (HIGHEST - LOWEST)
    return [
        (MARGIN + (first + week) * across, HEIGHT - MARGIN - (float(value) - LOWEST) * up)
        for week, value in enumerate(series)
    ]


def main() -> None:
    """Writes the picture."""
    signal = np.load("data/signal.npy")
    smooth = np.load("build/differential/native/fir/t1-o2.result.npy")
    picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(picture)
    for level in range(LOWEST, HIGHEST + 1, STEP):
        (_, y), *_ = points(np.array([float(level)]), 0, 2)
        draw.line([(MARGIN, y), (WIDTH - MARGIN, y)], fill=GRID)
        draw.text((8, y - 6), str(level), fill=INK)
    for year in range(1960, 2001, 10):
        week = (year - FIRST_YEAR) * WEEKS_A_YEAR
        x = MARGIN + week * (WIDTH - 2 * MARGIN) / (signal.size - 1)
        draw.line([(x, MARGIN), (x, HEIGHT - MARGIN)], fill=GRID)
        draw.text((x - 12, HEIGHT - MARGIN + 8), str(year), fill=INK)
    draw.text((MARGIN, 14), "CO2 at Mauna Loa, ppm: weekly, and low-pass filtered", fill=INK)
    draw.line(points(signal, 0, signal.size), fill=PALE)
    late = (signal.size - smooth.size) // 2
    draw.line(points(smooth, late, signal.size), fill=LINE, width=2)
    target = Path("build/out/fir.png")
    target.parent.mkdir(parents=True, exist_ok=True)
    picture.save(target)


if __name__ == "__main__":
    main()
