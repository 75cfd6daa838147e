"""What a page shows, as values: programs with the artifacts of their stages, and the build."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mapal.report.comparison import Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text artifact. `stage` is its place in `STAGES`; `label` names the file to people;
    `target` is empty for what all targets share."""

    stage: str
    target: str = ""
    label: str
    sha256: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A differential check of a program for a target. `status` is `equal`, `different`,
    `skipped`, `failed` or `missing`; `document` is `differential/T/P.json`, if there is one."""

    target: str
    status: str
    reason: str = ""
    document: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramContent:
    """A program as a build left it. `source` is the path of its source in the project, `build`
    the path of the build directory. `places` gives the line and column of a token of its
    source, both counted from 1. `plans` are by target; `pictures` are the graphs as SVG by stage,
    `lower` and `rewrite`. `former` are texts as they were before the last build that changed
    them."""

    name: str
    project: str
    source: str
    build: str
    settings: Sequence[tuple[str, str]]
    texts: Sequence[Text]
    former: Sequence[Text]
    pictures: Mapping[str, str]
    rewriting: Mapping[str, Any] | None
    oracle: Mapping[str, Any] | None
    plans: Mapping[str, Mapping[str, Any]]
    checks: Sequence[Check]
    places: Mapping[int, tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task of the last build that ran something; times in seconds from its start."""

    name: str
    action: str
    seconds: float
    start: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildContent:
    """Everything that a page is made of. `selection` says what the command line chose, empty
    if nothing. `failures` are messages by task. `changes` compares with the build before, by
    path; None if there is none to compare with. `left_out` is why former texts are not
    all there, or empty. `benches` are the documents `bench/T.json`."""

    version: str
    selection: str
    programs: Sequence[ProgramContent]
    targets: Sequence[str]
    tasks: Sequence[Task]
    failures: Sequence[tuple[str, str]]
    changes: Comparison | None
    left_out: str
    benches: Sequence[Mapping[str, Any]]
    laws: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Stage:
    """One kind of text: its title on the page, and the language of its words."""

    title: str
    language: str


STAGES: Mapping[str, Stage] = {
    "source": Stage("Source", "mapal"),
    "lower": Stage("Graph, lowered", "ir"),
    "rewrite": Stage("Graph, rewritten", "ir"),
    "ll": Stage("LLVM text", "llvm"),
    "device": Stage("Device LLVM text", "llvm"),
    "ptx": Stage("PTX", "ptx"),
    "optimized": Stage("LLVM text, optimised", "llvm"),
    "assembly": Stage("Assembly", "assembly"),
}
"""The texts of a program in the order of the pipeline."""
