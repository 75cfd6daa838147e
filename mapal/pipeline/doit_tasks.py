"""Stages as doit tasks: the configuration and the task generator that `mapal.dodo` exports."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import doit.doit_cmd
from doit.dependency import FileChangedChecker
from doit.exceptions import InvalidDodoFile
from doit.task import Task

from mapal.diagnostics import UserError
from mapal.pipeline import session as sessions
from mapal.pipeline.action import StageAction
from mapal.pipeline.bench_task import bench_task
from mapal.pipeline.files import FileHashes, describe, read_regular, write_if_changed
from mapal.pipeline.manifest import manifest_bytes, statement_bytes
from mapal.pipeline.picture import picture_step
from mapal.pipeline.reporter import REPORT, BuildReporter
from mapal.pipeline.session import Session
from mapal.pipeline.site import BUILD, STATE, Site
from mapal.pipeline.step import Environment, Step
from mapal.pipeline.steps import program_steps, target_program_steps, target_steps
from mapal.pipeline.verify_task import verify_task
from mapal.pipeline.workspace import Workspace, load_workspace
from mapal.target.document import closest

VARIABLES = ("target", "program", "paranoid", "executor")
_SWEEP_VARIABLES = ("count", "seed", "rewrite")

_STAGES = {
    "parse": "source to syntax tree and location table",
    "lower": "syntax tree to graph",
    "check": "the rules that an accepted program keeps",
    "rewrite": "graph to optimised graph",
    "oracle": "what the program does, by the interpreter",
    "graph": "pictures of the graph",
    "runtime": "the runtime library of a target",
    "emit": "graph to LLVM text for a target",
    "object": "LLVM text to object file",
    "link": "object file to executable",
    "differential": "the native program against the interpreter",
    "manifest": "every artifact with its hash and inputs",
    "picture": "the project's own picture of its results",
}


class ContentChecker(FileChangedChecker):  # type: ignore[misc]
    """File dependencies by SHA-256 alone. The recorded state is the hash that the task itself
    read, so an edit during a build is an edit after it."""

    hashes = FileHashes()

    def check_modified(self, file_path: str, file_stat: Any, state: Any) -> bool:
        return bool(self.hashes.of(file_path, file_stat) != state)

    def get_state(self, dep: str, current_state: Any) -> str | None:
        return self.hashes.of(dep)


DOIT_CONFIG = {
    "backend": "json",
    "check_file_uptodate": ContentChecker,
    "continue": True,
    "default_tasks": ["build"],
    "dep_file": os.path.join(BUILD, STATE, "doit.json"),
    "par_type": "thread",
    "reporter": BuildReporter,
}


def task_mapal() -> Iterator[Any]:
    """The tasks of the project in this directory, or of all projects below it."""
    try:
        workspace = load_workspace(_variables())
        session = Session(workspace)
        tasks = list(session_tasks(session))
        workspace.finish_loading()
    except UserError as error:
        raise InvalidDodoFile(error.message) from None
    except OSError as error:
        raise InvalidDodoFile(f"{error.filename}: {describe(error)}") from None
    ContentChecker.hashes = workspace.environment.hashes
    sessions.start(session)
    yield from tasks


def _variables() -> dict[str, str]:
    """The command line's `name=value` words. Raises `UserError` for one that has no meaning."""
    given: dict[str, str] = dict(doit.doit_cmd._CMDLINE_VARS or {})
    for name in given:
        if name not in (*VARIABLES, *_SWEEP_VARIABLES):
            known = ", ".join((*VARIABLES, *_SWEEP_VARIABLES))
            raise UserError(
                f"unknown variable {name!r}; known are {known}{closest(name, VARIABLES)}"
            )
    return {name: text for name, text in given.items() if name in VARIABLES}


def session_tasks(session: Session) -> Iterator[Task]:
    """The doit tasks for everything that is selected, groups first."""
    workspace = session.workspace
    groups: dict[str, list[str]] = {}
    singles: list[Task] = []
    built: list[str] = []
    for site in workspace.sites:
        programs = workspace.programs(site)
        if not programs:
            continue
        steps = list(_site_steps(workspace, site))
        pictures = list(picture_step(workspace, site, steps))
        for step in (*steps, *pictures):
            session.add(step)
            singles.append(_step_task(step, session))
            groups.setdefault(step.stage, []).append(step.task)
        manifest = _manifest_task(session, site, steps)
        singles.append(manifest)
        built += [step.task for step in (*steps, *pictures)] + [manifest.name]
        if workspace.joint:
            groups.setdefault("manifest", []).append(manifest.name)
    for stage, members in groups.items():
        yield Task(stage, None, doc=_STAGES[stage], task_dep=members, has_subtask=True)
    yield from singles
    yield Task("build", None, doc="everything, through the differential checks", task_dep=built)
    yield Task(
        REPORT,
        None,
        doc="the build as one page, build/report/index.html",
        task_dep=["build"],
        clean=[_clean_report],
    )
    yield bench_task(workspace, built)
    yield verify_task(workspace, built)


def _site_steps(workspace: Workspace, site: Site) -> Iterator[Step]:
    suffix = f":{site.project.name}" if workspace.joint else ""
    targets = workspace.targets(site)
    programs = workspace.programs(site)
    for target in targets:
        yield from target_steps(site, target, suffix=suffix)
    for program in programs:
        yield from program_steps(site, program)
        for target in targets:
            yield from target_program_steps(site, target, program)


class _UpToDate:
    """doit's question whether a step is up to date, apart from the content of its inputs."""

    # doit asks for the signature each time; finding it out takes longer than the rest.
    __signature__ = inspect.Signature()

    def __init__(self, step: Step, environment: Environment) -> None:
        self._step = step
        self._environment = environment

    def __call__(self) -> bool:
        return self._step.is_current(self._environment)

    def __repr__(self) -> str:
        reasons = self._step.stale_reasons(self._environment, inputs=False)
        return "; ".join(reasons) or "up to date"


def _step_task(step: Step, session: Session) -> Task:
    environment = session.workspace.environment
    # Before any worker imports the code: an edit in between then counts as one after the build.
    environment.digests.of(step.modules)
    action = StageAction(step, environment, session.workspace.lock)
    session.outcomes[step.task] = lambda: action.outcome
    task = Task(
        step.task,
        [action],
        file_dep=step.input_paths(),
        targets=step.output_paths(),
        uptodate=[_UpToDate(step, environment)],
        clean=[(_clean, [step])],
        io={"capture": False},
        verbosity=0,
        doc=_STAGES[step.stage],
    )
    task.subtask_of = step.stage
    return task


def _clean(step: Step, dryrun: bool) -> None:
    """Removes a step's artifacts, those that the stage itself named included."""
    record = step.recorded()
    labels = [label for _, label in step.outputs]
    labels += [label for label in (record["outputs"] if record else {}) if label not in labels]
    _remove_files(step.task, [step.site.path(label) for label in labels], step.site.build, dryrun)


def _clean_report(dryrun: bool) -> None:
    paths = [os.path.join(BUILD, "report", "index.html"), os.path.join(BUILD, "junit.xml")]
    _remove_files(REPORT, paths, BUILD, dryrun)


def _clean_manifest(name: str, paths: Iterable[str], dryrun: bool) -> None:
    _remove_files(name, paths, BUILD, dryrun)


def _remove_files(task: str, paths: Iterable[str], top: str, dryrun: bool) -> None:
    """Removes files that a task made, and directories below `top` that are empty then. What
    cannot be removed is said and left."""
    for path in paths:
        if not os.path.isfile(path):
            continue
        print(f"{task} - removing {path}")
        if dryrun:
            continue
        try:
            os.unlink(path)
            _remove_empty_directories(os.path.dirname(path), top)
        except OSError as error:
            print(f"{task}: cannot remove {path}: {describe(error)}", file=sys.stderr)


def _remove_empty_directories(directory: str, top: str) -> None:
    """A directory and those around it, as long as they are empty."""
    while directory not in ("", top) and not os.listdir(directory):
        os.rmdir(directory)
        directory = os.path.dirname(directory)


def _manifest_task(session: Session, site: Site, steps: list[Step]) -> Task:
    """The task that writes the manifest and the statement of provenance."""
    workspace = session.workspace
    files = {"manifest.json": manifest_bytes, "provenance.json": statement_bytes}
    paths = {site.path(name): make for name, make in files.items()}

    def stale_paths() -> list[str]:
        return [path for path, make in paths.items() if not _has_content(path, make(steps))]

    def up_to_date() -> bool:
        return not stale_paths()

    def write() -> bool:
        workspace.lock.acquire()
        site.begin()
        site.records.refresh()
        for path, make in paths.items():
            wanted = make(steps)
            if wanted is None:
                raise UserError(f"{path}: a task has no record; build again")
            write_if_changed(path, wanted)
        return True

    name = f"manifest:{site.project.name}" if workspace.joint else "manifest"
    session.listings[name] = stale_paths
    task = Task(
        name,
        [write],
        targets=list(paths),
        task_dep=[step.task for step in steps],
        uptodate=[up_to_date],
        clean=[(_clean_manifest, [name, list(paths)])],
        io={"capture": False},
        verbosity=0,
        doc=_STAGES["manifest"],
    )
    if workspace.joint:
        task.subtask_of = "manifest"
    return task


def _has_content(path: str, wanted: bytes | None) -> bool:
    try:
        return wanted is not None and read_regular(path) == wanted
    except OSError:
        return False
