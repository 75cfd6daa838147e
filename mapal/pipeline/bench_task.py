"""The task `bench`: measures what a build made, once the build is done."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from doit.task import Task

from mapal.diagnostics import UserError
from mapal.pipeline.files import describe
from mapal.pipeline.site import BUILD
from mapal.pipeline.steps import Target
from mapal.pipeline.workspace import Workspace
from mapal.target import NATIVE, TargetProfile, load_profile

_DIRECTORY = os.path.join(BUILD, "bench")


def bench_task(workspace: Workspace, built: list[str]) -> Task:
    """Measures every selected program for every selected target; it is never up to date."""
    return Task(
        "bench",
        [_Measurement(workspace)],
        task_dep=built,
        io={"capture": False},
        verbosity=0,
        doc="our programs against their peers, measured side by side",
    )


class _Measurement:
    """The action; a class, because doit shows its name."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def __call__(self) -> bool:
        failures: list[str] = []
        for target in self._targets():
            try:
                failures += self._measure(target)
            except UserError as error:
                failures.append(f"{target.name}: {error.message}")
            except OSError as error:
                failures.append(f"{target.name}: {error.filename or 'bench'}: {describe(error)}")
        if failures:
            raise UserError("\n".join(failures), 1)
        return True

    def _targets(self) -> list[Target]:
        found: dict[str, Target] = {}
        for site in self._workspace.sites:
            for target in self._workspace.targets(site):
                found.setdefault(target.name, target)
        return list(found.values())

    def _measure(self, target: Target) -> list[str]:
        """Measures one target; gives a line for each failure."""
        from mapal.bench import table
        from mapal.bench.documents import write_document
        from mapal.bench.run import bench_target

        profile = self._profile(target)
        document = bench_target(
            target.name,
            profile,
            [] if target.skipped is not None else self._built(target),
            self._workspace.environment.tools.require_compiler(),
            target.skipped,
            lambda line: print(line, file=sys.stderr, flush=True),
        )
        # Said before it is kept: a full disk then costs no figures.
        sys.stdout.write(table.render(target.name, document))
        sys.stdout.flush()
        failed = document["failed"]
        if document["results"] or not failed:
            write_document(Path(_DIRECTORY, f"{target.name}.json"), document)
        return [f"{target.name}: {table.failure(entry)}" for entry in failed]

    def _profile(self, target: Target) -> TargetProfile:
        if target.name == NATIVE:
            return self._workspace.host()
        return load_profile(target.name)

    def _built(self, target: Target) -> list[Any]:
        from mapal.bench.run import Built

        built: list[Built] = []
        for site in self._workspace.sites:
            names = [known.name for known in self._workspace.targets(site)]
            if target.name not in names:
                continue
            for program in self._workspace.programs(site):
                built.append(
                    Built(
                        directory=Path(os.path.abspath(site.root or ".")),
                        program=program,
                        object=Path(site.path(f"object/{target.name}/{program.name}.o")),
                        runtime=Path(site.path(f"runtime/{target.name}/libmapal_rt.a")),
                        oracle=_oracle(site.path(f"oracle/{program.name}.json")),
                    )
                )
        return built


def _oracle(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            document: dict[str, Any] = json.load(file)
            return document
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}", 1) from None
