"""From a row to shared libraries: our program, its peers, its reference."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from mapal.bench.limits.rows import Peer, Row
from mapal.bench.machine import NATIVE
from mapal.codegen import emit
from mapal.diagnostics import CompilerBug
from mapal.ir.graph import Graph
from mapal.lower import lower
from mapal.native.llvm_worker import compile_object
from mapal.native.toolchain import (
    Compiler,
    build_runtime,
    compile_shared,
    link_shared,
    runtime_sources,
)
from mapal.rewrite import rewrite
from mapal.syntax import parse
from mapal.target import TargetProfile

SOURCES = Path(__file__).parent / "sources"

_OPTIMISATION = 2
_REFERENCE_FLAGS = ("-O3", "-march=native", "-ffp-contract=off")


def source_file(name: str) -> Path | None:
    """Where the source of a peer lies; None if nobody wrote it."""
    paths = (SOURCES / name, NATIVE / name)
    return next((path for path in paths if path.is_file()), None)


def source_of(row: Row, sample: int | None = None) -> str:
    """The program. With `sample` it takes so many numbers of cells as a further input, `places`,
    and has only those cells as its result."""
    words = {"real": row.real, **{name: str(value) for name, value in row.words.items()}}
    if sample is None:
        words.update(chosen="", results=words.get("cells", ""), places=f"{row.cells} -> iota")
    else:
        words.update(chosen=f", places: [i32; {sample}]", results=str(sample), places="places")
    return Template((SOURCES / f"{row.template}.mapal").read_text("utf-8")).substitute(words)


def graph_of(source: str, arithmetic: str) -> Graph:
    """The graph of a program as lowered. Raises `CompilerBug`: the sources are ours."""
    parsed = parse(source)
    lowered = (
        None
        if parsed.diagnostics
        else lower(parsed.program, "fused" if arithmetic == "fused" else "exact")
    )
    if lowered is None or lowered.graph is None:
        found = parsed.diagnostics or (lowered.diagnostics if lowered is not None else ())
        raise CompilerBug(f"a program of the table is wrong: {list(found)}\n{source}")
    return lowered.graph


@dataclass(frozen=True, slots=True)
class Library:
    """A built program: what the emission plan says of it, and its shared library."""

    plan: Mapping[str, object]
    ll: str
    data: bytes


class Builder:
    """Builds with one compiler and one runtime."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler

    @functools.cached_property
    def runtime(self) -> bytes:
        """The archive of the runtime."""
        sources = {name: path.read_bytes() for name, path in runtime_sources().items()}
        return build_runtime(self.compiler, sources)

    def program(
        self, graph: Graph, profile: TargetProfile, name: str, *, has_kernels: bool = True
    ) -> Library:
        """Our program, rewritten and compiled as in a build; without kernels, every collection
        is a plain loop."""
        emission = emit(rewrite(graph).graph, profile, name=name, has_kernels=has_kernels)
        compiled = compile_object(emission.ll, profile, _OPTIMISATION)
        data = link_shared(self.compiler, compiled, self.runtime)
        return Library(emission.plan, emission.ll, data)

    def peer(self, row: Row, peer: Peer, threads: int, vector_bytes: int) -> bytes:
        """A peer in C."""
        source = source_file(peer.file)
        assert source is not None
        flags = [*peer.flags, *definitions(row, vector_bytes)]
        flags += [f"-D{name}={value}" for name, value in peer.defines]
        if threads > 1:
            flags.append("-fopenmp")
        if peer.needs_blas:
            library = blas_library()
            flags += ["-Wl,--no-as-needed", str(library), f"-Wl,-rpath,{library.parent}"]
        return compile_shared(self.compiler, source.read_bytes(), flags)

    def reference(self, row: Row, vector_bytes: int) -> bytes:
        """The row's program written in C in the order that the program says."""
        source = SOURCES / f"{row.template}_reference.c"
        flags = [*_REFERENCE_FLAGS, f"-I{SOURCES}", *definitions(row, vector_bytes)]
        return compile_shared(self.compiler, source.read_bytes(), flags)


def blas_library() -> Path:
    """The linear algebra library inside NumPy. Raises `ImportError` if NumPy brings none."""
    import numpy

    directory = Path(numpy.__file__).parent.parent / "numpy.libs"
    for path in sorted(directory.glob("*openblas*")):
        return path
    raise ImportError("NumPy has no OpenBLAS of its own", name="openblas")


def definitions(row: Row, vector_bytes: int) -> list[str]:
    """What the sources in C leave open."""
    single = row.real == "f32"
    fused = f"__builtin_fma{'f' if single else ''}(x, y, z)"
    words = {
        "REAL": "float" if single else "double",
        "BYTES": str(vector_bytes),
        "SQRT": "sqrtf" if single else "sqrt",
        "FABS": "fabsf" if single else "fabs",
        "MULTIPLY_ADD(x,y,z)": fused if row.arithmetic == "fused" else "((x) * (y) + (z))",
        **{name.upper(): str(value) for name, value in row.words.items()},
        **row.constants,
    }
    return [f"-D{name}={value}" for name, value in words.items()]
