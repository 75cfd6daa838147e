"""The manifest: every artifact of a build with its hash and what it was made from; and the
statement of provenance that stands next to it.

Both are functions of the records of the selected tasks, so a build that did nothing need not
write them, and two builds of the same things give the same bytes.
"""

from __future__ import annotations

import json
import json.encoder
from collections.abc import Iterable, Sequence

from mapal.pipeline.step import Step
from mapal.report.provenance import provenance_bytes

SCHEMA = 1
_NOT_LISTED = (".svg",)
_NOT_MADE = ("../", "mapal:", "targets/")
"""How labels of files begin that builds read and do not make, or find out about the machine."""


def manifest_bytes(steps: Sequence[Step]) -> bytes | None:
    """`manifest.json` for these steps; None while one of them has no record. Paths are relative
    to the build directory."""
    tools: dict[str, str] = {}
    artifacts: list[tuple[str, str]] = []
    for step in steps:
        record = step.recorded()
        if record is None:
            return None
        tools.update({name: version for name, version in record["tools"].items() if version})
        # By hand, since an idle build compares the whole text: `json.dumps` with options sets up
        # an encoder for each call.
        inputs = ", ".join(map(_quoted, sorted(record["inputs"])))
        for label, output in record["outputs"].items():
            if not label.endswith(_NOT_LISTED):
                text = (
                    f'{{"path": {_quoted(label)}, "stage": {_quoted(step.stage)}, '
                    f'"sha256": "{output["sha256"]}", "bytes": {output["bytes"]}, '
                    f'"inputs": [{inputs}]}}'
                )
                artifacts.append((label, text))
    artifacts.sort()
    # One artifact a line: a change is one line of a comparison.
    lines = ",\n".join(text for _, text in artifacts)
    head = json.dumps({"schema": SCHEMA, "tools": dict(sorted(tools.items()))})
    return f'{head[:-1]}, "artifacts": [\n{lines}\n]}}\n'.encode()


def statement_bytes(steps: Sequence[Step]) -> bytes | None:
    """`provenance.json` for these steps of one project; None while one of them has no record."""
    artifacts: list[tuple[str, str]] = []
    sources: dict[str, str] = {}
    tools: dict[str, str] = {}
    for step in steps:
        record = step.recorded()
        if record is None:
            return None
        for label, output in record["outputs"].items():
            if not label.endswith(_NOT_LISTED):
                artifacts.append((label, output["sha256"]))
        for label, sha256 in record["inputs"].items():
            if label.startswith(_NOT_MADE):
                sources[label] = sha256
        tools.update({name: version for name, version in record["tools"].items() if version})
    parameters = {
        "project": steps[0].site.project.name,
        "programs": _each(step.program.name for step in steps if step.program is not None),
        "targets": _each(step.target for step in steps if step.target is not None),
    }
    return provenance_bytes(artifacts, sources, tools, parameters)


def _each(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _quoted(text: str) -> str:
    """A text as JSON, characters beyond ASCII as they are."""
    return json.encoder.encode_basestring(text)
