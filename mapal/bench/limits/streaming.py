"""Rows that go through their data once: filters, sums, maps, moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.bench.limits.peaks import peak
from mapal.bench.limits.rows import FAST, NO_ERRNO, Goal, Peer, Row, fractions

MIB = 1 << 20


def fir_rows() -> Iterator[Row]:
    """A filter over a million samples."""
    count = MIB
    for taps, ratio in ((16, 0.95), (64, 0.85)):
        for arithmetic in ("exact", "fused"):
            yield Row(
                name=f"fir-{taps}-{arithmetic}",
                template="fir",
                real="f32",
                arithmetic=arithmetic,
                words={"samples": count + taps - 1, "taps": taps, "cells": count},
                inputs=partial(_drawn, {"signal": count + taps - 1, "taps": taps}),
                peers=(
                    Peer(name="cfast", file="fir_plain.c", flags=FAST),
                    Peer(name="cfast-blocked", file="fir.c", flags=FAST),
                    Peer(name="c", file="fir.c"),
                    Peer(name="numpy", file="fir_numpy.py"),
                    peak("f32", arithmetic, 2 * taps * count),
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


def conv_rows() -> Iterator[Row]:
    """A 3 x 3 convolution."""
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
                peak("f32", arithmetic, 18 * n * n),
            ),
            goals=(Goal(peers=("c",), ratio=0.77),)
            if arithmetic == "exact"
            else (Goal(peers=("halide", "numba"), ratio=1.0),),
            flop=18 * n * n,
            bytes=8 * n * n,
            cells=n * n,
        )


def sum_rows() -> Iterator[Row]:
    """Sums by `reduce`, and a strict fold, which nobody may reorder."""
    for name, n, numpy_ratio in (("1m", MIB, 0.33), ("16m", 16 * MIB, 1.05)):
        yield Row(
            name=f"sum-{name}",
            template="sum",
            real="f32",
            arithmetic="exact",
            words={"n": n},
            inputs=partial(_drawn, {"x": n}),
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


def saxpy_rows() -> Iterator[Row]:
    """A scaled vector plus another: in the caches, and beyond them."""
    for name, n, ratio in (("64k", 1 << 16, 1.05), ("1m", MIB, 1.05), ("16m", 16 * MIB, 0.83)):
        yield Row(
            name=f"saxpy-{name}",
            template="saxpy",
            real="f32",
            arithmetic="exact",
            words={"n": n},
            inputs=partial(_drawn, {"x": n, "y": n}),
            peers=(
                Peer(name="c", file="saxpy.c"),
                Peer(name="numpy", file="saxpy_numpy.py"),
            ),
            goals=(Goal(peers=("c",), ratio=ratio),),
            flop=2 * n,
            bytes=12 * n,
        )


def _drawn(counts: Mapping[str, int], generator: np.random.Generator) -> dict[str, NDArray[Any]]:
    """An array of so many fractions for each name."""
    return {name: fractions(generator, count, "<f4") for name, count in counts.items()}


def transpose_rows() -> Iterator[Row]:
    """A matrix turned."""
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
            inputs=partial(_drawn, {"matrix": n * n}),
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


def gather_rows() -> Iterator[Row]:
    """A million elements from random places."""
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


def chain_rows() -> Iterator[Row]:
    """Seven elementwise operations."""
    n = MIB
    yield Row(
        name="chain-1m",
        template="chain",
        real="f32",
        arithmetic="exact",
        words={"n": n},
        inputs=partial(_drawn, {"x": n, "y": n}),
        peers=(
            Peer(name="c", file="chain.c", flags=NO_ERRNO),
            Peer(name="numpy", file="chain_numpy.py"),
        ),
        goals=(Goal(peers=("c",), ratio=1.05), Goal(peers=("numpy",), ratio=0.25)),
        flop=7 * n,
        bytes=12 * n,
    )
