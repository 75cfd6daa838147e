"""What a build says: tasks as they end, each error once, a summary, one last line per check.

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

from mapal.diagnostics import CompilerBug, UserError
from mapal.pipeline import session as sessions
from mapal.pipeline.files import read_regular, write_if_changed
from mapal.pipeline.outlet import Outlet
from mapal.pipeline.progress import activate, environment, make_progress, number_of_tasks, say
from mapal.pipeline.site import BUILD

REPORT = "report"
"""The task that asks for the page even if nothing ran."""


class BuildReporter:
    """doit's reporter for Mapal builds. Interface: `doit.reporter.ConsoleReporter`."""

    desc = "tasks that run, errors, and one line per differential check"

    def __init__(self, outstream: Any, options: Any = None) -> None:
        self._out = Outlet(outstream)
        self._becomes_program = outstream is not None and outstream is sys.stderr
        self._progress = make_progress(self._out, environment())
        self._begun = time.monotonic()
        self._started: dict[str, float] = {}
        self._up_to_date: set[str] = set()
        self._ran: dict[str, dict[str, Any]] = {}
        self._passed: set[str] = set()
        self._failed: dict[str, str] = {}
        self._publishes = False
        self._blocked: set[str] = set()
        self._errors: list[str] = []
        self._told: dict[str, str] = {}

    def initialize(self, tasks: Any, selected_tasks: Any) -> None:
        """The run starts; nothing was looked at yet."""
        activate(self._progress)
        self._publishes = REPORT in selected_tasks
        self._progress.expect(lambda: number_of_tasks(tasks, list(selected_tasks)))
        if sessions.exists():
            sessions.current().begin()
            sessions.current().endings.append(self._leave_documents)
        # Waiting for another build is no part of this one.
        self._begun = time.monotonic()

    def get_status(self, task: Any) -> None:
        """A task is about to be checked."""

    def execute_task(self, task: Any) -> None:
        self._started[task.name] = time.monotonic()
        if task.actions and not task.name.startswith("_"):
            self._progress.start(task.name, speaks=not _is_ours(task))

    def add_success(self, task: Any) -> None:
        self._passed.add(task.name)
        if task.actions:
            outcome = "ran"
            if sessions.exists():
                outcome = sessions.current().outcomes.get(task.name, lambda: "ran")()
            self._note(task, outcome)

    def add_failure(self, task: Any, fail: Any) -> None:
        if isinstance(fail, UnmetDependency):
            if task.actions:
                self._blocked.add(task.name)
            return
        self._note(task, "failed")
        if sessions.exists() and task.name in sessions.current().steps:
            text = self._told_once(task.name, fail.message)
        else:
            text = _foreign_failure(task, fail)
        self._failed[task.name] = text
        self._progress.write(f"{text}\n", Outlet(sys.stderr))

    def _told_once(self, task: str, message: str) -> str:
        """The message, or a reference if another task failed in the same way."""
        what = message.removeprefix(f"{task}: ")
        first = self._told.setdefault(what, task)
        return message if first == task else f"{task}: the same as {first}"

    def skip_uptodate(self, task: Any) -> None:
        self._passed.add(task.name)
        if task.actions:
            self._up_to_date.add(task.name)
            self._progress.skip()

    def skip_ignore(self, task: Any) -> None:
        self._progress.write(f"!! {task.title()}\n", self._out)

    def cleanup_error(self, exception: Any) -> None:
        self._progress.write(exception.get_msg(), Outlet(sys.stderr))

    def runtime_error(self, msg: str) -> None:
        self._errors.append(msg)

    def teardown_task(self, task: Any) -> None:
        """Stages need no teardown."""

    def _leave_documents(self) -> None:
        """Writes what a build leaves about itself, before another one may begin here."""
        if self._ran:
            self._write_last_build()
        if sessions.exists():
            session = sessions.current()
            if self._publishes or any(_is_of_a_build(name, session) for name in self._ran):
                self._publish(session)

    def complete_run(self) -> None:
        activate(None)
        self._progress.close()
        for message in self._errors:
            Outlet(sys.stderr).write(f"ERROR: {message}\n")
        if not sessions.exists():
            self._leave_documents()
            return
        session = sessions.current()
        lines = [*self._remarks(session), *self._verdicts(session)]
        if self._ran or not self._becomes_program:
            # `doit exec` becomes the program: with nothing done, nothing is to be said before it.
            lines.insert(0, self._counts())
        self._out.write("".join(f"{line}\n" for line in lines))
        self._out.flush()

    def _note(self, task: Any, action: str) -> None:
        now = time.monotonic()
        started = self._started.get(task.name, now)
        self._ran[task.name] = {
            "name": task.name,
            "action": action,
            "seconds": round(now - started, 6),
            "start": round(started - self._begun, 6),
        }
        is_quiet = task.name.startswith("_")
        self._progress.finish(task.name, None if is_quiet else action, now - started)

    def _write_last_build(self) -> None:
        text = json.dumps({"tasks": list(self._ran.values())}, indent=1)
        try:
            write_if_changed(os.path.join(BUILD, "last-build.json"), text.encode() + b"\n")
        except UserError as error:
            say(f"mapal: {error.message}")

    def _publish(self, session: sessions.Session) -> None:
        """Writes the page about the build. What goes wrong there is no failure of the build."""
        from mapal.pipeline.publication import Ending, publish

        try:
            publish(session, Ending(self._failed, frozenset(self._blocked)))
        except UserError as error:
            say(f"mapal: {error.message}")
        except CompilerBug as bug:
            say(f"mapal: internal error: {bug}")

    def _counts(self) -> str:
        """How many tasks were done in which way; those that there were none of are left out."""
        actions = [entry["action"] for entry in self._ran.values()]
        numbers = {
            "ran": actions.count("ran"),
            "from the cache": actions.count("cached"),
            "failed": actions.count("failed"),
            "not tried": len(self._blocked),
            "up to date": len(self._up_to_date),
        }
        parts = [f"{number} {what}" for what, number in numbers.items() if number]
        taken = f" ({time.monotonic() - self._begun:.1f} s)" if self._ran else ""
        return f"tasks: {', '.join(parts) or 'none'}{taken}"

    def _remarks(self, session: sessions.Session) -> list[str]:
        """What other tasks than checks say about what they did just now."""
        lines = []
        for step in session.steps.values():
            if step.stage == "differential" or step.program is None:
                continue
            if step.task in self._ran and step.task in self._passed:
                record = step.recorded()
                if record is not None and record["summary"] is not None:
                    lines.append(f"{step.task}: {record['summary']}")
        return lines

    def _verdicts(self, session: sessions.Session) -> list[str]:
        """One line for each differential check that was looked at."""
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


def _is_ours(task: Any) -> bool:
    """Whether a task is a stage or a manifest, which write nothing while they run."""
    if not sessions.exists():
        return False
    return task.name in sessions.current().steps or task.name.partition(":")[0] == "manifest"


def _is_of_a_build(task: str, session: sessions.Session) -> bool:
    """Whether a task leaves something that the page shows."""
    return task in session.steps or task.partition(":")[0] in ("manifest", "bench")


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
        return bool(json.loads(read_regular(path))["status"] == "different")
    except (OSError, ValueError, KeyError, TypeError):
        return False
