"""Measuring one program from outside: the job for the worker, and what its figures mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mapal.bench.figures import counted_rounds, of_rounds, ratio_figures, time_figures
from mapal.bench.peers import Peer
from mapal.bench.run_worker import run_worker, thread_environment

_PATIENCE_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to measure. `binary` is the program as a shared library, `driver` the compiled loop
    that calls kernels; `inputs` are paths by parameter; `expected` the oracle's results in
    order of the outputs; `peer_libraries` the C peers as compiled, for so many `threads`."""

    program: str
    arithmetic: str
    threads: int
    binary: Path
    driver: Path
    inputs: Mapping[str, Path]
    expected: Sequence[Path]
    peers: Sequence[Peer]
    peer_libraries: Mapping[str, Path]
    repeat: int
    flop: int | None
    bytes: int | None


def measure(job: Job) -> dict[str, Any]:
    """The entry of one program in `bench/T.json`. Raises `UserError` when the program or a peer
    gives a wrong answer, or the worker dies."""
    request = {
        "library": str(job.binary),
        "driver": str(job.driver),
        "inputs": {name: str(path) for name, path in job.inputs.items()},
        "expected": [str(path) for path in job.expected],
        "repeat": job.repeat,
        "threads": job.threads,
        "patience": _PATIENCE_SECONDS,
        "peers": [
            {
                "name": peer.name,
                "script": str(peer.script),
                "library": (
                    str(job.peer_libraries[peer.name]) if peer.name in job.peer_libraries else None
                ),
            }
            for peer in job.peers
            if peer.script is not None
        ],
    }
    figures = run_worker(job.program, request, thread_environment(job.threads))
    return summarize(job, figures)


def summarize(job: Job, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Medians, rates and ratios from the samples of a worker. Only quiet rounds count, if there
    are enough of them."""
    rounds = counted_rounds(figures["quiet"])
    ours = of_rounds(figures["samples"]["mapal"], rounds)
    times = time_figures(ours)
    missing = {entry["name"]: entry["absent"] for entry in figures["absent"]}
    peers: list[dict[str, Any]] = []
    for peer in job.peers:
        absent = peer.absent or missing.get(peer.name)
        if absent is not None:
            peers.append({"name": peer.name, "absent": absent})
            continue
        theirs = of_rounds(figures["samples"][peer.name], rounds)
        peers.append(
            {
                "name": peer.name,
                "threads": job.threads,
                **time_figures(theirs),
                **ratio_figures(ours, theirs),
                "note": figures["notes"].get(peer.name, ""),
            }
        )
    return {
        "program": job.program,
        "arithmetic": job.arithmetic,
        "threads": job.threads,
        "repeat": job.repeat,
        "quiet_rounds": sum(figures["quiet"]),
        **times,
        "flop": job.flop,
        "bytes": job.bytes,
        "gflop_per_s": None if job.flop is None else job.flop / times["median_ms"] / 1e6,
        "gbyte_per_s": None if job.bytes is None else job.bytes / times["median_ms"] / 1e6,
        "peers": peers,
    }
