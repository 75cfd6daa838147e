"""One build at a time in a directory: the second one says that it waits.

The lock belongs to the open file, so it ends with the process however that ends.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Sequence

from mapal.pipeline import progress

_NAME = "lock"


class BuildLock:
    """The locks of some directories, taken together in a fixed order."""

    def __init__(self, directories: Sequence[str], say: Callable[[str], None] | None = None):
        self._directories = sorted(set(directories))
        self._say = say or progress.say
        self._descriptors: list[int] = []

    @property
    def held(self) -> bool:
        return bool(self._descriptors)

    def acquire(self) -> None:
        """Waits for every lock. Where a directory cannot be written, nobody else can build in
        it either, and there is nothing to lock."""
        if self.held:
            return
        for directory in self._directories:
            descriptor = self._lock(directory)
            if descriptor is not None:
                self._descriptors.append(descriptor)

    def _lock(self, directory: str) -> int | None:
        while (descriptor := _open(directory)) is not None:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._say(f"mapal: waiting for another build in {directory} to end")
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_current(descriptor, directory):
                return descriptor
            # The directory was deleted meanwhile; a lock on the old file excludes nobody.
            os.close(descriptor)
        return None

    def release(self) -> None:
        """Gives the locks back."""
        while self._descriptors:
            os.close(self._descriptors.pop())


def _open(directory: str) -> int | None:
    try:
        os.makedirs(directory, exist_ok=True)
        return os.open(os.path.join(directory, _NAME), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError:
        return None


def _is_current(descriptor: int, directory: str) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(os.path.join(directory, _NAME)))
    except OSError:
        return False
