"""The matrix product with NumPy, into memory that is there."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-4


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    n = round(outputs[0].size ** 0.5)
    a, b, c = inputs["a"].reshape(n, n), inputs["b"].reshape(n, n), outputs[0].reshape(n, n)
    return lambda: np.matmul(a, b, out=c)
