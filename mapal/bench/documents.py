"""Documents that measurements leave: written completely or not at all, one writer at a time.

Hours of measuring end in one small file, so nothing that happens to the process, and no second
process beside it, may leave half of it or lose what another one wrote.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mapal.diagnostics import UserError

TEMPORARY_SUFFIX = ".mapal-tmp"
"""What a build sweeps away when somebody was killed while writing."""

_MODE = 0o644


def write_document(path: Path, document: Mapping[str, Any]) -> None:
    """Writes a document as JSON. Raises `UserError` that names the file."""
    write_text(path, json.dumps(document, indent=1, sort_keys=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Makes `text` the content of a file, at once. Raises `UserError` that names the file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name}.", suffix=TEMPORARY_SUFFIX
        )
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fchmod(handle, _MODE)
            os.fsync(handle)
        os.replace(name, path)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _unwritable(path, error) from None
        raise


def read_text(path: Path) -> str | None:
    """The text of a file; None if there is none. Raises `UserError` that names the file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8 text", 1) from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}", 1) from None


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Keeps other writers away from the directory of a file, and makes sure that the file can be
    written. Raises `UserError` that names it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            directory = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


def _unwritable(path: Path, error: OSError) -> UserError:
    return UserError(f"{path}: {error.strerror}", 1)
