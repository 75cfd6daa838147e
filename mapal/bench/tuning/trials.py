"""What is tried for each kernel: on which programs, and which numbers, from facts of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mapal.bench.limits.linear import matmul_row
from mapal.bench.limits.rows import Row
from mapal.target import TargetProfile
from mapal.target.tiles import MODES, REALS

Numbers = Mapping[str, int]

_MOST_VECTORS = 4
_DEPTHS = (256, 384, 512, 768, 1024, 1536, 2048)
_ROW_BLOCKS = (24, 48, 96, 144, 192, 288, 384)
_SIZES = {
    ("matmul", "f32"): (768, 1536),
    ("matmul", "f64"): (512, 1024),
    ("matmul-direct", "f32"): (128, 384),
    ("matmul-direct", "f64"): (96, 256),
}
"""Sizes for which the operands of a product are packed on usual caches, and for which not."""


@dataclass(frozen=True, slots=True)
class Step:
    """Numbers that are chosen together, once those of the steps before it are."""

    name: str
    candidates: tuple[Numbers, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """A kernel with the programs that it is measured on."""

    kernel: str
    rows: tuple[Row, ...]
    steps: tuple[Step, ...]


def trials(profile: TargetProfile) -> tuple[Trial, ...]:
    """Everything that is tried for a profile."""
    return tuple(
        _product_trial(profile, kind, real, mode)
        for kind in ("matmul", "matmul-direct")
        for real in REALS
        for mode in MODES
    )


def _product_trial(profile: TargetProfile, kind: str, real: str, mode: str) -> Trial:
    steps = [Step("register tile", register_tiles(profile.vector_registers))]
    if kind == "matmul":
        steps.append(Step("depth", tuple({"depth": depth} for depth in _DEPTHS)))
        blocks = tuple({"row_block": rows} for rows in _ROW_BLOCKS)
        steps.append(Step("block of rows", blocks))
    rows = tuple(
        matmul_row(f"{kind}-{real}-{mode}-{n}", real, mode, n, profile.name, {}, ())
        for n in _SIZES[kind, real]
    )
    return Trial(f"{kind}-{real}-{mode}", rows, tuple(steps))


def register_tiles(registers: int) -> tuple[Numbers, ...]:
    """Tiles of a product: for each number of vectors a row as many rows as keep all sums, a row
    of the right matrix and one element in registers, and fewer."""
    found: list[Numbers] = []
    for vectors in range(1, _MOST_VECTORS + 1):
        most = (registers - 1 - vectors) // vectors
        tall = (24, 16) if vectors == 1 else ()
        for rows in sorted({most, most * 3 // 4, *tall}, reverse=True):
            if 2 <= rows <= most and vectors * rows * 2 >= registers:
                found.append({"rows": rows, "vectors": vectors})
    return tuple(found)
