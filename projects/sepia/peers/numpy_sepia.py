"""Sepia toning with NumPy, in the same order of float32 operations as the program.

Every product and every sum is an array operation of its own and rounds once, so the
result is the program's bit for bit. `@` or `einsum` would be free to fuse or reorder.
"""

import numpy as np
from numpy.typing import NDArray

WEIGHTS = (
    (0.393, 0.769, 0.189),
    (0.349, 0.686, 0.168),
    (0.272, 0.534, 0.131),
)


def reference(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The toned picture, flat, of `image` in any shape with red, green, blue in turn."""
    pixels = image.reshape(-1, 3).astype(np.float32)
    red, green, blue = pixels[:, 0], pixels[:, 1], pixels[:, 2]
    toned = np.empty(pixels.shape, dtype=np.uint8)
    for channel, (from_red, from_green, from_blue) in enumerate(WEIGHTS):
        tone = red * np.float32(from_red) + green * np.float32(from_green)
        tone += blue * np.float32(from_blue)
        tone += np.float32(0.5)
        toned[:, channel] = np.clip(tone, np.float32(0.0), np.float32(255.0)).astype(np.uint8)
    return toned.reshape(-1)


def run(inputs: dict[str, NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """The result of program `sepia` for its inputs."""
    return reference(inputs["image"])
