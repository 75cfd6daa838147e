"""The network with NumPy.

`run` multiplies whole matrices: the library that NumPy was built with chooses the order of
the sums, and the classes come out the same, because no two scores of a digit are that
close. `scores` adds the weighted inputs of a unit to its bias one after the other, each
product and each sum rounded, and has the program's bits.
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


def scores(inputs: dict[str, Array]) -> Array:
    """The ten scores of each image, in the program's order of operations."""
    pixels = inputs["images"].astype(np.float32) / np.float32(16.0)
    hidden = layer(pixels, inputs["hidden_weights"], inputs["hidden_bias"])
    rectified = np.maximum(hidden, np.float32(0.0))
    return layer(rectified, inputs["output_weights"], inputs["output_bias"])


def run(inputs: dict[str, Array]) -> NDArray[np.uint8]:
    """The result of program `digits` for its inputs: the class of each image."""
    pixels = inputs["images"].astype(np.float32) / np.float32(16.0)
    hidden = pixels @ inputs["hidden_weights"].T + inputs["hidden_bias"]
    rectified = np.maximum(hidden, np.float32(0.0))
    found = rectified @ inputs["output_weights"].T + inputs["output_bias"]
    classes: NDArray[np.uint8] = np.argmax(found, axis=1).astype(np.uint8)
    return classes
