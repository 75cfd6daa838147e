"""Makes `data/planets.npy`: the Sun and the eight planets at noon of 1 January 2000.

A row is a body, from the Sun outward: gravitational parameter (cubic astronomical units
a square day), place (astronomical units), speed (astronomical units a day). Places and
speeds are those of ERFA's `plan94` (the series of J. L. Simon and others, Astronomy and
Astrophysics 282, 663, 1994), turned into the plane of the ecliptic, with the barycentre
at rest at the origin. The third body is the Earth with the Moon. The reciprocal masses
are those of the IAU (2009) system of astronomical constants.

Needs `pip install pyerfa numpy`. ERFA is under a BSD licence.
"""

from importlib import import_module
from pathlib import Path

import numpy as np

EPOCH = 2451545.0
OBLIQUITY = np.radians(23.43929111)
GAUSSIAN_CONSTANT = 0.01720209895
RECIPROCAL_MASSES = (
    1.0,
    6023600.0,
    408523.719,
    328900.5596,
    3098703.59,
    1047.348644,
    3497.9018,
    22902.98,
    19412.26,
)


def main() -> None:
    """Saves the bodies as an array of shape (9, 7), float64."""
    erfa = import_module("erfa")
    rows = [np.zeros(6)]
    for planet in range(1, 9):
        state = erfa.plan94(EPOCH, 0.0, planet)
        rows.append(np.concatenate([state["p"], state["v"]]))
    states = np.array(rows)

    cosine, sine = np.cos(OBLIQUITY), np.sin(OBLIQUITY)
    for first in (1, 4):
        y, z = states[:, first].copy(), states[:, first + 1].copy()
        states[:, first] = cosine * y + sine * z
        states[:, first + 1] = cosine * z - sine * y

    masses = GAUSSIAN_CONSTANT**2 / np.array(RECIPROCAL_MASSES)
    states -= (masses[:, np.newaxis] * states).sum(axis=0) / masses.sum()

    data = Path(__file__).parent / "data"
    data.mkdir(exist_ok=True)
    np.save(data / "planets.npy", np.column_stack([masses, states]))


if __name__ == "__main__":
    main()
