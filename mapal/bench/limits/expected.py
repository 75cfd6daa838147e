"""What the result of a row must be, and how that is known.

Three ways to the result share no code: a reference in C that follows the order of the program,
the interpreter (all of the result where that is feasible, a sample of cells otherwise), and the
compiled program itself, with kernels and, in a thorough check, without. They must agree in every
bit. Results are kept by the content of program, inputs and reference, so only the first measurement
of a row waits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.bench.answers import WrongAnswer, require_bits, same_bits
from mapal.bench.limits.building import SOURCES, Builder, Library, graph_of, source_of
from mapal.bench.limits.rows import SEED, Row
from mapal.bench.limits.store import Expected, keep_result, kept_result
from mapal.bench.run_worker import run_worker, thread_environment
from mapal.interpreter import LOCKSTEP_FROM, run
from mapal.ir.entry import entry_ports
from mapal.project.arrays import input_values, output_files

SAMPLE = 4096
"""Cells that are evaluated where all of them would take too long."""

_STEPS = 1 << 62
_EDGES = (8, 14, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024)
"""Multiples of these are where tiles and panels begin."""

Array = NDArray[Any]


def expected_result(
    row: Row,
    inputs: Mapping[str, Path],
    builder: Builder,
    store: Path,
    scratch: Path,
    say: Callable[[str], None],
) -> Expected:
    """The result of a row. Raises `WrongAnswer` if the ways to it disagree."""
    key = _key(row, inputs)
    kept = kept_result(store, key)
    if kept is not None:
        return kept
    say(f"{row.name}: computing what the result must be")
    found = scratch / "reference.npy"
    _run_reference(row, inputs, builder, scratch, found)
    evidence = ("reference in C", _interpreted(row, inputs, np.load(found, mmap_mode="r")))
    return keep_result(store, key, found, evidence)


def require_plain_build(
    row: Row,
    plain: Library,
    inputs: Mapping[str, Path],
    expected: Expected,
    store: Path,
    scratch: Path,
) -> str:
    """What is known after the build without kernels gave the expected result. Raises
    `WrongAnswer` if it did not. A build that did once is believed, by its text."""
    digest = hashlib.sha256(plain.ll.encode() + expected.path.name.encode()).hexdigest()
    proof = store / f"{row.name}-plain-{digest[:24]}"
    if not proof.is_file():
        require_result(row, plain, inputs, expected, 1, scratch)
        proof.touch()
    return "the build without kernels"


def require_result(
    row: Row,
    library: Library,
    inputs: Mapping[str, Path],
    expected: Expected,
    threads: int,
    scratch: Path,
) -> None:
    """Raises `WrongAnswer` unless a build gives the expected bits with so many threads."""
    program, found = scratch / "evaluated.so", scratch / "found.npy"
    program.write_bytes(library.data)
    job = {
        "library": str(program),
        "inputs": {name: str(path) for name, path in inputs.items()},
        "forms": None,
        "store": [str(found)],
    }
    run_worker(row.name, job, thread_environment(threads))
    require_bits(row.name, [np.load(found)], [np.load(expected.path)])


def _key(row: Row, inputs: Mapping[str, Path]) -> str:
    digest = hashlib.sha256()
    parts = [source_of(row), row.arithmetic, str(SEED), str(SAMPLE)]
    parts.append((SOURCES / f"{row.template}_reference.c").read_text("utf-8"))
    parts.append(Path(__file__).read_text("utf-8"))
    for part in parts:
        digest.update(part.encode())
        digest.update(b"\0")
    for name, path in inputs.items():
        digest.update(name.encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{row.name}-{digest.hexdigest()[:24]}"


def _run_reference(
    row: Row, inputs: Mapping[str, Path], builder: Builder, scratch: Path, result: Path
) -> None:
    ports = entry_ports(graph_of(source_of(row), row.arithmetic))
    library = scratch / "reference.so"
    library.write_bytes(builder.reference(row, vector_bytes=16))
    (output,) = ports.outputs
    job = {
        "library": str(library),
        "inputs": {name: str(path) for name, path in inputs.items()},
        "forms": [[list(output.shape), _DTYPES[output.scalar.name]]],
        "store": [str(result)],
    }
    run_worker(f"{row.name}: reference", job, {})


_DTYPES = {"i32": "<i4", "i64": "<i8", "u8": "|u1", "f32": "<f4", "f64": "<f8", "bool": "|b1"}


def _interpreted(row: Row, inputs: Mapping[str, Path], reference: Array) -> str:
    """What the interpreter was asked, having agreed with the reference."""
    if row.whole:
        result = _interpret(source_of(row), row.arithmetic, inputs, {})
        if not same_bits(result, np.asarray(reference)):
            raise WrongAnswer(f"{row.name}: the interpreter and the reference in C disagree")
        return "interpreter, whole"
    assert row.cells is not None
    cells = sample_cells(row.cells, row.words.get("n"))
    source = source_of(row, sample=cells.size)
    result = _interpret(source, row.arithmetic, inputs, {"places": cells})
    if not same_bits(result, np.asarray(reference).reshape(-1)[cells]):
        raise WrongAnswer(f"{row.name}: the interpreter and the reference in C disagree")
    return f"interpreter, {cells.size} cells"


def _interpret(
    source: str, arithmetic: str, inputs: Mapping[str, Path], further: Mapping[str, Array]
) -> Array:
    import io

    graph = graph_of(source, arithmetic)
    ports = entry_ports(graph)
    files = {name: (path.read_bytes(), str(path)) for name, path in inputs.items()}
    for name, array in further.items():
        buffer = io.BytesIO()
        np.save(buffer, array)
        files[name] = (buffer.getvalue(), name)
    outcome = run(graph, input_values(files, ports), budget=_STEPS, lockstep_from=LOCKSTEP_FROM)
    if outcome.kind != "done":
        raise WrongAnswer(f"the interpreter ends as {outcome.kind}")
    (data,) = output_files(outcome.result, ports).values()
    found: Array = np.load(io.BytesIO(data))
    return found


def sample_cells(cells: int, side: int | None) -> Array:
    """`SAMPLE` numbers of cells: corners, edges of tiles and their neighbours, the rest at
    random. `side` is the length of a row of cells, if they lie in a square."""
    near = {0, 1}
    length = side or cells
    for edge in _EDGES:
        near |= {edge - 1, edge, length // edge * edge - 1, length // edge * edge}
    near |= {length - 2, length - 1}
    places = sorted(place for place in near if 0 <= place < length)
    chosen = {row * side + column for row in places for column in places} if side else set(places)
    generator = np.random.default_rng(SEED)
    edges = np.array(sorted(chosen), dtype="<i8")
    if edges.size > SAMPLE // 2:
        edges = generator.choice(edges, SAMPLE // 2, replace=False)
        edges[:4] = 0, length - 1, cells - length, cells - 1
    rest = generator.integers(0, cells, SAMPLE - edges.size)
    return np.concatenate([edges, rest]).astype("<i4")
