"""Runs programs natively and on the interpreter, for comparing the two.

Modules are compiled in a worker process and linked with the runtime, which is built once for a
test run. Inputs and outputs are Python values of the interpreter's kind.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mapal.codegen import emit
from mapal.interpreter import run
from mapal.ir.entry import Ports, entry_ports
from mapal.ir.graph import Graph
from mapal.lower import Arithmetic, lower
from mapal.native.llvm_worker import compile_module
from mapal.native.run import run_executable
from mapal.native.toolchain import Compiler, build_runtime, find_compiler, link, runtime_sources
from mapal.project.arrays import flat_of, output_files, write_npy
from mapal.syntax import parse
from mapal.target import TargetProfile, load_profile

LEVELS = (0, 2)
BUDGET = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, in the terms that interpreter and native runs share."""

    kind: str
    stdout: bytes
    trap: tuple[str, int] | None
    outputs: Mapping[str, bytes]


def graph_of(source: str, arithmetic: Arithmetic = "exact") -> Graph:
    """The lowered graph of a correct program."""
    parsed = parse(source)
    assert not parsed.diagnostics, parsed.diagnostics
    lowered = lower(parsed.program, arithmetic)
    assert lowered.graph is not None, lowered.diagnostics
    return lowered.graph


@functools.cache
def native() -> TargetProfile:
    return load_profile("native")


@functools.cache
def _toolchain() -> tuple[Compiler, bytes]:
    compiler = find_compiler().compiler
    assert compiler is not None, "these tests need a C compiler"
    sources = {name: path.read_bytes() for name, path in runtime_sources().items()}
    return compiler, build_runtime(compiler, sources)


def interpreted(graph: Graph, inputs: Mapping[str, object] | None = None) -> Ending:
    """The interpreter's ending."""
    outcome = run(graph, inputs or {}, budget=BUDGET)
    outputs: dict[str, bytes] = {}
    if outcome.kind == "done":
        outputs = output_files(outcome.result, entry_ports(graph))
    trap = (outcome.trap.kind, outcome.trap.token) if outcome.trap else None
    return Ending(outcome.kind, outcome.output, trap, outputs)


def compiled(
    graph: Graph,
    level: int,
    profile: TargetProfile | None = None,
    cuts_from: int | None = None,
) -> bytes:
    """The executable of a graph."""
    profile = profile or native()
    emission = emit(graph, profile, name="program", cuts_from=cuts_from)
    compiler, runtime = _toolchain()
    return link(compiler, compile_module(emission.ll, profile, level).object, runtime)


def run_natively(
    graph: Graph,
    level: int,
    inputs: Mapping[str, object] | None = None,
    profile: TargetProfile | None = None,
) -> Ending:
    """The ending of the compiled program."""
    return ending_of(compiled(graph, level, profile), graph, inputs)


def ending_of(
    program: bytes,
    graph: Graph,
    inputs: Mapping[str, object] | None = None,
    threads: int | None = None,
) -> Ending:
    """The ending of an executable that was made of a graph."""
    ports = entry_ports(graph)
    environment = {} if threads is None else {"MAPAL_THREADS": str(threads)}
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        executable = directory / "program"
        executable.write_bytes(program)
        executable.chmod(0o755)
        arguments = _arguments(ports, inputs or {}, directory)
        outcome = run_executable(executable, arguments, environment=environment)
        assert outcome.exit in (0, 101), outcome
        if outcome.trap is not None:
            trap = (outcome.trap.kind, outcome.trap.token)
            return Ending("trapped", outcome.stdout, trap, {})
        outputs = {
            port.name: (directory / f"{port.name}.out.npy").read_bytes() for port in ports.outputs
        }
        return Ending("done", outcome.stdout, None, outputs)


def _arguments(ports: Ports, inputs: Mapping[str, object], directory: Path) -> list[str]:
    arguments = []
    for port in ports.inputs:
        path = directory / f"{port.name}.in.npy"
        path.write_bytes(write_npy(flat_of(inputs[port.name], port), port))
        arguments += ["--input", f"{port.name}={path}"]
    for port in ports.outputs:
        arguments += ["--output", f"{port.name}={directory / f'{port.name}.out.npy'}"]
    return arguments


def assert_equal_endings(graph: Graph, inputs: Mapping[str, object] | None = None) -> Ending:
    """The interpreter's ending, once the program has ended the same natively at every level."""
    expected = interpreted(graph, inputs)
    for level in LEVELS:
        assert run_natively(graph, level, inputs) == expected, f"level {level}"
    return expected
