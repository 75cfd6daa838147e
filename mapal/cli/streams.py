"""The standard streams of a command: one that is closed, or that takes no more, is no crash.

Output that cannot be written ends a command with one line and status 1, wherever the command
writes it. What cannot be said on standard error is dropped, since there is nowhere else to say
it: the exit status still tells.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TextIO, cast

from mapal.diagnostics import UserError

_OUTPUT_LOST = 1


def guard_standard_streams() -> None:
    """Replaces the standard streams of this process, if they are its own. Standard input stays
    as it is: `None` when it is closed."""
    sys.stdout = _text_stream(sys.stdout, _Output, "strict")
    sys.stderr = _text_stream(sys.stderr, _Messages, "backslashreplace")


def _text_stream(
    stream: TextIO | None, kind: type[_Output] | type[_Messages], errors: str
) -> TextIO:
    try:
        raw = kind(stream.fileno() if stream is not None else None)
    except io.UnsupportedOperation:
        return cast("TextIO", stream)  # somebody captures the stream in memory
    on_terminal = raw.isatty()
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding if stream is not None else "utf-8",
        errors=errors,
        line_buffering=on_terminal or kind is _Messages,
    )


class _Descriptor(io.RawIOBase):
    """An open descriptor that belongs to somebody else, or none. It is never closed here."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        if self._descriptor is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._descriptor

    def isatty(self) -> bool:
        return self._descriptor is not None and os.isatty(self._descriptor)

    def _write(self, data: object) -> int:
        return os.write(self.fileno(), memoryview(data))  # type: ignore[arg-type]


class _Output(_Descriptor):
    """Standard output: a failure is the user's error, once. A reader that has gone away stays
    `BrokenPipeError`."""

    _failed = False

    def write(self, data: object) -> int:
        if self._failed:
            return memoryview(data).nbytes  # type: ignore[arg-type]
        try:
            return self._write(data)
        except OSError as error:
            # The streams above keep what they could not write and would try once more.
            self._failed = True
            if isinstance(error, BrokenPipeError):
                raise
            raise UserError(f"standard output: {error.strerror}", _OUTPUT_LOST) from None


class _Messages(_Descriptor):
    """Standard error: what cannot be written is dropped."""

    def write(self, data: object) -> int:
        try:
            return self._write(data)
        except OSError:
            return memoryview(data).nbytes  # type: ignore[arg-type]
