"""The leg of real executables: compiled alone, linked with the whole runtime, run as a process.

It is slow and tells little that the batch does not, so a sweep takes it for a sample.
"""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mapal.codegen import emit
from mapal.diagnostics import CompilerBug
from mapal.ir.entry import Port, Ports, entry_ports
from mapal.ir.graph import Graph
from mapal.native.llvm import compile_object
from mapal.native.run import TRAP_STATUS, run_executable
from mapal.native.toolchain import Compiler, build_runtime, find_compiler, link, runtime_sources
from mapal.project.arrays import flat_of, read_npy, write_npy
from mapal.sweep.endings import Ending, canonical_bytes
from mapal.target import TargetProfile

LEVEL = 2

_LIMIT_SECONDS = 20.0


@functools.cache
def _toolchain() -> tuple[Compiler, bytes]:
    compiler = find_compiler().compiler
    if compiler is None:
        raise CompilerBug("the sweep needs a C compiler")
    sources = {name: path.read_bytes() for name, path in runtime_sources().items()}
    return compiler, build_runtime(compiler, sources)


def run_as_process(
    graph: Graph, inputs: tuple[Mapping[str, object], ...], profile: TargetProfile
) -> list[Ending]:
    """The ending of each run of a program that reads no clock."""
    ports = entry_ports(graph)
    compiler, runtime = _toolchain()
    text = emit(graph, profile, name="sweep").ll
    compiled = compile_object(text, profile, LEVEL)
    with tempfile.TemporaryDirectory(prefix="mapal-") as name:
        directory = Path(name)
        executable = directory / "program"
        executable.write_bytes(link(compiler, compiled, runtime))
        executable.chmod(0o755)
        return [_run(executable, ports, given, directory) for given in inputs]


def _run(executable: Path, ports: Ports, inputs: Mapping[str, object], directory: Path) -> Ending:
    arguments: list[str] = []
    for port in ports.inputs:
        path = directory / f"{port.name}.in.npy"
        path.write_bytes(write_npy(flat_of(inputs[port.name], port), port))
        arguments += ["--input", f"{port.name}={path}"]
    for port in ports.outputs:
        arguments += ["--output", f"{port.name}={directory / f'{port.name}.out.npy'}"]
    outcome = run_executable(executable, arguments, limit_seconds=_LIMIT_SECONDS)
    if outcome.exit == TRAP_STATUS and outcome.trap is not None:
        trap = (outcome.trap.kind, outcome.trap.token)
        return Ending("trapped", outcome.stdout, trap)
    if outcome.exit != 0:
        return Ending("crashed", f"status {outcome.exit}: ".encode() + outcome.stderr[-500:])
    results = tuple(_result(directory, port) for port in ports.outputs)
    return Ending("done", outcome.stdout, None, results)


def _result(directory: Path, port: Port) -> bytes:
    path = directory / f"{port.name}.out.npy"
    return canonical_bytes(np.asarray(read_npy(path.read_bytes(), port, path.name)))
