"""The filter with NumPy: a weighted, shifted copy of the signal is added for each tap.

Sums run in the order of the taps, from zero on, each product and each sum rounded once:
the same bits as the program in exact arithmetic. In fused arithmetic the last bits
differ.
"""

import numpy as np
from numpy.typing import NDArray


def run(inputs: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """The result of program `fir` for its inputs."""
    signal, taps = inputs["signal"], inputs["taps"]
    count = signal.size - taps.size + 1
    total = np.zeros(count)
    for offset, tap in enumerate(taps):
        total += tap * signal[offset : offset + count]
    return total
