"""Worker processes that compute for the build and may die without taking it down.

A fatal error inside LLVM ends the process it happens in, so LLVM, and everything else that is
slow or risky, runs in children that we start and talk to over pipes. A child that dies is one
exception for the one call that it served; the next call starts a new child. Each call has a
time limit, so nothing waits for ever. Threads may call at once: each gets its own child.

Children are plain `python -c` processes, so no start method of `multiprocessing` matters, and
they end by themselves when the parent is gone.
"""

from __future__ import annotations

import atexit
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import IO, Any

from mapal.diagnostics import CompilerBug

HEADER = struct.Struct("<Q")
_DEFAULT_LIMIT_SECONDS = 1800.0
_PROGRAM = "from mapal.native.worker_main import main; main()"


class WorkerCrashed(Exception):  # noqa: N818  (names what happened to the worker)
    """The child died or ran out of time during a call. `ending` says how, `output` is the end
    of what it wrote to stderr."""

    def __init__(self, ending: str, output: str) -> None:
        super().__init__(f"{ending}: {output}" if output else ending)
        self.ending = ending
        self.output = output


class _Worker:
    """One child. Not for use by two threads at once."""

    def __init__(self) -> None:
        # A file, not a pipe: nobody drains it while the child runs.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the worker)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests: IO[bytes] = self._process.stdin
        self._replies: IO[bytes] = self._process.stdout

    def call(self, function: str, arguments: tuple[Any, ...], limit_seconds: float) -> Any:
        request = pickle.dumps((function, arguments), protocol=5)
        output_start = self._errors.seek(0, os.SEEK_END)
        deadline = time.monotonic() + limit_seconds
        try:
            self._requests.write(HEADER.pack(len(request)))
            self._send(request)
            (size,) = HEADER.unpack(self._receive(HEADER.size, deadline))
            reply = pickle.loads(self._receive(size, deadline))
        except (EOFError, BrokenPipeError):
            raise WorkerCrashed(self._ending(), self._output_from(output_start)) from None
        except TimeoutError:
            raise WorkerCrashed(
                f"did not finish within {limit_seconds:g} s", self._output_from(output_start)
            ) from None
        kind, value = reply
        if kind == "value":
            return value
        if kind == "exception":
            raise value
        raise CompilerBug(f"worker: {value}")

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._requests.write(view) :]

    def _receive(self, size: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < size:
            remaining = deadline - time.monotonic()
            if remaining <= 0 or not select.select([self._replies], [], [], remaining)[0]:
                raise TimeoutError
            block = self._replies.read(min(size - len(data), 1 << 20))
            if not block:
                raise EOFError
            data += block
        return bytes(data)

    def _ending(self) -> str:
        status = self._process.wait()
        if status < 0:
            return f"killed by {signal.Signals(-status).name}"
        return f"ended with status {status}"

    def _output_from(self, start: int) -> str:
        end = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(start, end - 4000))
        return self._errors.read().decode("utf-8", "replace").strip()

    def close(self) -> None:
        """Ends the child and waits for it."""
        self._process.kill()
        self._process.wait()
        self.abandon()

    def abandon(self) -> None:
        """Lets go of the child without ending it, in a copy of the process that started it."""
        self._requests.close()
        self._replies.close()
        self._errors.close()
        if self._process.returncode is None:
            self._process.returncode = 0


class WorkerPool:
    """Children for as many calls as run at once; idle ones wait for the next call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._owner = os.getpid()

    def call(
        self, function: str, *arguments: Any, limit_seconds: float = _DEFAULT_LIMIT_SECONDS
    ) -> Any:
        """The value of `function` (`package.module:name`) for `arguments`, computed in a child.
        Arguments, value and exceptions travel by pickle. Raises what the function raises, and
        `WorkerCrashed` if the child dies or the limit passes."""
        worker = self._take()
        try:
            value = worker.call(function, arguments, limit_seconds)
        except WorkerCrashed:
            worker.close()
            raise
        except Exception:
            self._give(worker)
            raise
        except BaseException:
            worker.close()
            raise
        self._give(worker)
        return value

    def _take(self) -> _Worker:
        with self._lock:
            if self._owner != os.getpid():
                # A forked copy of the parent must not talk to the parent's children.
                self._abandon_all()
            if self._idle:
                return self._idle.pop()
        return _Worker()

    def _give(self, worker: _Worker) -> None:
        with self._lock:
            self._idle.append(worker)

    def close(self) -> None:
        """Ends the idle children."""
        with self._lock:
            if self._owner != os.getpid():
                self._abandon_all()
            workers, self._idle = self._idle, []
        for worker in workers:
            worker.close()

    def _abandon_all(self) -> None:
        for worker in self._idle:
            worker.abandon()
        self._idle, self._owner = [], os.getpid()


_shared: WorkerPool | None = None
_shared_lock = threading.Lock()


def shared_pool() -> WorkerPool:
    """The pool of this process; its children end with the process."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = WorkerPool()
            atexit.register(_shared.close)
        return _shared


def qualified_name(function: Callable[..., Any]) -> str:
    """The name under which `WorkerPool.call` finds a module-level function."""
    return f"{function.__module__}:{function.__qualname__}"
