"""All rows, in the order in which they are printed."""

from __future__ import annotations

from mapal.bench.limits import linear, programs, streaming
from mapal.bench.limits.rows import Row


def all_rows() -> tuple[Row, ...]:
    """The table."""
    return (
        *linear.matmul_rows("native", "matmul", {}),
        *linear.matmul_rows("x86-64-v3", "matmul-v3", {"OPENBLAS_CORETYPE": "Haswell"}),
        *streaming.fir_rows(),
        *streaming.conv_rows(),
        *streaming.sum_rows(),
        *streaming.saxpy_rows(),
        *streaming.transpose_rows(),
        *streaming.gather_rows(),
        *streaming.chain_rows(),
        *programs.heat_rows(),
        *programs.nbody_rows(),
        *programs.mandelbrot_rows(),
        *programs.digits_rows(),
        *linear.matvec_rows(),
        *linear.batched_rows(),
        *programs.normalise_rows(),
    )
