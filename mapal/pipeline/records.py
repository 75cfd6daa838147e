"""What was built from what: one record for each stage task, kept next to the artifacts.

A record states hashes of inputs and outputs, options, tool versions and the digest of the
stage's code. It is a true statement for ever, so losing one costs a rebuild and keeping an old
one does no harm; artifacts are always checked against it by content.

Each finished task appends a line to a journal, so a killed build loses at most the task in
flight; a build that ends folds the journal into the main file. Both carry hashes of what they say
(see `seal`): what is not as it was written was never said.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import Any, TypedDict

from mapal.pipeline.files import content_hash, read_regular, write_if_changed
from mapal.pipeline.seal import read_sealed, sealed

_SCHEMA = 2


class Output(TypedDict):
    """An artifact as it was written."""

    sha256: str
    bytes: int


class Record(TypedDict):
    """What one run of a stage did. Keys of `inputs` and `outputs` are labels (see `site`);
    `summary` is the stage's word for the end of the build."""

    stage: str
    code: str
    options: dict[str, Any]
    tools: dict[str, str]
    inputs: dict[str, str]
    outputs: dict[str, Output]
    summary: str | None


class RecordStore:
    """The records in one directory by task name. Nothing is read before the first question and
    nothing is written before the first change."""

    def __init__(self, directory: str) -> None:
        self._main = os.path.join(directory, "records.json")
        self._journal = os.path.join(directory, "records.journal")
        self._directory = directory
        self._entries: dict[str, Any] | None = None
        self._changed = False
        self._owner = os.getpid()

    def refresh(self) -> None:
        """To be called before all records count: a forked process sees what its parent noted
        down since then in the files only."""
        if self._owner != os.getpid():
            self._entries = None

    def get(self, name: str) -> Any:
        """The entry with this name, or None."""
        entries = self._entries
        return (entries if entries is not None else self._loaded()).get(name)

    def names(self) -> list[str]:
        return list(self._loaded())

    def put(self, name: str, entry: Any) -> None:
        """Replaces an entry; None removes it."""
        entries = self._loaded()
        if entries.get(name) == entry:
            return
        if entry is None:
            del entries[name]
        else:
            entries[name] = entry
        self._changed = True
        self._append({"name": name, "entry": entry})

    def clear(self) -> None:
        for name in self.names():
            self.put(name, None)

    def close(self) -> None:
        """Folds the journal into the main file. Raises `UserError` if that cannot be written;
        the journal then stays."""
        if not self._changed and not os.path.exists(self._journal):
            return
        document = {"schema": _SCHEMA, "entries": self._loaded()}
        text = json.dumps(document, sort_keys=True, separators=(",", ":"))
        write_if_changed(self._main, sealed(text.encode() + b"\n"))
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._journal)
        self._changed = False

    def _loaded(self) -> dict[str, Any]:
        if self._entries is None:
            self._entries = _read_main(self._main)
            for change in _read_journal(self._journal):
                if change["entry"] is None:
                    self._entries.pop(change["name"], None)
                else:
                    self._entries[change["name"]] = change["entry"]
        return self._entries

    def _append(self, change: dict[str, Any]) -> None:
        # Failing to note something down costs a rebuild later; the artifacts are what counts,
        # and a full disk is reported where one of them cannot be written.
        text = json.dumps(change, sort_keys=True, separators=(",", ":"))
        line = f"{content_hash(text.encode())} {text}\n".encode()
        try:
            os.makedirs(self._directory, exist_ok=True)
            with open(self._journal, "ab", buffering=0) as file:
                file.write(line)
        except OSError:
            pass


def _read_main(path: str) -> dict[str, Any]:
    """The entries of the main file; none if it is missing, damaged or of another version."""
    data = read_sealed(path)
    document = json.loads(data) if data is not None else {}
    entries: dict[str, Any] = document["entries"] if document.get("schema") == _SCHEMA else {}
    return entries


def _read_journal(path: str) -> list[dict[str, Any]]:
    """The changes in the journal; a line that a kill cut short is passed over."""
    try:
        lines = read_regular(path).split(b"\n")
    except OSError:
        return []
    changes: list[dict[str, Any]] = []
    for line in lines:
        digest, _, text = line.partition(b" ")
        if digest == content_hash(text).encode():
            changes.append(json.loads(text))
    return changes
