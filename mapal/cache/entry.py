"""The one form of a cached result, on disk and on the wire.

An entry is a first line that names the form, the SHA-256 of its key and everything that follows,
and then a JSON head with the files behind it. Nothing of an entry is believed before its hash is
checked, and the key is part of what is hashed, so an entry under a wrong name is a damaged one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

_FORM = b"mapal-result 1\n"
_HASH_BYTES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The result of a stage: files by role, and the stage's word for the end of a build."""

    stage: str
    files: Mapping[str, bytes]
    summary: str | None = None


class Damaged(Exception):  # noqa: N818  (a state of the bytes; whoever read them goes on)
    """The bytes are no entry with this key."""


def encode(key: str, entry: Entry) -> bytes:
    """The bytes of an entry under a key."""
    head = {
        "stage": entry.stage,
        "summary": entry.summary,
        "files": [[role, len(data)] for role, data in entry.files.items()],
    }
    text = json.dumps(head, sort_keys=True, separators=(",", ":"))
    body = b"".join((text.encode(), b"\n", *entry.files.values()))
    return b"".join((_FORM, _digest(key, memoryview(body)), b"\n", body))


def decode(key: str, data: bytes) -> Entry:
    """The entry that `encode` made bytes of. Raises `Damaged` unless every byte is as it was."""
    start = len(_FORM) + _HASH_BYTES + 1
    body = memoryview(data)[start:]
    if data[:start] != _FORM + _digest(key, body) + b"\n":
        raise Damaged(f"{key}: the content does not have its recorded hash")
    try:
        return _decoded(data, start)
    except (ValueError, KeyError, TypeError, RecursionError):
        # Right by its hash and wrong all the same: nobody but a forger makes that.
        raise Damaged(f"{key}: the content has no form") from None


def _decoded(data: bytes, start: int) -> Entry:
    end = data.index(b"\n", start)
    head = json.loads(data[start:end])
    files: dict[str, bytes] = {}
    position = end + 1
    for role, size in head["files"]:
        files[role] = data[position : position + size]
        position += size
    if position != len(data):
        raise ValueError("sizes do not add up")
    return Entry(stage=head["stage"], files=files, summary=head["summary"])


def _digest(key: str, body: memoryview) -> bytes:
    hashed = hashlib.sha256(key.encode() + b"\n")
    hashed.update(body)
    return hashed.hexdigest().encode()
