"""Results that need not be computed: the form in which the cache keeps them, and what makes one
fit a step."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mapal.cache import Entry
    from mapal.pipeline.stages.result import StageResult
    from mapal.pipeline.step import Environment, Step


def restored(step: Step, key: str, environment: Environment) -> StageResult | None:
    """The result of a step from the cache, or None."""
    entry = environment.cache.get(key) if environment.cache is not None else None
    if entry is None or not _fits(step, entry):
        return None
    from mapal.pipeline.stages.result import StageResult

    return StageResult(entry.files, summary=entry.summary)


def keep(step: Step, key: str, result: StageResult, environment: Environment) -> None:
    """Puts a result into the cache if it is a success; failures are always found anew."""
    if environment.cache is None or result.diagnostics or result.failure is not None:
        return
    from mapal.cache import Entry

    entry = Entry(stage=step.stage, files=result.outputs, summary=result.summary)
    environment.cache.put(key, entry)


def _fits(step: Step, entry: Entry) -> bool:
    """Whether an entry can be the step's. Its hash says that it is as it was written, not that
    whoever wrote it meant well: what it names must stay where the step's outputs belong."""
    declared = {role for role, _ in step.outputs}
    further = set(entry.files) - declared
    return (
        entry.stage == step.stage
        and declared <= set(entry.files)
        and (not further or step.extra is not None)
        and all(_stays_below(role) for role in further)
    )


def _stays_below(role: str) -> bool:
    return (
        role == posixpath.normpath(role)
        and not role.startswith(("/", ".."))
        and "\\" not in role
        and "\0" not in role
    )
