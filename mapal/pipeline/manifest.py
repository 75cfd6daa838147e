"""The manifest: every artifact of a build with its hash and what it was made from.

It is a function of the records of the selected tasks, so a build that did nothing need not
write it, and two builds of the same things give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from mapal.pipeline.step import Step

SCHEMA = 1
_NOT_LISTED = (".svg",)


def manifest_bytes(steps: Sequence[Step]) -> bytes | None:
    """`manifest.json` for these steps; None while one of them has no record. Paths are relative
    to the build directory."""
    tools: dict[str, str] = {}
    artifacts = []
    for step in steps:
        record = step.recorded()
        if record is None:
            return None
        tools.update({name: version for name, version in record["tools"].items() if version})
        inputs = sorted(record["inputs"])
        for label, output in record["outputs"].items():
            if not label.endswith(_NOT_LISTED):
                artifacts.append(
                    {
                        "path": label,
                        "stage": step.stage,
                        "sha256": output["sha256"],
                        "bytes": output["bytes"],
                        "inputs": inputs,
                    }
                )
    artifacts.sort(key=lambda artifact: str(artifact["path"]))
    # One artifact a line: quick to write, and a change is one line of a comparison.
    lines = ",\n".join(json.dumps(artifact, ensure_ascii=False) for artifact in artifacts)
    head = json.dumps({"schema": SCHEMA, "tools": dict(sorted(tools.items()))})
    return f'{head[:-1]}, "artifacts": [\n{lines}\n]}}\n'.encode()
