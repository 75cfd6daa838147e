"""Holds programs with kernels to the interpreter, and lives through whatever goes wrong.

Each program is emitted without kernels, with them, and with them in slices; all programs of a
batch are compiled together and run in forked children with the runtime of the sweep, which reports
traps. Arrays lie once at the alignment that the runtime gives, once an element behind that, and
once directly before and behind a page that nobody may touch. A front end, an emission, a
compilation or a run that crashes or does not end is a finding about its program; the others of the
batch go on.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import pickle
import signal
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

import numpy as np

from mapal import interpreter
from mapal.codegen import emit
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels import choice
from mapal.codegen.llvm.kernels.site import Kernel, MapSite
from mapal.ir.entry import Port, Ports, entry_ports
from mapal.ir.graph import Graph
from mapal.native.toolchain import link_shared
from mapal.native.workers import shared_pool
from mapal.project.arrays import value_of
from mapal.rewrite import rewrite
from mapal.sweep.endings import Ending, canonical_bytes, dtype_of, ending_of
from mapal.sweep.native import SweepEnding, capturing_toolchain, ending_from
from mapal.target import TargetProfile
from tests.codegen.kernel_runs import (
    EMISSIONS,
    PLACES,
    THREADS,
    Array,
    Case,
    placed,
    symbol_of,
    untouched,
)
from tests.codegen.native_runs import graph_of

PLAIN_STEPS = 400_000
"""What takes the plain interpreter more steps is interpreted in lockstep."""

LOCKSTEP_STEPS = 200_000_000

_PREPARING_SECONDS = 120
_COMPILING_SECONDS = 300.0
_RUN_SECONDS = 20
_HEADER = struct.Struct("<Q")


Shape = Callable[[Emitter, MapSite], Kernel | None]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """What is to be compiled and run of a case, and the ending that it must have."""

    ports: Ports
    expected: Ending
    texts: Mapping[str, str]


def findings(
    cases: Sequence[Case], profile: TargetProfile, counts: Counter[str], *, level: int = 2
) -> list[str | None]:
    """For each case what is wrong with it, or None. Counts how cases ended, which interpreter
    they were held to, and what the plans with kernels say."""
    found: list[str | None] = [None] * len(cases)
    prepared: dict[int, _Prepared] = {}
    for number, case in enumerate(cases):
        try:
            with _no_longer_than(_PREPARING_SECONDS):
                prepared[number] = _prepared(case, profile, counts)
        except Exception as error:
            found[number] = f"before compilation: {type(error).__name__}: {str(error)[:600]}"
    for part, library in _libraries(prepared, profile, level):
        if isinstance(library, str):
            for number in part:
                found[number] = library
            continue
        for number, text in _differences(library, part, cases):
            found[number] = found[number] or text
    return found


@contextmanager
def _no_longer_than(seconds: int) -> Iterator[None]:
    def give_up(_: int, __: FrameType | None) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    former = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


def _prepared(case: Case, profile: TargetProfile, counts: Counter[str]) -> _Prepared:
    graph = graph_of(case.source, case.arithmetic)
    ports = entry_ports(graph)
    expected = _interpreted(graph, ports, case, counts)
    rewritten = rewrite(graph).graph
    texts = {}
    chosen: Counter[str] = Counter()
    for name, (cuts_from, has_kernels) in EMISSIONS.items():
        with _counted_kernels(chosen):
            emission = emit(
                rewritten, profile, name="p", cuts_from=cuts_from, has_kernels=has_kernels
            )
        texts[name] = emission.ll
        if name == "whole":
            _count_sites(emission.plan, counts)
            counts.update(chosen)
            counts.update({f"{kernel} on {profile.name}": n for kernel, n in chosen.items()})
    return _Prepared(ports, expected, texts)


@contextmanager
def _counted_kernels(counts: Counter[str]) -> Iterator[None]:
    """Counts how often each shape is chosen."""

    def counted(shape: Shape) -> Shape:
        def ask(e: Emitter, site: MapSite) -> Kernel | None:
            kernel = shape(e, site)
            counts[f"kernel {shape.__name__}"] += kernel is not None
            return kernel

        return ask

    with patch.object(choice, "SHAPES", tuple(map(counted, choice.SHAPES))):
        yield


def _interpreted(graph: Graph, ports: Ports, case: Case, counts: Counter[str]) -> Ending:
    inputs = {
        port.name: value_of(_flat(case.inputs[port.name], port), port.ty) for port in ports.inputs
    }
    outcome = interpreter.run(graph, inputs, budget=PLAIN_STEPS)
    how = "the plain interpreter"
    if outcome.kind == "diverged":
        outcome = interpreter.run(
            graph, inputs, budget=LOCKSTEP_STEPS, lockstep_from=interpreter.LOCKSTEP_FROM
        )
        how = "the interpreter in lockstep"
    ending = ending_of(outcome, ports)
    counts[f"held to {how}"] += 1
    counts[f"ended {ending.kind}"] += 1
    return ending


def _flat(array: Array, port: Port) -> Array:
    return np.ascontiguousarray(array, dtype=dtype_of(port.scalar.name)).reshape(-1)


def _count_sites(plan: Mapping[str, Any], counts: Counter[str]) -> None:
    """How maps, folds and reductions are emitted, beside the kernels."""
    for site in plan["sites"]:
        if site["kind"] in ("map", "fold", "reduce"):
            shape, reason = site["shape"], site["reason"]
            counts[f"{site['kind']}s as {shape.split(',')[0]}"] += 1
            counts["maps past the caches"] += "past the caches" in reason or "streamed" in shape
            counts["maps checked by blocks"] += "indices of a block" in reason
            counts["maps by periods"] += "choose by their remainder" in reason
            counts["reductions in turns"] += "in turns" in reason
            counts["reductions in streams"] += site["kind"] == "reduce" and "streams" in reason


# Compiling ----------------------------------------------------------------------------


def _libraries(
    prepared: Mapping[int, _Prepared], profile: TargetProfile, level: int
) -> Iterator[tuple[Mapping[int, _Prepared], bytes | str]]:
    """The cases with the library of all of them. If there is none, halves are tried, down to
    the case that does it, which comes with the problem."""
    if not prepared:
        return
    try:
        library: bytes | str = _library(prepared, profile, level)
    except Exception as error:
        if len(prepared) > 1:
            items, half = list(prepared.items()), len(prepared) // 2
            yield from _libraries(dict(items[:half]), profile, level)
            yield from _libraries(dict(items[half:]), profile, level)
            return
        library = f"in compilation: {type(error).__name__}: {str(error)[:600]}"
    yield prepared, library


def _library(prepared: Mapping[int, _Prepared], profile: TargetProfile, level: int) -> bytes:
    modules = [
        text.replace("@mapal_program_descriptor", f"@{symbol_of(number, name)}")
        for number, case in prepared.items()
        for name, text in case.texts.items()
    ]
    # The linker takes from the runtime what something refers to.
    modules.append("@keep = constant ptr @sweep_run\ndeclare void @sweep_run()")
    compiled = shared_pool().call(
        "mapal.native.llvm:compile_together",
        modules,
        profile,
        level,
        limit_seconds=_COMPILING_SECONDS,
    )
    compiler, runtime = capturing_toolchain()
    return link_shared(compiler, compiled, runtime)


# Running ------------------------------------------------------------------------------

_Job = tuple[int, str, str]


def _differences(
    library: bytes, prepared: Mapping[int, _Prepared], cases: Sequence[Case]
) -> Iterator[tuple[int, str]]:
    """Each run that does not end as the interpreter does. A program that crashes does not run
    again."""
    jobs = [(number, name, place) for number in prepared for name in EMISSIONS for place in PLACES]
    with tempfile.TemporaryDirectory(prefix="mapal-") as directory:
        path = Path(directory, "programs.so")
        path.write_bytes(library)
        while jobs:
            for ending in _in_child(path, tuple(jobs), prepared, cases):
                number, name, place = jobs.pop(0)
                expected = prepared[number].expected
                if ending != expected:
                    yield number, f"{name}, {place}: {described(ending, expected)}"
                if ending.kind == "crashed":
                    jobs = [job for job in jobs if job[0] != number]
                    break


def described(found: Ending, expected: Ending) -> str:
    """How an ending differs from what it should be."""
    text = f"{found.describe()[:300]} instead of {expected.describe()[:300]}"
    for at, (one, other) in enumerate(zip(found.results, expected.results, strict=False)):
        if one != other:
            byte = next(i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
            return f"result {at} differs from byte {byte} of {len(one)} on; {text}"
    return text


def _in_child(
    path: Path,
    jobs: Sequence[_Job],
    prepared: Mapping[int, _Prepared],
    cases: Sequence[Case],
) -> Iterator[Ending]:
    """The endings of the jobs up to the first that ends the child, that one included."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read_end)
            os.environ["MAPAL_THREADS"] = str(THREADS)
            _serve(path, jobs, prepared, cases, write_end)
            status = 0
        finally:
            os._exit(status)
    os.close(write_end)
    done, status = 0, -1
    try:
        with os.fdopen(read_end, "rb") as replies:
            while header := replies.read(_HEADER.size):
                yield pickle.loads(replies.read(_HEADER.unpack(header)[0]))
                done += 1
        _, status = os.waitpid(child, 0)
    finally:
        # Whoever reads may have heard enough.
        if status < 0:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if done < len(jobs):
        code = os.waitstatus_to_exitcode(status)
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"status {code}"
        yield Ending("crashed", how.encode())


def _serve(
    path: Path,
    jobs: Sequence[_Job],
    prepared: Mapping[int, _Prepared],
    cases: Sequence[Case],
    replies: int,
) -> None:
    faulthandler.disable()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    library = ctypes.CDLL(str(path))
    library.sweep_run.restype = ctypes.POINTER(SweepEnding)
    for number, name, place in jobs:
        signal.alarm(_RUN_SECONDS)
        record = ctypes.addressof(ctypes.c_char.in_dll(library, symbol_of(number, name)))
        ports = prepared[number].ports
        data = pickle.dumps(_run(library, record, ports, cases[number].inputs, place))
        os.write(replies, _HEADER.pack(len(data)) + data)


def _run(
    library: Any, record: int, ports: Ports, inputs: Mapping[str, Array], place: str
) -> Ending:
    taken = [placed(port, _flat(inputs[port.name], port).tobytes(), place) for port in ports.inputs]
    size_of = {port.name: port.count * port.scalar.bytes for port in ports.outputs}
    given = [placed(port, b"\xa5" * size_of[port.name], place) for port in ports.outputs]
    before = [buffer.tobytes() for buffer in taken]
    found = library.sweep_run(ctypes.c_void_p(record), _table(taken), _table(given)).contents
    if [buffer.tobytes() for buffer in taken] != before:
        return Ending("crashed", b"wrote to an input")
    if not all(untouched(buffer, place) for buffer in given):
        return Ending("crashed", b"wrote beyond an output")
    results = tuple(
        canonical_bytes(
            np.frombuffer(buffer.tobytes()[: size_of[port.name]], dtype_of(port.scalar.name))
        )
        for buffer, port in zip(given, ports.outputs, strict=True)
    )
    return ending_from(found, results)


def _table(buffers: Sequence[Array]) -> Any:
    return (ctypes.c_void_p * max(1, len(buffers)))(*(buffer.ctypes.data for buffer in buffers))
