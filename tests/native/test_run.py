"""Running executables: status, output, traps, limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.native.run import NativeTrap, parse_trap, run_executable


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_run_gives_status_output_and_environment(tmp_path: Path) -> None:
    program = script(tmp_path / "p", 'printf "$1 $MAPAL_THREADS"; echo oops >&2; exit 3')
    outcome = run_executable(program, ["word"], environment={"MAPAL_THREADS": "2"})
    assert outcome.exit == 3
    assert outcome.stdout == b"word 2"
    assert outcome.stderr == b"oops\n"
    assert outcome.trap is None


def test_a_trap_is_read_from_stderr(tmp_path: Path) -> None:
    text = "printf 'mapal trap: index_oob\\n  at token 41\\n' >&2; exit "
    outcome = run_executable(script(tmp_path / "p", text + "101"))
    assert outcome.trap == NativeTrap("index_oob", 41)
    assert run_executable(script(tmp_path / "q", text + "0")).trap is None
    assert parse_trap(b"something else\n") is None


def test_a_signal_and_a_limit(tmp_path: Path) -> None:
    assert run_executable(script(tmp_path / "p", "kill -9 $$")).exit == -9
    loop = script(tmp_path / "q", "echo before; exec tail -f /dev/null")
    outcome = run_executable(loop, limit_seconds=0.5)
    assert outcome.exit is None
    assert outcome.stdout == b"before\n"


def test_a_program_that_cannot_start(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        run_executable(tmp_path / "absent")
