"""Sobel edges with NumPy, in the same order of float32 operations as the program.

The convolutions add the nine weighted and shifted pictures one after the other, from
zero on, as the program's fold does.
"""

import numpy as np
from numpy.typing import NDArray

ACROSS = (-1.0, 0.0, 1.0, -2.0, 0.0, 2.0, -1.0, 0.0, 1.0)
DOWN = (-1.0, -2.0, -1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0)
SIDE = 256


def convolve(grey: NDArray[np.float32], kernel: tuple[float, ...]) -> NDArray[np.float32]:
    """The correlation of a square picture with a 3 x 3 kernel, two smaller on each side."""
    inner = grey.shape[0] - 2
    total = np.zeros((inner, inner), dtype=np.float32)
    for tap, weight in enumerate(kernel):
        row, column = divmod(tap, 3)
        total += grey[row : row + inner, column : column + inner] * np.float32(weight)
    return total


def run(inputs: dict[str, NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """The result of program `edges` for its inputs: 254 * 254 bytes."""
    photo = inputs["photo"].reshape(SIDE, SIDE, 3).astype(np.float32)
    grey = photo[:, :, 0] * np.float32(0.299) + photo[:, :, 1] * np.float32(0.587)
    grey += photo[:, :, 2] * np.float32(0.114)
    across, down = convolve(grey, ACROSS), convolve(grey, DOWN)
    strength = np.sqrt(across * across + down * down)
    return np.minimum(strength, np.float32(255.0)).astype(np.uint8).reshape(-1)
