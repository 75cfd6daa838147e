"""Commands that are doit's: find the project upward, then let doit do it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from mapal.diagnostics import UserError
from mapal.project.file import PROJECT_FILE

_TASKS = ("build", "report", "verify")
_DODO = "dodo.py"


def forward(command: str, arguments: Sequence[str]) -> int:
    """Runs doit's command, or the task of that name, in the project around the current
    directory, and gives doit's exit status."""
    os.chdir(find_root(Path.cwd()))
    from doit.cmd_base import ModuleTaskLoader
    from doit.doit_cmd import DoitMain

    # doit wants options before tasks; variables may stand anywhere.
    words = ["run", *arguments, command] if command in _TASKS else [command, *arguments]
    loader = None
    if not os.path.exists(_DODO):
        import mapal.dodo

        loader = ModuleTaskLoader(mapal.dodo)
    return int(DoitMain(loader).run(words) or 0)


def find_root(start: Path) -> Path:
    """The nearest directory upward with a project file or a `dodo.py`. Raises `UserError`."""
    for directory in (start, *start.parents):
        if (directory / PROJECT_FILE).is_file() or (directory / _DODO).is_file():
            return directory
    raise UserError(f"no {PROJECT_FILE} in {start} or above; `mapal new NAME` makes a project")
