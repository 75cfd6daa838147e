"""Detection of the machine that runs Mapal, and whether it can run what a profile describes.

The processor's name and extensions come from LLVM, so that code generation and tiling agree;
cache geometry comes from the operating system and is checked, since virtual machines report
zeros and contradictions: what does not add up is left out of the profile, and every consumer
of the fact declines.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from mapal.target.library import host_architecture
from mapal.target.profile import (
    NATIVE,
    CacheGeometry,
    SharedCache,
    TargetProfile,
    canonical_architecture,
)

_CPU_ROOT = Path("/sys/devices/system/cpu")
_PAGE_BYTES_KEY = "hw.pagesize"


def detect_host() -> TargetProfile:
    """The profile of this machine, named `native`."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    l1d, l2 = _caches()
    return native_profile(
        cpu=str(llvm.get_host_cpu_name()),
        features={str(name): bool(present) for name, present in features.items()},
        triple=str(llvm.get_process_triple()),
        l1d=l1d,
        l2=l2,
    )


def native_profile(
    *,
    cpu: str,
    features: Mapping[str, bool],
    triple: str,
    l1d: CacheGeometry | None,
    l2: SharedCache | None,
) -> TargetProfile:
    """The profile that follows from what was read. Extensions that the processor lacks are
    listed with a minus, since the processor's name would otherwise bring them back."""
    architecture = canonical_architecture(triple.split("-")[0])
    vector_bytes, vector_registers, fused = _vector_unit(architecture, features)
    return TargetProfile(
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
        l1d=l1d,
        l2=l2,
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
    parts.append(repr(read_caches(_CPU_ROOT)))
    return "\n".join(parts)


_IDENTIFYING = ("vendor_id", "model", "model name", "stepping", "flags", "Features", "CPU part")


def _caches() -> tuple[CacheGeometry | None, SharedCache | None]:
    if sys.platform == "darwin":
        return apple_caches(_sysctl)
    return read_caches(_CPU_ROOT)


def read_caches(root: Path) -> tuple[CacheGeometry | None, SharedCache | None]:
    """First-level data cache and second-level cache of a fastest core, from a Linux `sysfs`
    tree whose `cpu*` directories lie in `root`."""
    core = _fastest_core(root)
    if core is None:
        return None, None
    l1d: CacheGeometry | None = None
    l2: SharedCache | None = None
    for index in sorted(_glob(core / "cache", "index[0-9]*")):
        level, kind = _word(index / "level"), _word(index / "type")
        if level == "1" and kind == "Data":
            l1d = _geometry(index)
        elif level == "2" and kind in ("Unified", "Data"):
            size = _geometry(index)
            sharing = _list_count(index / "shared_cpu_list")
            siblings = _list_count(core / "topology" / "thread_siblings_list")
            if size is not None and sharing and siblings and sharing % siblings == 0:
                l2 = SharedCache(bytes=size.bytes, cores=sharing // siblings)
    return l1d, l2


def _fastest_core(root: Path) -> Path | None:
    """The first core of the class with the greatest capacity or, failing that, clock rate."""
    found = [path for path in _glob(root, "cpu[0-9]*") if path.name[3:].isdecimal()]
    cores = sorted(found, key=lambda path: int(path.name[3:]))
    if not cores:
        return None

    def speed(core: Path) -> tuple[int, int]:
        capacity = _positive(core / "cpu_capacity") or 0
        return capacity, _positive(core / "cpufreq" / "cpuinfo_max_freq") or 0

    return max(cores, key=speed)


def _geometry(index: Path) -> CacheGeometry | None:
    """The geometry in one `cache/index*` directory, or None where it does not add up."""
    size = _size(index / "size")
    line = _positive(index / "coherency_line_size")
    sets = _positive(index / "number_of_sets")
    ways = _positive(index / "ways_of_associativity")
    if not (size and line and sets and ways) or sets * ways * line != size:
        return None
    if not 1024 <= size <= 1 << 30 or not 16 <= line <= 1024:
        return None
    return CacheGeometry(bytes=size, line_bytes=line, sets=sets)


def apple_caches(
    read: Callable[[str], str | None],
) -> tuple[CacheGeometry | None, SharedCache | None]:
    """The caches of a performance core of an Apple processor. `read` gives the text of a
    `sysctl` key or None. Sets are not readable there; a page holds one line of each set."""

    def number(key: str) -> int | None:
        text = read(key)
        return int(text) if text is not None and text.isdecimal() and int(text) > 0 else None

    l1d: CacheGeometry | None = None
    size, line = number("hw.perflevel0.l1dcachesize"), number("hw.cachelinesize")
    page = number(_PAGE_BYTES_KEY)
    if size and line and page and page % line == 0 and size % page == 0:
        l1d = CacheGeometry(bytes=size, line_bytes=line, sets=page // line)
    l2_bytes, cores = number("hw.perflevel0.l2cachesize"), number("hw.perflevel0.cpusperl2")
    l2 = SharedCache(bytes=l2_bytes, cores=cores) if l2_bytes and cores else None
    return l1d, l2


def _sysctl(key: str) -> str | None:
    try:
        result = subprocess.run(
            ["sysctl", "-n", key], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout.strip() if result.returncode == 0 else None


def _glob(directory: Path, pattern: str) -> Iterable[Path]:
    try:
        return list(directory.glob(pattern))
    except OSError:
        return []


def _word(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _positive(path: Path) -> int | None:
    text = _word(path)
    return int(text) if text is not None and text.isdecimal() and int(text) > 0 else None


def _size(path: Path) -> int | None:
    """A size as the kernel writes it: `48K`, `1M` or plain bytes."""
    text = _word(path)
    if not text:
        return None
    factor = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1], 1)
    digits = text[:-1] if factor > 1 else text
    return int(digits) * factor if digits.isdecimal() and int(digits) > 0 else None


def _list_count(path: Path) -> int | None:
    """How many processors a list like `0-3,8-11` names."""
    text = _word(path)
    if not text:
        return None
    count = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or (last and not last.isdecimal()):
            return None
        width = int(last or first) - int(first) + 1
        if width < 1:
            return None
        count += width
    return count
