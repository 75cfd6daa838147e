"""Runs programs with their kernels, and without, and compares the results bit for bit.

All cases of a test are compiled together for one profile and run in one forked child. Arrays lie
once at the alignment that the runtime gives, once an element behind that, and once directly before
and behind a page that nobody may touch, so that what reads or writes beyond an end is known at
once.
"""

from __future__ import annotations

import ctypes
import faulthandler
import functools
import mmap
import os
import pickle
import signal
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.codegen import emit
from mapal.ir.entry import Port, Ports, entry_ports
from mapal.ir.graph import Graph
from mapal.lower import Arithmetic
from mapal.native.toolchain import (
    Compiler,
    build_runtime,
    find_compiler,
    link_shared,
    runtime_sources,
)
from mapal.native.workers import shared_pool
from mapal.rewrite import rewrite
from mapal.sweep.endings import canonical_bytes, dtype_of
from mapal.target import TargetProfile, load_profile
from mapal.target.detect import why_not_executable
from tests.codegen.native_runs import graph_of

Array = NDArray[Any]
NEVER = 1 << 62
THREADS = 3
_PAGE = mmap.PAGESIZE
_CANARY = bytes(range(1, 65))
EMISSIONS = {
    "plain": (NEVER, False),
    "whole": (NEVER, True),
    "in slices": (1, True),
}
"""How each program is emitted: what is cut into slices, and whether it has kernels."""

PLACES = ("aligned", "an element off", "before a guard page", "behind a guard page")
"""Where arrays lie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A program with inputs, the shape that the plan has to name, or None for any, and the
    results, or None where those of plain loops count."""

    source: str
    inputs: Mapping[str, Array]
    arithmetic: Arithmetic = "exact"
    shape: str | None = None
    results: tuple[Array, ...] | None = None


def profiles() -> list[str]:
    """The generations of vector instructions that this machine can run; the detected profile
    stands for them on other architectures."""
    host = load_profile("native")
    named = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
    found = [name for name in named if why_not_executable(load_profile(name), host) is None]
    return found or ["native"]


def rewritten(source: str, arithmetic: Arithmetic = "exact") -> Graph:
    """The graph of a program as it is emitted."""
    return rewrite(graph_of(source, arithmetic)).graph


def shapes_of(graph: Graph, profile: TargetProfile) -> list[str]:
    """The shapes of a program's maps, folds and reductions."""
    sites = emit(graph, profile, name="p", cuts_from=NEVER).plan["sites"]
    return [site["shape"] for site in sites if site["kind"] in ("map", "fold", "reduce")]


def assert_same_bits(cases: Sequence[Case], target: str | TargetProfile) -> None:
    """Every emission of each case gives the bits of the plain loops, or of its results, wherever
    arrays lie."""
    profile = load_profile(target) if isinstance(target, str) else target
    graphs = [rewritten(case.source, case.arithmetic) for case in cases]
    for case, graph in zip(cases, graphs, strict=True):
        if case.shape is not None:
            found = shapes_of(graph, profile)
            assert any(case.shape in shape for shape in found), (found, case.source)
    modules = []
    for number, graph in enumerate(graphs):
        for name, (cuts_from, has_kernels) in EMISSIONS.items():
            text = emit(graph, profile, name="p", cuts_from=cuts_from, has_kernels=has_kernels).ll
            symbol = symbol_of(number, name)
            modules.append(text.replace("@mapal_program_descriptor", f"@{symbol}"))
    compiled = shared_pool().call("mapal.native.llvm:compile_together", modules, profile, 2)
    compiler, runtime = _toolchain()
    with tempfile.TemporaryDirectory(prefix="mapal-") as directory:
        library = Path(directory, "programs.so")
        library.write_bytes(link_shared(compiler, compiled, runtime))
        results = _in_child(library, cases, graphs)
    for number, case in enumerate(cases):
        expected = results[number, "plain", "aligned"]
        if case.results is not None:
            expected = [canonical_bytes(array) for array in case.results]
        for (at, name, place), answer in results.items():
            if at == number:
                assert answer == expected, f"{name}, {place}, {profile.name}: {case.source}"


def symbol_of(number: int, emission: str) -> str:
    """The name of a program's descriptor among others."""
    return f"program_{number}_{emission.replace(' ', '_')}"


@functools.cache
def _toolchain() -> tuple[Compiler, bytes]:
    compiler = find_compiler().compiler
    assert compiler is not None, "these tests need a C compiler"
    sources = {name: path.read_bytes() for name, path in runtime_sources().items()}
    return compiler, build_runtime(compiler, sources)


# The child ----------------------------------------------------------------------------

Results = dict[tuple[int, str, str], list[bytes]]


def _in_child(library: Path, cases: Sequence[Case], graphs: Sequence[Graph]) -> Results:
    """The results of each case, emission and placement; fails where the child ends early."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read_end)
            faulthandler.disable()
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(120)
            os.environ["MAPAL_THREADS"] = str(THREADS)
            with os.fdopen(write_end, "wb") as replies:
                _serve(library, cases, graphs, replies)
            status = 0
        finally:
            os._exit(status)
    os.close(write_end)
    results: Results = {}
    with os.fdopen(read_end, "rb") as replies:
        while True:
            try:
                key, found = pickle.load(replies)
            except EOFError:
                break
            results[key] = found
    _, status = os.waitpid(child, 0)
    assert status == 0, f"ended with {status} after {list(results)[-1:]}"
    return results


def _serve(library: Path, cases: Sequence[Case], graphs: Sequence[Graph], replies: Any) -> None:
    loaded = ctypes.CDLL(str(library))
    for number, (case, graph) in enumerate(zip(cases, graphs, strict=True)):
        ports = entry_ports(graph)
        for name in EMISSIONS:
            record = ctypes.addressof(ctypes.c_char.in_dll(loaded, symbol_of(number, name)))
            for place in PLACES:
                found = _run(record, case, ports, place)
                pickle.dump(((number, name, place), found), replies)
                replies.flush()


def _run(record: int, case: Case, ports: Ports, place: str) -> list[bytes]:
    taken = [placed(port, _bytes_of(port, case.inputs[port.name]), place) for port in ports.inputs]
    blank = [b"\xa5" * (port.count * port.scalar.bytes) for port in ports.outputs]
    given = [placed(port, data, place) for port, data in zip(ports.outputs, blank, strict=True)]
    _ProgramRecord.from_address(record).entry(_table(taken), _table(given))
    assert all(untouched(buffer, place) for buffer in given)
    return [_result(buffer, port) for buffer, port in zip(given, ports.outputs, strict=True)]


class _ProgramRecord(ctypes.Structure):
    _fields_ = (
        ("abi", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("inputs", ctypes.c_uint32),
        ("input", ctypes.c_void_p),
        ("outputs", ctypes.c_uint32),
        ("output", ctypes.c_void_p),
        ("entry", ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)),
    )


def _bytes_of(port: Port, array: Array) -> bytes:
    return np.ascontiguousarray(array, dtype=dtype_of(port.scalar.name)).tobytes()


def placed(port: Port, data: bytes, place: str) -> Array:
    """A buffer at one of `PLACES` that begins with some data."""
    if place.endswith("a guard page"):
        return _guarded(data, is_before=place.startswith("before"))
    return _aligned(data, behind=port.scalar.bytes if place == "an element off" else 0)


def untouched(buffer: Array, place: str) -> bool:
    """Whether what lies behind a buffer is as it was."""
    return place.endswith("a guard page") or buffer.tobytes().endswith(_CANARY)


def _aligned(data: bytes, behind: int = 0) -> Array:
    """A buffer, `behind` bytes behind a multiple of 64, that holds `data` and then the canary."""
    whole = np.empty(len(data) + len(_CANARY) + 128, dtype=np.uint8)
    start = -whole.ctypes.data % 64 + behind
    buffer = whole[start : start + len(data) + len(_CANARY)]
    buffer[:] = np.frombuffer(data + _CANARY, dtype=np.uint8)
    return buffer


def _guarded(data: bytes, *, is_before: bool) -> Array:
    """A buffer that ends where a page begins that nobody may touch, or begins where one ends."""
    size = -(-max(1, len(data)) // _PAGE) * _PAGE
    memory = mmap.mmap(-1, size + 2 * _PAGE)
    whole = np.frombuffer(memory, dtype=np.uint8)
    start = whole.ctypes.data
    for page in (start, start + _PAGE + size):
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        assert protect(ctypes.c_void_p(page), ctypes.c_size_t(_PAGE), 0) == 0
    first = _PAGE + size - len(data) if is_before else _PAGE
    buffer = whole[first : first + len(data)]
    buffer[:] = np.frombuffer(data, dtype=np.uint8)
    return buffer


def _table(buffers: Sequence[Array]) -> Any:
    return (ctypes.c_void_p * max(1, len(buffers)))(*(buffer.ctypes.data for buffer in buffers))


def _result(buffer: Array, port: Port) -> bytes:
    data = buffer.tobytes()[: port.count * port.scalar.bytes]
    return canonical_bytes(np.frombuffer(data, dtype=dtype_of(port.scalar.name)))
