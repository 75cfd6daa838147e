"""The convolution with numba."""

from collections.abc import Callable, Mapping
from typing import Any

import numba
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-5


def _convolve(image: Any, kernel: Any, result: Any) -> None:
    rows, columns = result.shape
    k0, k1, k2, k3, k4, k5, k6, k7, k8 = kernel
    for row in numba.prange(rows):
        above, here, below, out = image[row], image[row + 1], image[row + 2], result[row]
        for column in range(columns):
            out[column] = (
                k0 * above[column] + k1 * above[column + 1] + k2 * above[column + 2]
                + k3 * here[column] + k4 * here[column + 1] + k5 * here[column + 2]
                + k6 * below[column] + k7 * below[column + 1] + k8 * below[column + 2]
            )  # fmt: skip


convolve = numba.njit(parallel=True, fastmath=True)(_convolve)


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    n = round(outputs[0].size ** 0.5)
    image, result = inputs["image"].reshape(n + 2, n + 2), outputs[0].reshape(n, n)
    kernel = tuple(inputs["kernel"])
    return lambda: convolve(image, kernel, result)
