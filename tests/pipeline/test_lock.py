"""One build at a time in a directory."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from mapal.pipeline.lock import BuildLock


def test_the_second_waits_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = str(tmp_path / "state")
    first = BuildLock([directory])
    first.acquire()
    first.acquire()
    assert first.held
    waiting = threading.Event()
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        waiting.set()

    second = BuildLock([directory], say)
    thread = threading.Thread(target=second.acquire)
    thread.start()
    assert waiting.wait(30)
    assert not second.held
    first.release()
    thread.join(30)
    assert second.held
    assert lines == [f"mapal: waiting for another build in {directory} to end"]
    second.release()
    BuildLock([directory])._say("to stderr")
    assert capsys.readouterr().err == "to stderr\n"


def test_a_directory_that_was_deleted_meanwhile_is_locked_anew(tmp_path: Path) -> None:
    directory = tmp_path / "state"
    first = BuildLock([str(directory)])
    first.acquire()

    def delete(line: str) -> None:
        shutil.rmtree(directory)
        first.release()

    second = BuildLock([str(directory)], delete)
    second.acquire()
    assert second.held
    assert (directory / "lock").exists()
    second.release()


def test_where_nothing_can_be_written_there_is_nothing_to_lock(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    lock = BuildLock([str(tmp_path / "file" / "below")])
    lock.acquire()
    assert not lock.held
