"""Entries as files of a directory that any number of processes use at once.

An entry is one file that is written elsewhere in the directory and renamed into place, so it is
there completely or not at all, whenever a process dies. Nothing is flushed to the device: after
a power failure an entry may be damaged, which its hash tells the reader. Readers and writers
need no lock. A temporary file is locked by its writer as long as that lives, so whoever cleans up
can tell the files of the dead, without clocks.

The files' modification times are the times of last use; the longest unused go first when the
whole grows beyond its limit.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import shutil
import stat
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_ENTRIES = "entries"
_TEMPORARY = "temporary"
_STATISTICS = "statistics.json"
_LOCK = "lock"
_KEY_CHARACTERS = frozenset("0123456789abcdef")
# Below the limit, so that not every further entry has others removed.
_TRIMMED_TO = 0.9
_LOOKS_PER_LIMIT = 16
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class Census:
    """What a store holds."""

    entries: int
    bytes: int


class LocalStore:
    """The store in a directory, which is made when it is first written to. Safe for use by
    several threads and processes."""

    def __init__(self, directory: str, limit_bytes: int) -> None:
        self.directory = directory
        self.limit_bytes = limit_bytes
        self._entries = os.path.join(directory, _ENTRIES)
        self._temporary = os.path.join(directory, _TEMPORARY)
        self._growth_lock = threading.Lock()
        self._total: int | None = None
        self._unseen = 0

    def path(self, key: str) -> str:
        """The file of an entry."""
        return os.path.join(self._entries, key[:2], key)

    def read(self, key: str, *, mark_used: bool = True) -> bytes | None:
        """The bytes under a key, unchecked; None if there are none, and none at all (which no
        entry is) for what is no file. Raises `OSError` for a file that cannot be read."""
        path = self.path(key)
        try:
            data = _content(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if mark_used:
            with contextlib.suppress(OSError):
                os.utime(path)
        return data

    def write(self, key: str, data: bytes) -> int:
        """Makes `data` the bytes under a key, unless they alone exceed the limit (see `takes`);
        gives the number of entries that had to go for it. Raises `OSError`."""
        if not self.takes(data):
            return 0
        try:
            self._place(key, data)
        except FileNotFoundError:
            # Somebody cleaned up between two steps of it, which does not happen twice.
            self._place(key, data)
        return self._grown_by(len(data))

    def takes(self, data: bytes) -> bool:
        """Whether an entry of this size may be kept at all."""
        return len(data) <= self.limit_bytes

    def _place(self, key: str, data: bytes) -> None:
        path = self.path(key)
        os.makedirs(self._temporary, exist_ok=True)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        temporary = os.path.join(self._temporary, os.urandom(16).hex())
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        finally:
            os.close(descriptor)

    def drop(self, key: str) -> bool:
        """Removes an entry, whatever lies in its place, and tells whether it is gone. One that
        cannot be removed stays, and is found damaged again."""
        try:
            self._remove(key)
        except OSError:
            return False
        return True

    def _remove(self, key: str) -> None:
        path = self.path(key)
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        except OSError:
            # The systems do not agree on the error for a directory.
            if not os.path.isdir(path):
                raise
            shutil.rmtree(path)

    def keys(self) -> list[str]:
        """The keys of all entries, sorted."""
        return sorted(key for key, _ in self._files())

    def census(self) -> Census:
        sizes = [status.st_size for _, status in self._files()]
        return Census(len(sizes), sum(sizes))

    def _grown_by(self, size: int) -> int:
        """Notes that the store grew, and trims it when it may have reached its limit. What other
        processes add is seen when the store is looked at again."""
        with self._growth_lock:
            self._unseen += size
            if self._total is not None:
                self._total += size
                if (
                    self._total <= self.limit_bytes
                    and self._unseen < self.limit_bytes // _LOOKS_PER_LIMIT
                ):
                    return 0
            self._unseen = 0
            removed, self._total = self._trim()
            return removed

    def _trim(self) -> tuple[int, int]:
        """Removes the longest unused entries if there are more bytes than allowed. The number of
        those removed, and the bytes that are left."""
        found = [(status.st_mtime_ns, key, status.st_size) for key, status in self._files()]
        total = sum(size for _, _, size in found)
        if total <= self.limit_bytes:
            return 0, total
        self.sweep()
        removed = 0
        for _, key, size in sorted(found):
            if total <= self.limit_bytes * _TRIMMED_TO:
                break
            self.drop(key)
            total -= size
            removed += 1
        return removed, total

    def clear(self) -> Census:
        """Removes every entry and the statistics, and tells what that was. Only what is named
        like an entry is touched. Raises `OSError` if one cannot be removed."""
        entries = size = 0
        for key, status in self._files():
            self._remove(key)
            entries += 1
            size += status.st_size
        self.sweep()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.directory, _STATISTICS))
        with self._growth_lock:
            self._total = None
        return Census(entries, size)

    def sweep(self) -> int:
        """Removes temporary files whose writers are dead, and tells how many there were."""
        removed = 0
        for name in _names(self._temporary):
            path = os.path.join(self._temporary, name)
            try:
                descriptor = os.open(path, _READ)
            except OSError:
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)
                removed += 1
            except OSError:
                # Its writer lives, or has just renamed it.
                continue
            finally:
                os.close(descriptor)
        return removed

    def statistics(self) -> dict[str, int]:
        """The counters that `add_statistics` has summed up; empty if there are none."""
        try:
            counters = json.loads(_content(os.path.join(self.directory, _STATISTICS)))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(counters, dict):
            return {}
        return {str(name): count for name, count in counters.items() if isinstance(count, int)}

    def add_statistics(self, counters: Mapping[str, int]) -> None:
        """Adds to the counters. Where the directory cannot be written they are lost."""
        with contextlib.suppress(OSError):
            os.makedirs(self.directory, exist_ok=True)
            lock = os.path.join(self.directory, _LOCK)
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                self._write_statistics(counters)
            finally:
                os.close(descriptor)

    def _write_statistics(self, counters: Mapping[str, int]) -> None:
        known = self.statistics()
        summed = {name: known.get(name, 0) + count for name, count in counters.items()}
        path = os.path.join(self.directory, _STATISTICS)
        # The lock is held, so the name is nobody else's; a killed writer's rest is overwritten.
        with open(f"{path}.new", "w", encoding="ascii") as file:
            json.dump({**known, **summed}, file, sort_keys=True)
        os.replace(f"{path}.new", path)

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Every entry with its status."""
        for prefix in _names(self._entries):
            directory = os.path.join(self._entries, prefix)
            if not os.path.isdir(directory):
                continue
            for name in _names(directory):
                if name[:2] == prefix and len(name) == 64 and _KEY_CHARACTERS.issuperset(name):
                    with contextlib.suppress(OSError):
                        yield name, os.lstat(os.path.join(directory, name))


def _names(directory: str) -> list[str]:
    """What is in a directory; nothing if there is none. Raises `OSError` if it cannot be read."""
    try:
        return os.listdir(directory)
    except FileNotFoundError:
        return []


def _content(path: str) -> bytes:
    """The bytes of a file; none for what is no file, such as a pipe, at which a reader would wait
    for ever. Raises `OSError`."""
    try:
        descriptor = os.open(path, _READ)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            return b""
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)
