"""The transpose with numba, in blocks."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

SIDE, BLOCK = 256, 16


def _turn(matrix: Any, result: Any, block: int) -> None:
    for column in numba.prange(matrix.shape[1] // block):
        for row in range(0, matrix.shape[0], block):
            for j in range(column * block, column * block + block):
                for i in range(row, row + block):
                    result[j, i] = matrix[i, j]


turn = numba.njit(parallel=True)(_turn)


def run(inputs: dict[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    """The result of program `transpose` for its inputs."""
    result = np.empty((SIDE, SIDE), dtype=np.float32)
    turn(inputs["matrix"].reshape(SIDE, SIDE), result, BLOCK)
    return result
