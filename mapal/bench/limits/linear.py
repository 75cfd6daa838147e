"""Rows of linear algebra: matrix products, matrix times vector, many small products."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mapal.bench.limits.peaks import peak
from mapal.bench.limits.rows import FAST, Goal, Peer, Row, fractions

_MATMUL_SIZES = (64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096)
_RAGGED_SIZES = (50, 65, 100, 127, 333, 1000)
_WHOLE_UP_TO = 512
"""Up to this size the interpreter evaluates all of a matrix product."""


def matmul_rows(target: str, prefix: str, environment: dict[str, str]) -> Iterator[Row]:
    for real in ("f32", "f64"):
        for arithmetic in ("fused", "exact"):
            for n in (*_MATMUL_SIZES, *_RAGGED_SIZES):
                if real == "f64" and n == 4096:
                    continue
                goals = (
                    _narrow_goals(real, arithmetic, n)
                    if target != "native"
                    else _matmul_goals(real, arithmetic, n)
                )
                yield matmul_row(
                    f"{prefix}-{real}-{arithmetic}-{n}", real, arithmetic, n, target, environment,
                    tuple(
                        Goal(peers=("openblas", "numpy"), ratio=ratio, threads=threads)
                        for ratio, threads in goals
                    ),
                )  # fmt: skip


def _narrow_goals(real: str, arithmetic: str, n: int) -> list[tuple[float, int]]:
    """Ratios to NumPy held to as narrow vectors, with their threads."""
    if real == "f64" or n in _RAGGED_SIZES:
        return []
    return [(1.0 if arithmetic == "fused" else 1.05, 1)]


def _matmul_goals(real: str, arithmetic: str, n: int) -> list[tuple[float, int]]:
    """Ratios to NumPy with their threads."""
    if n in _RAGGED_SIZES:
        return [(1.05, 1)] if real == "f32" and arithmetic == "fused" else []
    if real == "f32" and arithmetic == "fused":
        one = 1.02 if n == 64 else 0.97
        return [(one, 1), *([(1.0, 2)] if n >= 256 else [])]
    if real == "f32":
        return [] if n == 64 else [(1.07 if n == 4096 else 1.0, 1)]
    if arithmetic == "fused":
        return [(1.0, 1), (1.03, 2)]
    return [(1.02 if n <= 1024 else 1.10, 1)]


def _has_halide(n: int, target: str) -> bool:
    """Halide's schedule here is for whole tiles, and for the machine that runs it."""
    return target == "native" and n % 64 == 0


def matmul_row(
    name: str,
    real: str,
    arithmetic: str,
    n: int,
    target: str,
    environment: dict[str, str],
    goals: tuple[Goal, ...],
) -> Row:
    """A product of square matrices of size `n`."""
    dtype = "<f4" if real == "f32" else "<f8"
    flop = 2 * n**3
    gemm = "scipy_cblas_sgemm64_" if real == "f32" else "scipy_cblas_dgemm64_"
    if arithmetic == "fused" and real == "f32" and _has_halide(n, target) and n >= 128:
        goals = (*goals, Goal(peers=("halide",), ratio=1.0))
    if real == "f32" and arithmetic == "fused" and target == "native" and 256 <= n <= 2048:
        goals = (*goals, Goal(peers=("peak",), ratio=1 / 0.92))
    return Row(
        name=name,
        template="matmul",
        real=real,
        arithmetic=arithmetic,
        words={"n": n, "cells": n * n},
        inputs=lambda generator: {
            "a": fractions(generator, n * n, dtype),
            "b": fractions(generator, n * n, dtype),
        },
        peers=(
            Peer(
                name="openblas",
                file="matmul_openblas.c",
                defines=(("GEMM", gemm), ("TOLERANCE", "1e-5" if real == "f32" else "1e-13")),
                needs_blas=True,
            ),
            Peer(name="numpy", file="matmul_numpy.py"),
            *([Peer(name="halide", file="matmul_halide.py")] if _has_halide(n, target) else []),
            peak(real, arithmetic, flop),
        ),
        goals=goals,
        flop=flop,
        bytes=3 * n * n * np.dtype(dtype).itemsize,
        target=target,
        environment=environment,
        cells=n * n,
        whole=n <= _WHOLE_UP_TO,
        rounds=11 if n <= 1024 else 7 if n <= 2048 else 5,
    )


def matvec_rows() -> Iterator[Row]:
    """A matrix that is larger than the caches times a vector: by `reduce`, and by a strict fold
    per row."""
    n = 4096
    for template in ("matvec", "matvec_fold"):
        yield Row(
            name=f"{template.replace('_', '-')}-{n}",
            template=template,
            real="f32",
            arithmetic="exact",
            words={"n": n, "cells": n * n},
            inputs=lambda generator: {
                "a": fractions(generator, n * n, "<f4"),
                "x": fractions(generator, n, "<f4"),
            },
            peers=(
                Peer(name="numpy", file="matvec_numpy.py"),
                Peer(name="c", file="matvec.c"),
                Peer(name="cfast", file="matvec_plain.c", flags=FAST),
                Peer(name="numba", file="matvec_numba.py"),
            ),
            goals=(Goal(peers=("numpy", "c", "numba"), ratio=1.0),),
            flop=2 * n * n,
            bytes=4 * n * n,
        )


def batched_rows() -> Iterator[Row]:
    """100,000 products of 4 x 4 matrices."""
    cells = 16 * 100_000
    yield Row(
        name="batched-4x4",
        template="batched",
        real="f32",
        arithmetic="exact",
        words={"cells": cells},
        inputs=lambda generator: {
            "a": fractions(generator, cells, "<f4"),
            "b": fractions(generator, cells, "<f4"),
        },
        peers=(
            Peer(name="numpy", file="batched_numpy.py"),
            Peer(name="c", file="batched.c"),
            Peer(name="numba", file="batched_numba.py"),
        ),
        goals=(Goal(peers=("numpy", "c", "numba"), ratio=1.0),),
        flop=8 * cells,
        bytes=12 * cells,
    )
