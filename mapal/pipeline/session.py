"""The tasks of one doit run, and doit's view of their records.

doit makes its own database, reporter and commands at different times and from classes; what
they share is the session, which exists from the moment that tasks are made.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mapal.diagnostics import CompilerBug, UserError
from mapal.pipeline.records import RecordStore
from mapal.pipeline.site import BUILD, STATE
from mapal.pipeline.step import Step

if TYPE_CHECKING:
    from mapal.pipeline.workspace import Workspace

_CHECKER = "ContentChecker"


class Session:
    """The workspace and its steps by task name, in the order of their making."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.steps: dict[str, Step] = {}
        # How each task that ran was done, `ran` or `cached`, asked after it succeeded.
        self.outcomes: dict[str, Callable[[], str]] = {}
        # Which files that list artifacts do not list what is there, by the task that writes them.
        self.listings: dict[str, Callable[[], list[str]]] = {}
        # What is still to be written when all tasks are over and nobody else may build yet.
        self.endings: list[Callable[[], None]] = []

    def add(self, step: Step) -> None:
        self.steps[step.task] = step

    def begin(self) -> None:
        """Waits until no other build is at work here."""
        self.workspace.lock.acquire()

    def end(self) -> None:
        """Writes down the records, and what may make the next build quicker."""
        while self.endings:
            self.endings.pop()()
        self.workspace.finish_loading()
        if self.workspace.environment.cache is not None:
            self.workspace.environment.cache.close()
        if self.workspace.environment.cluster is not None:
            self.workspace.environment.cluster.close()
        for site in self.workspace.sites:
            try:
                site.records.close()
            except UserError as error:
                print(f"mapal: {error.message}", file=sys.stderr)
            if self.workspace.lock.held:
                site.end()
        self.workspace.lock.release()


_current: Session | None = None


def start(session: Session) -> None:
    """Makes this the session of the process and shows its records to doit."""
    global _current
    _current = session
    _speak_plainly_when_interrupted()
    _speak_in_any_locale()
    from doit.globals import Globals

    manager = Globals.dep_manager
    if manager is not None:
        # doit takes the name of a database from its configuration, but only of one that is
        # registered with the installation; ours needs the session.
        database = DoitDatabase(session, RecordStore(os.path.join(BUILD, STATE, "general")))
        manager.backend = database
        manager._set, manager._get, manager._in = database.set, database.get, database.in_
        manager.remove, manager.remove_all = database.remove, database.remove_all


def _speak_plainly_when_interrupted() -> None:
    """An interrupt ends doit with a traceback; a person who pressed the keys knows why. The next
    one ends the process at once, as a kill does: nothing is left to say then."""
    previous = sys.excepthook
    if previous is not sys.__excepthook__:
        return
    _end_at_the_second_interrupt()

    def hook(kind: Any, value: Any, traceback: Any) -> None:
        if issubclass(kind, KeyboardInterrupt):
            print("mapal: interrupted; the next build goes on from here", file=sys.stderr)
        else:
            previous(kind, value, traceback)

    sys.excepthook = hook


def _end_at_the_second_interrupt() -> None:
    """Lets the next interrupt raise `KeyboardInterrupt` and the one after it end the process."""

    def first(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        raise KeyboardInterrupt

    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, first)


def _speak_in_any_locale() -> None:
    """Arrows and names of files are shown by their codes where the locale has no such letters."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def current() -> Session:
    """The session of the process. Only to be called where tasks exist."""
    if _current is None:
        raise CompilerBug("no session: tasks were not loaded")
    return _current


def exists() -> bool:
    return _current is not None


class DoitDatabase:
    """The interface of doit's databases over our records; `general` holds what doit notes about
    tasks that are no stages. Interface: `doit.dependency.JsonDB`."""

    def __init__(self, session: Session, general: RecordStore) -> None:
        self._session = session
        self._general = general
        self._labels: dict[str, dict[str, str]] = {}
        self.name = BUILD

    def get(self, task: str, dependency: str) -> Any:
        step = self._session.steps.get(task)
        if step is None or dependency == "ignore:":
            return (self._general.get(task) or {}).get(dependency)
        record = step.recorded()
        if record is None:
            return None
        if dependency == "_values_:":
            return record
        if dependency == "checker:":
            return _CHECKER
        if dependency == "deps:":
            return tuple(step.site.path(label) for label in record["inputs"])
        labels = self._labels.get(task)
        if labels is None:
            labels = {step.site.path(label): label for _, label in step.inputs}
            self._labels[task] = labels
        return record["inputs"].get(labels[dependency]) if dependency in labels else None

    def set(self, task: str, dependency: str, value: Any) -> None:
        self._session.begin()
        step = self._session.steps.get(task)
        if step is None or dependency == "ignore:":
            entry = dict(self._general.get(task) or {})
            # As it will be read back, so that nothing new is nothing new.
            entry[dependency] = list(value) if isinstance(value, tuple) else value
            self._general.put(task, entry)
        elif dependency == "_values_:":
            step.site.records.put(step.record, value)

    def in_(self, task: str) -> bool:
        step = self._session.steps.get(task)
        return (step.recorded() if step is not None else self._general.get(task)) is not None

    def remove(self, task: str) -> None:
        self._session.begin()
        step = self._session.steps.get(task)
        if step is not None:
            step.site.records.put(step.record, None)
        self._general.put(task, None)

    def remove_all(self) -> None:
        self._session.begin()
        for site in self._session.workspace.sites:
            site.records.clear()
        self._general.clear()

    def dump(self) -> None:
        try:
            self._general.close()
        except UserError as error:
            print(f"mapal: {error.message}", file=sys.stderr)
        self._session.end()
