"""Processor time of every stage from source to object file, for the programs of projects.

Run as `python -m mapal.bench.compile_time PROJECT…`: a Markdown table on standard output. Each
stage is run several times in this process and its least time counts, since compiling is
deterministic and whatever else the machine does only adds. The start of Python and the import
of LLVM are not in it; a first compilation warms both.
"""

from __future__ import annotations

import json
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
    """Milliseconds of processor time per stage, and the length of the source in lines."""

    project: str
    program: str
    lines: int
    stages: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.stages.values())


def time_program(
    project: str, program: Program, source: str, profile: TargetProfile
) -> CompileTime:
    """Compiles one program stage by stage, each stage from the text of its artifacts as in a
    build."""
    stages: dict[str, float] = {}

    def timed(stage: str, work: Callable[[], Value]) -> Value:
        value, milliseconds = _least(work)
        stages[stage] = milliseconds
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
    return CompileTime(project, program.name, source.count("\n"), stages)


def _least(work: Callable[[], Value]) -> tuple[Value, float]:
    best = float("inf")
    value: Value
    for _ in range(_REPEAT):
        began = time.process_time()
        value = work()
        best = min(best, (time.process_time() - began) * 1000)
    return value, best


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
    """The table, with what it was measured for."""
    head = ["program", "lines", *STAGES, "total"]
    lines = [
        f"Processor milliseconds for `{profile.cpu}` ({profile.triple}), least of {_REPEAT}.",
        "",
        "| " + " | ".join(head) + " |",
        "| --- |" + " ---: |" * (len(head) - 1),
    ]
    for entry in times:
        cells = [f"{entry.project}/{entry.program}", str(entry.lines)]
        cells += [f"{entry.stages[stage]:.1f}" for stage in STAGES]
        lines.append("| " + " | ".join([*cells, f"{entry.total:.1f}"]) + " |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> int:
    profile = detect_host()
    directories = [Path(argument) for argument in arguments]
    times = [entry for directory in directories for entry in time_project(directory, profile)]
    sys.stdout.write(markdown(times, profile))
    slow = [entry for entry in times if entry.lines < 200 and entry.total >= 1000]
    for entry in slow:
        print(json.dumps({"over one second": entry.program, "ms": entry.total}), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
