"""The loop of a worker process: read a call, compute, answer, until the parent is gone.

Requests come on the standard input and replies go to a duplicate of the standard output;
whatever a library prints itself goes to the standard error, so it cannot damage a reply.
"""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import sys
import traceback
from typing import IO, Any

from mapal.diagnostics import CompilerBug, Unsupported, UserError
from mapal.native.workers import HEADER


def main() -> None:
    """Serve until the parent closes the pipe."""
    # An interrupt from the terminal reaches the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        serve(requests, replies)
    except BrokenPipeError:
        # The parent is gone; nobody wants the answer, nor a message about it.
        os._exit(1)


def serve(requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer every request up to the end of the stream."""
    while header := requests.read(HEADER.size):
        if len(header) < HEADER.size:
            return
        (size,) = HEADER.unpack(header)
        body = requests.read(size)
        if len(body) < size:
            return
        reply = pickle.dumps(answer(*pickle.loads(body)), protocol=5)
        replies.write(HEADER.pack(len(reply)))
        replies.write(reply)
        replies.flush()


def answer(function: str, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    """`("value", …)`, `("exception", …)` for what the caller is meant to catch, or `("bug", …)`
    with a traceback for everything else."""
    try:
        module, _, name = function.partition(":")
        value: Any = importlib.import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
        result = value(*arguments)
        pickle.dumps(result, protocol=5)
    except (UserError, Unsupported, CompilerBug) as error:
        if isinstance(error, CompilerBug):
            return "bug", traceback.format_exc().rstrip()
        return "exception", error
    except (Exception, SystemExit):
        return "bug", traceback.format_exc().rstrip()
    return "value", result
