"""Starting an executable that somebody still holds open for writing."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mapal.native.run import run_executable
from mapal.native.start import MOST_PAUSES, start


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """An executable: a script would not do, its interpreter is what is executed."""
    true = shutil.which("true")
    assert true is not None
    return Path(shutil.copy(true, tmp_path / "program"))


@pytest.fixture
def writer(program: Path) -> Iterator[Callable[[], None]]:
    """Holds the program open for writing, as a process that was started meanwhile may; closes it
    when called."""
    descriptor = os.open(program, os.O_WRONLY)
    is_open = True

    def close() -> None:
        nonlocal is_open
        if is_open:
            os.close(descriptor)
        is_open = False

    yield close
    close()


def _waits(monkeypatch: pytest.MonkeyPatch, after: Callable[[int], None]) -> list[float]:
    """Pauses become calls of `after`, with their number; gives the list of their lengths."""
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        after(len(pauses))

    # Its own name: whoever waits for a process sleeps, too.
    monkeypatch.setattr("mapal.native.start.sleep", pause)
    return pauses


def test_a_busy_file_is_what_the_system_refuses(program: Path, writer: Callable[[], None]) -> None:
    with pytest.raises(OSError, match="Text file busy"):
        subprocess.run([program], check=False)


def test_a_start_waits_until_the_file_is_closed(
    program: Path, writer: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses = _waits(monkeypatch, lambda number: writer() if number == 3 else None)
    assert start([str(program)]).wait() == 0
    assert pauses == [0.001, 0.002, 0.004]


def test_a_file_that_stays_open_is_named(
    program: Path, writer: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses = _waits(monkeypatch, lambda _: None)
    with pytest.raises(OSError, match="open for writing for 8 seconds") as caught:
        run_executable(program)
    assert caught.value.errno == errno.ETXTBSY
    assert caught.value.filename == str(program)
    assert len(pauses) == MOST_PAUSES


def test_other_failures_are_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = _waits(monkeypatch, lambda _: None)
    (tmp_path / "text").write_text("no program")
    with pytest.raises(PermissionError):
        run_executable(tmp_path / "text")
    assert pauses == []


def test_a_process_that_inherited_the_file_is_waited_for(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real thing: the descriptor is in another process."""
    descriptor = os.open(program, os.O_WRONLY)
    keeper = subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=[descriptor])
    os.close(descriptor)
    pauses = _waits(monkeypatch, lambda number: ends() if number == 2 else None)

    def ends() -> None:
        assert keeper.stdin is not None
        keeper.stdin.close()
        # Not `wait`, which sleeps.
        os.waitid(os.P_PID, keeper.pid, os.WEXITED | os.WNOWAIT)

    assert run_executable(program).exit == 0
    assert len(pauses) == 2
    assert keeper.wait() == 0
