"""Parallel runs against the same plans executed one task after another."""

import os

import pytest

from tests.runtime.native_build import Driver, RuntimeBuild

THREADS = (1, 2, 3, 7, 64)


@pytest.fixture(scope="module")
def runs(runtime_build: RuntimeBuild) -> Driver:
    return runtime_build.driver("runs")


@pytest.fixture(scope="module")
def edges(runtime_build: RuntimeBuild) -> Driver:
    return runtime_build.driver("run_edges")


def with_threads(count: int | str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAPAL_THREADS", str(count))


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("delays", [0, 50])
def test_random_plans(
    runs: Driver, threads: int, delays: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_threads(threads, monkeypatch)
    count = 150 if threads > 7 else 1000
    run = runs.run("stress", "1000", str(count), str(delays))
    assert (run.status, run.errors) == (0, "")
    assert run.output.endswith(f" {threads} lanes\n".encode())
    trapped = int(run.output.split(b" trapped")[0].split()[-1])
    assert count / 5 < trapped < 4 * count / 5


@pytest.mark.parametrize("threads", [3, 7])
def test_no_data_race(
    threads: int, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    driver = RuntimeBuild("threads", tmp_path_factory.mktemp("threads")).driver("runs")
    with_threads(threads, monkeypatch)
    for scene in (["stress", "7000", "1000", "50"], ["hosts", "50", "300"], ["printing", "2000"]):
        run = driver.run(*scene)
        assert (run.status, run.errors) == (0, "")


def test_several_hosts_at_once(runs: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    with_threads(3, monkeypatch)
    run = runs.run("hosts", "1", "500")
    assert (run.status, run.errors, run.output.count(b"500 runs")) == (0, "", 4)


def test_hosts_that_print_at_once_lose_nothing(runs: Driver) -> None:
    run = runs.run("printing", "5000")
    assert (run.status, run.errors) == (0, "")
    text = b"as long as a line should be that never gets torn"
    assert run.output.count(text) == run.output.count(b"\n") == 20_000
    assert len(run.output) == 20_000 * (len(text) + 1)


def test_a_fork_of_a_process_that_has_run(runs: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    with_threads(3, monkeypatch)
    # The parent's threads are not in the child, so their memory looks lost there.
    monkeypatch.setenv("ASAN_OPTIONS", "detect_leaks=0")
    run = runs.run("forks", "1", "300")
    assert (run.status, run.errors, run.output.count(b"300 runs")) == (0, "", 3)


@pytest.mark.parametrize("threads", THREADS)
def test_the_first_element_that_traps_counts(
    edges: Driver, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_threads(threads, monkeypatch)
    run = edges.run("trap-at-exit")
    assert (run.status, run.output) == (101, b"1\n")
    assert run.errors == "mapal trap: div_zero\n  at token 0\n"


def test_a_host_that_waits_helps_with_runs_inside_its_own(
    edges: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_threads(2, monkeypatch)
    run = edges.run("inside")
    assert (run.status, run.errors) == (0, "")


@pytest.mark.parametrize(
    ("promise", "text"),
    [
        ("quantum", "a task has a quantum, pieces, and no negative count"),
        ("backward", "the spine goes forward"),
        ("ahead", "what is awaited lies behind the spine"),
        ("not-host", "only a task of the host is completed by it"),
        ("pending", "predecessors come first, and once"),
    ],
)
def test_broken_promises_are_bugs(edges: Driver, promise: str, text: str) -> None:
    run = edges.run("broken", promise)
    assert run.status == -6
    assert run.errors == f"mapal: internal error: a run that breaks its promise: {text}\n"


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="with one processor there is none to go to",
)
def test_a_worker_leaves_the_processor_of_its_host(
    edges: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_threads(2, monkeypatch)
    run = edges.run("aside", "60")
    assert (run.status, run.errors) == (0, "")
    times, mask = run.output.decode().split()
    # The system may bring a worker back on a machine where others are busy, too.
    assert int(times) < 15
    assert mask == "free"


@pytest.mark.parametrize("text", ["0", "-3", "two", "", "4x"])
def test_an_odd_number_of_threads_means_the_default(
    edges: Driver, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    default = min(len(os.sched_getaffinity(0)), int(edges.run("lanes").output))
    with_threads(text, monkeypatch)
    assert int(edges.run("lanes").output) == default


@pytest.mark.parametrize(
    ("text", "processors"),
    [
        ("max 100000\n", 0),
        ("100000 100000\n", 1),
        ("150000 100000\n", 2),
        ("4800000 100000\n", 48),
        ("1000 100000\n", 1),
        ("-1 100000\n", 0),
        ("100000\n", 0),
        ("100000 0\n", 0),
        ("", 0),
    ],
)
def test_quotas_of_control_groups(edges: Driver, text: str, processors: int) -> None:
    assert int(edges.run("quota", text).output) == processors
