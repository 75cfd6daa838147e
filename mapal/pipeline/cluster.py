"""Work on a Dask cluster that is already there: `executor=dask://HOST:PORT`.

Stages that are functions of bytes, and runs of executables for the differential check, go to the
workers; what needs the C toolchain or the project's own files stays here, and so do all decisions,
records and the shared cache. A worker only works for a build of exactly its own Mapal, tools and
system, so results are the same wherever they come from. When a worker dies the scheduler gives
its work to another one.

A cluster runs code of whoever may connect to it: use one that is closed to others.
"""

from __future__ import annotations

import logging
import re
import threading
from dataclasses import dataclass
from typing import Any

from mapal.diagnostics import UserError
from mapal.native.workers import WorkerCrashed

_ADDRESS = re.compile(r"dask://([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:]+\]):([0-9]{1,5})")
_CONNECT_SECONDS = 10
_LOOK_SECONDS = 5
_MOST_LOOKS_WITHOUT_WORKERS = 12


@dataclass(frozen=True, slots=True)
class Needs:
    """What a worker has to have to give the results that this machine would: the digest of the
    code behind `modules`, versions of tools, and the surrounding of computations by name."""

    modules: tuple[str, ...]
    code: str
    tools: dict[str, str]
    surrounding: dict[str, str]


@dataclass(frozen=True, slots=True)
class Request:
    """A call of `function` (`package.module:name`) on a worker."""

    needs: Needs
    function: str
    arguments: tuple[Any, ...]


def scheduler_address(executor: str) -> str:
    """The address in an `executor=`, as Dask wants it. Raises `UserError`."""
    match = _ADDRESS.fullmatch(executor)
    if match is None or int(match[2]) > 65535:
        raise UserError(f"executor is {executor!r}; expected dask://HOST:PORT")
    return f"tcp://{match[1]}:{match[2]}"


class Cluster:
    """The cluster of a build. Nothing is imported and nobody is called before the first request;
    several threads may make requests at once."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._client: Any = None
        self._problem: UserError | None = None

    def call(self, request: Request) -> Any:
        """The value of a call on some worker, or the exception that it ended with. Raises
        `UserError` for a cluster that is away, without workers, or of another build of Mapal,
        `WorkerCrashed` for work that brings its process down."""
        from mapal.pipeline.cluster_worker import perform

        client = self._connected()
        try:
            future = client.submit(perform, request, pure=False)
            kind, value, worker = self._awaited(client, future)
        except (OSError, RuntimeError) as error:
            raise self._failed(f"the cluster at {self._address} went away: {error}") from None
        if kind == "value":
            return value
        if kind == "crashed":
            raise WorkerCrashed(*value)
        if kind == "unfit":
            raise UserError(f"worker {worker} of the cluster cannot help: {value}")
        raise value

    def _awaited(self, client: Any, future: Any) -> Any:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        looks = 0
        while True:
            try:
                return future.result(timeout=_LOOK_SECONDS)
            except TimeoutError:
                looks = 0 if client.scheduler_info()["workers"] else looks + 1
                if looks >= _MOST_LOOKS_WITHOUT_WORKERS:
                    raise self._failed(f"the cluster at {self._address} has no workers") from None
            except KilledWorker:
                raise WorkerCrashed("ended every worker that it was given to", "") from None
            except CancelledError:
                raise self._failed(f"the cluster at {self._address} went away") from None

    def _connected(self) -> Any:
        with self._lock:
            if self._problem is not None:
                raise self._problem
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> Any:
        try:
            import dask
            import distributed
        except ImportError:
            raise self._failed(
                "executor= needs the package distributed: pip install 'mapal[dask]'"
            ) from None
        _silence("distributed")
        # Inputs of stages are whole files; that they are large is no news.
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})
        try:
            connect: Any = distributed.Client
            return connect(self._address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except OSError:
            raise self._failed(f"no Dask scheduler answers at {self._address}") from None

    def _failed(self, problem: str) -> UserError:
        """The error, which every later request gets at once."""
        self._problem = UserError(problem, 1)
        return self._problem

    def close(self) -> None:
        """Leaves the cluster; it goes on without us."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close(timeout=_CONNECT_SECONDS)


def _silence(package: str) -> None:
    """Lets no logger of a package speak: what matters is said by us. Some have levels of their own,
    which count more than the level of the package's."""
    known = list(logging.root.manager.loggerDict)  # other threads may add some
    names = [name for name in known if name.startswith(f"{package}.")]
    for name in (package, *names):
        logging.getLogger(name).setLevel(logging.CRITICAL)
