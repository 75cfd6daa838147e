"""The transpose with NumPy, into memory that is there."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    n = round(outputs[0].size ** 0.5)
    turned, result = inputs["matrix"].reshape(n, n).T, outputs[0].reshape(n, n)
    return lambda: np.copyto(result, turned)
