"""What a build says: tasks as they start, each error once, one last line per check.

Messages about tasks go to the stream that doit gives (standard output, or standard error under
`doit exec`), errors always to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from doit.exceptions import UnmetDependency

from mapal.diagnostics import UserError
from mapal.pipeline import session as sessions
from mapal.pipeline.files import write_if_changed
from mapal.pipeline.site import BUILD


class BuildReporter:
    """doit's reporter for Mapal builds. Interface: `doit.reporter.ConsoleReporter`."""

    desc = "tasks that run, errors, and one line per differential check"

    def __init__(self, outstream: Any, options: Any = None) -> None:
        self._out = outstream
        self._started: dict[str, float] = {}
        self._ran: dict[str, dict[str, Any]] = {}
        self._passed: set[str] = set()
        self._failed: list[str] = []
        self._blocked: set[str] = set()
        self._errors: list[str] = []
        self._told: dict[str, str] = {}

    def initialize(self, tasks: Any, selected_tasks: Any) -> None:
        """The run starts; nothing was looked at yet."""
        if sessions.exists():
            sessions.current().begin()

    def get_status(self, task: Any) -> None:
        """A task is about to be checked."""

    def execute_task(self, task: Any) -> None:
        self._started[task.name] = time.monotonic()
        if task.actions and not task.name.startswith("_"):
            self._out.write(f".  {task.title()}\n")
            self._out.flush()

    def add_success(self, task: Any) -> None:
        self._passed.add(task.name)
        if task.actions:
            outcome = "ran"
            if sessions.exists():
                outcome = sessions.current().outcomes.get(task.name, lambda: "ran")()
            self._note(task, outcome)

    def add_failure(self, task: Any, fail: Any) -> None:
        if isinstance(fail, UnmetDependency):
            self._blocked.add(task.name)
            return
        self._failed.append(task.name)
        self._note(task, "failed")
        if sessions.exists() and task.name in sessions.current().steps:
            text = self._told_once(task.name, fail.message)
        else:
            text = _foreign_failure(task, fail)
        self._out.flush()
        print(text, file=sys.stderr, flush=True)

    def _told_once(self, task: str, message: str) -> str:
        """The message, or a reference if another task failed in the same way."""
        what = message.removeprefix(f"{task}: ")
        first = self._told.setdefault(what, task)
        return message if first == task else f"{task}: the same as {first}"

    def skip_uptodate(self, task: Any) -> None:
        self._passed.add(task.name)

    def skip_ignore(self, task: Any) -> None:
        self._out.write(f"!! {task.title()}\n")

    def cleanup_error(self, exception: Any) -> None:
        sys.stderr.write(exception.get_msg())

    def runtime_error(self, msg: str) -> None:
        self._errors.append(msg)

    def teardown_task(self, task: Any) -> None:
        """Stages need no teardown."""

    def complete_run(self) -> None:
        for message in self._errors:
            print(f"ERROR: {message}", file=sys.stderr)
        if self._ran:
            self._write_last_build()
        if sessions.exists():
            for line in self._summary(sessions.current()):
                self._out.write(f"{line}\n")
            self._out.flush()

    def _note(self, task: Any, action: str) -> None:
        seconds = time.monotonic() - self._started.get(task.name, time.monotonic())
        self._ran[task.name] = {
            "name": task.name,
            "action": action,
            "seconds": round(seconds, 6),
        }

    def _write_last_build(self) -> None:
        text = json.dumps({"tasks": list(self._ran.values())}, indent=1)
        try:
            write_if_changed(os.path.join(BUILD, "last-build.json"), text.encode() + b"\n")
        except UserError as error:
            print(f"mapal: {error.message}", file=sys.stderr)

    def _summary(self, session: sessions.Session) -> list[str]:
        lines = []
        for step in session.steps.values():
            if step.stage != "differential" or step.program is None:
                continue
            if step.task in self._passed:
                record = step.recorded()
                word = record["summary"] if record is not None else None
            elif step.task in self._failed:
                word = "different" if _is_different(step.output_paths()[0]) else "failed"
            elif step.task in self._blocked:
                word = f"failed: {self._culprit(session, step.program.name, step.target)}"
            else:
                continue
            lines.append(f"{step.site.project.name}/{step.program.name} {step.target} {word}")
        return lines

    def _culprit(self, session: sessions.Session, program: str, target: str | None) -> str:
        """The task that a check of this program and target was waiting for."""
        for name in self._failed:
            step = session.steps.get(name)
            if (
                step is not None
                and (step.program is None or step.program.name == program)
                and step.target in (None, target)
            ):
                return name
        return "a task before it"


def _foreign_failure(task: Any, fail: Any) -> str:
    """What happened to a task that is no stage, with what its commands printed."""
    captured = [text for action in task.actions for text in (action.out, action.err) if text]
    shown = captured if (task.verbosity or 0) < 2 else []
    message = fail.get_msg().strip()
    # doit keeps an exception as its traceback; one that speaks to people needs none.
    _, is_for_people, words = message.rpartition("mapal.diagnostics.errors.UserError: ")
    return "\n".join([f"{task.name}: {words if is_for_people else message}", *shown])


def _is_different(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return bool(json.loads(file.read())["status"] == "different")
    except (OSError, ValueError, KeyError, TypeError):
        return False
