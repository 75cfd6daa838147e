"""Draws the temperatures, dark blue for 5 degrees to white for the hottest:
`build/out/heat.png`.

Run in the project's directory after a build.
"""

from pathlib import Path

import numpy as np
from PIL import Image

SIDE, SCALE = 64, 6
COLDEST = 5.0
STOPS = ((0, 10, 60), (20, 60, 160), (150, 40, 140), (230, 90, 40), (250, 200, 70), (255, 255, 255))


def main() -> None:
    """Writes the picture."""
    warm = np.load("build/differential/native/heat/t1-o2.result.npy").reshape(SIDE, SIDE)
    scaled = (warm.astype(np.float64) - COLDEST) / (float(warm.max()) - COLDEST)
    place = np.sqrt(np.clip(scaled, 0.0, 1.0)) * (len(STOPS) - 1)
    stops = np.array(STOPS, dtype=np.float64)
    channels = [np.interp(place, np.arange(len(STOPS)), stops[:, channel]) for channel in range(3)]
    colours = np.rint(np.stack(channels, axis=-1)).astype(np.uint8)
    target = Path("build/out/heat.png")
    target.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.fromarray(colours)
    picture.resize((SIDE * SCALE, SIDE * SCALE), Image.Resampling.NEAREST).save(target)


if __name__ == "__main__":
    main()
