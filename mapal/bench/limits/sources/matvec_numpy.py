"""A matrix times a vector with NumPy, into memory that is there."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-4


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    x, y = inputs["x"], outputs[0]
    a = inputs["a"].reshape(x.size, x.size)
    return lambda: np.matmul(a, x, out=y)
