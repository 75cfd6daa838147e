"""The differential matrix: programs at many counts of threads against the plain interpreter.

`./dev python -m tests.sweep.thread_matrix --count N --seed S` runs generated programs, exact and
fused, cut for threads wherever they may be or, in turn, from a few operations on (`CUTS`), so that
light items stay on the host between the paths, at every count of `COUNTS`;
`--projects R` runs every program of the projects R times at each count, in both arithmetics, as it
is shipped and with everything cut. Both print what they counted and fail for one difference.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from mapal.interpreter import LOCKSTEP_FROM, run
from mapal.ir.entry import entry_ports
from mapal.ir.graph import Graph
from mapal.lower import Arithmetic, lower
from mapal.project.arrays import input_values, output_files
from mapal.project.file import Program, load_project
from mapal.project.template import substitute
from mapal.rewrite import rewrite
from mapal.sweep.battery import BUDGET, interpreted_endings
from mapal.sweep.generate import script_of
from mapal.sweep.native import Case, run_at
from mapal.sweep.program import build
from mapal.syntax import parse
from mapal.target import load_profile
from tests.codegen.native_runs import compiled

COUNTS = (1, 2, 3, 4, 7, 64)
CUTS = (0, 0, 64, 64, 256, 1024)
BATCH = 50
PROJECTS = Path(__file__).parents[2] / "projects"
LIMIT_SECONDS = 120


def run_generated(count: int, seed: int, first: int = 0) -> Counter[str]:
    """Programs `first` to `first + count - 1` of a seed; half of them rewritten."""
    counts: Counter[str] = Counter()
    profile = load_profile("native")
    for start in range(first, first + count, BATCH):
        numbers = range(start, min(start + BATCH, first + count))
        programs = [build(script_of(seed, number)) for number in numbers]
        expected = [interpreted_endings(each.graph, each, BUDGET, None) for each in programs]
        graphs = [
            rewrite(each.graph).graph if number % 2 else each.graph
            for number, each in zip(numbers, programs, strict=True)
        ]
        cases = [Case(graph, each.inputs) for graph, each in zip(graphs, programs, strict=True)]
        counts["programs"] += len(cases)
        counts["fused"] += sum(script_of(seed, number).fused for number in numbers)
        for threads, results in zip(COUNTS, run_at(cases, profile, COUNTS, CUTS), strict=True):
            for number, wanted, found in zip(numbers, expected, results, strict=True):
                if isinstance(found, str):
                    counts["failures"] += 1
                    print(f"program {number} of seed {seed}: {found}")
                    continue
                for level, endings in found.items():
                    counts["runs"] += len(endings)
                    if endings != wanted:
                        counts["failures"] += 1
                        print(f"program {number} of seed {seed}: level {level}, {threads} threads")
                        for one, other in zip(wanted, endings, strict=True):
                            print(f"  {one.describe()}\n  {other.describe()}")
        print(f"{numbers.stop - first} programs, {counts['failures']} failures", flush=True)
    return counts


def run_projects(repetitions: int) -> Counter[str]:
    """Every program of every project."""
    counts: Counter[str] = Counter()
    for file in sorted(PROJECTS.glob("*/mapal.yaml")):
        for program in load_project(file).programs:
            counts["programs"] += 1
            for arithmetic in ("exact", "fused"):
                graph = lowered_program(file.parent, program, arithmetic)
                for cuts_from in (None, 0):
                    _run_project(file.parent, program, graph, cuts_from, repetitions, counts)
            print(f"{program.name}: {counts['failures']} failures", flush=True)
    return counts


def lowered_program(directory: Path, program: Program, arithmetic: str) -> Graph:
    """The lowered graph of a program of a project, in the given arithmetic."""
    mode: Arithmetic = "fused" if arithmetic == "fused" else "exact"
    text = (directory / program.source).read_text()
    source = substitute(text, dict(program.sizes), program.source)
    graph = lower(parse(source).program, mode).graph
    assert graph is not None
    return graph


def _run_project(
    directory: Path,
    program: Program,
    graph: Graph,
    cuts_from: int | None,
    repetitions: int,
    counts: Counter[str],
) -> None:
    ports = entry_ports(graph)
    paths = {name: directory / path for name, path in program.inputs}
    values = input_values(
        {name: (path.read_bytes(), str(path)) for name, path in paths.items()}, ports
    )
    outcome = run(graph, values, budget=program.steps, lockstep_from=LOCKSTEP_FROM)
    results = output_files(outcome.result, ports) if outcome.kind == "done" else {}
    wanted = (outcome.trap is None, outcome.output, results)
    with tempfile.TemporaryDirectory() as name:
        executable = Path(name, "program")
        executable.write_bytes(compiled(rewrite(graph).graph, 2, cuts_from=cuts_from))
        executable.chmod(0o755)
        command = [str(executable)]
        for input_name, path in paths.items():
            command += ["--input", f"{input_name}={path}"]
        for port in ports.outputs:
            command += ["--output", f"{port.name}={name}/{port.name}.npy"]
        for threads in COUNTS:
            for _ in range(repetitions):
                done = subprocess.run(
                    command,
                    env={**os.environ, "MAPAL_THREADS": str(threads)},
                    capture_output=True,
                    timeout=LIMIT_SECONDS,
                    check=False,
                )
                made = {}
                if done.returncode == 0:
                    made = {p.name: Path(name, f"{p.name}.npy").read_bytes() for p in ports.outputs}
                token = outcome.trap.token if outcome.trap else None
                counts["runs"] += 1
                if (done.returncode == 0, done.stdout, made) != wanted or (
                    token is not None and f"at token {token}\n".encode() not in done.stderr
                ):
                    counts["failures"] += 1
                    print(f"{program.name}: {threads} threads, cut from {cuts_from}: differs")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--projects", type=int, default=0, metavar="REPETITIONS")
    chosen = parser.parse_args()
    counts = run_generated(chosen.count, chosen.seed, chosen.first) if chosen.count else Counter()
    if chosen.projects:
        counts += run_projects(chosen.projects)
    counts["failures"] += 0
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
