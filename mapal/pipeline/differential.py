"""Stage `differential`: does the native program do exactly what the interpreter did?

The executable runs once for each thread count; exit status, trap, standard output and result
files are compared by bytes. A difference fails the task, names the first line or element that
differs, and keeps the result files as evidence.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mapal.native.run import NativeOutcome, run_executable
from mapal.pipeline.files import content_hash
from mapal.pipeline.stages.result import StageResult, canonical_json
from mapal.pipeline.step import Call

_INPUT = "input."


@dataclass(frozen=True, slots=True)
class Run:
    """One native run. `outputs` are the result files by port name."""

    threads: int
    outcome: NativeOutcome
    outputs: dict[str, bytes]


def check(call: Call) -> StageResult:
    """The `result` document, and a file `tT-oN.PORT` for each result of each run."""
    options = call.step.options
    oracle = json.loads(call.inputs["oracle"])
    document = {
        "schema": 1,
        "program": options["program"],
        "target": options["target"],
        "arithmetic": options["arithmetic"],
        "status": "skipped",
        "reason": options["skipped"],
        "oracle": {
            key: oracle[key] for key in ("class", "exit", "trap", "stdout_sha256", "outputs")
        },
        "runs": [],
    }
    if options["skipped"] is not None:
        return StageResult(
            {"result": canonical_json(document)}, summary=f"skipped: {options['skipped']}"
        )
    outputs: dict[str, bytes] = {}
    problems = []
    for threads in options["threads"]:
        run = _run(call, threads, sorted(oracle["outputs"]))
        problem = difference(run, oracle, call)
        if problem is not None:
            problems.append(f"with {threads} threads: {problem}")
        document["runs"].append(_run_entry(run, options["opt"], problem is None))
        for name, data in run.outputs.items():
            outputs[f"t{threads}-o{options['opt']}.{name}"] = data
    document["status"] = "different" if problems else "equal"
    failure = None
    if problems:
        failure = "the native program differs from the interpreter\n  " + "\n  ".join(problems)
    return StageResult(
        {"result": canonical_json(document), **outputs}, failure=failure, summary=document["status"]
    )


def _run(call: Call, threads: int, ports: list[str]) -> Run:
    program = Path(call.paths["program"])
    inputs = {
        role.removeprefix(_INPUT): Path(path)
        for role, path in sorted(call.paths.items())
        if role.startswith(_INPUT)
    }
    if call.elsewhere is None:
        return run_here(program, inputs, ports, threads, Path(call.scratch))
    contents = {port: path.read_bytes() for port, path in inputs.items()}
    name = f"{run_of_bytes.__module__}:{run_of_bytes.__name__}"
    run: Run = call.elsewhere(name, program.read_bytes(), contents, ports, threads)
    return run


def run_of_bytes(
    program: bytes, inputs: Mapping[str, bytes], ports: Sequence[str], threads: int
) -> Run:
    """`run_here` for a machine that has the content of the files only."""
    with tempfile.TemporaryDirectory(prefix="mapal-run-") as name:
        scratch = Path(name)
        executable = scratch / "program"
        executable.write_bytes(program)
        executable.chmod(0o700)
        paths = {port: scratch / f"input.{port}.npy" for port in inputs}
        for port, path in paths.items():
            path.write_bytes(inputs[port])
        return run_here(executable, paths, ports, threads, scratch)


def run_here(
    program: Path, inputs: Mapping[str, Path], ports: Sequence[str], threads: int, scratch: Path
) -> Run:
    """Runs an executable with files for its entry's parameters; `ports` are its results."""
    arguments: list[str] = []
    for port, path in inputs.items():
        arguments += ["--input", f"{port}={path.absolute()}"]
    files = {port: Path(scratch, f"{threads}.{port}.npy").absolute() for port in ports}
    for port, file in files.items():
        arguments += ["--output", f"{port}={file}"]
    outcome = run_executable(program, arguments, environment={"MAPAL_THREADS": str(threads)})
    outputs = {port: path.read_bytes() for port, path in files.items() if path.is_file()}
    return Run(threads, outcome, outputs)


def _run_entry(run: Run, opt: int, equal: bool) -> dict[str, Any]:
    trap = run.outcome.trap
    return {
        "threads": run.threads,
        "opt": opt,
        "via": None,
        "exit": run.outcome.exit,
        "trap": {"kind": trap.kind, "token": trap.token} if trap is not None else None,
        "stdout_sha256": content_hash(run.outcome.stdout),
        "outputs": {name: content_hash(data) for name, data in sorted(run.outputs.items())},
        "equal": equal,
    }


def difference(run: Run, oracle: dict[str, Any], call: Call) -> str | None:
    """The first thing in which a run differs from the oracle; None if nothing does."""
    outcome = run.outcome
    if content_hash(outcome.stdout) != oracle["stdout_sha256"]:
        return _first_line(oracle["stdout"].encode(), outcome.stdout)
    if outcome.exit != oracle["exit"]:
        said = outcome.stderr.decode("utf-8", "replace").strip()[:500]
        found = "no end within the time limit" if outcome.exit is None else str(outcome.exit)
        return f"exit status {oracle['exit']} expected, found {found}" + (
            f"; it said: {said}" if said else ""
        )
    trap = outcome.trap
    found_trap = {"kind": trap.kind, "token": trap.token} if trap is not None else None
    if found_trap != oracle["trap"]:
        return f"trap {oracle['trap']} expected, found {found_trap}"
    for name, expected in sorted(oracle["outputs"].items()):
        if name not in run.outputs:
            return f"{name} was not written"
        if content_hash(run.outputs[name]) != expected:
            label = f"oracle/{call.step.options['program']}/{name}.npy"
            wanted = Path(call.step.site.path(label)).read_bytes()
            return f"{name}: {first_element(wanted, run.outputs[name])}"
    return None


def _first_line(expected: bytes, found: bytes) -> str:
    wanted_lines, found_lines = expected.split(b"\n"), found.split(b"\n")
    for number, (wanted, line) in enumerate(zip(wanted_lines, found_lines, strict=False), 1):
        if wanted != line:
            return (
                f"line {number} of stdout: expected {_quoted(wanted)} (hex {wanted[:64].hex()}), "
                f"found {_quoted(line)} (hex {line[:64].hex()})"
            )
    return f"stdout: expected {len(wanted_lines) - 1} lines, found {len(found_lines) - 1}"


def _quoted(line: bytes) -> str:
    return repr(line[:64].decode("utf-8", "replace"))


def first_element(expected: bytes, found: bytes) -> str:
    """The first element in which two `.npy` files of one program differ, both in hex."""
    import io

    import numpy as np

    try:
        wanted = np.load(io.BytesIO(expected), allow_pickle=False)
        other = np.load(io.BytesIO(found), allow_pickle=False)
    except (ValueError, EOFError):
        return "no readable array"
    if wanted.dtype != other.dtype or wanted.shape != other.shape:
        return f"expected {wanted.dtype.str} {wanted.shape}, found {other.dtype.str} {other.shape}"
    size = wanted.dtype.itemsize
    wanted_bytes, other_bytes = wanted.tobytes(), other.tobytes()
    rows = (
        np.frombuffer(wanted_bytes, np.uint8).reshape(-1, size)
        != np.frombuffer(other_bytes, np.uint8).reshape(-1, size)
    ).any(axis=1)
    if not rows.any():
        return "the files differ outside the elements"
    position = int(rows.argmax())
    index = tuple(int(part) for part in np.unravel_index(position, wanted.shape or (1,)))
    place = slice(position * size, (position + 1) * size)
    return (
        f"{int(rows.sum())} elements differ; the first is element "
        f"{list(index) if wanted.shape else '()'}: "
        f"expected {wanted.reshape(-1)[position]} (hex {wanted_bytes[place][::-1].hex()}), "
        f"found {other.reshape(-1)[position]} (hex {other_bytes[place][::-1].hex()})"
    )
