"""The filter with numba, which may contract and reorder."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-12


def _filter(signal: Any, taps: Any, result: Any) -> None:
    for t in numba.prange(result.size):
        total = 0.0
        for j in range(taps.size):
            total += taps[j] * signal[t + j]
        result[t] = total


fir = numba.njit(parallel=True, fastmath=True)(_filter)


def run(inputs: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """The result of program `fir` for its inputs."""
    signal, taps = inputs["signal"], inputs["taps"]
    result = np.empty(signal.size - taps.size + 1)
    fir(signal, taps, result)
    return result
