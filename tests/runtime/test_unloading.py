"""A library that is unloaded while threads that called it go on, and loaded again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from mapal.codegen import emit
from mapal.native.llvm_worker import compile_module
from mapal.native.toolchain import build_runtime, find_compiler, link_shared, runtime_sources
from mapal.target import load_profile
from tests.codegen.native_runs import graph_of

SOURCE = """
fn main(n: i32) -> i32 {
    5000 -> iota -> map { i -> i * n } -> v;
    (0, v) -> fold { s, x -> s + x } -> a;
    (0, v) -> fold { s, x -> s * 3 + x } -> b;
    a + b -> ret;
}
"""

HOST = """
import _ctypes, ctypes, os, sys, threading

path, rounds = sys.argv[1], int(sys.argv[2])

class Program(ctypes.Structure):
    entry_of = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    _fields_ = [
        ("abi", ctypes.c_uint32), ("name", ctypes.c_char_p),
        ("inputs", ctypes.c_uint32), ("input", ctypes.c_void_p),
        ("outputs", ctypes.c_uint32), ("output", ctypes.c_void_p),
        ("entry", entry_of),
    ]

def called(library):
    n, result = ctypes.c_int32(7), ctypes.c_int32()
    given = (ctypes.c_void_p * 1)(ctypes.addressof(n))
    made = (ctypes.c_void_p * 1)(ctypes.addressof(result))
    Program.in_dll(library, "mapal_program_descriptor").entry(given, made)
    return result.value

found = set()
for _ in range(rounds):
    library = ctypes.CDLL(path)
    found.add(called(library))
    has_called, is_gone = threading.Event(), threading.Event()
    def work():
        found.add(called(library))
        has_called.set()
        is_gone.wait()
    thread = threading.Thread(target=work)
    thread.start()
    has_called.wait()
    _ctypes.dlclose(library._handle)
    assert os.path.basename(path) not in open("/proc/self/maps").read()
    is_gone.set()
    thread.join()
print(*found)
"""


def test_threads_outlive_a_library_that_they_called(tmp_path: Path) -> None:
    profile = load_profile("native")
    compiler = find_compiler().compiler
    assert compiler is not None
    runtime = build_runtime(
        compiler, {name: path.read_bytes() for name, path in runtime_sources().items()}
    )
    text = emit(graph_of(SOURCE), profile, name="program", cuts_from=0).ll
    library = tmp_path / "unloaded.so"
    library.write_bytes(link_shared(compiler, compile_module(text, profile, 2).object, runtime))
    done = subprocess.run(
        [sys.executable, "-c", HOST, str(library), "10"],
        env={"MAPAL_THREADS": "3"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    values = [i * 7 for i in range(5000)]
    other = 0
    for value in values:
        other = (other * 3 + value) % 2**32
    wanted = (sum(values) + other) % 2**32
    wanted -= 2**32 * (wanted >= 2**31)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{wanted}\n", "")
