"""Room on the call stack, for several users at once."""

import sys
import threading

import pytest

from mapal.syntax import recursion_room


def descend(frames: int) -> None:
    if frames:
        descend(frames - 1)


def test_room_is_given_and_taken_back() -> None:
    limit = sys.getrecursionlimit()
    with pytest.raises(RecursionError):
        descend(limit)
    with recursion_room(limit + 100):
        descend(limit)
    assert sys.getrecursionlimit() == limit


def test_a_limit_that_suffices_stays() -> None:
    limit = sys.getrecursionlimit()
    with recursion_room(1):
        assert sys.getrecursionlimit() == limit


def test_room_is_taken_back_after_an_error() -> None:
    limit = sys.getrecursionlimit()
    with pytest.raises(ValueError, match="inside"), recursion_room(limit):
        raise ValueError("inside")
    assert sys.getrecursionlimit() == limit


def test_the_last_user_restores_the_limit() -> None:
    limit = sys.getrecursionlimit()
    inside, leave = threading.Event(), threading.Event()

    def use() -> None:
        with recursion_room(5 * limit):
            inside.set()
            leave.wait()

    thread = threading.Thread(target=use)
    thread.start()
    inside.wait()
    with recursion_room(2 * limit):
        descend(limit)
    assert sys.getrecursionlimit() >= 5 * limit
    leave.set()
    thread.join()
    assert sys.getrecursionlimit() == limit
