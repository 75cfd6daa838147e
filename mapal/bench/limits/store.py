"""Results that rows must have, kept from one run to the next by a key, with what agreed on them.

A result counts if its bytes have the hash that was noted last of all, so neither a run that was
killed while it wrote nor a damaged file passes for a result.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from mapal.bench.documents import TEMPORARY_SUFFIX, read_text, write_document


@dataclass(frozen=True, slots=True)
class Expected:
    """The file with the result, and what agreed on it."""

    path: Path
    evidence: tuple[str, ...]


def kept_result(store: Path, key: str) -> Expected | None:
    """What is kept under a key; None if there is nothing, or nothing whole."""
    path, note = _files(store, key)
    text = read_text(note)
    if text is None:
        return None
    try:
        document = json.loads(text)
        evidence = tuple(map(str, document["evidence"]))
        if document["sha256"] != _hash(path):
            return None
    except (LookupError, OSError, RecursionError, TypeError, ValueError):
        return None
    return Expected(path, evidence)


def keep_result(store: Path, key: str, found: Path, evidence: tuple[str, ...]) -> Expected:
    """Keeps the result in the file `found`. Raises `OSError`, or `UserError` that names a file."""
    path, note = _files(store, key)
    store.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY_SUFFIX}")
    try:
        shutil.copyfile(found, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    write_document(note, {"sha256": _hash(path), "evidence": list(evidence)})
    return Expected(path, evidence)


def _files(store: Path, key: str) -> tuple[Path, Path]:
    return store / f"{key}.npy", store / f"{key}.json"


def _hash(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
