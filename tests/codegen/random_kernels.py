"""Random programs for every kernel, against the interpreter, on every target that runs here.

`./dev python -m tests.codegen.random_kernels --count N --seed S` prints what it counted and each
program that differs; from `ENOUGH` programs on it fails, too, if a shape never occurred. With
`--minutes M` it begins nothing new after so long.
"""

from __future__ import annotations

import sys
from random import Random

from tests.codegen.kernel_runs import Case
from tests.codegen.random_batches import batches
from tests.codegen.random_command import Draw, Gate, faults_of, kernel_names, run
from tests.codegen.random_contexts import in_context, with_computed_inputs
from tests.codegen.random_filters import filters
from tests.codegen.random_grids import grids
from tests.codegen.random_indices import indices
from tests.codegen.random_lanes import lanes
from tests.codegen.random_moves import gathers, moves
from tests.codegen.random_periods import periods
from tests.codegen.random_products import products
from tests.codegen.random_sums import streams, sums
from tests.codegen.random_tables import tables

ENOUGH = 2000
"""Programs in which every shape has to occur."""

FAMILIES: tuple[tuple[Draw, int], ...] = (
    (lanes, 4),
    (products, 3),
    (filters, 3),
    (grids, 4),
    (indices, 2),
    (moves, 2),
    (gathers, 1),
    (tables, 2),
    (batches, 2),
    (periods, 2),
    (sums, 4),
    (streams, 1),
)
"""Kinds of programs and how often they are drawn."""

ELSEWHERE = 0.25
"""Part of the programs that stand in another."""

COMPUTED = 0.15
"""Part of the programs whose inputs are computed."""

OTHERS = (
    "maps past the caches",
    "maps checked by blocks",
    "maps by periods",
    "reductions in turns",
    "reductions in streams",
    "ended trapped",
    "ended done",
)


def draw(random: Random) -> Case:
    """A program of any kind."""
    kinds, weights = zip(*FAMILIES, strict=True)
    kind: Draw = random.choices(kinds, weights)[0]
    case = kind(random)
    if random.random() < COMPUTED:
        case = with_computed_inputs(random, case)
    return in_context(random, case) if random.random() < ELSEWHERE else case


faults = faults_of("kernels", draw)


def gate() -> Gate:
    """Every shape, and what else has to occur."""
    return Gate((*kernel_names(), *OTHERS), ENOUGH)


def main(arguments: list[str]) -> int:
    """0 if all programs end as the interpreter says, and all shapes occurred."""
    return run("tests.codegen.random_kernels", 1000, arguments, faults, gate())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
