"""Makes the matrices of this project: `data/a-128.npy` and so on.

The elements are small whole numbers divided by 101 and multiplied by a tenth. Nearly
none has an exact binary form, so a sum in another order, or with a product that is not
rounded, has other last bits. Needs `pip install numpy`.
"""

from pathlib import Path

import numpy as np

SIZES = (64, 128)


def main() -> None:
    """Saves both matrices of each size."""
    data = Path(__file__).parent / "data"
    data.mkdir(exist_ok=True)
    for size in SIZES:
        cells = np.arange(size * size)
        a = ((7 * cells + 13) % 101 - 50).astype(np.float32) / np.float32(101.0)
        b = ((7 * cells + 57) % 101 - 50).astype(np.float32) * np.float32(0.1)
        np.save(data / f"a-{size}.npy", a.reshape(size, size))
        np.save(data / f"b-{size}.npy", b.reshape(size, size))


if __name__ == "__main__":
    main()
