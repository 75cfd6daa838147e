"""Source files on the command line, and the stages that they go through in memory."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mapal.diagnostics import Diagnostic, LocationTable, UserError, printable, render_all
from mapal.pipeline.stages.result import SOURCE_NAME, StageResult

if TYPE_CHECKING:
    from mapal.ir.graph import Graph

REJECTED = 1
"""Exit status for a program with errors."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source and its name in messages."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Front:
    """What the stages up to `check` made of a source: artifacts by stage, as far as they got.
    `locations` is there unless lexer or parser found errors."""

    source: Source
    diagnostics: tuple[Diagnostic, ...]
    locations: LocationTable | None
    artifacts: dict[str, bytes]

    def report(self) -> str:
        """The diagnostics as text."""
        return render_all(
            self.diagnostics,
            file=self.source.name,
            source=self.source.data,
            locations=self.locations,
        )

    def graph(self) -> Graph:
        """The lowered graph of an accepted program."""
        from mapal.ir.text import parse_graph

        return parse_graph(self.artifacts["lower"].decode())


def read_source(path: str) -> Source:
    """The file, or the standard input for `-`. Raises `UserError`."""
    name = "<stdin>" if path == "-" else path
    if path == "-" and sys.stdin is None:
        raise UserError(f"{name}: standard input is closed")
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(f"{printable(name)}: {reason}") from None
    return Source(name, data)


def front_end(source: Source, arithmetic: str = "exact") -> Front:
    """Parses, lowers and checks. Raises `UserError` if the source is no text."""
    from mapal.pipeline.stages.check import check
    from mapal.pipeline.stages.lower import lower
    from mapal.pipeline.stages.parse import parse

    try:
        parsed = parse({"source": source.data}, {"sizes": {}})
    except UserError as error:
        message = error.message.replace(SOURCE_NAME, source.name)
        raise UserError(message, error.exit_status) from None
    artifacts = dict(parsed.outputs)
    if parsed.diagnostics:
        return Front(source, parsed.diagnostics, None, artifacts)
    locations = LocationTable.from_json(artifacts["locations"])

    def stopped(result: StageResult) -> Front:
        return Front(source, result.diagnostics, locations, artifacts)

    lowered = lower({"ast": artifacts["ast"]}, {"arithmetic": arithmetic})
    if lowered.diagnostics:
        return stopped(lowered)
    artifacts["lower"] = lowered.outputs["ir"]
    checked = check({"ast": artifacts["ast"], "ir": artifacts["lower"]}, {})
    artifacts.update(checked.outputs)
    return stopped(checked)


def rewritten(front: Front) -> bytes:
    """The graph after rewriting."""
    from mapal.pipeline.stages.rewrite import rewrite

    inputs = {"ir": front.artifacts["lower"], "check": front.artifacts["check"]}
    return rewrite(inputs, {}).outputs["ir"]


def place_of(token: int, source: Source, locations: LocationTable) -> str:
    """`FILE:LINE:COLUMN` of a token. Raises `UserError` if there is no such token."""
    from mapal.diagnostics import SourceText

    if not 0 <= token < len(locations.spans):
        raise UserError(f"{source.name} has {len(locations.spans)} tokens; there is no {token}")
    position = SourceText(source.data).position(locations.spans[token][0])
    return f"{source.name}:{position.line}:{position.column}"


def named_paths(values: list[str], option: str) -> dict[str, str]:
    """The values of an option `--input name=path`, by name. Raises `UserError`."""
    paths: dict[str, str] = {}
    for value in values:
        name, separator, path = value.partition("=")
        if not separator or not name or not path:
            raise UserError(f"{option} {value}: expected {option} name=path")
        if name in paths:
            raise UserError(f"{option} {name} is given twice")
        paths[name] = path
    return paths
