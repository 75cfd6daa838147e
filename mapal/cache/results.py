"""The cache as a build sees it: results by fingerprint, from here or from afar.

A cache is never needed. Whatever is wrong with it (damaged, read-only, full, away) is said once
in one line, counted, and the build goes on without.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mapal.cache.settings import Settings, read_settings

if TYPE_CHECKING:
    from mapal.cache.entry import Entry
    from mapal.cache.remote import RemoteStore
    from mapal.cache.store import LocalStore

COUNTERS = ("hits", "remote_hits", "misses", "stored", "damaged", "evicted")
"""What is counted: results found here, found afar, not found; entries written, found damaged and
dropped, removed to make room."""


class ResultCache:
    """Results in a local store, and in a remote one if there is one. Safe for use by several
    threads. `say` gets lines that a person should see. Nothing is looked for, imported or opened
    before the first result is asked for."""

    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        self._settings = settings
        self._say = say
        self._lock = threading.Lock()
        self._opened: tuple[LocalStore, RemoteStore | None] | None = None
        self._said: set[str] = set()
        self.counters = dict.fromkeys(COUNTERS, 0)

    def get(self, key: str) -> Entry | None:
        """The result with this fingerprint, every byte of it verified, or None."""
        entry = self._local(key)
        if entry is not None:
            self._count("hits")
            return entry
        entry = self._fetched(key)
        self._count("remote_hits" if entry is not None else "misses")
        return entry

    def put(self, key: str, entry: Entry) -> None:
        """Keeps a result."""
        from mapal.cache.entry import encode

        data = encode(key, entry)
        self._write(key, data)
        _, remote = self._stores()
        if remote is not None:
            remote.write(key, data)

    def close(self) -> None:
        """Adds what was counted to the store's statistics and ends connections."""
        with self._lock:
            counters, self.counters = self.counters, dict.fromkeys(COUNTERS, 0)
            opened = self._opened
        if opened is not None and opened[1] is not None:
            opened[1].close()
        if any(counters.values()):
            self._stores()[0].add_statistics(counters)

    def _stores(self) -> tuple[LocalStore, RemoteStore | None]:
        with self._lock:
            if self._opened is None:
                from mapal.cache.store import LocalStore

                store = LocalStore(self._settings.place(), self._settings.limit_bytes)
                self._opened = store, _remote(self._settings, self._say)
            return self._opened

    def _local(self, key: str) -> Entry | None:
        from mapal.cache.entry import Damaged, decode

        store, _ = self._stores()
        try:
            data = store.read(key)
            return decode(key, data) if data is not None else None
        except Damaged:
            self._count("damaged")
            store.drop(key)
        except OSError as error:
            self._say_once("read", f"{_named(error)} cannot be read: {error.strerror}")
        return None

    def _fetched(self, key: str) -> Entry | None:
        _, remote = self._stores()
        data = remote.read(key) if remote is not None else None
        if remote is None or data is None:
            return None
        from mapal.cache.entry import Damaged, decode

        try:
            entry = decode(key, data)
        except Damaged:
            self._count("damaged")
            line = f"the remote cache {remote.shown} gave damaged bytes, which were not used"
            self._say_once("remote", line)
            return None
        self._write(key, data)
        return entry

    def _write(self, key: str, data: bytes) -> None:
        store, _ = self._stores()
        if not store.takes(data):
            return
        try:
            self._count("evicted", store.write(key, data))
            self._count("stored")
        except OSError as error:
            self._say_once("write", f"results are not kept: {_named(error)}: {error.strerror}")

    def _count(self, name: str, number: int = 1) -> None:
        with self._lock:
            self.counters[name] += number

    def _say_once(self, kind: str, line: str) -> None:
        with self._lock:
            if kind in self._said:
                return
            self._said.add(kind)
        self._say(f"cache: {line}")


def open_cache(environment: Mapping[str, str], say: Callable[[str], None]) -> ResultCache | None:
    """The cache that these environment variables describe; None if it is off. Raises
    `UserError`."""
    settings = read_settings(environment)
    return ResultCache(settings, say) if settings.enabled else None


def _remote(settings: Settings, say: Callable[[str], None]) -> RemoteStore | None:
    if settings.remote is None:
        return None
    from mapal.cache.remote import RemoteStore

    return RemoteStore(settings, say)


def _named(error: OSError) -> str:
    return str(error.filename or "the cache")
