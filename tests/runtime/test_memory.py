"""The arena: alignment, separation, marks, reuse, threads, exhaustion."""

import pytest

from tests.runtime.native_build import Driver, RuntimeBuild


@pytest.fixture(scope="module")
def memory(runtime_build: RuntimeBuild) -> Driver:
    return runtime_build.driver("memory")


@pytest.mark.parametrize("scene", ["alignment", "separation", "reuse", "small-chunks", "threads"])
def test_scene(memory: Driver, scene: str) -> None:
    run = memory.run(scene)
    assert (run.status, run.output, run.errors) == (0, b"", "")


@pytest.mark.parametrize(("scene", "requests"), [("bounded", 6), ("growth", 7)])
def test_few_requests_to_the_system(memory: Driver, scene: str, requests: int) -> None:
    run = memory.run(scene, fault=f"aligned_alloc={requests + 1}")
    assert (run.status, run.errors) == (0, "")


def test_exhaustion_is_reported_after_what_was_printed(memory: Driver) -> None:
    run = memory.run("exhaust", fault="aligned_alloc=3" if memory.sanitized else None)
    assert run.status == 1
    assert run.output == b"42\n"
    assert run.errors == "mapal: out of memory: cannot allocate 16777216 bytes\n"


@pytest.mark.parametrize(
    ("bytes_wanted", "alignment"), [("9223372036854775807", "1"), ("1", str(2**62))]
)
def test_impossible_requests(memory: Driver, bytes_wanted: str, alignment: str) -> None:
    run = memory.run("request", bytes_wanted, alignment, fault="aligned_alloc=1")
    assert run.status == 1
    assert run.output == b"printed before\n"
    assert run.errors == f"mapal: out of memory: cannot allocate {bytes_wanted} bytes\n"


@pytest.mark.parametrize(("bytes_wanted", "alignment"), [("-1", "8"), ("8", "0"), ("8", "24")])
def test_wrong_requests_are_bugs(memory: Driver, bytes_wanted: str, alignment: str) -> None:
    run = memory.run("request", bytes_wanted, alignment)
    assert run.status == -6
    assert run.errors == (
        f"mapal: internal error: arena request of {bytes_wanted} bytes aligned to {alignment}\n"
    )


def test_foreign_mark_is_a_bug(memory: Driver) -> None:
    run = memory.run("foreign-mark")
    assert run.status == -6
    assert "is not on the stack of marks" in run.errors
