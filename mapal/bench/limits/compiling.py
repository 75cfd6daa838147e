"""What compiling a row costs, next to `gcc -O3` with the same program written plainly in C.

Both go from source to a linked executable. Processor time of this process and of the compilers and
linkers that it starts counts, the least of some tries; the runtime library and the modules of the
compiler are there before, and nobody reads the assembly, as in `mapal compile`.
"""

from __future__ import annotations

import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mapal.bench.limits.building import SOURCES, Builder, definitions, source_of
from mapal.bench.limits.rows import STRICT, Row
from mapal.check import check
from mapal.codegen import emit
from mapal.diagnostics import CompilerBug, UserError
from mapal.ir.graph import Graph
from mapal.lower import lower
from mapal.native.llvm import compile_object
from mapal.native.toolchain import link
from mapal.rewrite import rewrite
from mapal.syntax import parse
from mapal.target import TargetProfile

GREATEST_RATIO = 1.5
"""To reach: ours over that of gcc."""

Value = TypeVar("Value")

_TRIES = 3
_OPTIMISATION = 2
_MAIN = "void run(void *const *, void *const *);\nint main(void) { void *p[8] = {0}; run(p, p); }\n"


@dataclass(frozen=True, slots=True)
class CompileCost:
    """Milliseconds of processor time: of our stages, and of gcc from source to executable."""

    row: str
    stages: Mapping[str, float]
    gcc: float

    @property
    def ours(self) -> float:
        return sum(self.stages.values())

    @property
    def ratio(self) -> float:
        return self.ours / self.gcc


def compile_cost(row: Row, profile: TargetProfile, builder: Builder) -> CompileCost:
    """Compiles a row both ways. Raises `UserError` if the C compiler fails."""
    source = source_of(row)
    tries = [_ours(source, row, profile, builder) for _ in range(_TRIES + 1)]
    stages = {name: min(times[name] for times in tries[1:]) for name in tries[0]}
    gcc = min(_gcc(row, profile, builder) for _ in range(_TRIES))
    return CompileCost(row.name, stages, gcc)


def _ours(source: str, row: Row, profile: TargetProfile, builder: Builder) -> dict[str, float]:
    runtime = builder.runtime
    times: dict[str, float] = {}

    def timed(name: str, work: Callable[[], Value]) -> Value:
        began = _processor_milliseconds()
        value = work()
        times[name] = _processor_milliseconds() - began
        return value

    program = timed("parse", lambda: parse(source)).program

    def lowered() -> Graph:
        graph = lower(program, "fused" if row.arithmetic == "fused" else "exact").graph
        if graph is None:
            raise CompilerBug(f"{row.name} does not lower")
        return graph

    graph = timed("lower", lowered)
    timed("check", lambda: check(program, graph))
    rewritten = timed("rewrite", lambda: rewrite(graph).graph)
    emission = timed("emit", lambda: emit(rewritten, profile, name=row.name))
    compiled = timed("object", lambda: compile_object(emission.ll, profile, _OPTIMISATION))
    timed("link", lambda: link(builder.compiler, compiled, runtime))
    return times


def _gcc(row: Row, profile: TargetProfile, builder: Builder) -> float:
    """Milliseconds from the reference in C to an executable."""
    with tempfile.TemporaryDirectory(prefix="mapal-compile-") as directory:
        (Path(directory) / "main.c").write_text(_MAIN, encoding="ascii")
        command = [*builder.compiler.command, *STRICT, f"-I{SOURCES}"]
        command += definitions(row, profile.vector_bytes)
        command += [str(SOURCES / f"{row.template}_reference.c"), "main.c", "-o", "program", "-lm"]
        began = _processor_milliseconds()
        result = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        if result.returncode:
            raise UserError(f"{row.name}: gcc failed: {result.stderr[:500]}", 1)
        return _processor_milliseconds() - began


def _processor_milliseconds() -> float:
    """Of this process, and of the children that it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (time.process_time() + children.ru_utime + children.ru_stime)


def render(costs: list[CompileCost]) -> str:
    """A table with the stages, gcc and the ratio."""
    names = list(costs[0].stages)
    lines = [f"{'row':<24}" + "".join(f"{name:>9}" for name in (*names, "ours", "gcc", "ratio"))]
    for cost in costs:
        cells = [f"{cost.stages[name]:9.1f}" for name in names]
        mark = "" if cost.ratio <= GREATEST_RATIO else "  MISSED"
        lines.append(
            f"{cost.row:<24}{''.join(cells)}{cost.ours:9.1f}{cost.gcc:9.1f}{cost.ratio:9.2f}{mark}"
        )
    return "\n".join(lines) + "\n"
