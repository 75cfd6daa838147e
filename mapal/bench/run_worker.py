"""Starting the process that measures: its threads, its limit, its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from mapal.diagnostics import UserError

LIMIT_SECONDS = 1800
_THREAD_VARIABLES = (
    "BLIS_NUM_THREADS",
    "HL_NUM_THREADS",
    "MAPAL_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def thread_environment(threads: int) -> dict[str, str]:
    """What holds every contestant to so many threads."""
    return dict.fromkeys(_THREAD_VARIABLES, str(threads))


def run_worker(
    name: str, request: Mapping[str, Any], environment: Mapping[str, str]
) -> dict[str, Any]:
    """The answer of a worker to a job. Raises `UserError` when an answer is wrong or the worker
    dies, which says whose turn it was."""
    # -P: nothing in the current directory stands in for a module.
    command = [sys.executable, "-P", "-m", "mapal.bench.worker"]
    try:
        result = subprocess.run(
            command,
            input=json.dumps(request).encode(),
            env={**os.environ, **environment},
            capture_output=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as expired:
        turn = _turn(_said(expired.stdout or b""))
        raise UserError(f"{name}: not measured: {turn}took over {LIMIT_SECONDS} s", 1) from None
    said = _said(result.stdout)
    if result.returncode == 0 and isinstance(said.get("figures"), dict):
        return dict(said["figures"])
    reason = said.get("wrong") or f"{_turn(said)}{_ending(result)}"
    raise UserError(f"{name}: not measured: {reason}", 1)


def _said(output: bytes) -> dict[str, Any]:
    """The lines of a worker in one: what it said last of each kind. The last one may be torn."""
    said: dict[str, Any] = {}
    for line in output.splitlines():
        try:
            said.update(json.loads(line))
        except (TypeError, ValueError):
            continue
    return said


def _turn(said: Mapping[str, Any]) -> str:
    return f"{said['turn']}: " if "turn" in said else ""


def _ending(result: subprocess.CompletedProcess[bytes]) -> str:
    """How a worker ended without figures. What a signal ends says nothing of it itself."""
    if result.returncode < 0:
        return f"killed by {signal.Signals(-result.returncode).name}"
    lines = result.stderr.decode("utf-8", "replace").strip().splitlines()
    if result.returncode == 0 or not lines:
        return f"ended with status {result.returncode} and no answer"
    return lines[-1]
