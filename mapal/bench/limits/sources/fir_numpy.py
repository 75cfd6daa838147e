"""The filter with NumPy."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-5


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    signal, taps, result = inputs["signal"], inputs["taps"], outputs[0]

    def run() -> None:
        result[...] = np.correlate(signal, taps, "valid")

    return run
