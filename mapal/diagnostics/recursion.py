"""Room on Python's call stack for recursion over the structure of a program.

The nesting of a program is bounded, so the frames that a recursive function needs are bounded
too; but the interpreter's default limit counts the caller's frames as well and is too low for
the deepest legal program.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_users = 0
_limit_before = 0


@contextmanager
def recursion_room(frames: int) -> Iterator[None]:
    """Make sure that `frames` more calls can nest below the caller.

    The limit belongs to the whole process: it is raised as far as any user in any thread
    needs, and put back when the last of them is done.
    """
    global _users, _limit_before
    needed = _depth() + frames
    with _lock:
        if _users == 0:
            _limit_before = sys.getrecursionlimit()
        _users += 1
        if sys.getrecursionlimit() < needed:
            sys.setrecursionlimit(needed)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                sys.setrecursionlimit(_limit_before)


def _depth() -> int:
    depth = 0
    frame = sys._getframe()
    while True:
        caller = frame.f_back
        if caller is None:
            return depth
        frame = caller
        depth += 1
