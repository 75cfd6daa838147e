"""Starting the process that measures: its threads, its limit, its end."""

from __future__ import annotations

import json
import os
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
    """The answer of a worker to a job. Raises `UserError` when it dies, which a wrong answer
    makes it do."""
    command = [sys.executable, "-m", "mapal.bench.worker"]
    try:
        result = subprocess.run(
            command,
            input=json.dumps(request),
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"{name}: measuring took over {LIMIT_SECONDS} s", 1) from None
    if result.returncode != 0:
        lines = result.stderr.strip().splitlines()
        reason = lines[-1] if lines else f"exit status {result.returncode}"
        raise UserError(f"{name}: not measured: {reason}", 1)
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer
