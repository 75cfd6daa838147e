"""The statement of provenance that stands next to a manifest.

Form: in-toto Statement v1 (https://in-toto.io/Statement/v1) with a predicate of the fields of
SLSA provenance v1 (https://slsa.dev/spec/v1.0/provenance). It names no host, person or time, so
it is the same wherever the same things are built; it is not signed.
"""

from __future__ import annotations

import json
import json.encoder
from collections.abc import Iterable, Mapping
from typing import Any

_BUILD_TYPE = "urn:mapal:build:1"
_BUILDER = "urn:mapal:pipeline"


def provenance_bytes(
    artifacts: Iterable[tuple[str, str]],
    sources: Mapping[str, str],
    tools: Mapping[str, str],
    parameters: Mapping[str, Any],
) -> bytes:
    """The statement about `artifacts` (path, SHA-256), made from `sources` (name to SHA-256:
    everything that was read and not made by the build) with `tools` (name to version).
    `parameters` are what the person chose."""
    subjects = [_entry(path, sha256) for path, sha256 in sorted(artifacts)]
    dependencies = [_entry(name, sha256) for name, sha256 in sorted(sources.items())]
    dependencies += [
        json.dumps({"name": name, "annotations": {"version": version}}, ensure_ascii=False)
        for name, version in sorted(tools.items())
    ]
    chosen = json.dumps(parameters, sort_keys=True, ensure_ascii=False)
    # One entry a line, like the manifest, and quick to write.
    return "\n".join(
        (
            '{"_type": "https://in-toto.io/Statement/v1",',
            '"subject": [',
            ",\n".join(subjects),
            '], "predicateType": "https://slsa.dev/provenance/v1",',
            '"predicate": {"buildDefinition": {',
            f'"buildType": "{_BUILD_TYPE}",',
            f'"externalParameters": {chosen},',
            '"resolvedDependencies": [',
            ",\n".join(dependencies),
            f']}}, "runDetails": {{"builder": {{"id": "{_BUILDER}"}}}}}}}}\n',
        )
    ).encode()


def _entry(name: str, sha256: str) -> str:
    quoted = json.encoder.encode_basestring(name)
    return f'{{"name": {quoted}, "digest": {{"sha256": "{sha256}"}}}}'
