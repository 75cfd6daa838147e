"""The matrix product with NumPy.

`run` is `a @ b`: the library that NumPy was built with chooses the order of the sums and
may fuse, so the last bits may differ. `reference` adds the products from left to right,
each rounded, and has the program's bits in exact arithmetic.
"""

import numpy as np
from numpy.typing import NDArray

RELATIVE_TOLERANCE = 1e-4
"""How far `run` may be from the program's result, relative to the largest element."""


def reference(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """The product of two square matrices, flat, in the program's order of operations."""
    size = a.shape[0]
    total = np.zeros((size, size), dtype=np.float32)
    for k in range(size):
        total += a[:, k, np.newaxis] * b[np.newaxis, k, :]
    return total.reshape(-1)


def run(inputs: dict[str, NDArray[np.float32]]) -> NDArray[np.float32]:
    """The result of program `matmul` for its inputs."""
    product: NDArray[np.float32] = inputs["a"] @ inputs["b"]
    return product.reshape(-1)
