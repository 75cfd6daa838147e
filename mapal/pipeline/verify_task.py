"""The task `verify`; what it does is in `verification`, which a build has no need of."""

from __future__ import annotations

from typing import Any

from doit.task import Task

from mapal.pipeline import session as sessions
from mapal.pipeline.workspace import Workspace

_ELSEWHERE: dict[str, Any] = {
    "name": "elsewhere",
    "long": "elsewhere",
    "type": bool,
    "default": False,
    "help": "also change user name, directory, time zone, locale, hash seed and run -n 2",
}


def verify_task(workspace: Workspace, built: list[str]) -> Task:
    """Builds again and compares; it is never up to date."""
    return Task(
        "verify",
        [_Verification(workspace)],
        task_dep=built,
        params=[_ELSEWHERE],
        io={"capture": False},
        verbosity=0,
        doc="build everything again in an empty directory and compare every byte",
    )


class _Verification:
    """The action; a class, because doit shows its name."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def __call__(self, elsewhere: bool) -> bool:
        from mapal.pipeline.verification import verify

        steps = list(sessions.current().steps.values())
        return verify(self._workspace, steps, elsewhere=elsewhere)
