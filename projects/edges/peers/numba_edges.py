"""Sobel edges with numba."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

SIDE, INNER = 256, 254
RELATIVE_TOLERANCE = 0.005
"""A contraction may move a strength across a whole number."""


def _edges(photo: Any, grey: Any, result: Any) -> None:
    for i in range(grey.size):
        grey.flat[i] = (
            np.float32(photo[3 * i]) * np.float32(0.299)
            + np.float32(photo[3 * i + 1]) * np.float32(0.587)
            + np.float32(photo[3 * i + 2]) * np.float32(0.114)
        )
    two, most = np.float32(2), np.float32(255)
    for row in numba.prange(result.shape[0]):
        above, here, below, out = grey[row], grey[row + 1], grey[row + 2], result[row]
        for column in range(result.shape[1]):
            first, third = above[column], above[column + 2]
            seventh, ninth = below[column], below[column + 2]
            across = (third - first) + two * (here[column + 2] - here[column]) + (ninth - seventh)
            down = (seventh - first) + two * (below[column + 1] - above[column + 1])
            down += ninth - third
            strength = np.sqrt(across * across + down * down)
            out[column] = np.uint8(min(strength, most))


edges = numba.njit(parallel=True, fastmath=True)(_edges)


def run(inputs: dict[str, NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """The result of program `edges` for its inputs."""
    grey = np.empty((SIDE, SIDE), dtype=np.float32)
    result = np.empty((INNER, INNER), dtype=np.uint8)
    edges(inputs["photo"].reshape(-1), grey, result)
    return result
