"""Progress on a terminal and elsewhere, with a real pseudo-terminal for whole builds."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from types import SimpleNamespace

import pytest

from mapal.pipeline import progress
from mapal.pipeline.progress import LiveLines, PlainLines, make_progress, task_line
from tests.pipeline.directories import ProjectDirectory
from tests.pipeline.screen import Screen


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """Time that the test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def seen(stream: io.StringIO, columns: int = 80) -> list[str]:
    screen = Screen(columns)
    screen.feed(stream.getvalue())
    return screen.lines()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> LiveLines:
    """Live lines whose own thread never draws, so that each drawing is one of the test's."""
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setattr(progress, "_REDRAW_SECONDS", 3600)
    return LiveLines(Terminal(), colour=False, clock=clock)


def stream_of(live: LiveLines) -> Terminal:
    assert isinstance(live._out, Terminal)
    return live._out


def test_tasks_at_work_are_shown_and_go(live: LiveLines, clock: Clock) -> None:
    live.expect(lambda: 5)
    live.skip()
    live.start("emit:a", speaks=False)
    clock.now = 1.5
    live.start("emit:b", speaks=False)
    assert seen(stream_of(live)) == [
        "...       1.50 s  emit:a",
        "...       0.00 s  emit:b",
        "[1 of 5]",
    ]
    live.finish("emit:a", "cached", 1.5)
    live.finish("emit:b", "failed", 200)
    live.start("emit:c", speaks=False)
    assert seen(stream_of(live)) == [
        "cached    1.50 s  emit:a",
        "failed  3:20 min  emit:b",
        "...       0.00 s  emit:c",
        "[3 of 5] 1 failed",
    ]
    live.finish("emit:c", None, 0)
    live.close()
    assert seen(stream_of(live))[2:] == []


def test_messages_stand_above_the_live_lines(live: LiveLines) -> None:
    out = stream_of(live)
    live.start("emit:a", speaks=False)
    live.write("two\nlines\n", out)
    assert seen(out) == ["two", "lines", "...       0.00 s  emit:a", "[0 of 0]"]
    progress.activate(live)
    elsewhere, sys.stderr = sys.stderr, out
    try:
        progress.say("installing a compiler")
    finally:
        sys.stderr = elsewhere
        progress.activate(None)
    assert seen(out)[2] == "installing a compiler"
    live.close()


def test_a_task_that_speaks_has_the_terminal_to_itself(live: LiveLines) -> None:
    out = stream_of(live)
    live.start("emit:a", speaks=False)
    live.start("lint", speaks=True)
    assert seen(out) == [".  lint"]
    live.finish("lint", "ran", 2)
    assert seen(out)[1:] == ["ran       2.00 s  lint", "...       0.00 s  emit:a", "[1 of 0]"]
    live.close()


def test_lines_fit_the_terminal(live: LiveLines) -> None:
    for number in range(12):
        live.start(f"emit:{number}:" + "long" * 20, speaks=False)
    lines = seen(stream_of(live))
    assert len(lines) == 9
    assert lines[7] == "... and 5 more"
    assert all(len(line) < 40 for line in lines)
    live.close()


def test_times_move_by_themselves(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setattr(progress, "_REDRAW_SECONDS", 0.001)
    live = LiveLines(Terminal(), colour=True, clock=clock)
    live.start("emit:a", speaks=False)
    clock.now = 7.0
    while "7.00 s" not in stream_of(live).getvalue():
        pass
    live.finish("emit:a", "ran", 7)
    live.close()
    assert "\x1b[32mran   \x1b[0m" in stream_of(live).getvalue()


@pytest.mark.parametrize(
    ("out", "environment", "kind"),
    [
        (Terminal(), {"TERM": "xterm"}, LiveLines),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, LiveLines),
        (Terminal(), {"TERM": "xterm", "CI": "true"}, PlainLines),
        (Terminal(), {"TERM": "dumb"}, PlainLines),
        (Terminal(), {}, PlainLines),
        (io.StringIO(), {"TERM": "xterm"}, PlainLines),
    ],
)
def test_what_moves_is_for_terminals_that_a_person_watches(
    out: io.StringIO, environment: dict[str, str], kind: type
) -> None:
    assert isinstance(make_progress(out, environment), kind)


def test_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    out = io.StringIO()
    plain = PlainLines(out)
    plain.expect(lambda: 1 // 0)
    plain.start("parse:a", speaks=False)
    plain.skip()
    plain.finish("parse:a", "ran", 0.25)
    plain.finish("_quiet", None, 0)
    plain.write("an error\n", sys.stderr)
    plain.close()
    progress.say("aside")
    assert out.getvalue() == task_line("parse:a", "ran", 0.25) + "\n"
    assert capsys.readouterr().err == "an error\naside\n"


def test_the_tasks_of_a_selection_are_counted() -> None:
    def task(*needs: str, actions: int = 1) -> SimpleNamespace:
        return SimpleNamespace(task_dep=list(needs), actions=[None] * actions)

    tasks = {"all": task("a", "b", actions=0), "a": task("b"), "b": task("gone"), "c": task()}
    assert progress.number_of_tasks(tasks, ["all"]) == 2


def build_on_a_terminal(path: Path, *words: str, **changes: str) -> tuple[int, str]:
    """Builds with a pseudo-terminal for all streams; gives the status and all that was written."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", **changes}
    for name in ("CI", "NO_COLOR", "COLUMNS", "LINES"):
        if name not in changes:
            environment.pop(name, None)
    process = subprocess.Popen(
        [sys.executable, "-m", "doit", *words],
        cwd=path,
        env=environment,
        stdin=slave,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    written = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        written += part
    os.close(master)
    return process.wait(), written.decode()


def test_a_parallel_build_on_a_terminal(project: ProjectDirectory) -> None:
    project.edit("src/scale.mapal", "x * 2.0", "x * oops")
    status, written = build_on_a_terminal(project.path, "-n", "2", "build")
    assert status != 0
    assert "\x1b[J" in written, "nothing moved"
    assert re.search(r"\.\.\. .* s  emit:generic:hello", written)
    assert "\x1b[32m" in written
    screen = Screen(100)
    screen.feed(written.replace("\r\n", "\n"))
    lines = screen.lines()
    assert lines[-2:] == [
        "demo/hello generic equal",
        "demo/scale generic failed: lower:scale",
    ]
    assert re.fullmatch(r"tasks: 12 ran, 1 failed, 9 not tried \([0-9.]+ s\)", lines[-3])
    finished = [line.split("  ")[-1] for line in lines if line.startswith(("ran ", "failed "))]
    assert len(finished) == len(set(finished)) == 13
    assert not [line for line in lines if line.startswith(("...", "["))]
    place = lines.index(next(line for line in lines if ": error[L" in line))
    assert "x * oops" in lines[place + 1], "an error stands whole"
    assert "^" in lines[place + 2]


def test_no_colour_and_no_movement_where_they_are_not_wanted(project: ProjectDirectory) -> None:
    _, written = build_on_a_terminal(project.path, "build", "program=hello", NO_COLOR="1")
    assert "\x1b[J" in written
    assert not re.search(r"\x1b\[[0-9;]*m", written)
    (project.path / "src/hello.mapal").write_text('fn main() {\n    "hi" -> println;\n}\n')
    _, written = build_on_a_terminal(project.path, "build", "program=hello", CI="true")
    assert "\x1b" not in written
    assert re.search(r"ran +[0-9.]+ s  parse:hello", written)


def test_a_build_with_nothing_to_do_says_so_in_one_line(project: ProjectDirectory) -> None:
    project.build("program=hello")
    status, written = build_on_a_terminal(project.path, "build", "program=hello")
    assert status == 0
    assert written.splitlines() == ["tasks: 12 up to date", "demo/hello generic equal"]
