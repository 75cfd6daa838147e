"""Where a build speaks to. What it says must not decide how it ends: a reader that has gone away,
a full disk or a closed stream costs the words and nothing else."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TextIO

from mapal.diagnostics import UserError


class Outlet:
    """A text stream, or none, that takes everything. What it cannot pass on is dropped; that
    standard output took no more is said once on standard error, unless its reader went away. The
    command's own standard output complains with a `UserError`."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if self._stream is not None:
            try:
                self._stream.write(text)
            except (OSError, UserError) as error:
                self._lose(self._stream, error)
        return len(text)

    def flush(self) -> None:
        if self._stream is not None:
            try:
                self._stream.flush()
            except (OSError, UserError) as error:
                self._lose(self._stream, error)

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def _lose(self, stream: TextIO, error: OSError | UserError) -> None:
        self._stream = None
        # The stream keeps what it could not write and tries again when the process ends.
        with contextlib.suppress(OSError), open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
        if (
            stream is sys.stdout
            and sys.stderr is not None
            and not isinstance(error, BrokenPipeError)
        ):
            Outlet(sys.stderr).write(f"mapal: {_reason(error)}\n")


def _reason(error: OSError | UserError) -> str:
    if isinstance(error, UserError):
        return error.message
    return f"standard output: {error.strerror}"
