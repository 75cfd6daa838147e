"""The network with NumPy, in the same order of float32 operations as the program.

Each unit starts from its bias and adds its weighted inputs one after the other, each
product and each sum rounded once. That makes the scores equal bit for bit; the classes
would be, for nearly every digit, in any order.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


def layer(inputs: Array, weights: Array, bias: Array) -> Array:
    """Bias plus weighted sums: inputs (count, n), weights (units, n), bias (units,)."""
    total = np.repeat(bias[np.newaxis, :], inputs.shape[0], axis=0)
    for index in range(inputs.shape[1]):
        total += inputs[:, index, np.newaxis] * weights[np.newaxis, :, index]
    return total


def run(inputs: dict[str, NDArray[np.generic]]) -> NDArray[np.uint8]:
    """The result of program `digits` for its inputs: the class of each image."""
    pixels = inputs["images"].astype(np.float32) / np.float32(16.0)
    first = (inputs["hidden_weights"].astype(np.float32), inputs["hidden_bias"].astype(np.float32))
    second = (inputs["output_weights"].astype(np.float32), inputs["output_bias"].astype(np.float32))
    hidden = np.maximum(layer(pixels, *first), np.float32(0.0))
    scores = layer(hidden, *second)
    classes: NDArray[np.uint8] = np.argmax(scores, axis=1).astype(np.uint8)
    return classes
