"""Sepia toning with numba, pixel by pixel."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 0.005
"""A contraction may move a tone across a whole number."""

WEIGHTS = np.array(
    [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]], dtype=np.float32
)


def _tone(image: Any, weights: Any, toned: Any) -> None:
    half, least, most = np.float32(0.5), np.float32(0), np.float32(255)
    for pixel in numba.prange(image.shape[0]):
        red = np.float32(image[pixel, 0])
        green = np.float32(image[pixel, 1])
        blue = np.float32(image[pixel, 2])
        for channel in range(3):
            tone = red * weights[channel, 0] + green * weights[channel, 1]
            tone = tone + blue * weights[channel, 2] + half
            toned[pixel, channel] = np.uint8(min(max(tone, least), most))


tone = numba.njit(parallel=True, fastmath=True)(_tone)


def run(inputs: dict[str, NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """The result of program `sepia` for its inputs."""
    image = inputs["image"].reshape(-1, 3)
    toned = np.empty_like(image)
    tone(image, WEIGHTS, toned)
    return toned
