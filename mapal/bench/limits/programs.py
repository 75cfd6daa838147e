"""Rows that are small programs: stencils, bodies, escape times, inference, normalisation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.bench.limits.rows import FAST, NO_ERRNO, Goal, Peer, Row, fractions

_BETTER = (Goal(peers=("c", "numba"), ratio=1.0),)
"""What is to be reached by a program: the better of these two."""


def heat_rows() -> Iterator[Row]:
    """A plate of 1024 x 1024 cells over 100 steps."""
    n, steps = 1024, 100
    yield Row(
        name="heat",
        template="heat",
        real="f32",
        arithmetic="exact",
        words={"n": n, "cells": n * n, "steps": steps, "last": n - 1},
        inputs=lambda generator: {"plate": fractions(generator, n * n, "<f4")},
        peers=(
            Peer(name="c", file="heat.c"),
            Peer(name="cfast", file="heat.c", flags=FAST),
            Peer(name="numba", file="heat_numba.py"),
        ),
        goals=_BETTER,
        flop=7 * n * n * steps,
        bytes=8 * n * n * steps,
    )


def nbody_rows() -> Iterator[Row]:
    """Nine bodies over twelve years in days."""
    n, steps = 9, 4392
    yield Row(
        name="nbody",
        template="nbody",
        real="f64",
        arithmetic="exact",
        words={"n": n, "steps": steps},
        inputs=_bodies,
        peers=(
            Peer(name="c", file="nbody.c", flags=NO_ERRNO),
            Peer(name="c-pairs", file="nbody_pairs.c", flags=NO_ERRNO),
            Peer(name="cfast", file="nbody.c", flags=FAST),
            Peer(name="numba", file="nbody_numba.py"),
        ),
        goals=_BETTER,
        flop=(20 * n * n + 18 * n) * steps,
        bytes=None,
    )


def _bodies(generator: np.random.Generator) -> dict[str, NDArray[Any]]:
    """A star and eight light bodies around it."""
    bodies = np.zeros((9, 7))
    bodies[0, 0] = 2.96e-4
    bodies[1:, 0] = generator.uniform(1e-11, 3e-7, 8)
    distance = np.geomspace(0.4, 30.0, 8)
    angle = generator.uniform(0.0, 2 * np.pi, 8)
    speed = np.sqrt(bodies[0, 0] / distance)
    bodies[1:, 1], bodies[1:, 2] = distance * np.cos(angle), distance * np.sin(angle)
    bodies[1:, 3] = generator.uniform(-0.05, 0.05, 8)
    bodies[1:, 4], bodies[1:, 5] = -speed * np.sin(angle), speed * np.cos(angle)
    return {"start": bodies}


def mandelbrot_rows() -> Iterator[Row]:
    """640 x 480 points, at most 100 rounds."""
    width, height, most = 640, 480, 100
    yield Row(
        name="mandelbrot",
        template="mandelbrot",
        real="f64",
        arithmetic="exact",
        words={"width": width, "cells": width * height, "most": most},
        inputs=lambda generator: {
            "left": np.array(-2.1, "<f8"),
            "top": np.array(1.2, "<f8"),
            "step": np.array(0.005, "<f8"),
        },
        peers=(
            Peer(name="c", file="mandelbrot.c"),
            Peer(name="cfast", file="mandelbrot.c", flags=FAST),
            Peer(name="numba", file="mandelbrot_numba.py"),
        ),
        goals=_BETTER,
        flop=None,
        bytes=width * height,
    )


def digits_rows() -> Iterator[Row]:
    """Inference of a small network."""
    images = 1797
    yield Row(
        name="digits",
        template="digits",
        real="f32",
        arithmetic="exact",
        words={"images": images},
        inputs=lambda generator: {
            "images": generator.integers(0, 17, (images, 64), dtype="u1"),
            "hidden_weights": fractions(generator, 16 * 64, "<f4").reshape(16, 64),
            "hidden_bias": fractions(generator, 16, "<f4"),
            "output_weights": fractions(generator, 160, "<f4").reshape(10, 16),
            "output_bias": fractions(generator, 10, "<f4"),
        },
        peers=(
            Peer(name="c", file="digits.c"),
            Peer(name="cfast", file="digits.c", flags=FAST),
            Peer(name="numba", file="digits_numba.py"),
            Peer(name="numpy", file="digits_numpy.py"),
        ),
        goals=_BETTER,
        flop=2 * (64 * 16 + 16 * 10) * images,
        bytes=65 * images,
    )


def normalise_rows() -> Iterator[Row]:
    """The rows of a matrix that is larger than the caches."""
    n = 4096
    yield Row(
        name=f"normalise-{n}",
        template="normalise",
        real="f32",
        arithmetic="exact",
        words={"n": n},
        inputs=lambda generator: {"rows": fractions(generator, n * n, "<f4").reshape(n, n)},
        peers=(
            Peer(name="numpy", file="normalise_numpy.py"),
            Peer(name="c", file="normalise.c", flags=NO_ERRNO),
            Peer(name="cfast", file="normalise_plain.c", flags=FAST),
            Peer(name="numba", file="normalise_numba.py"),
        ),
        goals=(Goal(peers=("numpy", "c", "numba"), ratio=1.0),),
        flop=6 * n * n,
        bytes=8 * n * n,
    )
