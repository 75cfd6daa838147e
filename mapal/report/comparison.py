"""Two manifests side by side: what changed, and which changes are the cause of others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mapal.diagnostics import UserError

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Artifact:
    """An artifact as a manifest lists it: `bytes` is its size, `inputs` are paths."""

    stage: str
    sha256: str
    bytes: int
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The artifacts of a build by path, and the versions of the tools that made them."""

    artifacts: Mapping[str, Artifact]
    tools: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """One artifact that is not the same in both. `before` is None if it is new, `after` if it
    is gone. `because` are the inputs of it that changed too; with none of those, the cause lies
    outside of the manifests: a source, an option, a tool or the code of the stage."""

    path: str
    before: Artifact | None
    after: Artifact | None
    because: tuple[str, ...]

    @property
    def kind(self) -> str:
        """`added`, `removed` or `changed`."""
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"

    @property
    def stage(self) -> str:
        known = self.after or self.before
        assert known is not None, "a change has a side"
        return known.stage


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes by path, tools whose version changed with both versions (empty for none), and
    how many artifacts are equal."""

    changes: tuple[Change, ...]
    tools: tuple[tuple[str, str, str], ...]
    equal: int


def read_manifest(data: bytes, name: str) -> Manifest:
    """The manifest in a file's bytes. Raises `UserError` that names the file."""
    try:
        document = json.loads(data)
        if document["schema"] != SCHEMA:
            raise UserError(f"{name}: schema {document['schema']!r}; expected {SCHEMA}")
        artifacts = {
            str(entry["path"]): Artifact(
                str(entry["stage"]),
                str(entry["sha256"]),
                int(entry["bytes"]),
                tuple(map(str, entry["inputs"])),
            )
            for entry in document["artifacts"]
        }
        tools = {str(tool): str(version) for tool, version in document["tools"].items()}
    except (ArithmeticError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UserError(f"{name}: not a manifest of a build") from None
    return Manifest(artifacts, tools)


def compare(old: Manifest, new: Manifest) -> Comparison:
    """What is different from one manifest to the other."""
    paths = sorted({*old.artifacts, *new.artifacts})
    changed = {path for path in paths if _hash(old, path) != _hash(new, path)}
    changes = []
    for path in paths:
        if path not in changed:
            continue
        before, after = old.artifacts.get(path), new.artifacts.get(path)
        known = after or before
        assert known is not None, "a path of neither manifest"
        because = tuple(name for name in known.inputs if name in changed)
        changes.append(Change(path, before, after, because))
    tools = tuple(
        (name, old.tools.get(name, ""), new.tools.get(name, ""))
        for name in sorted({*old.tools, *new.tools})
        if old.tools.get(name) != new.tools.get(name)
    )
    return Comparison(tuple(changes), tools, len(paths) - len(changed))


def _hash(manifest: Manifest, path: str) -> str | None:
    artifact = manifest.artifacts.get(path)
    return artifact.sha256 if artifact is not None else None


def render_table(comparison: Comparison) -> str:
    """Aligned text for people, one line for each change, and the counts."""
    lines = [_tool_line(*tool) for tool in comparison.tools]
    rows = [("change", "stage", "artifact", "bytes", "sha256", "because")]
    rows += [_row(change) for change in comparison.changes]
    if len(rows) > 1:
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        for row in rows:
            cells = [text.ljust(width) for text, width in zip(row, widths, strict=False)]
            lines.append("  ".join([*cells, row[5]]).rstrip())
    kinds = [change.kind for change in comparison.changes]
    counts = [
        f"{kinds.count(kind)} {kind}" for kind in ("changed", "added", "removed") if kind in kinds
    ]
    lines.append(", ".join([*counts, f"{comparison.equal} equal"]))
    return "\n".join(lines) + "\n"


def _tool_line(name: str, old: str, new: str) -> str:
    return f"tool {name}: {old or 'none'} → {new or 'none'}"


def _row(change: Change) -> tuple[str, str, str, str, str, str]:
    before, after = change.before, change.after
    return (
        change.kind,
        change.stage,
        change.path,
        _pair(str(before.bytes) if before else None, str(after.bytes) if after else None),
        _pair(before.sha256[:12] if before else None, after.sha256[:12] if after else None),
        ", ".join(change.because) or ("" if change.kind != "changed" else "source, option or code"),
    )


def _pair(old: str | None, new: str | None) -> str:
    if old is None or new is None or old == new:
        return str(new if new is not None else old)
    return f"{old} → {new}"


def to_document(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain data: what `mapal diff --format json` prints."""
    return {
        "schema": 1,
        "equal": comparison.equal,
        "tools": [
            {"name": name, "before": old or None, "after": new or None}
            for name, old, new in comparison.tools
        ],
        "changes": [
            {
                "path": change.path,
                "stage": change.stage,
                "change": change.kind,
                "before": _side(change.before),
                "after": _side(change.after),
                "because": list(change.because),
            }
            for change in comparison.changes
        ],
    }


def _side(artifact: Artifact | None) -> dict[str, Any] | None:
    if artifact is None:
        return None
    return {"sha256": artifact.sha256, "bytes": artifact.bytes}
