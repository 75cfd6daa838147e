"""Files of a build: content hashes, and writes that are complete or did not happen.

Hashes are SHA-256 of the bytes. Within one process the hash of a file is computed once and
kept as long as the file's identity, size and times of change stay the same; between processes
nothing but content counts.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

from mapal.diagnostics import UserError

TEMPORARY_SUFFIX = ".mapal-tmp"
_READ_AT_ONCE = 1 << 20
_NO_FILE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_Identity = tuple[int, int, int, int, int]


def content_hash(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


class FileHashes:
    """Hashes of files by path. Safe for use by several threads."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[_Identity, str]] = {}

    def of(self, path: str, status: os.stat_result | None = None) -> str | None:
        """The hash of the file's content now; None if there is no such file, or something in
        its place that is none. `status` is the file's, if the caller just asked for it. Raises
        `OSError` if the file is there and cannot be read."""
        if status is None:
            try:
                status = os.stat(path)
            except OSError as error:
                if error.errno in _NO_FILE:
                    return None
                raise
        identity = _identity(status)
        known = self._known.get(path)
        if known is not None and known[0] == identity:
            return known[1]
        # By descriptor: an idle build does this for every file, and little else.
        if not stat.S_ISREG(status.st_mode):
            return None
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            digest = _descriptor_hash(descriptor)
            # Only if the file is still the one that `status` describes, from before the reading.
            if _identity(os.fstat(descriptor)) == identity:
                self._known[path] = (identity, digest)
        finally:
            os.close(descriptor)
        return digest

    def read(self, path: str) -> tuple[bytes, str]:
        """The content of a file and its hash. Raises `OSError`."""
        with open(_opened(path), "rb") as file:
            identity = _identity(os.fstat(file.fileno()))
            data = file.read()
        digest = content_hash(data)
        self._known[path] = (identity, digest)
        return data, digest


def read_regular(path: str) -> bytes:
    """The content of a file. Raises `OSError`, also for what is no file, such as a pipe, at which
    a reader would wait for ever."""
    with open(_opened(path), "rb") as file:
        return file.read()


def _opened(path: str) -> int:
    """A descriptor of a regular file, to be read. Raises `OSError` for anything else."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a file", path)
    return descriptor


def _descriptor_hash(descriptor: int) -> str:
    hashed = hashlib.sha256()
    while block := os.read(descriptor, _READ_AT_ONCE):
        hashed.update(block)
        if len(block) < _READ_AT_ONCE:
            # Less than asked for is the end of a file.
            break
    return hashed.hexdigest()


def _identity(status: os.stat_result) -> _Identity:
    return (
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def write_if_changed(path: str, data: bytes, *, executable: bool = False) -> bool:
    """Makes `data` the content of the file, unless it is already; tells whether it wrote.

    A new content appears at once and completely, or not at all. Raises `UserError` that names
    the file and the reason."""
    mode = 0o755 if executable else 0o644
    try:
        with open(_opened(path), "rb") as file:
            status = os.fstat(file.fileno())
            same = status.st_size == len(data) and file.read() == data
            if same and not os.path.islink(path) and status.st_mode & 0o700 == mode & 0o700:
                return False
    except OSError:
        pass
    try:
        _write(path, data, mode)
    except OSError as error:
        reason = describe(error)
        if isinstance(error, FileExistsError):
            reason = f"{error.filename} is no directory"
        raise UserError(f"cannot write {path}: {reason}", 1) from None
    return True


_counter_lock = threading.Lock()
_counter = 0


def _write(path: str, data: bytes, mode: int) -> None:
    global _counter
    directory = os.path.dirname(path) or "."
    os.makedirs(directory, exist_ok=True)
    with _counter_lock:
        _counter += 1
        number = _counter
    temporary = os.path.join(directory, f".{os.getpid()}-{number}{TEMPORARY_SUFFIX}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def describe(error: OSError) -> str:
    """What went wrong, in the words of the system."""
    if error.errno == errno.ENOSPC:
        return "no space left on the device"
    return error.strerror or str(error)


def remove_leftovers(directory: str) -> None:
    """Removes temporary files that a killed build left in a tree."""
    for path in _files(directory):
        if path.name.endswith(TEMPORARY_SUFFIX):
            with contextlib.suppress(OSError):
                path.unlink()


def _files(directory: str) -> Iterator[Path]:
    for parent, _, names in os.walk(directory):
        for name in names:
            yield Path(parent, name)
