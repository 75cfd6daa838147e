"""The door to LLVM: its calls run in worker processes, so that its crash is our exception.

Imports nothing of LLVM itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mapal.native.workers import WorkerCrashed, WorkerPool, shared_pool
from mapal.target import TargetProfile

if TYPE_CHECKING:
    from mapal.native.llvm import ObjectArtifact

__all__ = ["WorkerCrashed", "compile_device", "compile_module", "compile_object"]


def compile_module(
    ll: str, profile: TargetProfile, opt: int, *, pool: WorkerPool | None = None
) -> ObjectArtifact:
    """`mapal.native.llvm.compile_module` in a worker. Also raises `WorkerCrashed`."""
    artifact: ObjectArtifact = (pool or shared_pool()).call(
        "mapal.native.llvm:compile_module", ll, profile, opt
    )
    return artifact


def compile_object(
    ll: str, profile: TargetProfile, opt: int, *, pool: WorkerPool | None = None
) -> bytes:
    """`mapal.native.llvm.compile_object` in a worker. Also raises `WorkerCrashed`."""
    compiled: bytes = (pool or shared_pool()).call(
        "mapal.native.llvm:compile_object", ll, profile, opt
    )
    return compiled


def compile_device(
    device_ll: str, profile: TargetProfile, opt: int = 3, *, pool: WorkerPool | None = None
) -> str:
    """`mapal.native.llvm.compile_device` in a worker. Also raises `WorkerCrashed`."""
    ptx: str = (pool or shared_pool()).call(
        "mapal.native.llvm:compile_device", device_ll, profile, opt
    )
    return ptx
