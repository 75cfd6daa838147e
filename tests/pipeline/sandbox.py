"""Running a stage where only its declared inputs exist, under watch.

Each stage runs in a process of its own, in a directory that holds copies of the declared inputs
and nothing else, with hardly any environment. An audit hook notes which files it opens, which
directories it lists and which programs it starts; whatever is not an input, a module that the
digest of the stage's code covers, or a package whose version the fingerprint covers, is a
finding, and so is an output that differs from that of the build.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import pickle
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mapal
from mapal.pipeline.source_digest import SourceDigests
from mapal.pipeline.step import PATH_ROLE, Step

_TEMPORARY = "temporary"
_WATCH = """\
import hashlib, json, os, sys
events = []
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        events.append(["open", os.path.abspath(os.fsdecode(arguments[0]))])
    elif event in ("os.listdir", "os.scandir") and not isinstance(arguments[0], int):
        events.append(["list", os.path.abspath(os.fsdecode(arguments[0] or "."))])
    elif event in ("subprocess.Popen", "os.posix_spawn", "os.exec"):
        events.append(["start", os.fsdecode(arguments[0])])
def tell(outputs, before):
    print(json.dumps({
        "outputs": {role: hashlib.sha256(data).hexdigest() for role, data in outputs.items()},
        "events": events,
        "modules": sorted(set(sys.modules) - before),
    }))
"""
_FUNCTION = (
    _WATCH
    + """\
import importlib, pickle
function, data, options = pickle.load(sys.stdin.buffer)
before = set(sys.modules)
sys.addaudithook(watch)
module, name = function.split(":")
result = getattr(importlib.import_module(module), name)(data, options)
tell(result.outputs, before)
"""
)
_LOCAL = (
    _WATCH
    + """\
project, task, directory = sys.argv[1:]
os.chdir(project)
from mapal.pipeline.doit_tasks import session_tasks
from mapal.pipeline.session import Session
from mapal.pipeline.step import Call, PATH_ROLE
from mapal.pipeline.workspace import load_workspace
session = Session(load_workspace({}))
list(session_tasks(session))
step = session.steps[task]
tools = session.workspace.environment.tools
tools.versions(step.tools)
import mapal.pipeline.stages.result
os.chdir(directory)
data, paths = {}, {}
for role, label in step.inputs:
    if role.startswith(PATH_ROLE):
        paths[role.removeprefix(PATH_ROLE)] = step.site.path(label)
    else:
        with open(step.site.path(label), "rb") as file:
            data[role] = file.read()
before = set(sys.modules)
with step.site.scratch() as scratch:
    sys.addaudithook(watch)
    result = step.local(Call(step, data, paths, scratch, tools))
tell(result.outputs, before)
"""
)


@dataclass(frozen=True)
class Observation:
    """What a stage did: hashes of outputs by role, and findings in words."""

    outputs: dict[str, str]
    findings: list[str]


def observe(project: Path, step: Step, directory: Path) -> Observation:
    """Runs the stage of a step of a built project in an empty directory. The current directory
    is the project's."""
    for _, label in step.inputs:
        path = step.site.path(label)
        if not os.path.isabs(path):
            target = directory / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    (directory / _TEMPORARY).mkdir(parents=True, exist_ok=True)
    if step.function is not None:
        data = {}
        for role, label in step.inputs:
            with open(step.site.path(label), "rb") as file:
                data[role] = file.read()
        request = pickle.dumps((step.function, data, step.options))
        command = [sys.executable, "-P", "-c", _FUNCTION]
    else:
        request = b""
        command = [sys.executable, "-P", "-c", _LOCAL, str(project), step.task, str(directory)]
    result = subprocess.run(
        command,
        cwd=directory,
        input=request,
        capture_output=True,
        env=_environment(directory),
        check=False,
    )
    if result.returncode != 0:
        last = result.stderr.decode("utf-8", "replace").strip().splitlines()[-1]
        return Observation({}, [f"{step.task} failed: {last}"])
    said: dict[str, Any] = json.loads(result.stdout)
    findings = _findings(step, directory, said)
    findings += _differences(step, said["outputs"])
    return Observation(said["outputs"], findings)


def _environment(directory: Path) -> dict[str, str]:
    kept = ("PATH", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "MAPAL_CACHE": "off",
        "TMPDIR": str(directory / _TEMPORARY),
    }


def _differences(step: Step, outputs: dict[str, str]) -> list[str]:
    record = step.recorded()
    assert record is not None
    recorded = {label: output["sha256"] for label, output in record["outputs"].items()}
    made = {step.label_of(role): digest for role, digest in outputs.items()}
    return [
        f"{step.task}: {label} is not what the build made"
        for label in sorted({*recorded, *made})
        if recorded.get(label) != made.get(label)
    ]


def _findings(step: Step, directory: Path, said: dict[str, Any]) -> list[str]:
    package = str(Path(mapal.__file__).parent)
    covered = SourceDigests(package).hashes(step.modules)
    found = [
        f"{step.task} runs {module}, which the digest of its code does not cover"
        for module in said["modules"]
        if module.split(".")[0] == "mapal" and module not in covered
    ]
    found += _foreign_packages(step, said["modules"])
    inputs = {os.path.abspath(directory / step.site.path(label)) for _, label in step.inputs}
    for kind, path in said["events"]:
        if kind == "start":
            if not _may_start(step, path):
                found.append(f"{step.task} starts {path}")
        elif path not in inputs and not _is_harmless(kind, path, directory, package):
            found.append(f"{step.task} reads {path}, which is no input")
    return sorted(set(found))


def _foreign_packages(step: Step, modules: list[str]) -> list[str]:
    """Installed packages that a stage imports by itself without its fingerprint naming them."""
    owners = importlib.metadata.packages_distributions()
    # The last one only names types.
    allowed = {*step.tools, "typing-extensions", "typing_extensions"}
    for tool in step.tools:
        try:
            allowed |= {
                requirement.split(";")[0].split(">")[0].split("=")[0].strip().lower()
                for requirement in importlib.metadata.requires(tool) or ()
                if "extra ==" not in requirement
            }
        except importlib.metadata.PackageNotFoundError:
            continue
    return [
        f"{step.task} imports {name}, whose version is no tool of it"
        for name in sorted({module.split(".")[0] for module in modules})
        if name != "mapal" and name in owners
        if not {owner.lower() for owner in owners[name]} & allowed
    ]


def _is_harmless(kind: str, path: str, directory: Path, package: str) -> bool:
    """Whether a file is code that is accounted for otherwise, or the stage's own for a while."""
    if kind == "list" and path == str(Path(package).parent):
        # Where modules are imported from: the import system looks again after every change.
        return True
    python = {sys.prefix, sys.base_prefix, *map(sysconfig.get_path, ("stdlib", "purelib"))}
    scratch = (str(directory / "build/.mapal/tmp"), str(directory / _TEMPORARY))
    return (
        any(path.startswith(place + os.sep) or path == place for place in python if place)
        or (path.startswith(package) and (kind == "list" or path.endswith((".py", ".pyc"))))
        or path.startswith(scratch)
        or path == os.devnull
    )


def _may_start(step: Step, path: str) -> bool:
    """The tools of a step, and the program that is its input."""
    if "cc" in step.tools or "ptxas" in step.tools:
        return True
    programs = {
        step.site.path(label) for role, label in step.inputs if role == f"{PATH_ROLE}program"
    }
    return any(path.endswith(program) for program in programs)
