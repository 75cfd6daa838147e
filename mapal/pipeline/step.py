"""One stage task: its inputs, outputs, options and code, and whether it is up to date."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mapal.diagnostics import CompilerBug
from mapal.pipeline.files import FileHashes
from mapal.pipeline.records import Record
from mapal.pipeline.site import Site
from mapal.pipeline.source_digest import SourceDigests
from mapal.pipeline.tools import Tools

if TYPE_CHECKING:
    from mapal.cache import ResultCache
    from mapal.pipeline.cluster import Cluster
    from mapal.pipeline.stages.result import StageResult
    from mapal.project.file import Program

PATH_ROLE = "path."
"""Inputs whose role begins so are used through their path; their bytes are not read."""


@dataclass(frozen=True, slots=True)
class Environment:
    """What the tasks of one build share. A `paranoid` build believes nothing that it was told
    about earlier runs: every stage runs, and its result is compared. With a `cluster`, work that
    can be done elsewhere is."""

    hashes: FileHashes
    digests: SourceDigests
    tools: Tools
    cache: ResultCache | None = None
    paranoid: bool = False
    cluster: Cluster | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """What a stage that works with paths and tools is given; others get bytes only. `elsewhere`
    calls a function, `package.module:name`, on a cluster, if there is one."""

    step: Step
    inputs: dict[str, bytes]
    paths: dict[str, str]
    scratch: str
    tools: Tools
    elsewhere: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A task for one program, target or project.

    `inputs` and `outputs` pair a role in the stage with the label of a file. `extra` is the
    label of outputs that the stage itself names, with `{role}` in it. The work is done by
    `function` (`package.module:name`) in a worker, or by `local` in this process. `modules`
    are where the stage's code begins. `record` names the task in its project's records: the
    same name whether the project is built alone or with others. `shared` work is often the same
    for several tasks, and then done once. `surrounding` names what else of this machine the
    outputs may depend on, for the fingerprint.
    """

    stage: str
    task: str
    record: str
    site: Site
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]
    modules: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    function: str | None = None
    local: Callable[[Call], StageResult] | None = None
    extra: str | None = None
    executable: bool = False
    shared: bool = False
    surrounding: tuple[str, ...] = ()
    program: Program | None = None
    target: str | None = None

    def label_of(self, role: str) -> str:
        """The label of an output."""
        for known, label in self.outputs:
            if known == role:
                return label
        if self.extra is None:
            raise CompilerBug(f"stage {self.stage} has no output {role!r}")
        return self.extra.format(role=role)

    def input_paths(self) -> list[str]:
        return [self.site.path(label) for _, label in self.inputs]

    def output_paths(self) -> list[str]:
        return [self.site.path(label) for _, label in self.outputs]

    def recorded(self) -> Record | None:
        """What the last run that succeeded did."""
        record: Record | None = self.site.records.get(self.record)
        return record

    def is_current(self, environment: Environment) -> bool:
        """Whether `stale_reasons` without inputs has none; quicker."""
        record = self.recorded()
        if (
            record is None
            or environment.paranoid
            or record["options"] != self.options
            or record["code"] != environment.digests.of(self.modules)
            or record["tools"] != environment.tools.versions(self.tools)
        ):
            return False
        outputs, hashes = record["outputs"], environment.hashes
        return all(label in outputs for _, label in self.outputs) and all(
            hashes.of(self.site.path(label)) == output["sha256"]
            for label, output in outputs.items()
        )

    def stale_reasons(
        self, environment: Environment, *, inputs: bool, made_anew: Collection[str] = ()
    ) -> Iterator[str]:
        """Why the task has to run, one line each; nothing if it is up to date. Without `inputs`
        the content of the inputs is left to the caller; with them, what those at the paths
        `made_anew` are now is no reason."""
        record = self.recorded()
        if record is None:
            yield "it has no record of a run that succeeded"
            return
        yield from self._changed_circumstances(record, environment)
        if inputs:
            yield from self._changed_inputs(record, environment.hashes, made_anew)
        declared = {label for _, label in self.outputs}
        for label in sorted(declared - set(record["outputs"])):
            yield f"{self.site.shown(label)} is a new target"
        for label, output in sorted(record["outputs"].items()):
            found = environment.hashes.of(self.site.path(label))
            if found is None:
                yield f"target {self.site.shown(label)} is missing"
            elif found != output["sha256"]:
                change = _change(output["sha256"], found)
                yield f"target {self.site.shown(label)} was altered ({change})"

    def _changed_circumstances(self, record: Record, environment: Environment) -> Iterator[str]:
        code = environment.digests.of(self.modules)
        if record["code"] != code:
            yield f"the code of stage {self.stage} changed ({_change(record['code'], code)})"
        if record["options"] != self.options:
            for key in sorted({*record["options"], *self.options}):
                old, new = record["options"].get(key), self.options.get(key)
                if old != new:
                    yield f"option {key} changed ({old!r} → {new!r})"
        tools = environment.tools.versions(self.tools)
        for name in sorted({*record["tools"], *tools}):
            old, new = record["tools"].get(name), tools.get(name)
            if old != new:
                yield f"tool {name} changed ({old!r} → {new!r})"

    def _changed_inputs(
        self, record: Record, hashes: FileHashes, made_anew: Collection[str]
    ) -> Iterator[str]:
        labels = {label for _, label in self.inputs}
        for label in sorted(labels | set(record["inputs"])):
            name = self.site.shown(label)
            if label not in record["inputs"]:
                yield f"input {name} is new"
            elif label not in labels:
                yield f"input {name} is no longer one"
            elif self.site.path(label) not in made_anew:
                old, new = record["inputs"][label], hashes.of(self.site.path(label))
                if new is None:
                    yield f"input {name} is missing"
                elif new != old:
                    yield f"input {name} changed ({_change(old, new)})"


def _change(old: str, new: str) -> str:
    return f"{old[:12]} → {new[:12]}"
