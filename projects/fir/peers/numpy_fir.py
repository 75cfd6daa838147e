"""The filter with NumPy.

`run` is `np.correlate`, which is free to choose the order of its sums, so the last bits may
differ. `reference` adds a weighted, shifted copy of the signal for each tap, in the order
of the taps, each product and each sum rounded: the program's bits in exact arithmetic.
"""

import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-12
"""How far `run` may be from the program's result, relative to the largest element."""


def reference(signal: NDArray[np.float64], taps: NDArray[np.float64]) -> NDArray[np.float64]:
    """The filtered signal, in the program's order of operations."""
    count = signal.size - taps.size + 1
    total = np.zeros(count)
    for offset, tap in enumerate(taps):
        total += tap * signal[offset : offset + count]
    return total


def run(inputs: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """The result of program `fir` for its inputs."""
    return np.correlate(inputs["signal"], inputs["taps"], mode="valid")
