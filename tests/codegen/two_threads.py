"""Two threads against one, warm: `./dev python -m tests.codegen.two_threads [NAME ...]`.

Every program of the projects, and the shapes that have a bar, in two processes that keep their
threads and take turns; a turn is as many calls as fill some milliseconds. Rounds in which others
kept the machine busy do not count, as long as there are enough others. Speed-ups are ratios of the
least times; the median of the rounds' ratios stands beside them. A program marked as not cut has
no call of the scheduler: it is the same code on any number of threads, and what differs is the
machine.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mapal.bench.idle import QuietMachine, busy_others
from mapal.bench.library import DTYPES, load_program
from mapal.bench.run import compile_driver, processors
from mapal.codegen import emit
from mapal.ir.entry import entry_ports
from mapal.ir.graph import Graph
from mapal.native.llvm_worker import compile_module
from mapal.native.toolchain import build_runtime, find_compiler, link_shared, runtime_sources
from mapal.project.file import load_project
from mapal.rewrite import rewrite
from mapal.target import load_profile
from tests.codegen.native_runs import graph_of
from tests.sweep.thread_matrix import PROJECTS, lowered_program

ROUNDS = 15
ENOUGH = 5
TURN_SECONDS = 0.03
PATIENCE_SECONDS = 1.0

FIR = """
fn main(signal: [f32; 1048639], taps: [f32; 64]) -> [f32; 1048576] {
    64 -> iota -> js;
    1048576 -> iota -> map { t ->
        (0.0, js) -> fold { sum, j -> sum + taps[j] * signal[t + j] }
    } -> ret;
}
"""
CONVOLUTION = """
fn main(image: [f32; 1052676], kernel: [f32; 9]) -> [f32; 1048576] {
    9 -> iota -> ks;
    1048576 -> iota -> map { p ->
        p / 1024 -> r; p % 1024 -> c;
        (0.0, ks) -> fold { s, k -> s + kernel[k] * image[(r + k / 3) * 1026 + c + k % 3] }
    } -> ret;
}
"""
PRODUCT = """
fn main(a: [f32; 1048576], b: [f32; 1048576]) -> [f32; 1048576] {
    1024 -> iota -> ks;
    1048576 -> iota -> map { cell ->
        cell / 1024 -> row; cell % 1024 -> column;
        (0.0, ks) -> fold { sum, k -> sum + a[row * 1024 + k] * b[k * 1024 + column] }
    } -> ret;
}
"""
TWO_FOLDS = """
fn main(a: [f32; {0}]) -> f32 {{
    (1.0, a) -> fold {{ s, x -> s * 0.25 - x }} -> t;
    (1.0, a) -> fold {{ s, x -> s * 0.5 + x }} -> u;
    t - u -> ret;
}}
"""
SUM = "fn main(a: [f32; {0}]) -> f32 {{ a -> reduce {{ x, y -> x + y }} -> ret; }}"
SCALED = "fn main(a: [f32; {0}]) -> [f32; {0}] {{ a -> map {{ x -> x * 2.5 }} -> ret; }}"

SHAPES = {
    "product 1024": PRODUCT,
    "fir 1M x 64": FIR,
    "convolution 1024": CONVOLUTION,
    "two folds of 1M": TWO_FOLDS.format(1 << 20),
    "two folds of 16K": TWO_FOLDS.format(1 << 14),
    "two folds of 256": TWO_FOLDS.format(1 << 8),
    "sum of 1M": SUM.format(1 << 20),
    "sum of 256K": SUM.format(1 << 18),
    "sum of 16K": SUM.format(1 << 14),
    "scaling of 1M": SCALED.format(1 << 20),
    "scaling of 256K": SCALED.format(1 << 18),
    "scaling of 16K": SCALED.format(1 << 14),
    "scaling of 16": SCALED.format(1 << 4),
}


def programs() -> Iterator[tuple[str, Graph, dict[str, str]]]:
    """Names, graphs, and the files of inputs; inputs without one are random. A larger Mandelbrot
    set stands for the small one of its project."""
    for name, source in SHAPES.items():
        yield name, graph_of(source), {}
    for file in sorted(PROJECTS.glob("*/mapal.yaml")):
        for program in load_project(file).programs:
            if program.name.startswith("trap-"):
                continue
            graph = lowered_program(file.parent, program, program.arithmetic)
            yield program.name, graph, {n: str(file.parent / p) for n, p in program.inputs}


def build(graph: Graph, directory: Path) -> tuple[Path, bool]:
    """The program's shared library, and whether it calls the scheduler."""
    compiler = find_compiler().compiler
    assert compiler is not None
    profile = load_profile("native")
    sources = {name: path.read_bytes() for name, path in runtime_sources().items()}
    text = emit(rewrite(graph).graph, profile, name="program").ll
    made = compile_module(text, profile, 2).object
    path = directory / "program.so"
    path.write_bytes(link_shared(compiler, made, build_runtime(compiler, sources)))
    driver = directory / "driver.so"
    driver.write_bytes(compile_driver(compiler))
    return path, "call void @mapal_run_plan(" in text or "call ptr @mapal_run_start(" in text


def serve(library: str, driver: str, files: dict[str, str], ports: list[Any]) -> None:
    """Answers each number of calls with the seconds that they took."""
    random = np.random.default_rng(1)
    inputs = {
        name: np.load(files[name]) if name in files else random.random(count).astype(dtype)
        for name, dtype, count in ports
    }
    kernel, _ = load_program(library, inputs)
    seconds = kernel.timer(driver)
    with os.fdopen(os.dup(1), "w") as replies:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        for line in sys.stdin:
            replies.write(f"{seconds(int(line))}\n")
            replies.flush()


class Contestant:
    """A process that runs a program on so many threads."""

    def __init__(self, job: list[Any], threads: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.codegen.two_threads", "--serve", json.dumps(job)],
            env={**os.environ, "MAPAL_THREADS": str(threads)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, calls: int) -> float:
        """Of one call, when so many follow each other."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{calls}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline()) / calls

    def close(self) -> None:
        self._process.communicate()


def race(graph: Graph, files: dict[str, str]) -> tuple[float, float, float, int, bool]:
    """Seconds at one and two threads, the median ratio, how many rounds were quiet, and whether
    the program calls the scheduler."""
    types = dict(zip(("i32", "i64", "u8", "f32", "f64", "bool"), DTYPES, strict=True))
    ports = [[p.name, types[p.scalar.name], p.count] for p in entry_ports(graph).inputs]
    quiet = QuietMachine(threads=2, processors=processors(), patience_seconds=PATIENCE_SECONDS)
    with tempfile.TemporaryDirectory() as name:
        library, is_cut = build(graph, Path(name))
        job = [str(library), f"{name}/driver.so", files, ports]
        one, two = Contestant(job, 1), Contestant(job, 2)
        once = max(one.seconds(1), two.seconds(1), 1e-7)
        calls = max(1, min(20_000, int(TURN_SECONDS / once)))
        rounds: list[tuple[float, float, bool]] = []
        for number in range(ROUNDS):
            quiet.wait()
            before = quiet.take()
            pair = [0.0, 0.0]
            for which in (0, 1) if number % 2 else (1, 0):
                pair[which] = (one, two)[which].seconds(calls)
            # Work of the contestants is not this process's own.
            others = busy_others(before, quiet.take()) - 1.5
            rounds.append((pair[0], pair[1], others <= 0.2))
        one.close()
        two.close()
    counted = [r for r in rounds if r[2]]
    used = counted if len(counted) >= ENOUGH else rounds
    ratio = statistics.median(r[0] / r[1] for r in used)
    return min(r[0] for r in used), min(r[1] for r in used), ratio, len(counted), is_cut


def main() -> int:
    if sys.argv[1:2] == ["--serve"]:
        serve(*json.loads(sys.argv[2]))
        return 0
    print("| program | 1 thread, us | 2 threads, us | speed-up | median | quiet rounds |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, graph, files in programs():
        if not sys.argv[1:] or any(part in name for part in sys.argv[1:]):
            one, two, ratio, quiet, is_cut = race(graph, files)
            print(
                f"| {name}{'' if is_cut else ', not cut'} | {one * 1e6:.1f} | {two * 1e6:.1f} "
                f"| {one / two:.2f} | {ratio:.2f} | {quiet} |",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
