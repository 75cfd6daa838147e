"""What a build publishes when it is over: the page and the test results.

Artifacts are read as the records describe them. A step that failed, or that could not be tried,
has nothing to show; a check that found a difference has its evidence.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mapal.diagnostics import LocationTable, SourceText, UserError
from mapal.pipeline.files import content_hash, read_regular, remove_leftovers, write_if_changed
from mapal.pipeline.former import Difference, Snapshot, remember
from mapal.pipeline.session import Session
from mapal.pipeline.site import BUILD, STATE
from mapal.pipeline.step import Step
from mapal.project.file import Program
from mapal.report.comparison import Artifact, Manifest
from mapal.report.content import BuildContent, Check, ProgramContent, Task, Text
from mapal.report.junit import Case, junit_xml
from mapal.report.page import render_page

PAGE = os.path.join(BUILD, "report", "index.html")
RESULTS = os.path.join(BUILD, "junit.xml")
LAST_BUILD = os.path.join(BUILD, "last-build.json")
_MEMORY = os.path.join(BUILD, STATE, "last-page.z")

_TEXTS = {
    ("lower", "ir"): "lower",
    ("rewrite", "ir"): "rewrite",
    ("emit", "ll"): "ll",
    ("emit", "device"): "device",
    ("emit", "ptx"): "ptx",
    ("object", "optimized"): "optimized",
    ("object", "assembly"): "assembly",
}
"""Which outputs, by stage and role, are texts of the page."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the tasks of a build ended that did not succeed: `failed` with messages, `blocked`
    because of another one."""

    failed: Mapping[str, str]
    blocked: frozenset[str]

    def has_result(self, step: Step) -> bool:
        return step.task not in self.failed and step.task not in self.blocked


def publish(session: Session, ending: Ending) -> None:
    """Writes the page and the test results. To be called with the build lock held. Raises
    `UserError` if a file cannot be written."""
    if session.workspace.joint:
        remove_leftovers(BUILD)  # no project sweeps here after a build that was killed
    content = build_content(session, ending)
    write_if_changed(RESULTS, junit_xml(list(_cases(content))))
    write_if_changed(PAGE, render_page(content))


def build_content(session: Session, ending: Ending) -> BuildContent:
    """Everything that the page shows, read from the artifacts."""
    programs = [_Reader(members, ending).content() for members in _by_program(session).values()]
    difference = remember(_MEMORY, _snapshot(session, programs, ending))
    selection = session.workspace.selection
    chosen = [f"program={selection.program}"] if selection.program else []
    chosen += [f"target={','.join(selection.targets)}"] if selection.targets else []
    return BuildContent(
        version=importlib.metadata.version("mapal"),
        selection=" ".join(chosen),
        programs=[_with_former(program, difference) for program in programs],
        targets=_targets(session),
        tasks=_tasks(),
        failures=[(task, message) for task, message in ending.failed.items()],
        changes=difference.comparison,
        left_out=_left_out(difference.left_out),
        benches=list(_benches()),
        laws=_laws(),
    )


def _by_program(session: Session) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = {}
    for step in session.steps.values():
        if step.program is not None:
            found.setdefault(step.program.name, []).append(step)
    return found


def _targets(session: Session) -> list[str]:
    targets = [step.target for step in session.steps.values() if step.target is not None]
    return list(dict.fromkeys(targets))


class _Reader:
    """Reads the artifacts of one program."""

    def __init__(self, steps: Sequence[Step], ending: Ending) -> None:
        self._steps = steps
        self._ending = ending
        self._site = steps[0].site
        program = steps[0].program
        assert program is not None
        self._program: Program = program

    def content(self) -> ProgramContent:
        program = self._program
        return ProgramContent(
            name=program.name,
            project=self._site.project.name,
            source=program.source,
            build=self._site.build,
            settings=_settings(program),
            texts=list(self._texts()),
            former=(),
            pictures=self._pictures(),
            rewriting=self._json("rewrite", "report"),
            oracle=self._json("oracle", "oracle"),
            plans=dict(self._plans()),
            checks=[self._check(step) for step in self._steps if step.stage == "differential"],
            places=self._places(),
        )

    def _texts(self) -> Iterator[Text]:
        yield from self._source()
        for step in self._steps:
            for role, label in step.outputs:
                stage = _TEXTS.get((step.stage, role))
                content = self._read(step, label) if stage is not None else None
                if stage is not None and content is not None:
                    record = step.recorded()
                    yield Text(
                        stage=stage,
                        target=step.target or "",
                        label=self._site.path(label),
                        sha256=record["outputs"][label]["sha256"] if record else "",
                        content=content.decode("utf-8", "replace"),
                    )

    def _source(self) -> Iterator[Text]:
        """What the parser reads: the file with its sizes put in, if it can be read so."""
        path = self._site.path(f"../{self._program.source}")
        data = _bytes(path)
        if data is None:
            return
        from mapal.pipeline.stages.parse import source_text

        try:
            text = source_text(data, dict(self._program.sizes))
        except UserError:
            text = data.decode("utf-8", "replace")
        yield Text(stage="source", label=path, sha256=content_hash(data), content=text)

    def _read(self, step: Step, label: str) -> bytes | None:
        """An output of a step, if the step is known to have made it."""
        if not self._ending.has_result(step) or step.recorded() is None:
            return None
        return _bytes(self._site.path(label))

    def _output(self, stage: str, role: str) -> bytes | None:
        for step in self._steps:
            if step.stage == stage:
                return self._read(step, step.label_of(role))
        return None

    def _json(self, stage: str, role: str) -> Mapping[str, Any] | None:
        return _object(self._output(stage, role))

    def _pictures(self) -> dict[str, str]:
        found = {role: self._output("graph", f"{role}.svg") for role in ("lower", "rewrite")}
        return {role: data.decode() for role, data in found.items() if data is not None}

    def _plans(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for step in self._steps:
            if step.stage == "emit" and step.target is not None:
                plan = _object(self._read(step, step.label_of("plan")))
                if plan is not None:
                    yield step.target, plan

    def _check(self, step: Step) -> Check:
        document = _object(_bytes(step.output_paths()[0])) or {}
        failed = self._ending.failed.get(step.task)
        if failed is not None:
            status = "different" if document.get("status") == "different" else "failed"
            return Check(target=step.target or "", status=status, reason=failed, document=document)
        if step.task in self._ending.blocked:
            return Check(target=step.target or "", status="failed", reason="an earlier task failed")
        if step.recorded() is None or "status" not in document:
            return Check(target=step.target or "", status="missing")
        reason = str(document.get("reason") or "")
        status = str(document["status"])
        return Check(target=step.target or "", status=status, reason=reason, document=document)

    def _places(self) -> dict[int, tuple[int, int]]:
        data = self._output("parse", "locations")
        source = next(iter(self._source()), None)
        if data is None or source is None:
            return {}
        text = SourceText(source.content)
        places = {}
        for token, (start, _) in enumerate(LocationTable.from_json(data).spans):
            position = text.position(start)
            places[token] = (position.line, position.column)
        return places


def _bytes(path: str) -> bytes | None:
    try:
        return read_regular(path)
    except OSError:
        return None


def _object(data: bytes | None) -> Mapping[str, Any] | None:
    """The JSON object in an artifact; None if there is none."""
    if data is None:
        return None
    try:
        document = json.loads(data)
    except (RecursionError, ValueError):
        return None
    return document if isinstance(document, dict) else None


def _settings(program: Program) -> list[tuple[str, str]]:
    settings = [
        ("arithmetic", program.arithmetic),
        ("LLVM level", str(program.opt)),
        ("threads", ", ".join(map(str, program.threads))),
    ]
    settings += [(name, str(value)) for name, value in program.sizes]
    settings += [(f"input {port}", path) for port, path in program.inputs]
    return settings


def _snapshot(session: Session, programs: Sequence[ProgramContent], ending: Ending) -> Snapshot:
    artifacts: dict[str, Artifact] = {}
    tools: dict[str, str] = {}
    for step in session.steps.values():
        record = step.recorded() if ending.has_result(step) else None
        if record is None:
            continue
        tools.update({name: version for name, version in record["tools"].items() if version})
        inputs = tuple(sorted(step.site.shown(label) for label in record["inputs"]))
        for label, output in record["outputs"].items():
            artifacts[step.site.path(label)] = Artifact(
                step.stage, output["sha256"], output["bytes"], inputs
            )
    texts = {}
    for program in programs:
        for text in program.texts:
            texts[text.label] = text.content
            if text.stage == "source":
                size = len(text.content.encode("utf-8", "replace"))
                artifacts[text.label] = Artifact("source", text.sha256, size, ())
    return Snapshot(Manifest(dict(sorted(artifacts.items())), tools), texts)


def _with_former(program: ProgramContent, difference: Difference) -> ProgramContent:
    from dataclasses import replace

    former = [
        replace(text, content=difference.texts[text.label], sha256=_former_hash(difference, text))
        for text in program.texts
        if text.label in difference.texts
    ]
    return replace(program, former=former) if former else program


def _former_hash(difference: Difference, text: Text) -> str:
    assert difference.comparison is not None, "former texts come from a comparison"
    for change in difference.comparison.changes:
        if change.path == text.label and change.before is not None:
            return change.before.sha256
    return ""


def _left_out(count: int) -> str:
    if not count:
        return ""
    return f"{count} former texts are left out, since the page would grow too large."


def _tasks() -> list[Task]:
    """The tasks of the last build that ran something, as it wrote them down."""
    document = _object(_bytes(LAST_BUILD)) or {}
    try:
        return [
            Task(
                name=str(entry["name"]),
                action=str(entry["action"]),
                seconds=float(entry["seconds"]),
                start=float(entry.get("start", 0.0)),
            )
            for entry in document.get("tasks", ())
        ]
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return []  # somebody else wrote that file; a build that runs something writes its own


def _benches() -> Iterator[Mapping[str, Any]]:
    """The documents of measurements. One that cannot be read is no document of any version, and is
    shown as one: a measurement that vanishes would look as if nobody had measured."""
    directory = os.path.join(BUILD, "bench")
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return
    for name in names:
        if name.endswith(".json") and name not in _NO_TARGETS:
            document = _object(_bytes(os.path.join(directory, name)))
            if document is None or "target" not in document:
                document = {"target": name.removesuffix(".json"), "results": None}
            yield document


_NO_TARGETS = ("limits.json",)
"""What other measurements leave in that directory."""


def _laws() -> dict[str, str]:
    from mapal.rewrite.pipeline import PASSES

    return {step.name: step.summary for step in PASSES}


def _cases(content: BuildContent) -> Iterator[Case]:
    for program in content.programs:
        for check in program.checks:
            status = "failed" if check.status == "missing" else check.status
            reason = check.reason or ("never checked" if check.status == "missing" else "")
            trap = (program.oracle or {}).get("trap")
            details = ""
            if trap is not None:
                line, column = program.places.get(trap["token"], (0, 0))
                details = f"traps: {trap['kind']} at {program.source}:{line}:{column}"
            yield Case(program.project, program.name, check.target, status, reason, details)
