"""Times one program and its peers, interleaved, in this process.

Run as `python -m mapal.bench.worker`: a job as JSON on standard input, the figures as JSON on
standard output. What the program prints goes nowhere. Only the kernel is timed: inputs exist
and pages are touched before, each sample is as many calls as fill `_SAMPLE_SECONDS`, the order
of the contestants rotates from round to round, and the first round is not counted. No peer is
timed before its answer agrees with ours.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SAMPLE_SECONDS = 0.005
_MOST_CALLS = 10_000
_DTYPES = ("<i4", "<i8", "|u1", "<f4", "<f8", "|b1")

Array = NDArray[Any]
Call = Callable[[], object]


class _PortRecord(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("scalar", ctypes.c_uint32),
        ("rank", ctypes.c_uint32),
        ("count", ctypes.c_uint64),
        ("shape", ctypes.POINTER(ctypes.c_uint64)),
    )


class _ProgramRecord(ctypes.Structure):
    _fields_ = (
        ("abi", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("inputs", ctypes.c_uint32),
        ("input", ctypes.POINTER(_PortRecord)),
        ("outputs", ctypes.c_uint32),
        ("output", ctypes.POINTER(_PortRecord)),
        ("entry", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)),
    )


@dataclass(slots=True)
class Contestant:
    """One of the programs that run against each other, with its samples in milliseconds."""

    name: str
    call: Call
    samples: list[float]
    calls: int = 1


class WrongAnswer(Exception):  # noqa: N818  # a finding about the peer
    """A contestant's result differs from what it must be."""


def main() -> int:
    """Reads the job, measures, writes the figures."""
    job = json.load(sys.stdin)
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    with answer:
        json.dump(run_job(job), answer)
    return 0


def run_job(job: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of one job: `samples` of ours and, for each peer, its samples or why it is
    absent."""
    inputs = {name: np.load(path, allow_pickle=False) for name, path in job["inputs"].items()}
    call, outputs = load_program(job["library"], inputs)
    call()
    _compare_exactly(outputs, job["expected"])
    contestants = [Contestant("mapal", call, [])]
    absent: list[dict[str, str]] = []
    for peer in job["peers"]:
        try:
            peer_call = _peer_call(peer, inputs, outputs)
        except ImportError as error:
            absent.append({"name": peer["name"], "absent": f"not installed: {error.name}"})
            continue
        contestants.append(Contestant(peer["name"], peer_call, []))
    interleave(contestants, job["repeat"], time.perf_counter)
    return {
        "samples": {contestant.name: contestant.samples for contestant in contestants},
        "notes": {"numpy": _numpy_note()},
        "absent": absent,
    }


def interleave(contestants: list[Contestant], repeat: int, clock: Callable[[], float]) -> None:
    """Samples every contestant `repeat` times, one after the other in each round, after one
    round that finds how many calls make a sample and warms everything."""
    for contestant in contestants:
        contestant.calls = _calls_for_a_sample(contestant.call, clock)
    for number in range(repeat + 1):
        start = number % len(contestants)
        for contestant in contestants[start:] + contestants[:start]:
            sample = _sample(contestant, clock)
            if number:
                contestant.samples.append(sample)


def _calls_for_a_sample(call: Call, clock: Callable[[], float]) -> int:
    began = clock()
    call()
    seconds = clock() - began
    if seconds <= 0:
        return _MOST_CALLS
    return max(1, min(_MOST_CALLS, round(_SAMPLE_SECONDS / seconds)))


def _sample(contestant: Contestant, clock: Callable[[], float]) -> float:
    call, calls = contestant.call, contestant.calls
    began = clock()
    for _ in range(calls):
        call()
    return (clock() - began) * 1000 / calls


def load_program(library: str, inputs: Mapping[str, Array]) -> tuple[Call, list[Array]]:
    """A call of the entry of a shared library and the arrays that it writes."""
    loaded = ctypes.CDLL(library)
    record = _ProgramRecord.in_dll(loaded, "mapal_program_descriptor")
    taken: list[Array] = []
    for number in range(record.inputs):
        port = record.input[number]
        array = inputs[port.name.decode()]
        taken.append(np.ascontiguousarray(array, dtype=_DTYPES[port.scalar]))
    given: list[Array] = []
    for number in range(record.outputs):
        port = record.output[number]
        shape = tuple(port.shape[axis] for axis in range(port.rank))
        given.append(np.zeros(shape, dtype=_DTYPES[port.scalar]))
    sources, targets = _pointers(taken), _pointers(given)
    entry = record.entry

    def call() -> None:
        entry(sources, targets)

    # The arrays and the library live as long as the call that uses their addresses.
    call.keep = (loaded, taken, sources, targets)  # type: ignore[attr-defined]
    return call, given


def _pointers(arrays: list[Array]) -> Any:
    addresses = [array.ctypes.data for array in arrays]
    return (ctypes.c_void_p * max(1, len(arrays)))(*addresses)


def _compare_exactly(outputs: list[Array], expected: list[str]) -> None:
    for output, path in zip(outputs, expected, strict=True):
        wanted = np.load(path, allow_pickle=False)
        if not same_bits(output, wanted):
            raise WrongAnswer(f"the program's result differs from {Path(path).name}")


def same_bits(a: Array, b: Array) -> bool:
    """Whether two arrays have equal elements, where every NaN equals every other."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    bits = f"<u{a.dtype.itemsize}"
    same = (a.view(bits) == b.view(bits)) | (np.isnan(a) & np.isnan(b))
    return bool(np.all(same))


def _peer_call(peer: Mapping[str, Any], inputs: Mapping[str, Array], outputs: list[Array]) -> Call:
    """A call of a peer whose answer was compared with ours."""
    if peer["library"] is not None:
        return _c_call(peer["library"], inputs, outputs)
    path = Path(peer["script"])
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    answer = module.run(inputs)
    answers = list(answer) if isinstance(answer, tuple) else [answer]
    tolerance = float(getattr(module, "RELATIVE_TOLERANCE", 0.0))
    _compare_answers(peer["name"], answers, outputs, tolerance)
    return lambda: module.run(inputs)


def _c_call(library: str, inputs: Mapping[str, Array], outputs: list[Array]) -> Call:
    loaded = ctypes.CDLL(library)
    mine = [np.zeros_like(output) for output in outputs]
    taken = [np.ascontiguousarray(array) for array in inputs.values()]
    sources, targets = _pointers(taken), _pointers(mine)
    run = loaded.run
    run.restype = None
    run(sources, targets)
    tolerance = 1e-4
    _compare_answers("c", mine, outputs, tolerance)

    def call() -> None:
        run(sources, targets)

    call.keep = (loaded, taken, mine)  # type: ignore[attr-defined]
    return call


def _compare_answers(
    name: str, answers: list[Array], outputs: list[Array], tolerance: float
) -> None:
    if len(answers) != len(outputs):
        raise WrongAnswer(f"peer {name} gives {len(answers)} arrays, not {len(outputs)}")
    for answer, output in zip(answers, outputs, strict=True):
        found = np.asarray(answer).reshape(output.shape)
        if tolerance == 0.0 and not same_bits(found, output):
            raise WrongAnswer(f"peer {name} gives another result")
        if tolerance != 0.0:
            scale = float(np.max(np.abs(output))) or 1.0
            if not np.allclose(found, output, rtol=0.0, atol=tolerance * scale, equal_nan=True):
                raise WrongAnswer(f"peer {name} is off by more than {tolerance} of the largest")


def _numpy_note() -> str:
    """Which NumPy, and which linear algebra behind it."""
    config = np.show_config(mode="dicts")
    blas = config.get("Build Dependencies", {}).get("blas", {}) if config else {}
    return (
        f"NumPy {np.__version__}, {blas.get('name', 'unknown')} {blas.get('version', '')}".strip()
    )


if __name__ == "__main__":
    sys.exit(main())
