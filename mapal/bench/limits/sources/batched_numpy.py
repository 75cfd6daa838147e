"""Many products of 4 x 4 matrices with NumPy, into memory that is there."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-5


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    a, b = inputs["a"].reshape(-1, 4, 4), inputs["b"].reshape(-1, 4, 4)
    c = outputs[0].reshape(-1, 4, 4)
    return lambda: np.matmul(a, b, out=c)
