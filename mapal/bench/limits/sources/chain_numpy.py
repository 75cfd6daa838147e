"""Seven elementwise operations with NumPy, in place."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-3


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    x, y, result = inputs["x"], inputs["y"], outputs[0]
    real = x.dtype.type

    def run() -> None:
        np.multiply(x, real(1.7), out=result)
        np.add(result, real(0.3), out=result)
        np.multiply(result, y, out=result)
        np.subtract(result, real(0.7), out=result)
        np.abs(result, out=result)
        np.sqrt(result, out=result)
        np.add(result, x, out=result)

    return run
