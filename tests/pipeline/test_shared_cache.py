"""Builds that share a cache: second checkouts, damage, concurrency, other machines, paranoia."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mapal.cache import Entry, LocalStore, decode, encode
from mapal.pipeline import action
from tests.cache.server import WebDav, webdav
from tests.pipeline.corruptions import corrupt_builds
from tests.pipeline.directories import ProjectDirectory

# The first task of a stage that is shared by targets; it may be `cached` by the process alone.
STAGES = ("parse", "lower", "check", "rewrite", "oracle", "graph")
TARGET_STAGES = ("emit", "object", "link", "differential")
TASKS = sorted(
    [f"{stage}:{program}" for stage in STAGES for program in ("hello", "scale")]
    + [f"{stage}:generic:{program}" for stage in TARGET_STAGES for program in ("hello", "scale")]
    + ["runtime:generic"]
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalStore:
    """A cache of this test's own that builds use, with a process that remembers nothing."""
    monkeypatch.setenv("MAPAL_CACHE", "on")
    monkeypatch.setenv("MAPAL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(action, "_kept", {})
    return LocalStore(str(tmp_path / "cache"), 1 << 30)


def second(project: ProjectDirectory, name: str = "second") -> ProjectDirectory:
    """Another checkout of the project."""
    path = project.path.parent / name / "elsewhere"
    shutil.copytree(project.path, path, ignore=shutil.ignore_patterns("build"))
    action._kept.clear()
    return ProjectDirectory(path, project._capture)


def actions(project: ProjectDirectory) -> dict[str, list[str]]:
    """The tasks of the last build by what was done."""
    found: dict[str, list[str]] = {}
    for task in json.loads(project.read("build/last-build.json"))["tasks"]:
        found.setdefault(task["action"], []).append(task["name"])
    return {kind: sorted(names) for kind, names in found.items()}


def test_in_a_second_checkout_no_stage_computes(
    project: ProjectDirectory, cache: LocalStore
) -> None:
    assert project.doit("build").status == 0
    assert actions(project) == {"ran": sorted([*TASKS, "manifest"])}
    other = second(project)
    result = other.doit("build")
    assert (result.status, result.err) == (0, "")
    assert actions(other) == {"cached": TASKS, "ran": ["manifest"]}
    assert other.artifacts() == project.artifacts()
    mode = (other.path / "build/link/generic/hello").stat().st_mode
    assert stat.S_IMODE(mode) == 0o755
    other.tasks_run()
    assert other.build() == []
    assert cache.statistics()["hits"] == cache.statistics()["stored"] == len(TASKS)


def test_an_edit_taken_back_and_a_lost_artifact_come_from_the_cache(
    project: ProjectDirectory, cache: LocalStore
) -> None:
    project.build("program=hello")
    project.edit("src/hello.mapal", "1 + 2", "1 + 3")
    project.build("program=hello")
    project.edit("src/hello.mapal", "1 + 3", "1 + 2")
    assert project.doit("build", "program=hello").status == 0
    assert actions(project)["ran"] == ["manifest"]
    (project.path / "build/link/generic/hello").unlink()
    assert project.doit("build", "program=hello").status == 0
    assert actions(project) == {"cached": ["link:generic:hello"]}


def test_failures_are_never_cached(project: ProjectDirectory, cache: LocalStore) -> None:
    # Both leave complete evidence, which must not pass for a result the second time.
    project.edit("mapal.yaml", "targets:", "steps: 3\ntargets:")
    for _ in range(2):
        result = project.doit("build", "program=hello")
        assert result.status != 0
        assert "raise `steps` in mapal.yaml" in result.err
        assert actions(project)["failed"] == ["oracle:hello"]
    project.edit("src/hello.mapal", "1 + 2", "1 + zz")
    for _ in range(2):
        assert "src/hello.mapal:3:9: error[" in project.doit("build", "program=hello").err
        assert actions(project)["failed"] == ["lower:hello"]


def test_damaged_entries_are_computed_again(project: ProjectDirectory, cache: LocalStore) -> None:
    project.build("program=hello")
    for key in cache.keys():  # noqa: SIM118  (a method of ours)
        Path(cache.path(key)).write_bytes(b"")
    other = second(project)
    assert other.doit("build", "program=hello").status == 0
    assert set(actions(other)) == {"ran"}
    assert other.artifacts() == project.artifacts()
    assert cache.statistics()["damaged"] == 11


def test_no_corruption_reaches_an_artifact(tmp_path: Path) -> None:
    counts = corrupt_builds(2, seed=1, directory=tmp_path)
    assert counts["builds"] == 2
    assert counts["corruptions"] == counts["found"] >= 2


def test_entries_of_others_stay_in_their_place(
    project: ProjectDirectory, cache: LocalStore
) -> None:
    project.build("program=scale")
    for key in cache.keys():  # noqa: SIM118  (a method of ours)
        data = cache.read(key)
        assert data is not None
        entry = decode(key, data)
        if entry.stage == "oracle":
            files = {**entry.files, "../../../../evil": b"x"}
            cache.write(key, encode(key, Entry(stage="oracle", files=files)))
        elif entry.stage == "parse":
            cache.write(key, encode(key, Entry(stage="parse", files={"ast": b"x"})))
        elif entry.stage == "lower":
            cache.write(key, encode(key, Entry(stage="check", files=entry.files)))
    other = second(project)
    assert other.doit("build", "program=scale").status == 0
    assert actions(other)["ran"] == ["lower:scale", "manifest", "oracle:scale", "parse:scale"]
    assert not list(project.path.parent.rglob("evil*"))


def test_builds_at_once_share_a_cache(project: ProjectDirectory, cache: LocalStore) -> None:
    checkouts = [second(project, f"checkout-{number}") for number in range(2)]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "doit", "-n", "2", "build"],
            cwd=one.path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for one in checkouts
    ]
    assert [process.communicate()[1] for process in running] == ["", ""]
    assert [process.returncode for process in running] == [0, 0]
    first = checkouts[0].artifacts()
    assert all(one.artifacts() == first for one in checkouts[1:])
    for key in cache.keys():  # noqa: SIM118  (a method of ours)
        data = cache.read(key)
        assert data is not None
        decode(key, data)


def test_another_surrounding_is_another_fingerprint(
    project: ProjectDirectory, cache: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.build("program=hello")
    monkeypatch.setenv("LIBRARY_PATH", "/somewhere")
    other = second(project)
    assert other.doit("build", "program=hello").status == 0
    # The bytes are the same, so what follows is found.
    assert actions(other)["ran"] == ["link:generic:hello", "manifest", "runtime:generic"]
    monkeypatch.setattr("mapal.pipeline.fingerprint.SURROUNDINGS", {"processor": lambda: "other"})
    other = second(project, "third")
    assert other.doit("build", "program=hello").status == 0
    assert actions(other)["ran"] == ["differential:generic:hello", "manifest"]


def test_a_cache_that_cannot_be_written_is_one_line(
    project: ProjectDirectory, cache: LocalStore
) -> None:
    Path(cache.directory).write_text("")
    result = project.doit("build", "program=hello")
    assert result.status == 0
    (line,) = result.err.splitlines()
    assert line.startswith("mapal: cache: results are not kept: ")


def test_a_wrong_setting_is_one_error(
    project: ProjectDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAPAL_CACHE", "of")
    result = project.doit("build")
    assert result.status == 3
    assert result.err == "ERROR: MAPAL_CACHE is 'of'; expected on or off\n"


@pytest.fixture
def server(tmp_path: Path, cache: LocalStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[WebDav]:
    with webdav(tmp_path / "served") as running:
        monkeypatch.setenv("MAPAL_CACHE_REMOTE", running.url)
        yield running


def on_another_machine(
    project: ProjectDirectory, name: str, monkeypatch: pytest.MonkeyPatch
) -> ProjectDirectory:
    """Another checkout, with a local cache of its own."""
    monkeypatch.setenv("MAPAL_CACHE_DIR", str(project.path.parent / f"cache-{name}"))
    return second(project, name)


def test_machines_share_results(
    project: ProjectDirectory, server: WebDav, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert project.doit("build").err == ""
    assert len(server.files()) == len(TASKS)
    other = on_another_machine(project, "other", monkeypatch)
    assert other.doit("build").err == ""
    assert actions(other) == {"cached": TASKS, "ran": ["manifest"]}
    assert other.artifacts() == project.artifacts()
    assert len(server.files()) == len(TASKS)


@pytest.mark.parametrize("manner", ["silent", "corrupt", "read-only", "broken"])
def test_a_build_goes_on_whatever_the_server_does(
    project: ProjectDirectory, server: WebDav, manner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAPAL_CACHE_REMOTE_SECONDS", "0.5")
    if manner == "corrupt":
        assert project.doit("build", "program=hello").err == ""
    server.manner = manner
    other = on_another_machine(project, "other", monkeypatch)
    result = other.doit("build", "program=hello")
    assert result.status == 0
    assert result.out.endswith("demo/hello generic equal\n")
    (line,) = result.err.splitlines()
    assert line.startswith("mapal: cache: ")
    assert server.url in line


def test_paranoid_builds_compute_everything_and_agree(
    project: ProjectDirectory, cache: LocalStore
) -> None:
    project.build("program=hello")
    before = project.artifacts()
    mine = [task for task in TASKS if "scale" not in task]
    assert sorted(project.build("paranoid=1", "program=hello")) == mine
    assert project.artifacts() == before
    assert project.build("paranoid=0", "program=hello") == []
    result = project.doit("build", "paranoid=yes")
    assert (result.status, result.err) == (3, "ERROR: paranoid is 'yes'; expected 0 or 1\n")


def test_a_paranoid_build_finds_an_entry_that_is_wrong(
    project: ProjectDirectory, cache: LocalStore
) -> None:
    project.build("program=hello")
    for key in cache.keys():  # noqa: SIM118  (a method of ours)
        data = cache.read(key)
        assert data is not None
        entry = decode(key, data)
        if entry.stage == "emit":
            files = {role: data.replace(b"define", b"dEfine") for role, data in entry.files.items()}
            cache.write(key, encode(key, Entry(stage="emit", files=files)))
    result = project.doit("build", "program=hello", "paranoid=1")
    assert result.status != 0
    assert result.err.startswith(
        "emit:generic:hello: stage emit does not give again what it gave before: output ll differs "
        "from byte "
    )
    assert "says the shared cache" in result.err


def test_a_paranoid_build_finds_a_stage_that_is_no_function(
    project: ProjectDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.build("program=hello")
    from mapal.native.workers import WorkerPool
    from mapal.pipeline.stages.result import StageResult

    call = WorkerPool.call

    def drifting(pool: WorkerPool, function: str, *arguments: object, **options: float) -> object:
        result = call(pool, function, *arguments, **options)
        if function.endswith(":draw"):
            assert isinstance(result, StageResult)
            return StageResult({role: data + b" " for role, data in result.outputs.items()})
        return result

    before = project.artifacts()
    with monkeypatch.context() as patch:
        patch.setattr(WorkerPool, "call", drifting)
        result = project.doit("build", "program=hello", "paranoid=1")
    assert result.status != 0
    assert "graph:hello: stage graph does not give again what it gave before" in result.err
    assert "says the record of the last build" in result.err
    assert project.artifacts() == before


def test_the_cache_costs_an_idle_build_nothing(project: ProjectDirectory) -> None:
    environment = {**os.environ, "MAPAL_CACHE": "on", "MAPAL_CACHE_DIR": "/nowhere/at/all"}
    environment["MAPAL_CACHE_REMOTE"] = "webdav://127.0.0.1:1/"
    project.build()
    project.write("dodo.py", "from mapal.dodo import *\nimport atexit, sys\n"
                  "atexit.register(lambda: print(sorted(sys.modules)))\n")  # fmt: skip
    result = project.doit_process("build", env=environment)
    assert (result.status, result.err) == (0, "")
    modules = set(result.out.splitlines()[-1].strip("[]").replace("'", "").split(", "))
    assert "mapal.cache.results" in modules
    assert modules & {"mapal.cache.remote", "fsspec", "platformdirs", "webdav4"} == set()
