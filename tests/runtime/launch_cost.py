"""What it costs to launch a parallel run, next to an OpenMP loop: `./dev python -m
tests.runtime.launch_cost`.

A run has one task of empty slices. Each row is the median of the medians of several processes,
run in turns; a process launches 1001 times. A slice's cost is the difference between many slices
and one, for one of them.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from tests.runtime.native_build import DRIVERS, RuntimeBuild, find_compiler

ROUNDS = 9
SLICES = (1, 16)


def nanoseconds(program: Path, count: int, threads: int) -> float:
    """The median of one process."""
    arguments = ["launch", str(count)] if program.stem == "run_edges" else [str(count)]
    environment = {
        **os.environ,
        "MAPAL_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
    }
    done = subprocess.run(
        [program, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[1])


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        ours = RuntimeBuild("plain", directory).driver("run_edges").path
        theirs = directory / "openmp_launch"
        command = [find_compiler(), "-O2", "-fopenmp", str(DRIVERS / "openmp_launch.c")]
        subprocess.run([*command, "-o", str(theirs)], check=True)
        for threads in (1, os.cpu_count() or 1):
            cases = [(program, count) for program in (ours, theirs) for count in SLICES]
            found: dict[tuple[Path, int], list[float]] = {case: [] for case in cases}
            for _ in range(ROUNDS):
                for program, count in cases:
                    found[program, count].append(nanoseconds(program, count, threads))
            for program in (ours, theirs):
                one, many = (statistics.median(found[program, count]) for count in SLICES)
                each = (many - one) / (SLICES[1] - SLICES[0])
                label = "mapal" if program == ours else "OpenMP"
                print(
                    f"{threads} threads, {label}: a run of one empty slice {one:.0f} ns, of "
                    f"{SLICES[1]} {many:.0f} ns, {each:.0f} ns for each further slice"
                )


if __name__ == "__main__":
    main()
