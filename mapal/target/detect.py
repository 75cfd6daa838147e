"""Detection of the machine that runs Mapal, and whether it can run what a profile describes.

The processor's name and extensions come from LLVM, so that code generation and tiling agree;
caches come from the operating system; what no system tells comes from a table of processors.
What is not known is left out of the profile, and every consumer of the fact declines.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mapal.target.caches import Caches, apple_caches, read_caches
from mapal.target.cores import throughput
from mapal.target.library import host_architecture
from mapal.target.profile import NATIVE, TargetProfile, canonical_architecture

_CPU_ROOT = Path("/sys/devices/system/cpu")


@dataclass(frozen=True, slots=True)
class Detection:
    """The profile of a machine, and for its facts where they come from or why they are not
    there. Keys of `notes` are names of facts, those of a cache without unit."""

    profile: TargetProfile
    notes: Mapping[str, str]


def detect_host() -> TargetProfile:
    """The profile of this machine, named `native`."""
    return detect().profile


def detect() -> Detection:
    """The profile of this machine, with the origin of its facts."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    return native_detection(
        cpu=str(llvm.get_host_cpu_name()),
        features={str(name): bool(present) for name, present in features.items()},
        triple=str(llvm.get_process_triple()),
        caches=_caches(),
    )


def native_profile(
    *, cpu: str, features: Mapping[str, bool], triple: str, caches: Caches
) -> TargetProfile:
    """The profile that follows from what was read. Extensions that the processor lacks are
    listed with a minus, since the processor's name would otherwise bring them back."""
    return native_detection(cpu=cpu, features=features, triple=triple, caches=caches).profile


def native_detection(
    *, cpu: str, features: Mapping[str, bool], triple: str, caches: Caches
) -> Detection:
    """The same with notes."""
    architecture = canonical_architecture(triple.split("-")[0])
    vector_bytes, vector_registers, fused = _vector_unit(architecture, features)
    known = throughput(cpu)
    profile = TargetProfile(
        name=NATIVE,
        summary="this machine, as detected",
        triple=triple,
        cpu=cpu,
        features=tuple(
            f"{'+' if present else '-'}{name}" for name, present in sorted(features.items())
        ),
        vector_bytes=vector_bytes,
        vector_registers=vector_registers,
        fused_multiply_add=fused,
        fused_per_cycle=None if known is None or not fused else known.fused,
        pairs_per_cycle=None if known is None else known.pairs,
        l1d=caches.l1d,
        l2=caches.l2,
        l3=caches.l3,
    )
    unit = "the extensions that LLVM finds" if architecture == "x86_64" else "the architecture"
    table = f"a table of processors, for {cpu}"
    if known is None:
        table = f"unknown: the table of processors has no {cpu}"
    return Detection(
        profile,
        {
            "triple": "LLVM, this process",
            "cpu": "LLVM, this machine",
            "vector_bytes": unit,
            "vector_registers": unit,
            "fused_multiply_add": unit,
            "fused_per_cycle": table,
            "pairs_per_cycle": table,
            **caches.notes,
        },
    )


def _vector_unit(architecture: str, features: Mapping[str, bool]) -> tuple[int, int, bool]:
    """Bytes of a vector register, number of them, and whether there is a fused multiply-add."""
    if architecture == "aarch64":
        return 16, 32, True
    fused = features.get("fma", False)
    if features.get("avx512f", False) and features.get("avx512vl", False):
        return 64, 32, fused
    if features.get("avx2", False):
        return 32, 16, fused
    return 16, 16, fused


def why_not_executable(profile: TargetProfile, host: TargetProfile) -> str | None:
    """Why this machine, detected as `host`, cannot run code for `profile`; None if it can."""
    if profile.is_gpu:
        return "linking and running GPU targets comes later"
    if profile.architecture != host.architecture:
        return f"it needs a processor of {profile.architecture}; this one is {host.architecture}"
    if profile.operating_system != host.operating_system:
        return f"it needs {profile.operating_system}; this is {host.operating_system}"
    present = {feature[1:] for feature in host.features if feature.startswith("+")}
    needed = [feature[1:] for feature in profile.features if feature.startswith("+")]
    missing = [feature for feature in needed if feature not in present]
    if missing:
        return f"this processor lacks {', '.join(missing)}"
    return None


def host_identity() -> str:
    """Text that changes when the processor, its extensions or its caches change: the key under
    which a detected profile may be kept. Reads files only; starts and imports nothing heavy."""
    parts = [sys.platform, host_architecture()]
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            first_processor = file.read(16_384).split("\n\n", 1)[0]
        parts += sorted(
            line
            for line in first_processor.splitlines()
            if line.split("\t")[0].strip() in _IDENTIFYING
        )
    except OSError:
        parts.append(_sysctl("machdep.cpu.brand_string") or "")
    parts.append(repr(_caches()))
    return "\n".join(parts)


_IDENTIFYING = ("vendor_id", "model", "model name", "stepping", "flags", "Features", "CPU part")


def _caches() -> Caches:
    if sys.platform == "darwin":
        return apple_caches(_sysctl)
    return read_caches(_CPU_ROOT)


def _sysctl(key: str) -> str | None:
    try:
        result = subprocess.run(
            ["sysctl", "-n", key], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout.strip() if result.returncode == 0 else None
