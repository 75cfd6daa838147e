"""Building everything again, from nothing, somewhere else.

The inputs that the tasks declare are copied into an empty directory, and a process of its own
builds there without any cache. What a stage reads without saying so is therefore missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mapal.pipeline.step import Step
from mapal.pipeline.workspace import Workspace
from mapal.project.file import PROJECT_FILE

_DODO = "dodo.py"
_OWN = "../"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How a build is run: what must not matter to any artifact. `directory` is the name of its
    directory, `options` are doit's, `variables` replace those of the environment."""

    directory: str
    options: tuple[str, ...]
    variables: Mapping[str, str]


def plain() -> Circumstances:
    """As this build, in another directory."""
    return Circumstances("rebuilt", (), {})


def foreign(top: str) -> Circumstances:
    """Everything different that must not matter: name of user and directory, home, time zone,
    locale, hash seed, and two tasks at a time."""
    return Circumstances(
        "somewhere else, ∂eeper/and deeper",
        ("-n", "2"),
        {
            "USER": "somebody",
            "LOGNAME": "somebody",
            "USERNAME": "somebody",
            "HOME": os.path.join(top, "home of somebody"),
            "TZ": "Pacific/Chatham",
            "LC_ALL": _other_locale(),
            "LANG": "C",
            "PYTHONHASHSEED": "4242",
        },
    )


def rebuild(
    workspace: Workspace, steps: Iterable[Step], top: str, circumstances: Circumstances
) -> tuple[str, str | None]:
    """Builds the selection below `top`. The directory that stands for the current one, and what
    the build said if it failed."""
    directory = os.path.join(top, circumstances.directory)
    _copy_inputs(workspace, steps, directory)
    selection = workspace.selection
    words = [*circumstances.options, "build"]
    if selection.targets is not None:
        words.append(f"target={','.join(selection.targets)}")
    if selection.program is not None:
        words.append(f"program={selection.program}")
    environment = {**os.environ, "MAPAL_CACHE": "off", **circumstances.variables}
    if "HOME" in circumstances.variables:
        os.makedirs(circumstances.variables["HOME"])
    result = subprocess.run(
        [sys.executable, "-m", "doit", *words],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    return directory, (result.stderr.strip() or "no message") if result.returncode else None


def _copy_inputs(workspace: Workspace, steps: Iterable[Step], directory: str) -> None:
    wanted = {site.root: {PROJECT_FILE, *site.project.paths()} for site in workspace.sites}
    for step in steps:
        wanted[step.site.root] |= {
            label.removeprefix(_OWN) for _, label in step.inputs if label.startswith(_OWN)
        }
    for root, names in wanted.items():
        for name in sorted(names):
            target = os.path.join(directory, root, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(os.path.join(root, name), target)
    with open(os.path.join(directory, _DODO), "w", encoding="utf-8") as file:
        file.write("from mapal.dodo import *\n")


def _other_locale() -> str:
    """A locale of this machine that is not the usual one; `POSIX` if it has no other."""
    try:
        said = subprocess.run(
            ["locale", "-a"], capture_output=True, text=True, errors="replace", check=False
        ).stdout.split()
    except OSError:
        said = []
    usual = ("c", "posix", "en_us", os.environ.get("LANG", "C").split(".")[0].lower())
    others = [name for name in said if name.split(".")[0].lower() not in usual]
    return others[0] if others else "POSIX"
