"""What the page remembers of earlier builds, to say what the last one changed.

One file next to the records holds the artifacts that the last page knew, with the texts among
them, and those of before the last change. Losing it costs only that comparison.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mapal.diagnostics import UserError
from mapal.pipeline.files import read_regular, write_if_changed
from mapal.report.comparison import Artifact, Comparison, Manifest, compare

_SCHEMA = 1
_MOST_CHARACTERS = 8_000_000
_NOTHING = Manifest({}, {})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The artifacts of a build by path, and the content of those that are text."""

    manifest: Manifest
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference:
    """What the last build that changed an artifact changed; None for `comparison` if there was
    none before it. `texts` are the former contents by path, `left_out` how many there are
    besides."""

    comparison: Comparison | None
    texts: Mapping[str, str]
    left_out: int


def remember(path: str, current: Snapshot) -> Difference:
    """Compares with what the file at `path` remembers, and makes it remember `current`."""
    last, former = _load(path)
    if last is None:
        _save(path, current, None)
        return Difference(None, {}, 0)
    current = _with_what_is_still_there(current, last)
    if current.manifest.artifacts != last.manifest.artifacts:
        texts = {
            name: text
            for name, text in last.texts.items()
            if _hash(last, name) != _hash(current, name)
        }
        former = Snapshot(last.manifest, texts)
    _save(path, current, former)
    if former is None:
        return Difference(None, {}, 0)
    shown: dict[str, str] = {}
    characters = 0
    for name, text in sorted(former.texts.items()):
        characters += len(text)
        if characters > _MOST_CHARACTERS:
            break
        shown[name] = text
    comparison = compare(former.manifest, current.manifest)
    return Difference(comparison, shown, len(former.texts) - len(shown))


def _with_what_is_still_there(current: Snapshot, last: Snapshot) -> Snapshot:
    """A build of one program or target says nothing about the others, and a build that failed
    nothing about what it did not come to: as long as their files are there, nothing changed."""
    kept = {
        name: artifact
        for name, artifact in last.manifest.artifacts.items()
        if name not in current.manifest.artifacts and os.path.exists(name)
    }
    texts = {name: last.texts[name] for name in kept if name in last.texts}
    manifest = Manifest(
        dict(sorted({**kept, **current.manifest.artifacts}.items())),
        {**last.manifest.tools, **current.manifest.tools},
    )
    return Snapshot(manifest, {**texts, **current.texts})


def _hash(snapshot: Snapshot, name: str) -> str | None:
    artifact = snapshot.manifest.artifacts.get(name)
    return artifact.sha256 if artifact is not None else None


def _load(path: str) -> tuple[Snapshot | None, Snapshot | None]:
    """The last build and the one before it; None for what is not known."""
    try:
        document = json.loads(zlib.decompress(read_regular(path)))
        if document["schema"] != _SCHEMA:
            return None, None
        former = document["former"]
        return _decoded(document["last"]), _decoded(former) if former is not None else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, zlib.error, RecursionError):
        return None, None


def _save(path: str, last: Snapshot, former: Snapshot | None) -> None:
    document = {
        "schema": _SCHEMA,
        "last": _encoded(last),
        "former": _encoded(former) if former is not None else None,
    }
    text = json.dumps(document, separators=(",", ":"))
    try:
        write_if_changed(path, zlib.compress(text.encode(), 1))
    except UserError:
        return  # the next page cannot compare, and says so


def _encoded(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "artifacts": {
            name: [artifact.stage, artifact.sha256, artifact.bytes, artifact.inputs]
            for name, artifact in snapshot.manifest.artifacts.items()
        },
        "tools": dict(snapshot.manifest.tools),
        "texts": dict(snapshot.texts),
    }


def _decoded(entry: Any) -> Snapshot:
    artifacts = {
        name: Artifact(stage, sha256, size, tuple(inputs))
        for name, (stage, sha256, size, inputs) in entry["artifacts"].items()
    }
    return Snapshot(Manifest(artifacts, dict(entry["tools"])), dict(entry["texts"]))
