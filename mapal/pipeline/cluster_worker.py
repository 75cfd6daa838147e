"""What a worker of a cluster does for a build: check that it is fit, and work in a child process,
so that work that brings its process down is one failed task there as here."""

from __future__ import annotations

import os
import threading
from typing import Any

import mapal
from mapal.native.toolchain import find_compiler
from mapal.native.workers import WorkerCrashed, shared_pool
from mapal.pipeline.cluster import Needs, Request
from mapal.pipeline.fingerprint import surrounding_of
from mapal.pipeline.source_digest import SourceDigests
from mapal.pipeline.tools import Tools

_lock = threading.Lock()
_digests = SourceDigests(os.path.dirname(mapal.__file__), {})
_tools = Tools(find_compiler, lambda line: None)


def perform(request: Request) -> tuple[str, Any, str]:
    """`value` or `exception` and it, `crashed` and how, `unfit` and why; and who worked."""
    worker = f"{os.uname().nodename}:{os.getpid()}"
    with _lock:
        reason = unfit(request.needs)
    if reason is not None:
        return "unfit", reason, worker
    try:
        return "value", shared_pool().call(request.function, *request.arguments), worker
    except WorkerCrashed as crash:
        return "crashed", (crash.ending, crash.output), worker
    except Exception as error:
        return "exception", error, worker


def unfit(needs: Needs) -> str | None:
    """Why results from this process need not be those of the build; None if they are."""
    if _digests.of(needs.modules) != needs.code:
        return "it runs another version of Mapal"
    tools = _tools.versions(needs.tools)
    for name, version in needs.tools.items():
        if tools[name] != version:
            return f"its {name} is {tools[name] or 'missing'}, that of the build is {version}"
    for name, value in surrounding_of(needs.surrounding).items():
        if value != needs.surrounding[name]:
            return f"its {name} differs ({value}, that of the build is {needs.surrounding[name]})"
    return None
