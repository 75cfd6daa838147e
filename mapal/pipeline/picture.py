"""A project's own script `picture.py`, which makes pictures of its results.

It runs in the project's directory after the checks of the project's first target, reads
artifacts, and writes below `build/out/`. What it wrote is recorded like any other artifact, but
is not listed in the manifest: pictures depend on libraries that are not ours.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mapal.pipeline.site import Site
from mapal.pipeline.step import PATH_ROLE, Call, Step

if TYPE_CHECKING:
    from mapal.pipeline.stages.result import StageResult
    from mapal.pipeline.workspace import Workspace

SCRIPT = "picture.py"
_OUT = "out"
_LIMIT_SECONDS = 600


def picture_step(workspace: Workspace, site: Site, steps: Sequence[Step]) -> Iterator[Step]:
    """The step of the project's script, if there is one and everything it may read is built:
    all programs, for the first target of the project."""
    if not os.path.isfile(os.path.join(site.root, SCRIPT)) or workspace.selection.program:
        return
    first = workspace.targets(site)[0].name
    if site.project.targets[0] not in (first, "all"):
        return
    checks = [step for step in steps if step.stage == "differential" and step.target == first]
    inputs = [(f"{PATH_ROLE}script", f"../{SCRIPT}")]
    inputs += [(f"{PATH_ROLE}{step.task}", step.outputs[0][1]) for step in checks]
    inputs += [(f"{PATH_ROLE}{label}", label) for label in _read_besides(site)]
    yield Step(
        stage="picture",
        task=f"picture:{site.project.name}",
        record="picture",
        site=site,
        inputs=tuple(inputs),
        outputs=(),
        modules=("mapal.pipeline.picture",),
        local=run_script,
        extra=_OUT + "/{role}",
        tools=("pillow", "numpy"),
        surrounding=("processor", "packages"),
    )


def _read_besides(site: Site) -> list[str]:
    """The files of the project that a script may read besides artifacts: inputs of programs,
    and what other programs compute the same with."""
    paths = {path for program in site.project.programs for _, path in program.inputs}
    peers = os.path.join(site.root, "peers")
    if os.path.isdir(peers):
        paths |= {f"peers/{name}" for name in os.listdir(peers) if name.endswith(".py")}
    return [f"../{path}" for path in sorted(paths)]


def run_script(call: Call) -> StageResult:
    """Runs the script; the outputs are the files that it wrote, by path below `build/out/`."""
    from mapal.pipeline.stages.result import StageResult

    site = call.step.site
    before = _identities(site)
    os.makedirs(site.path(_OUT), exist_ok=True)
    result = subprocess.run(
        [sys.executable, SCRIPT],
        cwd=site.root or ".",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_LIMIT_SECONDS,
        check=False,
    )
    if result.returncode != 0:
        said = "\n".join((result.stdout + result.stderr).strip().splitlines()[-20:])
        return StageResult({}, failure=f"{SCRIPT} ended with status {result.returncode}\n{said}")
    outputs = {}
    for name, identity in _identities(site).items():
        if before.get(name) != identity:
            with open(site.path(f"{_OUT}/{name}"), "rb") as file:
                outputs[name] = file.read()
    return StageResult(outputs)


def _identities(site: Site) -> dict[str, tuple[int, int, int]]:
    """Every file below `build/out/` with what changes when it is written."""
    top = site.path(_OUT)
    found = {}
    for directory, _, names in os.walk(top):
        for name in names:
            path = os.path.join(directory, name)
            status = os.stat(path)
            identity = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
            found[os.path.relpath(path, top).replace(os.sep, "/")] = identity
    return found
