"""What a stage gives back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mapal.diagnostics import Diagnostic

Inputs = Mapping[str, bytes]
Options = Mapping[str, Any]

SOURCE_NAME = "<source>"
"""Stands for the source's path in a stage's messages; the caller knows the path."""


@dataclass(frozen=True, slots=True)
class StageResult:
    """`outputs` are files by role. With `diagnostics` or a `failure` the task fails; outputs
    that are there all the same are evidence and are kept. `summary` is what the end of a build says
    about the task, if anything."""

    outputs: Mapping[str, bytes]
    diagnostics: tuple[Diagnostic, ...] = ()
    failure: str | None = None
    summary: str | None = None


def canonical_json(value: Any) -> bytes:
    """JSON for people and programs: sorted keys, two spaces, a newline at the end."""
    return json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False).encode() + b"\n"
