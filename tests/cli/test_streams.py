"""Standard streams that are closed or full end each command with one line, never a traceback."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

MAPAL = f"{sys.executable} -m mapal"
LOST = "mapal: standard output: "
WRITERS = (
    "run {accepted}",
    "check --format json {rejected}",
    "dump --stage ast {accepted}",
    "dump --stage lower {accepted}",
    "fmt - < {accepted}",
    "explain P0003",
    "where {accepted} 3",
    "target show generic",
    "--help",
    "check --help",
    "--version",
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {
        "accepted": 'fn main() { "a" -> println; }\n',
        "rejected": "fn main() { 4 = 5; }\n",
        "trapped": "fn main() { 0 -> z; 1 / z -> println; }\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return {name: tmp_path / name for name in texts}


def _shell(command: str, files: dict[str, Path]) -> subprocess.CompletedProcess[str]:
    line = f"{MAPAL} {command.format(**files)}"
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)


has_full_device = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no /dev/full"
)


@has_full_device
@pytest.mark.parametrize("command", WRITERS)
def test_a_full_output_is_one_line_and_status_one(command: str, files: dict[str, Path]) -> None:
    ended = _shell(f"{command} >/dev/full", files)
    assert (ended.returncode, ended.stderr) == (1, f"{LOST}No space left on device\n")


@pytest.mark.parametrize("command", WRITERS[::3])
def test_a_closed_output_is_one_line_and_status_one(command: str, files: dict[str, Path]) -> None:
    ended = _shell(f"{command} >&-", files)
    assert (ended.returncode, ended.stderr) == (1, f"{LOST}Bad file descriptor\n")


@pytest.mark.parametrize("command", ["check -", "fmt -"])
def test_a_closed_input_is_unreadable(command: str, files: dict[str, Path]) -> None:
    ended = _shell(f"{command} <&-", files)
    assert (ended.returncode, ended.stderr) == (2, "mapal: <stdin>: standard input is closed\n")


@pytest.mark.parametrize("where", ["2>&-", pytest.param("2>/dev/full", marks=has_full_device)])
def test_messages_that_nobody_takes_change_no_status_and_no_output(
    where: str, files: dict[str, Path]
) -> None:
    for command, status in (("run {trapped}", 101), ("check {rejected}", 1), ("run nowhere", 2)):
        ended = _shell(f"{command} {where}", files)
        assert (ended.returncode, ended.stdout, ended.stderr) == (status, "", "")


def test_a_path_that_no_system_takes_is_unreadable(capsys: pytest.CaptureFixture[str]) -> None:
    from mapal.cli.main import main

    assert main(["check", "a\0b"]) == 2
    assert capsys.readouterr().err == "mapal: a\\x00b: embedded null byte\n"


def test_the_language_server_needs_its_input(files: dict[str, Path]) -> None:
    ended = _shell("lsp <&-", files)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("mapal: the language server talks on the standard input")


def test_a_result_replaces_no_device_and_no_pipe(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from mapal.cli.main import main

    source, pipe = tmp_path / "seven.mapal", tmp_path / "pipe"
    source.write_text("fn main() -> i32 { 7 }\n")
    os.mkfifo(pipe)
    for path in (tmp_path, pipe):
        assert main(["run", str(source), "--output", f"result={path}"]) == 1
        complaint = f"mapal: output 'result': {path}: is not a regular file\n"
        assert capsys.readouterr().err == complaint
    assert pipe.is_fifo()


def test_a_linker_without_room_for_its_files_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from mapal.cli.main import main
    from mapal.native import toolchain

    def full(*arguments: object) -> bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    source = tmp_path / "empty.mapal"
    source.write_text("fn main() { }\n")
    monkeypatch.setattr(toolchain, "link", full)
    assert main(["compile", str(source), "-o", str(tmp_path / "program")]) == 4
    assert "No space left on device" in (said := capsys.readouterr().err)
    assert said.count("\n") == 1
