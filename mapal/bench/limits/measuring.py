"""One row: built, checked, measured."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mapal.bench.figures import counted_rounds, of_rounds, ratio_figures, time_figures
from mapal.bench.limits.building import Builder, graph_of, source_file, source_of
from mapal.bench.limits.expected import (
    expected_result,
    require_plain_build,
    require_result,
)
from mapal.bench.limits.rows import SEED, Goal, Peer, Row
from mapal.bench.run import compile_driver
from mapal.bench.run_worker import run_worker, thread_environment
from mapal.target import TargetProfile

_PATIENCE_SECONDS = 1.0


def measure_row(
    row: Row,
    profile: TargetProfile,
    threads: int,
    builder: Builder,
    store: Path,
    say: Callable[[str], None],
    *,
    rounds: int | None = None,
    is_thorough: bool = False,
) -> dict[str, Any]:
    """The figures of one row with so many threads; a thorough measurement also holds the build
    without kernels to the result. Raises `UserError` or `WrongAnswer`."""
    with tempfile.TemporaryDirectory(prefix="mapal-limits-") as directory:
        scratch = Path(directory)
        inputs = write_inputs(row, scratch)
        graph = graph_of(source_of(row), row.arithmetic)
        library = builder.program(graph, profile, row.name)
        (scratch / "program.so").write_bytes(library.data)
        (scratch / "repeat.so").write_bytes(compile_driver(builder.compiler))
        expected = expected_result(row, inputs, builder, store, scratch, say)
        evidence = list(expected.evidence)
        if is_thorough:
            plain = builder.program(graph, profile, row.name, has_kernels=False)
            say(f"{row.name}: running the build without kernels")
            evidence.append(require_plain_build(row, plain, inputs, expected, store, scratch))
        peers, absent = _prepare_peers(row, threads, builder, profile.vector_bytes, scratch)
        say(f"{row.name}: measuring with {threads} thread{'s' if threads > 1 else ''}")
        request = {
            "library": str(scratch / "program.so"),
            "driver": str(scratch / "repeat.so"),
            "inputs": {name: str(path) for name, path in inputs.items()},
            "expected": [str(expected.path)],
            "repeat": rounds or row.rounds,
            "threads": threads,
            "patience": _PATIENCE_SECONDS,
            "peers": peers,
        }
        environment = {**thread_environment(threads), **row.environment}
        figures = run_worker(row.name, request, environment)
    figures["absent"] = [*figures["absent"], *absent]
    return summarize(row, profile, threads, figures, evidence, library.plan)


def check_row(
    row: Row,
    profiles: Sequence[TargetProfile],
    threads: Sequence[int],
    builder: Builder,
    store: Path,
    say: Callable[[str], None],
) -> int:
    """How many builds gave the bits that the row must have: with kernels for every profile and
    thread count, and without them. Raises `UserError` or `WrongAnswer` for one that did not."""
    with tempfile.TemporaryDirectory(prefix="mapal-limits-") as directory:
        scratch = Path(directory)
        inputs = write_inputs(row, scratch)
        graph = graph_of(source_of(row), row.arithmetic)
        expected = expected_result(row, inputs, builder, store, scratch, say)
        count = 0
        for profile in profiles:
            library = builder.program(graph, profile, row.name)
            for number in threads:
                say(f"{row.name}: {profile.name}, {number} threads")
                require_result(row, library, inputs, expected, number, scratch)
                count += 1
        say(f"{row.name}: without kernels")
        plain = builder.program(graph, profiles[0], row.name, has_kernels=False)
        require_plain_build(row, plain, inputs, expected, store, scratch)
        return count + 1


def write_inputs(row: Row, scratch: Path) -> dict[str, Path]:
    """The inputs of a row as files below `scratch`, by name."""
    arrays = row.inputs(np.random.default_rng(SEED))
    paths: dict[str, Path] = {}
    for name, array in arrays.items():
        paths[name] = scratch / f"input-{name}.npy"
        np.save(paths[name], array)
    return paths


def _prepare_peers(
    row: Row, threads: int, builder: Builder, vector_bytes: int, scratch: Path
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The peers as a job lists them, and those that are not there, with the reason."""
    peers: list[dict[str, Any]] = []
    absent: list[dict[str, str]] = []
    for peer in row.peers:
        path: Path | None = None
        source = source_file(peer.file)
        if source is None:
            absent.append({"name": peer.name, "absent": "not written for this kernel"})
            continue
        if peer.file.endswith(".c"):
            path = scratch / f"{peer.name}.so"
            try:
                path.write_bytes(builder.peer(row, peer, threads, vector_bytes))
            except ImportError as error:
                absent.append({"name": peer.name, "absent": str(error)})
                continue
        peers.append(
            {
                "name": peer.name,
                "script": str(source),
                "library": None if path is None else str(path),
                "limit": peer.limit,
            }
        )
    return peers, absent


def summarize(
    row: Row,
    profile: TargetProfile,
    threads: int,
    figures: Mapping[str, Any],
    evidence: Sequence[str],
    plan: Mapping[str, Any],
) -> dict[str, Any]:
    """Medians, ratios and goals from the samples of a worker. Only quiet rounds count, if there
    are enough of them."""
    rounds = counted_rounds(figures["quiet"])
    ours = of_rounds(figures["samples"]["mapal"], rounds)
    absent = {entry["name"]: entry["absent"] for entry in figures["absent"]}
    peers: dict[str, dict[str, Any]] = {}
    for peer in row.peers:
        if peer.name in absent:
            peers[peer.name] = {"name": peer.name, "absent": absent[peer.name]}
            continue
        theirs = [
            sample * _scale(peer, threads)
            for sample in of_rounds(figures["samples"][peer.name], rounds)
        ]
        peers[peer.name] = {
            "name": peer.name,
            "limit": peer.limit,
            **time_figures(theirs),
            **ratio_figures(ours, theirs),
        }
    times = time_figures(ours)
    return {
        "row": row.name,
        "real": row.real,
        "arithmetic": row.arithmetic,
        "target": profile.name,
        "threads": threads,
        "rounds": len(figures["quiet"]),
        "quiet_rounds": sum(figures["quiet"]),
        "others_busy": figures["others"],
        **times,
        "flop": row.flop,
        "bytes": row.bytes,
        "gflop_per_s": None if row.flop is None else row.flop / times["median_ms"] / 1e6,
        "gbyte_per_s": None if row.bytes is None else row.bytes / times["median_ms"] / 1e6,
        "peers": list(peers.values()),
        "goals": [judge(goal, peers) for goal in row.goals if goal.threads == threads],
        "checked": [*evidence, "the build, before and after the contest"],
        "shapes": sorted({str(site["shape"]) for site in plan["sites"]}),
    }


def _scale(peer: Peer, threads: int) -> float:
    """A limit runs in one thread; that many cores do that much more."""
    return peer.scale / threads if peer.limit and peer.scale != 1.0 else peer.scale


def judge(goal: Goal, peers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """A goal with what was found: `reached` is None if none of its peers is there. With several
    threads the least times count. A virtual machine may have two processors share a core for a
    while: that halves the speed of whoever runs then, and no guest can see it."""
    figure = "ratio" if goal.threads == 1 else "ratio_of_least"
    present = [peers[name] for name in goal.peers if figure in peers.get(name, {})]
    document: dict[str, Any] = {
        "peers": list(goal.peers),
        "threads": goal.threads,
        "to_reach": goal.ratio,
        "figure": figure,
        "ratio": None,
        "reached": None,
    }
    if present:
        best = max(present, key=lambda peer: float(peer[figure]))
        document.update(
            against=best["name"], ratio=best[figure], reached=best[figure] <= goal.ratio
        )
    return document
