"""Running an executable with a limit, and reading what its stderr says about a trap."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mapal.native.start import start

TRAP_STATUS = 101
DEFAULT_LIMIT_SECONDS = 600.0

_TRAP = re.compile(rb"^mapal trap: ([a-z_]+)\n  at token ([0-9]+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NativeTrap:
    """`kind` is `div_zero` or `index_oob`, `token` the ordinal of the operation's token."""

    kind: str
    token: int


@dataclass(frozen=True, slots=True)
class NativeOutcome:
    """How a run ended. `exit` is the exit status, or minus the number of the signal that ended
    it, or None if the limit passed."""

    exit: int | None
    stdout: bytes
    stderr: bytes
    trap: NativeTrap | None


def run_executable(
    executable: Path,
    arguments: Sequence[str] = (),
    *,
    environment: Mapping[str, str] | None = None,
    limit_seconds: float = DEFAULT_LIMIT_SECONDS,
) -> NativeOutcome:
    """Runs a program with these arguments and additional environment variables, with nothing
    on its stdin. Raises `OSError` if it cannot be started."""
    process = start(
        [str(executable.absolute()), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
    )
    try:
        stdout, stderr = process.communicate(timeout=limit_seconds)
        status: int | None = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        stdout, stderr = process.communicate()
        status = None
    except BaseException:
        process.kill()
        process.communicate()
        raise
    trap = parse_trap(stderr) if status == TRAP_STATUS else None
    return NativeOutcome(status, stdout, stderr, trap)


def parse_trap(stderr: bytes) -> NativeTrap | None:
    """The trap that a program reported, if it did."""
    found = _TRAP.search(stderr)
    return NativeTrap(found[1].decode("ascii"), int(found[2])) if found else None
