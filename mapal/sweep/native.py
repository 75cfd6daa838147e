"""The native leg: many programs compiled together and run in one forked child.

Each program is emitted as it always is, or so that threads share what they hardly ever would: all
that may be cut or be a path is, or only what weighs something, so that light items are left for
the host between paths. The modules of a batch are linked into one, compiled at each level, and
linked by the C linker with a runtime whose output and clock are those of `capture.c`. The child
runs case after case and reports each one, so one that crashes or does not end is known by its
number and the others go on in another child.
"""

from __future__ import annotations

import ctypes
import faulthandler
import functools
import os
import pickle
import signal
import struct
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.codegen import emit
from mapal.diagnostics import CompilerBug, Unsupported, UserError
from mapal.ir.entry import Port, Ports, entry_ports
from mapal.ir.graph import Graph
from mapal.native.llvm import check_module, compile_together
from mapal.native.toolchain import (
    Compiler,
    build_runtime,
    find_compiler,
    link_shared,
    runtime_sources,
)
from mapal.project.arrays import flat_of
from mapal.sweep.endings import Ending, canonical_bytes, dtype_of
from mapal.target import TargetProfile

LEVELS = (0, 2)

CUTS: tuple[int | None, ...] = (0, None, 64, 0, None, 512)
"""From how many operations on programs are cut for threads, in turn; None: as it always is."""

THREADS = 3

_SHUFFLED = b"#define MAPAL_SHUFFLED 1\n"
"""Tasks are taken in any order that their edges allow, by one thread alone always in the same."""

_REPLACED = ("main.c", "output.c", "clock.c")
_LIMIT_SECONDS = 10
_TRAPS = ("div_zero", "index_oob")
_HEADER = struct.Struct("<Q")
_CANARY = bytes(range(64))


class SweepEnding(ctypes.Structure):
    """What `sweep_run` of `capture.c` returns a pointer to."""

    _fields_ = (
        ("kind", ctypes.c_int32),
        ("token", ctypes.c_uint32),
        ("length", ctypes.c_uint64),
        ("output", ctypes.c_void_p),
    )


@dataclass(frozen=True, slots=True)
class Case:
    """A graph and the inputs of each of its runs."""

    graph: Graph
    inputs: tuple[Mapping[str, object], ...]


NativeResult = dict[int, list[Ending]] | str


@functools.cache
def capturing_toolchain() -> tuple[Compiler, bytes]:
    """The C compiler, and the runtime with the capture in place of its ends, and shuffled."""
    compiler = find_compiler().compiler
    if compiler is None:
        raise CompilerBug("the sweep needs a C compiler")
    sources = {
        name: path.read_bytes() for name, path in runtime_sources().items() if name not in _REPLACED
    }
    sources["capture.c"] = Path(__file__).with_name("capture.c").read_bytes()
    shuffled = {name: _SHUFFLED + data for name, data in sources.items()}
    return compiler, build_runtime(compiler, shuffled)


def run_natively(cases: Sequence[Case], profile: TargetProfile) -> list[NativeResult]:
    """For each case, by level, the ending of each of its runs; or what went wrong before. A run
    that crashes or does not end has the kind `crashed`."""
    return run_at(cases, profile, (THREADS,), CUTS)[0]


def run_at(
    cases: Sequence[Case],
    profile: TargetProfile,
    counts: Sequence[int],
    cuts: Sequence[int | None],
) -> list[list[NativeResult]]:
    """The same at each of several counts of threads, in a process of its own each. The cases are
    cut for threads from so many operations on as `cuts` says, in turn."""
    emitted = [_emitted(case, profile, cuts_from) for case, cuts_from in zip(cases, cycle(cuts))]
    texts = {n: text for n, (text, problem) in enumerate(emitted) if not problem}
    problems: list[NativeResult] = [problem for _, problem in emitted]
    results = [list(problems) for _ in counts]
    for part, library in _libraries(texts, profile):
        for found, threads in zip(results, counts, strict=True):
            if isinstance(library, str):
                for number in part:
                    found[number] = library
            else:
                for number, endings in _run_library(library, part, cases, threads):
                    found[number] = endings
    return results


def _libraries(
    texts: Mapping[int, str], profile: TargetProfile
) -> Iterator[tuple[Mapping[int, str], bytes | str]]:
    """The texts with the library of all of them. If there is none, halves are tried, down to
    the text that does it, which comes with the problem."""
    if not texts:
        return
    try:
        library: bytes | str = _library(texts, profile)
    except (CompilerBug, UserError) as error:
        if len(texts) > 1:
            items, half = list(texts.items()), len(texts) // 2
            yield from _libraries(dict(items[:half]), profile)
            yield from _libraries(dict(items[half:]), profile)
            return
        library = f"{type(error).__name__}: {str(error)[:2000]}"
    yield texts, library


def _run_library(
    library: bytes, numbers: Iterable[int], cases: Sequence[Case], threads: int
) -> Iterator[tuple[int, dict[int, list[Ending]]]]:
    """The endings of the cases in a library."""
    plans = {number: (cases[number], entry_ports(cases[number].graph)) for number in numbers}
    jobs = [
        (level, number, at)
        for number, (case, _) in plans.items()
        for level in LEVELS
        for at in range(len(case.inputs))
    ]
    endings: dict[int, dict[int, list[Ending]]] = {
        number: {level: [] for level in LEVELS} for number in plans
    }
    with tempfile.TemporaryDirectory(prefix="mapal-") as directory:
        path = Path(directory, "programs.so")
        path.write_bytes(library)
        found = _endings(path, plans, jobs, threads)
        for (level, number, _), ending in zip(jobs, found, strict=True):
            endings[number][level].append(ending)
    yield from endings.items()


def _emitted(case: Case, profile: TargetProfile, cuts_from: int | None) -> tuple[str, str]:
    """LLVM text that LLVM accepts, or nothing and the problem."""
    if cuts_from is not None:
        # A path costs nothing, and neither does a slice.
        policy = replace(profile.policy, slice_operations=1, thread_operations=1)
        profile = replace(profile, policy=policy)
    try:
        text = emit(case.graph, profile, name="sweep", cuts_from=cuts_from).ll
        check_module(text)
    except (CompilerBug, Unsupported, AssertionError, LookupError, TypeError) as error:
        return "", f"{type(error).__name__}: {str(error)[:2000]}"
    return text, ""


def _library(texts: Mapping[int, str], profile: TargetProfile) -> bytes:
    """The shared library with every case at every level, as `sweep_program_NUMBER_LEVEL`."""
    compiler, runtime = capturing_toolchain()
    objects = []
    for level in LEVELS:
        modules = [
            text.replace("@mapal_program_descriptor", f"@sweep_program_{number}_{level}")
            for number, text in texts.items()
        ]
        # The linker takes from the runtime what something refers to.
        modules.append(f"@sweep_keep_{level} = constant ptr @sweep_run\ndeclare void @sweep_run()")
        objects.append(compile_together(modules, profile, level))
    first, *further = objects
    return link_shared(compiler, first, runtime, further=further)


# Running --------------------------------------------------------------------------------------

Job = tuple[int, int, int]
Plan = tuple[Case, Ports]


def _endings(
    path: Path, plans: Mapping[int, Plan], jobs: Sequence[Job], threads: int
) -> Iterator[Ending]:
    """The endings of the jobs, in order; a child does as many as it survives."""
    at = 0
    while at < len(jobs):
        for ending in _in_child(path, plans, jobs[at:], threads):
            yield ending
            at += 1


def _in_child(
    path: Path, plans: Mapping[int, Plan], jobs: Sequence[Job], threads: int
) -> Iterator[Ending]:
    """The endings of the jobs up to the first that ends the child, that one included."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read_end)
            os.environ["MAPAL_THREADS"] = str(threads)
            _serve(path, plans, jobs, write_end)
            status = 0
        finally:
            os._exit(status)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as replies:
        done = 0
        while header := replies.read(_HEADER.size):
            yield pickle.loads(replies.read(_HEADER.unpack(header)[0]))
            done += 1
    _, status = os.waitpid(child, 0)
    if done < len(jobs):
        code = os.waitstatus_to_exitcode(status)
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"status {code}"
        yield Ending("crashed", how.encode())


def _serve(path: Path, plans: Mapping[int, Plan], jobs: Sequence[Job], replies: int) -> None:
    faulthandler.disable()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    library = ctypes.CDLL(str(path))
    library.sweep_run.restype = ctypes.POINTER(SweepEnding)
    for level, number, at in jobs:
        signal.alarm(_LIMIT_SECONDS)
        case, ports = plans[number]
        descriptor = ctypes.addressof(
            ctypes.c_char.in_dll(library, f"sweep_program_{number}_{level}")
        )
        ending = pickle.dumps(_run(library, descriptor, ports, case.inputs[at]))
        os.write(replies, _HEADER.pack(len(ending)) + ending)


def _run(library: Any, descriptor: int, ports: Ports, inputs: Mapping[str, object]) -> Ending:
    taken = [_input_buffer(port, inputs[port.name]) for port in ports.inputs]
    given = [_output_buffer(port) for port in ports.outputs]
    before = [buffer.tobytes() for buffer in taken]
    found = library.sweep_run(ctypes.c_void_p(descriptor), _table(taken), _table(given)).contents
    if [buffer.tobytes() for buffer in taken] != before:
        return Ending("crashed", b"wrote to an input")
    if any(buffer.tobytes()[-len(_CANARY) :] != _CANARY for buffer in given):
        return Ending("crashed", b"wrote beyond an output")
    return ending_from(found, tuple(map(_result, given, ports.outputs)))


def ending_from(found: SweepEnding, results: tuple[bytes, ...]) -> Ending:
    """The ending of a run that came back, with the results if nothing trapped."""
    output = ctypes.string_at(found.output, found.length)
    if found.kind >= 0:
        return Ending("trapped", output, (_TRAPS[found.kind], found.token))
    return Ending("done", output, None, results)


def _input_buffer(port: Port, value: object) -> NDArray[np.uint8]:
    return _aligned(flat_of(value, port).astype(dtype_of(port.scalar.name)).tobytes())


def _output_buffer(port: Port) -> NDArray[np.uint8]:
    return _aligned(b"\xa5" * (port.count * port.scalar.bytes))


def _aligned(data: bytes) -> NDArray[np.uint8]:
    """A buffer at a multiple of 64 that holds `data` and then the canary."""
    whole = np.empty(len(data) + len(_CANARY) + 64, dtype=np.uint8)
    start = -whole.ctypes.data % 64
    buffer = whole[start : start + len(data) + len(_CANARY)]
    buffer[:] = np.frombuffer(data + _CANARY, dtype=np.uint8)
    return buffer


def _table(buffers: Sequence[NDArray[np.uint8]]) -> Any:
    return (ctypes.c_void_p * max(1, len(buffers)))(*(buffer.ctypes.data for buffer in buffers))


def _result(buffer: NDArray[np.uint8], port: Port) -> bytes:
    data = buffer.tobytes()[: port.count * port.scalar.bytes]
    return canonical_bytes(np.frombuffer(data, dtype=dtype_of(port.scalar.name)))
