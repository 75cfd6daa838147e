"""A real WebDAV server on the loopback, which can be told to misbehave."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from cheroot.wsgi import Server

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class WebDav:
    """A running server. `manner` is how it answers: `well`, `silent` (not at all, until it is
    closed), `corrupt` (each answer to GET with one byte changed), `read-only` or `broken`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.manner = "well"
        self.requests: list[tuple[str, str]] = []
        self._closing = threading.Event()
        # By name, since the package does not describe its types.
        self._application: Application = import_module("wsgidav.wsgidav_app").WsgiDAVApp(
            {
                "provider_mapping": {"/": str(directory)},
                "simple_dc": {"user_mapping": {"*": True}},
                "logging": {"enable": False, "enable_loggers": []},
                "verbose": 0,
                "property_manager": False,
                "lock_storage": True,
            }
        )
        self._server = Server(("127.0.0.1", 0), self._answer, numthreads=4)
        self._server.prepare()
        self._thread = threading.Thread(target=self._server.serve)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"webdav://127.0.0.1:{self._server.bind_addr[1]}/results"

    def files(self) -> list[Path]:
        """The entries that the server holds."""
        return sorted(path for path in self.directory.rglob("*") if path.is_file())

    def close(self) -> None:
        """Ends the server; who still waits for an answer gets none."""
        self._closing.set()
        self._server.stop()
        self._thread.join()

    def _answer(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        self.requests.append((method, environ["PATH_INFO"]))
        if self.manner == "silent":
            self._closing.wait()
        if self.manner == "broken" or (
            self.manner == "read-only" and method in ("PUT", "MKCOL", "DELETE", "MOVE")
        ):
            status = "500 Internal Server Error" if self.manner == "broken" else "403 Forbidden"
            start_response(status, [("Content-Length", "0")])
            return [b""]
        if self.manner == "corrupt" and method == "GET":
            body = bytearray(b"".join(self._application(environ, start_response)))
            body[len(body) // 2] ^= 1
            return [bytes(body)]
        return self._application(environ, start_response)


@contextmanager
def webdav(directory: Path) -> Iterator[WebDav]:
    """A server over a directory, ended with the block."""
    directory.mkdir(parents=True, exist_ok=True)
    server = WebDav(directory)
    try:
        yield server
    finally:
        server.close()
