"""A small network that reads digits, with numba."""

from collections.abc import Callable, Mapping
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray


def _classify(images: Any, first: Any, bias: Any, second: Any, last: Any, classes: Any) -> None:
    for image in numba.prange(images.shape[0]):
        hidden = bias.copy()
        for k in range(64):
            pixel = np.float32(images[image, k]) / np.float32(16)
            for unit in range(16):
                hidden[unit] += first[k, unit] * pixel
        scores = last.copy()
        for k in range(16):
            value = max(hidden[k], np.float32(0))
            for unit in range(10):
                scores[unit] += second[k, unit] * value
        classes[image] = np.argmax(scores)


classify = numba.njit(parallel=True, fastmath=True)(_classify)


def prepare(
    inputs: Mapping[str, NDArray[Any]], outputs: list[NDArray[Any]]
) -> Callable[[], object]:
    images = inputs["images"]
    first = np.ascontiguousarray(inputs["hidden_weights"].T)
    second = np.ascontiguousarray(inputs["output_weights"].T)
    bias, last = inputs["hidden_bias"], inputs["output_bias"]
    return lambda: classify(images, first, bias, second, last, outputs[0])
