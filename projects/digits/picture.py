"""Draws the last 200 digits, none of them trained on, with the class that the network gave each:
`build/out/digits.png`. Wrong classes are red and framed.

Run in the project's directory after a build.
"""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

ROWS, COLUMNS, SCALE, CELL = 10, 20, 4, 48
FIRST = 1597


def main() -> None:
    """Writes the picture."""
    images, labels = np.load("data/images.npy"), np.load("data/labels.npy")
    classes = np.load("build/differential/native/digits/t1-o2.result.npy")
    picture = Image.new("RGB", (COLUMNS * CELL, ROWS * CELL), "white")
    draw = ImageDraw.Draw(picture)
    for place in range(ROWS * COLUMNS):
        index = FIRST + place
        left, top = place % COLUMNS * CELL, place // COLUMNS * CELL
        grey = (255 - images[index].reshape(8, 8).astype(np.uint16) * 255 // 16).astype(np.uint8)
        digit = Image.fromarray(np.kron(grey, np.ones((SCALE, SCALE), dtype=np.uint8)))
        picture.paste(digit.convert("RGB"), (left + 2, top + 8))
        wrong = classes[index] != labels[index]
        ink = (200, 30, 30) if wrong else (40, 90, 40)
        draw.text((left + 37, top + 18), str(classes[index]), fill=ink)
        if wrong:
            draw.rectangle([left, top + 4, left + CELL - 2, top + CELL - 4], outline=ink)
    target = Path("build/out/digits.png")
    target.parent.mkdir(parents=True, exist_ok=True)
    picture.save(target)


if __name__ == "__main__":
    main()
