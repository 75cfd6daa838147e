"""The planets with numba."""

from math import sqrt
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

FRAMES, DAYS_A_FRAME = 183, 24
RELATIVE_TOLERANCE = 1e-9


def _kick(mass: Any, place: Any, speed: Any, pull: Any) -> None:
    count = mass.size
    pull[:] = 0.0
    for j in range(count):
        for i in range(count):
            dx = place[0, j] - place[0, i]
            dy = place[1, j] - place[1, i]
            dz = place[2, j] - place[2, i]
            square = dx * dx + dy * dy + dz * dz
            safe = square if square > 0.0 else 1.0
            weight = mass[j] / (safe * sqrt(safe)) if square > 0.0 else 0.0
            pull[0, i] += weight * dx
            pull[1, i] += weight * dy
            pull[2, i] += weight * dz
    for axis in range(3):
        for i in range(count):
            speed[axis, i] += pull[axis, i]


kick = numba.njit(fastmath=True, error_model="numpy")(_kick)


def _drift(place: Any, speed: Any) -> None:
    for axis in range(3):
        for i in range(place.shape[1]):
            place[axis, i] += 0.5 * speed[axis, i]


drift = numba.njit(fastmath=True)(_drift)


def _simulate(mass: Any, place: Any, speed: Any, orbits: Any, days: int) -> None:
    pull = np.empty_like(place)
    for frame in range(orbits.shape[0]):
        for i in range(mass.size):
            for axis in range(3):
                orbits[frame, i, axis] = place[axis, i]
        for _ in range(days):
            drift(place, speed)
            kick(mass, place, speed, pull)
            drift(place, speed)


simulate = numba.njit(fastmath=True, error_model="numpy")(_simulate)


def run(inputs: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """The result of program `nbody` for its inputs."""
    planets = inputs["planets"]
    mass = planets[:, 0].copy()
    place, speed = planets[:, 1:4].T.copy(), planets[:, 4:7].T.copy()
    orbits = np.empty((FRAMES, mass.size, 3))
    simulate(mass, place, speed, orbits, DAYS_A_FRAME)
    return orbits
