"""Measuring one program from outside: the job for the worker, and what its figures mean."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mapal.bench.peers import Peer
from mapal.diagnostics import UserError

_LIMIT_SECONDS = 1800
_ONE_THREAD = dict.fromkeys(
    (
        "BLIS_NUM_THREADS",
        "MAPAL_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)
"""What holds every contestant to one thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to measure. `binary` is the program as a shared library; `inputs` are paths by
    parameter; `expected` the oracle's results in order of the outputs; `peer_libraries` the C
    peers as compiled."""

    program: str
    arithmetic: str
    binary: Path
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
    runnable = [peer for peer in job.peers if peer.script is not None]
    request = {
        "library": str(job.binary),
        "inputs": {name: str(path) for name, path in job.inputs.items()},
        "expected": [str(path) for path in job.expected],
        "repeat": job.repeat,
        "peers": [
            {
                "name": peer.name,
                "script": str(peer.script),
                "library": (
                    str(job.peer_libraries[peer.name]) if peer.name in job.peer_libraries else None
                ),
            }
            for peer in runnable
        ],
    }
    figures = _run_worker(job.program, request)
    return summarize(job, figures)


def _run_worker(program: str, request: Mapping[str, Any]) -> dict[str, Any]:
    command = [sys.executable, "-m", "mapal.bench.worker"]
    try:
        result = subprocess.run(
            command,
            input=json.dumps(request),
            env={**os.environ, **_ONE_THREAD},
            capture_output=True,
            text=True,
            timeout=_LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"{program}: measuring took over {_LIMIT_SECONDS} s", 1) from None
    if result.returncode != 0:
        lines = result.stderr.strip().splitlines()
        reason = lines[-1] if lines else f"exit status {result.returncode}"
        raise UserError(f"{program}: not measured: {reason}", 1)
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def summarize(job: Job, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Medians, rates and ratios from the samples of a worker."""
    ours: list[float] = figures["samples"]["mapal"]
    median = statistics.median(ours)
    peers: list[dict[str, Any]] = []
    missing = {entry["name"]: entry["absent"] for entry in figures["absent"]}
    for peer in job.peers:
        absent = peer.absent or missing.get(peer.name)
        if absent is not None:
            peers.append({"name": peer.name, "absent": absent})
            continue
        theirs: list[float] = figures["samples"][peer.name]
        ratios = sorted(a / b for a, b in zip(ours, theirs, strict=True) if b > 0)
        peers.append(
            {
                "name": peer.name,
                "threads": 1,
                "median_ms": statistics.median(theirs),
                "min_ms": min(theirs),
                "max_ms": max(theirs),
                "ratio": median / statistics.median(theirs),
                "ratio_min": ratios[0],
                "ratio_max": ratios[-1],
                "note": figures["notes"].get(peer.name, ""),
            }
        )
    return {
        "program": job.program,
        "arithmetic": job.arithmetic,
        "threads": 1,
        "repeat": job.repeat,
        "median_ms": median,
        "min_ms": min(ours),
        "max_ms": max(ours),
        "flop": job.flop,
        "bytes": job.bytes,
        "gflop_per_s": None if job.flop is None else job.flop / median / 1e6,
        "gbyte_per_s": None if job.bytes is None else job.bytes / median / 1e6,
        "peers": peers,
    }
