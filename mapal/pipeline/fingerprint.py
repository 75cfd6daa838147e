"""The identity of a computation: everything that its outputs may depend on.

Two computations with one fingerprint give the same bytes, wherever and whenever they happen, so
the shared cache may answer one with the result of the other. A fingerprint covers the stage, the
digest of its code, its options, its tools, the content of its inputs by role, and this
surrounding: the interpreter that runs it, the system, and for steps that ask for it more.
Paths and names of tasks do not count.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mapal.pipeline.records import Record
    from mapal.pipeline.step import Step

_SYSTEM = "system"


def fingerprint(record: Record, step: Step) -> str:
    """The fingerprint of the run of a step that begins this record, in hexadecimal."""
    roles = {role: record["inputs"][label] for role, label in step.inputs}
    identity = [
        step.stage,
        record["code"],
        record["options"],
        record["tools"],
        roles,
        surrounding_of(step.surrounding),
    ]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def surrounding_of(names: Iterable[str]) -> dict[str, str]:
    """The system, and what else of this machine is named."""
    surrounding = {_SYSTEM: _system()}
    surrounding.update({name: SURROUNDINGS[name]() for name in names if name != _SYSTEM})
    return surrounding


@functools.cache
def _system() -> str:
    """Interpreter, operating system, architecture and C library."""
    import platform

    parts = [sys.implementation.name, platform.python_version(), sys.platform]
    return " ".join([*parts, platform.machine(), *platform.libc_ver()])


@functools.cache
def _processor() -> str:
    """Changes with the processor, its extensions and its caches."""
    from mapal.target.detect import host_identity

    return host_identity()


@functools.cache
def _packages() -> str:
    """The version of every package that is installed."""
    import importlib.metadata

    found = {f"{one.name}=={one.version}" for one in importlib.metadata.distributions()}
    return hashlib.sha256("\n".join(sorted(found)).encode()).hexdigest()


SURROUNDINGS: dict[str, Callable[[], str]] = {"processor": _processor, "packages": _packages}
"""What a step may ask to have counted besides: it starts what was built, or foreign Python."""
