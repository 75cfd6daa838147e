"""Shared libraries as contestants: loading one, its buffers, and timing its calls from C."""

from __future__ import annotations

import ctypes
import mmap
import time
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

DTYPES = ("<i4", "<i8", "|u1", "<f4", "<f8", "|b1")
"""The element types of ports, in the order of the runtime's numbers."""

_HUGE_PAGE_BYTES = 2 << 20
_LINE_BYTES = 64

Array = NDArray[Any]
Timer = Callable[[int], float]
"""Seconds of so many calls, one after the other."""

_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


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
        ("entry", ctypes.c_void_p),
    )


class Kernel:
    """A C function `void (const void *const *inputs, void *const *outputs)` with its buffers,
    which live as long as it does."""

    def __init__(
        self, library: ctypes.CDLL, address: int, inputs: Sequence[Array], outputs: Sequence[Array]
    ) -> None:
        self._library = library
        self._address = address
        self._kept = (inputs, outputs)
        self._sources, self._targets = _pointers(inputs), _pointers(outputs)
        self._entry = _ENTRY(address)

    def __call__(self) -> None:
        self._entry(self._sources, self._targets)

    def timer(self, driver: str) -> Timer:
        """Times calls by the compiled `repeat.c`, whose path is `driver`."""
        repeat = ctypes.CDLL(driver).mapal_bench_repeat
        repeat.restype = ctypes.c_double
        repeat.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long)

        def seconds(calls: int) -> float:
            return float(repeat(self._address, self._sources, self._targets, calls))

        return seconds


def load_program(
    library: str, inputs: Mapping[str, Array], outputs: Sequence[Array] | None = None
) -> tuple[Kernel, list[Array]]:
    """The entry of a program's shared library, and the arrays that it writes: `outputs`, or new
    ones."""
    loaded = ctypes.CDLL(library)
    record = _ProgramRecord.in_dll(loaded, "mapal_program_descriptor")
    taken: list[Array] = []
    for number in range(record.inputs):
        port = record.input[number]
        array = inputs[port.name.decode()]
        taken.append(np.ascontiguousarray(array, dtype=DTYPES[port.scalar]))
    if outputs is None:
        outputs = []
        for number in range(record.outputs):
            port = record.output[number]
            shape = tuple(port.shape[axis] for axis in range(port.rank))
            outputs.append(aligned(shape, DTYPES[port.scalar]))
    return Kernel(loaded, record.entry, taken, outputs), list(outputs)


def load_peer(
    library: str, inputs: Mapping[str, Array], outputs: Sequence[Array]
) -> tuple[Kernel, float, float]:
    """The function `run` of a peer's library, its `relative_tolerance`, and its
    `tolerated_fraction` of elements that may be further off. Both are 0 without a word, and its
    results have to have our bits then."""
    loaded = ctypes.CDLL(library)
    address = ctypes.cast(loaded.run, ctypes.c_void_p).value
    assert address is not None
    taken = [np.ascontiguousarray(array) for array in inputs.values()]
    kernel = Kernel(loaded, address, taken, outputs)
    return kernel, _stated(loaded, "relative_tolerance"), _stated(loaded, "tolerated_fraction")


def _stated(library: ctypes.CDLL, name: str) -> float:
    try:
        return ctypes.c_double.in_dll(library, name).value
    except ValueError:
        return 0.0


def python_timer(call: Callable[[], object]) -> Timer:
    """Times calls of a Python function; the loop and the call are in it."""

    def seconds(calls: int) -> float:
        began = time.perf_counter()
        for _ in range(calls):
            call()
        return time.perf_counter() - began

    return seconds


def aligned(shape: tuple[int, ...], dtype: str) -> Array:
    """A touched array of zeros that begins at a line of the cache and, if it is that large, at
    a huge page, as blocks of the runtime do."""
    size = prod(shape) * np.dtype(dtype).itemsize
    boundary = _HUGE_PAGE_BYTES if size >= _HUGE_PAGE_BYTES else _LINE_BYTES
    memory = mmap.mmap(-1, size + boundary)
    if size >= _HUGE_PAGE_BYTES and hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    whole = np.frombuffer(memory, dtype=np.uint8)
    start = -whole.ctypes.data % boundary
    array: Array = whole[start : start + size].view(dtype).reshape(shape)
    array.fill(0)
    return array


def placed(array: Array) -> Array:
    """A copy that lies as `aligned` says."""
    copy = aligned(array.shape, array.dtype.str)
    copy[...] = array
    return copy


def _pointers(arrays: Sequence[Array]) -> Any:
    addresses = [array.ctypes.data for array in arrays]
    return (ctypes.c_void_p * max(1, len(arrays)))(*addresses)
