"""What a build is about: projects, the selection of targets and programs, this machine.

Loading must be quick, because a build with nothing to do does little else; `load_cache`
remembers what takes time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mapal.cache import open_cache
from mapal.diagnostics import UserError
from mapal.pipeline.files import write_if_changed
from mapal.pipeline.load_cache import LoadCache
from mapal.pipeline.lock import BuildLock
from mapal.pipeline.progress import say
from mapal.pipeline.site import BUILD, STATE, Site
from mapal.pipeline.step import Environment
from mapal.pipeline.steps import Target
from mapal.pipeline.tools import Tools
from mapal.project.file import ALL_TARGETS, PROJECT_FILE, Program, Project
from mapal.target import (
    NATIVE,
    TargetProfile,
    host_architecture,
    list_profiles,
)
from mapal.target.detect import why_not_executable
from mapal.target.document import closest
from mapal.target.tuning import NATIVE_TUNING, tuned

if TYPE_CHECKING:
    from mapal.pipeline.cluster import Cluster

PROJECTS = "projects"


@dataclass(frozen=True, slots=True)
class Selection:
    """What the command line chose: target names, or None for each project's own; a program, or
    None for all; whether to believe anything about earlier builds; the cluster to use, or None."""

    targets: tuple[str, ...] | None
    program: str | None
    paranoid: bool = False
    executor: str | None = None


class Workspace:
    """The projects below one directory, which is the current one."""

    def __init__(
        self, roots: Mapping[str, Project], selection: Selection, cache: LoadCache
    ) -> None:
        self.sites = [Site(root, project) for root, project in roots.items()]
        self.joint = list(roots) != [""]
        self.selection = selection
        self._cache = cache
        self.environment = Environment(
            cache.hashes,
            cache.digests,
            Tools(cache.compiler, _say),
            cache=open_cache(os.environ, _say),
            paranoid=selection.paranoid,
            cluster=_cluster(selection.executor),
        )
        self.lock = BuildLock([os.path.join(BUILD, STATE), *(site.state for site in self.sites)])
        self._profiles: dict[str, tuple[TargetProfile, tuple[str, ...]]] = {}
        self._host: TargetProfile | None = None
        _check_unique(self.sites)
        if selection.program is not None:
            names = [program.name for site in self.sites for program in site.project.programs]
            if selection.program not in names:
                raise UserError(
                    f"unknown program {selection.program!r}; programs are "
                    f"{', '.join(names)}{closest(selection.program, names)}"
                )

    def programs(self, site: Site) -> list[Program]:
        """The selected programs of a project."""
        chosen = self.selection.program
        return [p for p in site.project.programs if chosen is None or p.name == chosen]

    def targets(self, site: Site) -> list[Target]:
        """The selected targets of a project. Writes the detected profile where it is one."""
        names = self.selection.targets or site.project.targets
        return [self._target(site, name) for name in _expanded(names)]

    def host(self) -> TargetProfile:
        """This machine, with what was tuned for it here."""
        if self._host is None:
            self._host = self._tuned(self._cache.host())
        return self._host

    def _tuned(self, detected: TargetProfile) -> TargetProfile:
        tuning = self._cache.tuning(NATIVE_TUNING)
        if tuning is None:
            return detected
        return tuned(detected, *tuning)

    def finish_loading(self) -> None:
        """Writes down what loading found out."""
        self._cache.save()

    def _target(self, site: Site, name: str) -> Target:
        architecture = host_architecture()
        labels: tuple[str, ...] = (f"targets/{NATIVE}.yaml",)
        if name == NATIVE:
            profile = self.host()
            write_if_changed(site.path(labels[0]), profile.to_yaml().encode())
        elif name in self._profiles:
            profile, labels = self._profiles[name]
        else:
            profile, files = self._cache.profile(name, architecture)
            labels = tuple(f"mapal:targets/{file}" for file in files)
            self._profiles[name] = (profile, labels)
        return Target(
            name=name,
            is_gpu=profile.is_gpu,
            files=labels,
            architecture=architecture,
            skipped=why_not_executable(profile, self.host()),
        )


def load_workspace(variables: Mapping[str, str]) -> Workspace:
    """The workspace of the current directory: the project in it, or else all of `projects/*`.
    `variables` are `target`, `program`, `paranoid` and `executor` from the command line. Raises
    `UserError`."""
    cache = LoadCache(os.path.join(BUILD, STATE, "load.json"))
    if os.path.exists(PROJECT_FILE):
        roots = [""]
    else:
        roots = sorted(
            os.path.join(PROJECTS, name)
            for name in (os.listdir(PROJECTS) if os.path.isdir(PROJECTS) else [])
            if os.path.exists(os.path.join(PROJECTS, name, PROJECT_FILE))
        )
        if not roots:
            raise UserError(f"no {PROJECT_FILE} here, and none in {PROJECTS}/*/")
    projects = {root: cache.project(root) for root in roots}
    return Workspace(projects, _selection(variables), cache)


def _selection(variables: Mapping[str, str]) -> Selection:
    targets = None
    if "target" in variables:
        known = (*list_profiles(), NATIVE, ALL_TARGETS)
        targets = tuple(variables["target"].split(","))
        for name in targets:
            if name not in known:
                raise UserError(
                    f"unknown target {name!r}; known are {', '.join(known)}{closest(name, known)}"
                )
    is_paranoid = _is_on(variables.get("paranoid", "0"))
    return Selection(targets, variables.get("program"), is_paranoid, variables.get("executor"))


def _cluster(executor: str | None) -> Cluster | None:
    if executor is None:
        return None
    from mapal.pipeline.cluster import Cluster, scheduler_address

    return Cluster(scheduler_address(executor))


def _is_on(text: str) -> bool:
    if text not in ("0", "1"):
        raise UserError(f"paranoid is {text!r}; expected 0 or 1")
    return text == "1"


def _say(line: str) -> None:
    """A line for people, about the build as a whole."""
    say(f"mapal: {line}")


def _expanded(names: tuple[str, ...]) -> list[str]:
    """The names with `all` replaced by what it stands for, each once."""
    every = (*list_profiles(), NATIVE)
    lists = [every if name == ALL_TARGETS else (name,) for name in names]
    return list(dict.fromkeys(name for names in lists for name in names))


def _check_unique(sites: list[Site]) -> None:
    """Programs have one name space across projects, and so have projects."""
    owners: dict[str, Site] = {}
    projects: dict[str, Site] = {}
    for site in sites:
        file = os.path.join(site.root, PROJECT_FILE)
        other = projects.setdefault(site.project.name, site)
        if other is not site:
            raise UserError(
                f"project {site.project.name!r} is in {os.path.join(other.root, PROJECT_FILE)} "
                f"and in {file}; names of projects must differ"
            )
        for program in site.project.programs:
            other = owners.setdefault(program.name, site)
            if other is not site:
                raise UserError(
                    f"program {program.name!r} is in {os.path.join(other.root, PROJECT_FILE)} "
                    f"and in {file}; names of programs must differ across projects"
                )
