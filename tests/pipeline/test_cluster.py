"""Builds on a Dask cluster: a real scheduler and two worker processes on the loopback device."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mapal.diagnostics import UserError
from mapal.native.workers import WorkerCrashed
from mapal.pipeline.cluster import Cluster, Needs, Request, scheduler_address
from mapal.pipeline.cluster_worker import perform, unfit
from mapal.pipeline.fingerprint import surrounding_of
from mapal.pipeline.source_digest import SourceDigests
from tests.pipeline.conftest import write_project
from tests.pipeline.directories import ProjectDirectory

PACKAGE = str(Path(__file__).parents[2] / "mapal")
STAGE = "mapal.pipeline.stages.lower"


class Process:
    """A process of the cluster, whose standard error says when it is ready."""

    def __init__(self, module: str, *arguments: str, ready: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        self.found = ""
        for line in self.process.stderr:
            match = re.search(ready, line)
            if match is not None:
                self.found = match[1]
                break

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()


class LocalCluster:
    """A scheduler and two workers of one thread each."""

    def __init__(self, directory: Path) -> None:
        self.scheduler = Process(
            "distributed.cli.dask_scheduler",
            "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-jupyter",
            ready=r"Scheduler at:\s+tcp://(\S+)",
        )  # fmt: skip
        assert self.scheduler.found
        self.executor = f"executor=dask://{self.scheduler.found}"
        self.workers = [
            Process(
                "distributed.cli.dask_worker",
                f"tcp://{self.scheduler.found}",
                "--no-nanny", "--nthreads", "1", "--no-dashboard", "--memory-limit", "0",
                "--local-directory", str(directory / str(number)),
                ready=r"Registered to:\s+tcp://(\S+)",
            )
            for number in range(2)
        ]  # fmt: skip
        assert all(worker.found for worker in self.workers)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    """A cluster of two workers."""
    started = LocalCluster(tmp_path / "workers")
    yield started
    started.close()


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The artifacts of a build on this machine alone."""
    directory = write_project(tmp_path_factory.mktemp("clean") / "demo", lambda: ("", ""))
    assert directory.doit_process("build").status == 0
    return directory.artifacts()


def test_a_build_survives_the_death_of_a_worker_and_equals_a_local_one(
    project: ProjectDirectory, clean: dict[str, bytes], cluster: LocalCluster
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "doit", "-n", "4", "build", cluster.executor],
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "parse:" in line:
            cluster.workers[0].kill()
            break
    printed, errors = process.communicate()
    assert process.returncode == 0, errors
    assert errors == ""
    assert printed.splitlines()[-2:] == ["demo/hello generic equal", "demo/scale generic equal"]
    assert project.artifacts() == clean
    again = project.doit_process("build")
    assert again.out.startswith("tasks: 22 up to date\n"), "where work was done is no input"

    # The worker that is left reports errors of programs as this machine would.
    project.edit("src/hello.mapal", "1 + 2", "1 + zz")
    there = project.doit_process("build", cluster.executor)
    here = project.doit_process("build")
    assert there.status == here.status != 0
    assert there.err == here.err
    assert "error[L" in there.err

    cluster.scheduler.kill()
    project.edit("src/hello.mapal", "1 + zz", "1 + 6")
    gone = project.doit_process("build", cluster.executor)
    assert gone.status != 0
    assert "parse:hello: no Dask scheduler answers at tcp://127.0.0.1:" in gone.err


def test_what_the_cluster_logs_is_not_said() -> None:
    """Losing a worker is a warning of a logger that has a level of its own."""
    with pytest.raises(UserError, match="no Dask scheduler answers"):
        Cluster("tcp://127.0.0.1:1").call(Request(needs(), "os:getpid", ()))
    for name in ("distributed", "distributed.client", "distributed.comm"):
        assert not logging.getLogger(name).isEnabledFor(logging.ERROR)


@pytest.mark.parametrize("executor", ["dask://h", "dask://h:99999", "tcp://h:1", "dask://h:1/x"])
def test_other_executors_are_errors(executor: str, project: ProjectDirectory) -> None:
    with pytest.raises(UserError, match="expected dask://HOST:PORT"):
        scheduler_address(executor)
    result = project.doit_process("build", f"executor={executor}")
    assert result.status == 3
    assert f"executor is '{executor}'; expected dask://HOST:PORT" in result.err
    assert scheduler_address("dask://[::1]:80") == "tcp://[::1]:80"


def needs() -> Needs:
    code = SourceDigests(PACKAGE, {}).of((STAGE,))
    return Needs((STAGE,), code, {}, surrounding_of(("processor",)))


def test_a_worker_helps_only_a_build_like_itself() -> None:
    fit = needs()
    assert unfit(fit) is None
    assert unfit(replace(fit, code="0")) == "it runs another version of Mapal"
    other = unfit(replace(fit, tools={"numpy": "0.1"}))
    assert other is not None
    assert re.fullmatch(r"its numpy is [0-9.]+, that of the build is 0[.]1", other)
    missing = unfit(replace(fit, tools={"no-such-tool": "1"}))
    assert missing == "its no-such-tool is missing, that of the build is 1"
    system = unfit(replace(fit, surrounding={**fit.surrounding, "system": "cpython 2"}))
    assert system is not None
    assert system.startswith("its system differs (")
    kind, reason, worker = perform(Request(replace(fit, code="0"), "os:getpid", ()))
    assert (kind, reason) == ("unfit", "it runs another version of Mapal")
    assert worker.endswith(f":{os.getpid()}")


def test_what_a_worker_gives_back() -> None:
    assert perform(Request(needs(), "operator:add", (1, 2)))[:2] == ("value", 3)
    request = Request(needs(), "mapal.pipeline.cluster:scheduler_address", ("nowhere",))
    kind, error, _ = perform(request)
    assert (kind, type(error)) == ("exception", UserError)
    kind, ending, _ = perform(Request(needs(), "os:_exit", (7,)))
    assert (kind, ending[0]) == ("crashed", "ended with status 7")


class Future:
    """An answer of a cluster, or what it raises."""

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)

    def result(self, timeout: float) -> object:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Client:
    """A client of a cluster that answers as it is told."""

    def __init__(self, future: Future, workers: int = 1) -> None:
        self._future = future
        self._workers = workers

    def submit(self, *arguments: object, pure: bool) -> Future:
        return self._future

    def scheduler_info(self) -> dict[str, list[int]]:
        return {"workers": [0] * self._workers}

    def close(self, timeout: float) -> None:
        pass


def cluster_of(client: Client) -> Cluster:
    cluster = Cluster("tcp://h:1")
    cluster._client = client
    return cluster


def test_answers_of_workers_become_what_they_were() -> None:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    last_worker: Any = SimpleNamespace(address="tcp://h:2")

    def asked(*answers: object, workers: int = 1) -> object:
        cluster = cluster_of(Client(Future(*answers), workers))
        return cluster.call(Request(needs(), "os:getpid", ()))

    assert asked(TimeoutError(), ("value", 5, "w")) == 5
    with pytest.raises(ZeroDivisionError):
        asked(("exception", ZeroDivisionError(), "w"))
    with pytest.raises(WorkerCrashed, match="died: words"):
        asked(("crashed", ("died", "words"), "w"))
    with pytest.raises(UserError, match="worker w of the cluster cannot help: too old"):
        asked(("unfit", "too old", "w"))
    with pytest.raises(WorkerCrashed, match="ended every worker"):
        asked(KilledWorker("task", last_worker, 3))
    with pytest.raises(UserError, match="has no workers"):
        asked(TimeoutError(), workers=0)
    with pytest.raises(UserError, match="went away"):
        asked(CancelledError())


def test_a_cluster_that_is_away_is_asked_once() -> None:
    cluster = cluster_of(Client(Future(OSError("no route"))))
    for _ in range(2):
        with pytest.raises(UserError, match="went away: no route"):
            cluster.call(Request(needs(), "os:getpid", ()))
    cluster.close()
    cluster.close()
