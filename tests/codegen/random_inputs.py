"""Random sizes and numbers for programs: near the lengths of vectors, with what types end at."""

from __future__ import annotations

from random import Random

import numpy as np

from mapal.sweep.endings import dtype_of
from tests.codegen.kernel_runs import Array
from tests.codegen.random_bodies import FLOATS, LITERALS

_SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -1.5, 3e9, -3e9, 1e30, -1e-30, 255.7)


def random_size(random: Random, most: int, least: int = 1) -> int:
    """Mostly a small multiple of a vector's lanes, or one less or more; sometimes one."""
    form = random.random()
    if form < 0.08:
        return least
    if form < 0.2:
        return random.randint(least, most)
    near = random.choice((2, 4, 8, 16, 32, 64)) * random.randint(1, 3) + random.choice((-1, 0, 1))
    return max(least, min(most, near))


def random_numbers(random: Random, ty: str, size: int, limit: int | None = None) -> Array:
    """Numbers small and large, with those at which types end. With `limit` integers are mostly
    small, from a little below 0 to a little beyond it: indexes."""
    source = np.random.default_rng(random.randrange(1 << 30))
    if ty in FLOATS:
        special = np.array([*_SPECIAL, np.nan, np.inf, -np.inf])
        found = source.standard_normal(size) * 10.0 ** source.integers(-1, 3, size)
        picked = source.random(size) < random.choice((0.0, 0.0, 0.03, 0.3))
        found[picked] = source.choice(special, size)[picked]
        with np.errstate(over="ignore"):
            return found.astype(dtype_of(ty))
    if ty == "bool":
        return (source.random(size) < 0.5).astype(dtype_of(ty))
    if limit is None:
        found = source.integers(0, 256, size) if ty == "u8" else source.integers(-999, 1000, size)
    else:
        found = source.integers(-3, max(8, limit + 3), size)
    if ty in ("i32", "i64"):
        info = np.iinfo(ty.replace("i", "int"))
        picked = source.random(size) < 0.1
        found[picked] = source.choice([info.min, info.max], size)[picked]
    return found.astype(dtype_of(ty))


def random_literal(random: Random, ty: str) -> str:
    """A literal of a type."""
    return random.choice(LITERALS[ty])
