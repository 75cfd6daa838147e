"""What the machine can do, measured: the roofs that programs are held against.

Arithmetic is fused multiply-adds in registers, memory is two streams read and one written. Each
is measured for one thread and for two that work at once on data of their own.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mapal.bench.run_worker import run_worker, thread_environment
from mapal.native.toolchain import Compiler, compile_shared

NATIVE = Path(__file__).parent / "native"
PEAK_FLOP = 1 << 24

_FLAGS = ("-O3", "-march=native")
_TRIAD_BYTES = 24
"""Of each element: two doubles read, one written."""

_MEMORY_ELEMENTS = 8 << 20
_CACHE_ELEMENTS = 8 << 10
_CACHE_ROUNDS = 64
_TRIES = 5


def peak_defines(real: str, vector_bytes: int, *, is_fused: bool) -> list[str]:
    """What `peak.c` leaves open."""
    words = {
        "REAL": "float" if real == "f32" else "double",
        "BYTES": str(vector_bytes),
        "FUSED": str(int(is_fused)),
        "FLOP": f"{PEAK_FLOP}L",
    }
    return [f"-D{name}={value}" for name, value in words.items()]


def measure_roofs(
    compiler: Compiler, driver: Path, vector_bytes: int, threads: Sequence[int], scratch: Path
) -> list[dict[str, Any]]:
    """For each thread count the roofs: operations per second on full vectors of so many bytes,
    bytes per second from memory and from the second-level cache. Raises `UserError`."""
    probes: dict[str, list[Path]] = {}
    for name, source, flags in (
        ("f32", "peak.c", peak_defines("f32", vector_bytes, is_fused=True)),
        ("f64", "peak.c", peak_defines("f64", vector_bytes, is_fused=True)),
        ("memory", "triad.c", [f"-DCOUNT={_MEMORY_ELEMENTS}L", "-DROUNDS=1"]),
        ("cache", "triad.c", [f"-DCOUNT={_CACHE_ELEMENTS}L", f"-DROUNDS={_CACHE_ROUNDS}"]),
    ):
        library = compile_shared(compiler, (NATIVE / source).read_bytes(), (*_FLAGS, *flags))
        # One library for each thread: their data must not be shared.
        probes[name] = [scratch / f"{name}{number}.so" for number in range(max(threads))]
        for path in probes[name]:
            path.write_bytes(library)
    request = {
        "driver": str(driver),
        "probes": {name: [str(path) for path in paths] for name, paths in probes.items()},
        "threads": list(threads),
    }
    answer = run_worker("the machine", request, thread_environment(1))
    return [
        _roofs(count, seconds) for count, seconds in zip(threads, answer["seconds"], strict=True)
    ]


def _roofs(threads: int, seconds: Mapping[str, float]) -> dict[str, Any]:
    """Rates from the seconds of one call in each of so many threads."""
    memory, cache = _MEMORY_ELEMENTS, _CACHE_ELEMENTS * _CACHE_ROUNDS
    return {
        "threads": threads,
        "f32_gflop_per_s": threads * PEAK_FLOP / seconds["f32"] / 1e9,
        "f64_gflop_per_s": threads * PEAK_FLOP / seconds["f64"] / 1e9,
        "memory_gbyte_per_s": threads * _TRIAD_BYTES * memory / seconds["memory"] / 1e9,
        "cache_gbyte_per_s": threads * _TRIAD_BYTES * cache / seconds["cache"] / 1e9,
    }


def run_probes(job: Mapping[str, Any]) -> dict[str, Any]:
    """In the worker: for each thread count the seconds of one call of each probe, in as many
    threads at once; the best of some tries, since this is what the machine can do."""
    repeat = ctypes.CDLL(job["driver"]).mapal_bench_repeat
    repeat.restype = ctypes.c_double
    repeat.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long)
    loaded = {name: [ctypes.CDLL(path) for path in paths] for name, paths in job["probes"].items()}
    found: list[dict[str, float]] = []
    for threads in job["threads"]:
        seconds: dict[str, float] = {}
        for name, libraries in loaded.items():
            addresses = [ctypes.cast(library.run, ctypes.c_void_p) for library in libraries]
            tries = [_at_once(repeat, addresses[:threads]) for _ in range(_TRIES + 1)]
            seconds[name] = min(tries[1:])
        found.append(seconds)
    return {"seconds": found}


def _at_once(repeat: Any, addresses: Sequence[ctypes.c_void_p]) -> float:
    """Seconds per call of the slowest of some threads."""
    calls, seconds = 4, [0.0] * len(addresses)
    barrier = threading.Barrier(len(addresses))

    def work(number: int) -> None:
        barrier.wait()
        seconds[number] = repeat(addresses[number], None, None, calls) / calls

    threads = [threading.Thread(target=work, args=(n,)) for n in range(len(addresses))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return max(seconds)
