"""A store that several machines share, reached by URL through fsspec.

Any file system that fsspec knows will do; `webdav://` and `webdavs://` (over TLS) are tested.
Entries travel as they lie on disk and are verified by whoever reads them, so a store that is
wrong costs time only. But who may write to it may put results into the builds of all who read:
give it to people and machines that are trusted.

No build waits for a remote store: every request has a time limit, and after the first one that
fails, or when answers take long on average, the store is left alone until the build is over.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from mapal.cache.settings import Settings

_SLOW_SECONDS = 1.0
"""An average above this, once `_PATIENCE` requests were made, is too slow to be of use."""
_PATIENCE = 8
_clock = time.monotonic
_WEBDAV = {"webdav": "http", "dav": "http", "webdavs": "https", "davs": "https"}


class RemoteStore:
    """Entries below a URL. Safe for use by several threads. No method raises for what is wrong
    with the store: `say` gets one line, and the store counts as empty from then on."""

    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        self.shown = settings.shown_remote()
        self._url = settings.remote or ""
        self._limit = settings.remote_seconds
        self._say = say
        self._lock = threading.Lock()
        self._place: _Place | None = None
        self._in_use = True
        self._takes = True
        self._requests = 0
        self._seconds = 0.0

    def read(self, key: str) -> bytes | None:
        """The bytes under a key, unchecked; None if there are none to be had."""
        if not self._in_use:
            return None
        try:
            data: bytes = self._timed(lambda: self._get(key))
            return data
        except FileNotFoundError:
            return None
        except Exception as error:
            self._leave(_reason(error, self._limit))
            return None

    def write(self, key: str, data: bytes) -> None:
        """Stores bytes under a key. A store that takes none may still be read from."""
        if not self._in_use or not self._takes:
            return
        try:
            self._timed(lambda: self._put(key, data))
        except TimeoutError as error:
            self._leave(_reason(error, self._limit))
        except Exception as error:
            with self._lock:
                takes, self._takes = self._takes, False
            if takes:
                reason = _reason(error, self._limit)
                self._say(f"cache: the remote cache {self.shown} takes no results: {reason}")

    def close(self) -> None:
        """Ends connections; a later request makes new ones."""
        with self._lock:
            place, self._place = self._place, None
        if place is not None:
            place.close()

    def _get(self, key: str) -> bytes:
        place = self._opened()
        data: bytes = place.system.cat_file(place.path(key))
        return data

    def _put(self, key: str, data: bytes) -> None:
        place = self._opened()
        try:
            place.system.pipe_file(place.path(key), data)
        except Exception:
            # Each file system has its own error for a directory that is not there yet.
            place.system.makedirs(place.top, exist_ok=True)
            place.system.pipe_file(place.path(key), data)

    def _opened(self) -> _Place:
        with self._lock:
            if self._place is None:
                self._place = _open(self._url, self._limit)
            return self._place

    def _timed(self, work: Callable[[], Any]) -> Any:
        """What `work` gives, or `TimeoutError`. The work is done in a thread that is left behind
        if it does not end: not every file system can be told a time limit."""
        answer: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()

        def run() -> None:
            try:
                answer.put((work(), None))
            except Exception as error:
                answer.put((None, error))

        start = _clock()
        threading.Thread(target=run, name="mapal-remote-cache", daemon=True).start()
        try:
            value, error = answer.get(timeout=self._limit)
        except queue.Empty:
            raise TimeoutError from None
        finally:
            self._note(_clock() - start)
        if error is not None:
            raise error
        return value

    def _note(self, seconds: float) -> None:
        with self._lock:
            self._requests += 1
            self._seconds += seconds
            average = self._seconds / self._requests
            slow = self._requests >= _PATIENCE and average > _SLOW_SECONDS
        if slow:
            self._leave(f"it needs {average:.1f} s for an answer")

    def _leave(self, reason: str) -> None:
        with self._lock:
            in_use, self._in_use = self._in_use, False
        if in_use:
            self._say(f"cache: going on without the remote cache {self.shown}: {reason}")


@dataclass(frozen=True, slots=True)
class _Place:
    """A directory in a file system of fsspec, and how to let go of it."""

    system: Any
    top: str
    close: Callable[[], None]

    def path(self, key: str) -> str:
        return f"{self.top.rstrip('/')}/{key}" if self.top else key


def _open(url: str, limit_seconds: float) -> _Place:
    """The place of a URL."""
    parts = urlsplit(url)
    if parts.scheme not in _WEBDAV:
        system, path = import_module("fsspec.core").url_to_fs(url, skip_instance_cache=True)
        return _Place(system, str(path), lambda: None)
    account = None
    if parts.username is not None:
        account = (unquote(parts.username), unquote(parts.password or ""))
    host = parts.netloc.rpartition("@")[2]
    # By name, since neither package describes its types.
    system = import_module("webdav4.fsspec").WebdavFileSystem(
        urlunsplit((_WEBDAV[parts.scheme], host, "/", "", "")),
        auth=account,
        timeout=limit_seconds,
        retry=False,
        skip_instance_cache=True,
    )
    return _Place(system, parts.path.strip("/"), system.client.http.close)


def _reason(error: Exception, limit_seconds: float) -> str:
    """What went wrong, in one line."""
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return f"no answer within {limit_seconds:g} s"
    if isinstance(error, ImportError):
        return f"{error}; `pip install 'mapal[remote]'` brings what is needed"
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
