"""The rows: kernels, sizes, peers and goals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.bench.limits.rows import FAST, Goal, Peer, Row, fractions

_PEAK_FLOP = 1 << 24
_MATMUL_SIZES = (64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096)
_RAGGED_SIZES = (50, 65, 100, 127, 333, 1000)
_WHOLE_UP_TO = 512
"""Up to this size the interpreter evaluates all of a matrix product."""

MIB = 1 << 20


def all_rows() -> tuple[Row, ...]:
    """Every row, in the order in which they are printed."""
    return (
        *_matmul_rows("native", "matmul", {}),
        *_matmul_rows("x86-64-v3", "matmul-v3", {"OPENBLAS_CORETYPE": "Haswell"}),
        *_fir_rows(),
        *_conv_rows(),
        *_sum_rows(),
        *_saxpy_rows(),
        *_transpose_rows(),
        *_gather_rows(),
        *_chain_rows(),
    )


def _matmul_rows(target: str, prefix: str, environment: dict[str, str]) -> Iterator[Row]:
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
                yield _matmul(
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


def _matmul(
    name: str,
    real: str,
    arithmetic: str,
    n: int,
    target: str,
    environment: dict[str, str],
    goals: tuple[Goal, ...],
) -> Row:
    dtype = "<f4" if real == "f32" else "<f8"
    flop = 2 * n**3
    gemm = "scipy_cblas_sgemm64_" if real == "f32" else "scipy_cblas_dgemm64_"
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
            _peak(real, arithmetic, flop),
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


def _peak(real: str, arithmetic: str, flop: int) -> Peer:
    """As many operations in registers."""
    return Peer(
        name="peak",
        file="peak.c",
        defines=(("FUSED", str(int(arithmetic == "fused"))), ("FLOP", f"{_PEAK_FLOP}L")),
        limit=True,
        scale=flop / _PEAK_FLOP,
    )


def _fir_rows() -> Iterator[Row]:
    count = MIB
    for taps, ratio in ((16, 0.95), (64, 0.85)):
        for arithmetic in ("exact", "fused"):
            yield Row(
                name=f"fir-{taps}-{arithmetic}",
                template="fir",
                real="f32",
                arithmetic=arithmetic,
                words={"samples": count + taps - 1, "taps": taps, "cells": count},
                inputs=lambda generator, taps=taps: {  # type: ignore[misc]
                    "signal": fractions(generator, count + taps - 1, "<f4"),
                    "taps": fractions(generator, taps, "<f4"),
                },
                peers=(
                    Peer(name="cfast", file="fir_plain.c", flags=FAST),
                    Peer(name="cfast-blocked", file="fir.c", flags=FAST),
                    Peer(name="c", file="fir.c"),
                    Peer(name="numpy", file="fir_numpy.py"),
                    _peak("f32", arithmetic, 2 * taps * count),
                ),
                goals=(
                    Goal(peers=("cfast",), ratio=ratio),
                    Goal(peers=("numpy",), ratio=0.25),
                )
                if arithmetic == "exact"
                else (),
                flop=2 * taps * count,
                bytes=8 * count,
                cells=count,
                constants={"TAPS": str(taps), "COUNT": str(count)},
            )


def _conv_rows() -> Iterator[Row]:
    n = 1024
    for arithmetic in ("exact", "fused"):
        yield Row(
            name=f"conv-{arithmetic}",
            template="conv",
            real="f32",
            arithmetic=arithmetic,
            words={"n": n, "width": n + 2, "pixels": (n + 2) ** 2, "cells": n * n},
            inputs=lambda generator: {
                "image": fractions(generator, (n + 2) ** 2, "<f4"),
                "kernel": fractions(generator, 9, "<f4"),
            },
            peers=(
                Peer(name="c", file="conv.c"),
                Peer(name="numba", file="conv_numba.py"),
                Peer(name="halide", file="conv_halide.py"),
                Peer(name="numpy", file="conv_numpy.py"),
                _peak("f32", arithmetic, 18 * n * n),
            ),
            goals=(Goal(peers=("c",), ratio=0.77),)
            if arithmetic == "exact"
            else (Goal(peers=("halide", "numba"), ratio=1.0),),
            flop=18 * n * n,
            bytes=8 * n * n,
            cells=n * n,
        )


def _sum_rows() -> Iterator[Row]:
    for name, n, numpy_ratio in (("1m", MIB, 0.33), ("16m", 16 * MIB, 1.05)):
        yield Row(
            name=f"sum-{name}",
            template="sum",
            real="f32",
            arithmetic="exact",
            words={"n": n},
            inputs=lambda generator, n=n: {  # type: ignore[misc]
                "x": fractions(generator, n, "<f4")
            },
            peers=(
                Peer(name="numpy", file="sum_numpy.py"),
                Peer(name="numba", file="sum_numba.py"),
                Peer(name="cfast", file="sum.c", flags=FAST, defines=(("TOLERANCE", "1e-3"),)),
            ),
            goals=(
                Goal(peers=("numpy",), ratio=numpy_ratio),
                Goal(peers=("numba",), ratio=1.05),
            ),
            flop=n,
            bytes=4 * n,
        )
    n = MIB
    yield Row(
        name="fold-1m",
        template="fold",
        real="f32",
        arithmetic="exact",
        words={"n": n},
        inputs=lambda generator: {"x": fractions(generator, n, "<f4")},
        peers=(Peer(name="c", file="sum.c", defines=(("TOLERANCE", "0"),)),),
        goals=(Goal(peers=("c",), ratio=1.0),),
        flop=n,
        bytes=4 * n,
    )


def _saxpy_rows() -> Iterator[Row]:
    for name, n, ratio in (("64k", 1 << 16, 1.05), ("1m", MIB, 1.05), ("16m", 16 * MIB, 0.83)):
        yield Row(
            name=f"saxpy-{name}",
            template="saxpy",
            real="f32",
            arithmetic="exact",
            words={"n": n},
            inputs=lambda generator, n=n: _pair(generator, n),  # type: ignore[misc]
            peers=(
                Peer(name="c", file="saxpy.c"),
                Peer(name="numpy", file="saxpy_numpy.py"),
            ),
            goals=(Goal(peers=("c",), ratio=ratio),),
            flop=2 * n,
            bytes=12 * n,
        )


def _pair(generator: np.random.Generator, n: int) -> dict[str, NDArray[Any]]:
    return {"x": fractions(generator, n, "<f4"), "y": fractions(generator, n, "<f4")}


def _transpose_rows() -> Iterator[Row]:
    for n in (1024, 2048):
        goals = [Goal(peers=("c",), ratio=0.75 if n == 1024 else 0.60)]
        if n == 2048:
            goals.append(Goal(peers=("memcpy",), ratio=1.10))
        yield Row(
            name=f"transpose-{n}",
            template="transpose",
            real="f32",
            arithmetic="exact",
            words={"n": n, "cells": n * n},
            inputs=lambda generator, n=n: {  # type: ignore[misc]
                "matrix": fractions(generator, n * n, "<f4")
            },
            peers=(
                Peer(name="c", file="transpose.c"),
                Peer(name="numpy", file="transpose_numpy.py"),
                Peer(
                    name="memcpy", file="copy.c", defines=(("COPIED", str(4 * n * n)),), limit=True
                ),
            ),
            goals=tuple(goals),
            flop=None,
            bytes=8 * n * n,
        )


def _gather_rows() -> Iterator[Row]:
    n = MIB
    yield Row(
        name="gather-1m",
        template="gather",
        real="f32",
        arithmetic="exact",
        words={"n": n},
        inputs=lambda generator: {
            "values": fractions(generator, n, "<f4"),
            "index": generator.integers(0, n, n, dtype="<i4"),
        },
        peers=(
            Peer(name="c", file="gather.c"),
            Peer(name="numpy", file="gather_numpy.py"),
        ),
        goals=(Goal(peers=("c",), ratio=1.05), Goal(peers=("numpy",), ratio=0.60)),
        flop=None,
        bytes=12 * n,
    )


def _chain_rows() -> Iterator[Row]:
    n = MIB
    yield Row(
        name="chain-1m",
        template="chain",
        real="f32",
        arithmetic="exact",
        words={"n": n},
        inputs=lambda generator: _pair(generator, n),
        peers=(
            Peer(name="c", file="chain.c", flags=("-O3", "-march=native", "-fno-math-errno")),
            Peer(name="numpy", file="chain_numpy.py"),
        ),
        goals=(Goal(peers=("c",), ratio=1.05), Goal(peers=("numpy",), ratio=0.25)),
        flop=7 * n,
        bytes=12 * n,
    )
