"""Processor and wall time of every stage from source to object file, for programs of projects.

Run as `python -m mapal.bench.compile_time PROJECT…`: Markdown tables on standard output. Each
stage is run several times in this process and its least times count, since compiling is
deterministic and whatever else the machine does only adds. The start of Python and the import
of LLVM are not in it; a first compilation warms both.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mapal.check import check
from mapal.codegen import emit
from mapal.diagnostics import CompilerBug
from mapal.ir.text import parse_graph, print_graph
from mapal.lower import lower
from mapal.native.llvm import compile_module
from mapal.project.file import Program, load_project
from mapal.project.template import substitute
from mapal.rewrite import rewrite
from mapal.syntax import decode_program, encode_program, parse
from mapal.target import TargetProfile
from mapal.target.detect import detect_host

STAGES = ("parse", "lower", "check", "rewrite", "emit", "object")
_REPEAT = 5

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class CompileTime:
    """Milliseconds per stage, of processor time and by the clock on the wall, and the length of
    the source in lines."""

    project: str
    program: str
    lines: int
    processor: dict[str, float]
    wall: dict[str, float]


def time_program(
    project: str, program: Program, source: str, profile: TargetProfile
) -> CompileTime:
    """Compiles one program stage by stage, each stage from the text of its artifacts as in a
    build."""
    processor: dict[str, float] = {}
    wall: dict[str, float] = {}

    def timed(stage: str, work: Callable[[], Value]) -> Value:
        value, processor[stage], wall[stage] = _least(work)
        return value

    def parsed() -> bytes:
        result = parse(source)
        if result.diagnostics:
            raise CompilerBug(f"{project}/{program.name} does not parse")
        return encode_program(result.program)

    tree = timed("parse", parsed)

    def lowered() -> str:
        result = lower(decode_program(tree), "fused" if program.arithmetic == "fused" else "exact")
        if result.graph is None:
            raise CompilerBug(f"{project}/{program.name} does not lower")
        return print_graph(result.graph)

    text = timed("lower", lowered)
    timed("check", lambda: check(decode_program(tree), parse_graph(text)))
    rewritten = timed("rewrite", lambda: print_graph(rewrite(parse_graph(text)).graph))
    emission = timed("emit", lambda: emit(parse_graph(rewritten), profile, name=program.name))
    timed("object", lambda: compile_module(emission.ll, profile, program.opt))
    return CompileTime(project, program.name, source.count("\n"), processor, wall)


def _least(work: Callable[[], Value]) -> tuple[Value, float, float]:
    """The value, and the least milliseconds of processor time and by the clock on the wall."""
    processor = wall = float("inf")
    value: Value
    for _ in range(_REPEAT):
        began, began_wall = time.process_time(), time.perf_counter()
        value = work()
        wall = min(wall, (time.perf_counter() - began_wall) * 1000)
        processor = min(processor, (time.process_time() - began) * 1000)
    return value, processor, wall


def time_project(directory: Path, profile: TargetProfile) -> list[CompileTime]:
    """All programs of one project."""
    project = load_project(directory)
    found: list[CompileTime] = []
    for program in project.programs:
        source = (directory / program.source).read_text(encoding="utf-8")
        if program.sizes:
            source = substitute(source, dict(program.sizes), program.source)
        found.append(time_program(project.name, program, source, profile))
    return found


def markdown(times: Sequence[CompileTime], profile: TargetProfile) -> str:
    """The tables, with what they were measured for."""
    machine = f"for `{profile.cpu}` ({profile.triple}), least of {_REPEAT}"
    lines = [f"Processor milliseconds {machine}.", ""]
    lines += _table(times, [entry.processor for entry in times])
    lines += ["", f"Milliseconds by the clock on the wall {machine}.", ""]
    lines += _table(times, [entry.wall for entry in times])
    return "\n".join(lines) + "\n"


def _table(times: Sequence[CompileTime], columns: Sequence[dict[str, float]]) -> list[str]:
    head = ["program", "lines", *STAGES, "total"]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for entry, stages in zip(times, columns, strict=True):
        cells = [f"{entry.project}/{entry.program}", str(entry.lines)]
        cells += [f"{stages[stage]:.1f}" for stage in STAGES]
        lines.append("| " + " | ".join([*cells, f"{sum(stages.values()):.1f}"]) + " |")
    return lines


def main(arguments: Sequence[str]) -> int:
    profile = detect_host()
    directories = [Path(argument) for argument in arguments]
    times = [entry for directory in directories for entry in time_project(directory, profile)]
    sys.stdout.write(markdown(times, profile))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
