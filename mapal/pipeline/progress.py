"""What a build shows while it runs.

Every task that ends is one line: what was done, how long it took, its name. On a terminal the
tasks at work are shown below those lines, one each, and go when they end; elsewhere (a pipe, a
file, continuous integration, a terminal that cannot move its cursor) there are only the lines.
Text is written whole and by one writer at a time, so parallel tasks never mix theirs.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from mapal.pipeline.outlet import Outlet

_REDRAW_SECONDS = 0.1
_MOST_LIVE_LINES = 8
_COLOURS = {"ran": "32", "cached": "36", "failed": "31"}


class TextOut(Protocol):
    """What of a stream is used."""

    def write(self, text: str, /) -> int: ...

    def flush(self) -> None: ...

    def isatty(self) -> bool: ...


class Progress(Protocol):
    """How tasks come and go. `seconds` are of wall time."""

    def expect(self, total: Callable[[], int]) -> None:
        """`total` counts the tasks that may run; it is only asked if the number is shown."""

    def start(self, task: str, *, speaks: bool) -> None:
        """A task begins. One that `speaks` writes to the terminal by itself."""

    def skip(self) -> None:
        """One more task was up to date."""

    def finish(self, task: str, action: str | None, seconds: float) -> None:
        """A task ended; `action` is `ran`, `cached` or `failed`, or None to say nothing."""

    def write(self, text: str, stream: TextOut) -> None:
        """Writes whole lines to a stream that may be the same terminal."""

    def close(self) -> None:
        """Nothing is at work any more."""


def make_progress(out: TextOut, environment: Mapping[str, str]) -> Progress:
    """Live lines if `out` is a terminal that a person watches, else plain ones."""
    is_watched = (
        out.isatty()
        and environment.get("TERM", "") not in ("", "dumb")
        and not environment.get("CI")
    )
    if not is_watched:
        return PlainLines(out)
    return LiveLines(out, colour=not environment.get("NO_COLOR"), clock=time.monotonic)


def task_line(task: str, action: str, seconds: float) -> str:
    """One line for a task that ended or is at work."""
    return f"{action:<7}{_duration(seconds):>9}  {task}"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min"


class PlainLines:
    """A line for each task that ended, and nothing that moves."""

    def __init__(self, out: TextOut) -> None:
        self._out = out

    def expect(self, total: Callable[[], int]) -> None:
        pass

    def start(self, task: str, *, speaks: bool) -> None:
        if speaks:
            self.write(f".  {task}\n", self._out)

    def skip(self) -> None:
        pass

    def finish(self, task: str, action: str | None, seconds: float) -> None:
        if action is not None:
            self.write(task_line(task, action, seconds) + "\n", self._out)

    def write(self, text: str, stream: TextOut) -> None:
        if stream is not self._out:
            self._out.flush()
        stream.write(text)
        stream.flush()

    def close(self) -> None:
        pass


class LiveLines:
    """Plain lines, and below them a line for each task at work and one for the whole build.

    A thread of its own keeps the times moving. It ends with `close`.
    """

    def __init__(self, out: TextOut, *, colour: bool, clock: Callable[[], float]) -> None:
        self._out = out
        self._colour = colour
        self._clock = clock
        self._lock = threading.Lock()
        self._running: dict[str, float] = {}
        self._speaking: set[str] = set()
        self._drawn = 0
        self._total = 0
        self._done = 0
        self._failed = 0
        self._stopped = threading.Event()
        self._ticker: threading.Thread | None = None

    def expect(self, total: Callable[[], int]) -> None:
        self._total = total()

    def start(self, task: str, *, speaks: bool) -> None:
        with self._lock:
            if speaks:
                self._speaking.add(task)
                self._replace(f".  {task}\n")
                return
            self._running[task] = self._clock()
            self._replace("")
        if self._ticker is None:
            self._ticker = threading.Thread(target=self._tick, name="progress", daemon=True)
            self._ticker.start()

    def skip(self) -> None:
        self._done += 1

    def finish(self, task: str, action: str | None, seconds: float) -> None:
        with self._lock:
            self._running.pop(task, None)
            self._speaking.discard(task)
            self._done += 1
            self._failed += action == "failed"
            line = task_line(task, action, seconds) + "\n" if action is not None else ""
            if action in _COLOURS and self._colour:
                line = f"\x1b[{_COLOURS[action]}m{line[:6]}\x1b[0m{line[6:]}"
            self._replace(line)

    def write(self, text: str, stream: TextOut) -> None:
        with self._lock:
            self._erase()
            self._out.flush()
            stream.write(text)
            stream.flush()
            self._draw()

    def close(self) -> None:
        self._stopped.set()
        if self._ticker is not None:
            self._ticker.join()
            self._ticker = None
        with self._lock:
            self._running.clear()
            self._erase()
            self._out.flush()

    def _tick(self) -> None:
        while not self._stopped.wait(_REDRAW_SECONDS):
            with self._lock:
                self._replace("")

    def _replace(self, text: str) -> None:
        """Puts finished text above the live lines; all in one write, so nothing flickers."""
        self._erase(then=text)
        self._draw()

    def _erase(self, then: str = "") -> None:
        up = f"\x1b[{self._drawn}A\r\x1b[J" if self._drawn else ""
        self._drawn = 0
        if up or then:
            self._out.write(up + then)

    def _draw(self) -> None:
        lines = [] if self._speaking else self._live_lines()
        self._drawn = len(lines)
        self._out.write("".join(f"{line}\n" for line in lines))
        self._out.flush()

    def _live_lines(self) -> list[str]:
        if not self._running:
            return []
        columns, rows = shutil.get_terminal_size()
        now = self._clock()
        shown = max(1, min(_MOST_LIVE_LINES, rows - 2))
        lines = [task_line(task, "...", now - at) for task, at in self._running.items()]
        if len(lines) > shown:
            lines[shown - 1 :] = [f"... and {len(lines) - shown + 1} more"]
        status = f"[{self._done} of {self._total}]"
        if self._failed:
            status += f" {self._failed} failed"
        return [line[: columns - 1] for line in (*lines, status)]


_active: Progress | None = None


def activate(progress: Progress | None) -> None:
    """Makes this what `say` writes through; None ends that."""
    global _active
    _active = progress


def say(line: str) -> None:
    """A line for a person on standard error, from anywhere, above whatever is being shown."""
    outlet = Outlet(sys.stderr)
    if _active is not None:
        _active.write(f"{line}\n", outlet)
    else:
        outlet.write(f"{line}\n")
        outlet.flush()


def number_of_tasks(tasks: Mapping[str, Any], selected: list[str]) -> int:
    """How many tasks with actions doit will look at for the selected ones."""
    seen: set[str] = set()
    work = list(selected)
    while work:
        name = work.pop()
        if name in seen or name not in tasks:
            continue
        seen.add(name)
        work += tasks[name].task_dep
    return sum(bool(tasks[name].actions) for name in seen)


def environment() -> Mapping[str, str]:
    """The process's environment, as `make_progress` takes it."""
    return os.environ
