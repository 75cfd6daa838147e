"""Proof by repetition that a build gives the same bytes again.

Everything is built anew in an empty directory without any cache, and every artifact compared,
in the order in which artifacts are made: the first that differs although all inputs of its task
are the same names the stage that is at fault, and what merely follows from it is counted.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence

from mapal.pipeline.paranoid import first_offset
from mapal.pipeline.rebuild import foreign, plain, rebuild
from mapal.pipeline.step import Step
from mapal.pipeline.workspace import Workspace

_SHOWN_BYTES = 16


def verify(workspace: Workspace, steps: Sequence[Step], *, elsewhere: bool) -> bool:
    """Builds again, `elsewhere` under other circumstances too, and prints what came of it; tells
    whether every byte is the same."""
    for site in workspace.sites:
        site.records.refresh()
    with tempfile.TemporaryDirectory(prefix="mapal-verify-") as top:
        circumstances = foreign(top) if elsewhere else plain()
        directory, failure = rebuild(workspace, steps, top, circumstances)
        if failure is not None:
            print(f"verify: the build did not end well\n{failure}", file=sys.stderr)
            return False
        findings = compare(steps, directory)
        findings += _manifests(workspace, directory)
    how = " elsewhere" if elsewhere else ""
    if findings:
        print("\n".join([f"verify{how}: not the same bytes", *findings]), file=sys.stderr)
        return False
    count = sum(len(_labels(step)) for step in steps)
    sys.stdout.write(f"verify{how}: {count} artifacts, byte-identical\n")
    sys.stdout.flush()
    return True


def compare(steps: Sequence[Step], directory: str) -> list[str]:
    """How artifacts differ from those of the same steps below `directory`, in lines to print;
    none if they do not. `steps` are in an order in which each comes after what it reads from."""
    findings: list[str] = []
    different: set[tuple[str, str]] = set()
    followers: list[str] = []
    for step in steps:
        changed = [
            label
            for label in _labels(step)
            if _content(step, label) != _content(step, label, directory)
        ]
        if not changed:
            continue
        follows = any((step.site.root, label) in different for _, label in step.inputs)
        different |= {(step.site.root, label) for label in changed}
        if follows:
            followers += [step.site.path(label) for label in changed]
        else:
            findings += _explained(step, changed[0], directory)
            followers += [step.site.path(label) for label in changed[1:]]
    if followers:
        findings.append(f"{len(followers)} further artifacts differ, such as {followers[0]}")
    return findings


def _explained(step: Step, label: str, directory: str) -> list[str]:
    path = step.site.path(label)
    here, there = _content(step, label), _content(step, label, directory)
    why = (
        f"  every input of {step.task} is the same in both builds: stage {step.stage} depends on "
        "something else,\n  so its results may not be shared, and this build cannot be repeated"
    )
    if here is None or there is None:
        where = "only in the second build" if here is None else "not in the second build"
        return [f"{path} is {where}", why]
    offset = first_offset(here, there)
    line = here.count(b"\n", 0, offset) + 1
    return [
        f"{path} differs from byte {offset} on, line {line}",
        f"  first build   {_excerpt(here, offset)}",
        f"  second build  {_excerpt(there, offset)}",
        why,
    ]


def _excerpt(data: bytes, offset: int) -> str:
    part = data[offset : offset + _SHOWN_BYTES]
    return f"{part.hex(' ')}  {part.decode('latin-1')!a}" if part else "ends here"


def _labels(step: Step) -> list[str]:
    """Everything that the step made, also what the stage itself named."""
    record = step.recorded()
    return list(record["outputs"]) if record is not None else []


def _content(step: Step, label: str, directory: str = "") -> bytes | None:
    try:
        with open(os.path.join(directory, step.site.path(label)), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _manifests(workspace: Workspace, directory: str) -> list[str]:
    """Manifests that differ, with what they list and the versions of tools."""
    findings = []
    for site in workspace.sites:
        if not workspace.programs(site):
            continue
        path = site.path("manifest.json")
        with open(path, "rb") as file, open(os.path.join(directory, path), "rb") as other:
            here, there = file.read(), other.read()
        if here != there:
            findings.append(f"{path} differs from byte {first_offset(here, there)} on")
    return findings
