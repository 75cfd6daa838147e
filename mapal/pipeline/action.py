"""Running one stage task: read, compute, check that nothing moved, write, record."""

from __future__ import annotations

import contextlib
import os
import threading
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from doit.action import BaseAction
from doit.exceptions import TaskError, TaskFailed

from mapal.diagnostics import CompilerBug, Unsupported, UserError
from mapal.native.workers import WorkerCrashed, shared_pool
from mapal.pipeline import paranoid, reuse
from mapal.pipeline.files import content_hash, describe, write_if_changed
from mapal.pipeline.fingerprint import fingerprint, surrounding_of
from mapal.pipeline.lock import BuildLock
from mapal.pipeline.records import Output, Record
from mapal.pipeline.step import PATH_ROLE, Call, Environment, Step

if TYPE_CHECKING:
    from mapal.pipeline.stages.result import StageResult


class StageFailed(Exception):  # noqa: N818  (the task failed; not an error of the build system)
    """A task that did not succeed; the message is ready to print."""

    def __init__(self, message: str, *, is_bug: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.is_bug = is_bug


class StageAction(BaseAction):  # type: ignore[misc]
    """What doit executes for a step. `outcome` is `ran` or `cached` after a success."""

    def __init__(self, step: Step, environment: Environment, lock: BuildLock) -> None:
        self._step = step
        self._environment = environment
        self._lock = lock
        self.task: Any = None
        self.out: str | None = None
        self.err: str | None = None
        self.result: Any = None
        self.values: dict[str, Any] = {}
        self.outcome = "ran"

    def execute(self, out: Any = None, err: Any = None) -> Any:
        """None, or doit's failure with a message for people."""
        try:
            self._lock.acquire()
            self._step.site.begin()
            record, self.outcome = run_step(self._step, self._environment)
        except StageFailed as failure:
            kind = TaskError if failure.is_bug else TaskFailed
            return kind(failure.message)
        self.values = dict(record)
        return None

    def __str__(self) -> str:
        return f"stage {self._step.stage}"

    __repr__ = __str__


def run_step(step: Step, environment: Environment) -> tuple[Record, str]:
    """Does the work of a step and gives its record and `ran` or `cached`. Raises
    `StageFailed`; artifacts are then as they were, or complete evidence of the failure."""
    try:
        return _run(step, environment)
    except UserError as error:
        raise StageFailed(_shown(step, error.message)) from None
    except Unsupported as refusal:
        raise StageFailed(f"{step.task}: not supported: {refusal.reason}") from None
    except WorkerCrashed as crash:
        what = f"program {step.program.name}" if step.program else step.site.project.name
        where = f", target {step.target}" if step.target else ""
        raise StageFailed(
            f"{step.task}: stage {step.stage} crashed ({what}{where}): {crash}", is_bug=True
        ) from None
    except CompilerBug as bug:
        raise StageFailed(f"{step.task}: internal error: {bug}", is_bug=True) from None
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        raise StageFailed(f"{step.task}: {name}{describe(error)}") from None
    except StageFailed:
        raise
    except Exception:
        raise StageFailed(
            f"{step.task}: internal error:\n{traceback.format_exc().rstrip()}", is_bug=True
        ) from None


def _run(step: Step, environment: Environment) -> tuple[Record, str]:
    data, hashes = _read_inputs(step, environment)
    if step.local is not None and "cc" in step.tools:
        environment.tools.require_compiler()
    record: Record = {
        "stage": step.stage,
        "code": environment.digests.of(step.modules),
        "options": step.options,
        "tools": environment.tools.versions(step.tools),
        "inputs": hashes,
        "outputs": {},
        "summary": None,
    }
    key = fingerprint(record, step)

    def compute() -> StageResult:
        result = _compute(step, data, environment)
        _check_inputs(step, hashes, environment)
        return result

    result, outcome = run_stage(step, key, compute, environment)
    if result.diagnostics:
        raise StageFailed(_rendered(step, result))
    for role, content in result.outputs.items():
        output = Output(sha256=content_hash(content), bytes=len(content))
        record["outputs"][step.label_of(role)] = output
    if environment.paranoid:
        problem = paranoid.difference(step, key, record, result, environment)
        if problem is not None:
            raise StageFailed(f"{step.task}: {problem}", is_bug=True)
    for role, content in result.outputs.items():
        path = step.site.path(step.label_of(role))
        write_if_changed(path, content, executable=step.executable)
    _remove_former_outputs(step, record)
    record["summary"] = result.summary
    if result.failure is not None:
        raise StageFailed(f"{step.task}: {result.failure}")
    return record, outcome


_kept: dict[str, StageResult] = {}
_kept_lock = threading.Lock()


def run_stage(
    step: Step, key: str, compute: Callable[[], StageResult], environment: Environment
) -> tuple[StageResult, str]:
    """The result of a step whose work has this fingerprint, and `ran` or `cached`.

    This is the one place where a result may come from elsewhere: from the shared cache, or, for
    shared work, from another task of this process, which never computes the same thing twice.
    A paranoid build takes nothing from anywhere.
    """
    if environment.paranoid:
        return compute(), "ran"
    if not step.shared:
        return _restore_or_compute(step, key, compute, environment)
    with _kept_lock:
        if key in _kept:
            return _kept[key], "cached"
        result, outcome = _restore_or_compute(step, key, compute, environment)
        _kept[key] = result
        return result, outcome


def _restore_or_compute(
    step: Step, key: str, compute: Callable[[], StageResult], environment: Environment
) -> tuple[StageResult, str]:
    result = reuse.restored(step, key, environment)
    if result is not None:
        return result, "cached"
    result = compute()
    reuse.keep(step, key, result, environment)
    return result, "ran"


def _read_inputs(step: Step, environment: Environment) -> tuple[dict[str, bytes], dict[str, str]]:
    """Contents by role, for inputs that are not used through their path, and hashes by label."""
    data: dict[str, bytes] = {}
    hashes: dict[str, str] = {}
    for role, label in step.inputs:
        path = step.site.path(label)
        if role.startswith(PATH_ROLE):
            found = environment.hashes.of(path)
            if found is None:
                raise FileNotFoundError(2, "no such file", path)
            hashes[label] = found
        else:
            data[role], hashes[label] = environment.hashes.read(path)
    return data, hashes


def _compute(step: Step, data: dict[str, bytes], environment: Environment) -> StageResult:
    elsewhere = _elsewhere(step, environment)
    if step.function is not None:
        call = elsewhere or shared_pool().call
        result: StageResult = call(step.function, data, step.options)
        return result
    assert step.local is not None
    with step.site.scratch() as scratch:
        paths = {
            role.removeprefix(PATH_ROLE): step.site.path(label)
            for role, label in step.inputs
            if role.startswith(PATH_ROLE)
        }
        return step.local(Call(step, data, paths, scratch, environment.tools, elsewhere))


def _elsewhere(step: Step, environment: Environment) -> Callable[..., Any] | None:
    """Calls a function of a step on the cluster of the build; None if there is none."""
    cluster = environment.cluster
    if cluster is None:
        return None
    from mapal.pipeline.cluster import Needs, Request

    needs = Needs(
        step.modules,
        environment.digests.of(step.modules),
        environment.tools.versions(step.tools),
        surrounding_of(step.surrounding),
    )
    return lambda function, *arguments: cluster.call(Request(needs, function, arguments))


def _check_inputs(step: Step, hashes: dict[str, str], environment: Environment) -> None:
    """An input that changed while the stage ran would make a result of nobody knows what."""
    for label, recorded in hashes.items():
        if environment.hashes.of(step.site.path(label)) != recorded:
            raise StageFailed(
                f"{step.task}: {step.site.shown(label)} changed while it was in use; build again"
            )


def _remove_former_outputs(step: Step, record: Record) -> None:
    """Files that the stage itself named in an earlier run and no longer makes."""
    former = step.recorded()
    if former is None or step.extra is None:
        return
    for label in former["outputs"]:
        if label not in record["outputs"]:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(step.site.path(label))


def _shown(step: Step, message: str) -> str:
    from mapal.pipeline.stages.result import SOURCE_NAME

    if SOURCE_NAME in message and step.program is not None:
        return message.replace(SOURCE_NAME, step.site.path(f"../{step.program.source}"))
    return f"{step.task}: {message}"


def _rendered(step: Step, result: StageResult) -> str:
    """Diagnostics with their places. Stages know token ordinals; where these lie is read here,
    outside of the stage, from the location table of the moment."""
    from mapal.diagnostics import LocationTable, render_all
    from mapal.pipeline.stages.parse import source_text

    program = step.program
    assert program is not None
    path = step.site.path(f"../{program.source}")
    with open(path, "rb") as file:
        source = source_text(file.read(), dict(program.sizes))
    locations = None
    if any(diagnostic.span is None for diagnostic in result.diagnostics):
        with open(step.site.path(f"parse/{program.name}.loc.json"), "rb") as file:
            locations = LocationTable.from_json(file.read())
    text = render_all(result.diagnostics, file=path, source=source, locations=locations)
    return text.rstrip("\n")
