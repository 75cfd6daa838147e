"""Worker processes: values and exceptions travel, a death is one exception, nothing hangs."""

from __future__ import annotations

import io
import os
import pickle
import threading
from collections.abc import Iterator

import pytest

from mapal.diagnostics import CompilerBug, Unsupported, UserError
from mapal.native.worker_main import answer, serve
from mapal.native.workers import (
    HEADER,
    WorkerCrashed,
    WorkerPool,
    qualified_name,
    shared_pool,
)


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool()
    yield pool
    pool.close()


def test_values_travel_and_the_child_is_kept(pool: WorkerPool) -> None:
    first = pool.call("os:getpid")
    assert first != os.getpid()
    assert pool.call("os:getpid") == first
    data = os.urandom(3 << 20)
    assert pool.call("builtins:bytes", data) == data


def test_exceptions_of_ours_travel_and_others_are_bugs(pool: WorkerPool) -> None:
    with pytest.raises(UserError, match="unknown target"):
        pool.call("mapal.target.library:load_profile", "zzz")
    with pytest.raises(CompilerBug, match="ValueError"):
        pool.call("builtins:int", "x")
    with pytest.raises(CompilerBug, match="SystemExit"):
        pool.call("sys:exit", 3)
    assert pool.call("builtins:int", "7") == 7


def test_a_death_fails_its_own_call_only(pool: WorkerPool) -> None:
    victim = pool.call("os:getpid")
    with pytest.raises(WorkerCrashed, match="killed by SIGABRT"):
        pool.call("os:abort")
    assert pool.call("os:getpid") != victim
    with pytest.raises(WorkerCrashed, match="ended with status 7"):
        pool.call("os:_exit", 7)


def test_the_last_words_of_a_child_are_kept(pool: WorkerPool) -> None:
    with pytest.raises(WorkerCrashed, match="Fatal Python error"):
        pool.call("faulthandler:_fatal_error_c_thread")
    pool.call("os:write", 2, b"earlier words\n")
    with pytest.raises(WorkerCrashed) as caught:
        pool.call("os:kill", pool.call("os:getpid"), 9)
    assert caught.value.ending == "killed by SIGKILL"
    assert caught.value.output == ""


def test_output_of_a_library_does_not_damage_a_reply(pool: WorkerPool) -> None:
    assert pool.call("os:write", 1, b"noise") == 5
    assert pool.call("builtins:print", "noise") is None
    assert pool.call("builtins:len", "abc") == 3


def test_a_call_that_does_not_end_is_stopped(pool: WorkerPool) -> None:
    with pytest.raises(WorkerCrashed, match=r"did not finish within 0\.2 s"):
        pool.call("signal:pause", limit_seconds=0.2)


def test_threads_get_children_of_their_own(pool: WorkerPool) -> None:
    barrier = threading.Barrier(2)
    found: list[int] = []

    def ask() -> None:
        barrier.wait()
        found.append(pool.call("os:getpid"))
        barrier.wait()
        found.append(pool.call("os:getpid"))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4


def test_a_forked_copy_leaves_the_children_alone(pool: WorkerPool) -> None:
    child = pool.call("os:getpid")
    pool._owner = -1
    assert pool.call("os:getpid") != child
    os.waitpid(child, 0)
    other = pool.call("os:getpid")
    pool._owner = -1
    pool.close()
    os.waitpid(other, 0)


def test_the_shared_pool_is_one() -> None:
    assert shared_pool() is shared_pool()
    assert qualified_name(shared_pool) == "mapal.native.workers:shared_pool"


def test_answers_sort_what_happened() -> None:
    assert answer("builtins:len", ("ab",)) == ("value", 2)
    kind, value = answer("mapal.target.library:load_profile", ("zzz",))
    assert (kind, type(value)) == ("exception", UserError)
    assert answer("tests_absent:x", ())[0] == "bug"
    assert answer("threading:Lock", ())[0] == "bug"
    assert "Unsupported" not in str(answer("builtins:len", (1,))[1])
    assert pickle.loads(pickle.dumps(Unsupported("r"))).reason == "r"


def test_the_loop_ends_with_the_stream() -> None:
    body = pickle.dumps(("builtins:len", ("abc",)))
    replies = io.BytesIO()
    serve(io.BytesIO(HEADER.pack(len(body)) + body), replies)
    data = replies.getvalue()
    assert pickle.loads(data[HEADER.size :]) == ("value", 3)
    for broken in (b"", b"abc", HEADER.pack(100) + b"short"):
        replies = io.BytesIO()
        serve(io.BytesIO(broken), replies)
        assert replies.getvalue() == b""
