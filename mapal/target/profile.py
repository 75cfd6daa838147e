"""Target profiles: what is known about a machine, and the choices made for it.

A profile is a file `targets/NAME.yaml` or the one that `mapal.target.detect` writes for the
host. Facts (with their unit in the key) stand apart from policy, the numbers one may tune.
Every value may change speed and never output; there is no field for the arithmetic mode.
The data layout is LLVM's business and follows from the triple.

`targets/README.md` describes the fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mapal.target.tiles import NO_TILES, Tiles, tiles_of

NATIVE = "native"
"""The name of the profile that is detected instead of read from `targets/`."""

ARCHITECTURES = ("x86_64", "aarch64")
PROFILE_NAME = re.compile(r"[A-Za-z0-9_-]+\Z")
"""What a profile may be called: its name becomes part of paths and task names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheGeometry:
    """A set-associative cache of one core."""

    bytes: int
    line_bytes: int
    sets: int

    @property
    def ways(self) -> int:
        return self.bytes // (self.line_bytes * self.sets)


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedCache:
    """One instance of a cache and the number of physical cores that share it. Lines and ways
    are None where they are not known."""

    bytes: int
    cores: int
    line_bytes: int | None = None
    ways: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Tuning choices, apart from facts. `tiles` are the numbers of kernels that are not left to
    formulas.

    The others are numbers of scalar operations, estimated by `mapal.analysis.work`: from
    `parallel_operations` on, work is cut for threads; a slice has at least `slice_operations`, and
    a thread is woken for each `thread_operations`."""

    parallel_operations: int = 1 << 19
    slice_operations: int = 1 << 16
    thread_operations: int = 1 << 18
    tiles: Tiles = NO_TILES


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """The accelerator of a GPU profile."""

    triple: str
    cpu: str
    features: tuple[str, ...]
    warp_threads: int
    threads_per_block: int
    shared_memory_bytes_per_block: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetProfile:
    """A target machine. `features` are LLVM feature names with `+` or `-`: all instruction set
    extensions that generated code may use. Caches are None where nothing reliable is known, and
    so are the numbers of instructions on full vectors that a core starts per cycle: fused
    multiply-adds, pairs of a separate product and sum; and the gigabytes per second that one
    core moves from memory. `device` is None on a processor; on a GPU profile the other fields
    describe the host processor."""

    name: str
    summary: str
    triple: str
    cpu: str
    features: tuple[str, ...]
    vector_bytes: int
    vector_registers: int
    fused_multiply_add: bool
    l1d: CacheGeometry | None = None
    l2: SharedCache | None = None
    l3: SharedCache | None = None
    fused_per_cycle: int | None = None
    pairs_per_cycle: int | None = None
    memory_gigabytes_per_second: int | None = None
    policy: Policy = Policy()
    device: Device | None = None

    @property
    def is_gpu(self) -> bool:
        return self.device is not None

    @property
    def tiles(self) -> Tiles:
        """The numbers of kernels that are fixed: `policy.tiles`."""
        return self.policy.tiles

    @property
    def architecture(self) -> str:
        """`x86_64` or `aarch64`, whatever the triple calls it."""
        return canonical_architecture(self.triple.split("-")[0])

    @property
    def operating_system(self) -> str:
        """`linux` or `macos`."""
        return "macos" if "apple" in self.triple or "darwin" in self.triple else "linux"

    @property
    def feature_string(self) -> str:
        """The features as LLVM takes them."""
        return ",".join(self.features)

    def to_yaml(self, notes: Mapping[str, str] | None = None) -> str:
        """The canonical text of a processor profile; `mapal.target.schema` reads it back.
        `notes` become comments: those named as a line of the text, or as the start of one,
        stand behind it, the others of facts at the end of the facts."""
        notes = notes or {}
        lines = [f"name: {self.name}", f"summary: {_quoted(self.summary)}"]
        lines += [_noted("triple", self.triple, notes), _noted("cpu", _quoted(self.cpu), notes)]
        lines += ["features:", *(f"  - {_quoted(feature)}" for feature in self.features)]
        if not self.features:
            lines[-1] = "features: []"
        facts = self._facts()
        lines += ["facts:", *(f"  {_noted(key, value, notes)}" for key, value in facts)]
        said = {name for name in notes for key, _ in facts if key.startswith(name)}
        lines += [f"  # {name}: {notes[name]}" for name in notes if name in _LEFT_OUT - said]
        policy = self.policy
        lines += [
            "policy:",
            f"  parallel_operations: {policy.parallel_operations}",
            f"  slice_operations: {policy.slice_operations}",
            f"  thread_operations: {policy.thread_operations}",
        ]
        if policy.tiles.entries:
            lines += ["  tiles:", *policy.tiles.to_yaml("    ")]
        return "\n".join(lines) + "\n"

    def _facts(self) -> list[tuple[str, str]]:
        facts = [
            ("vector_bytes", str(self.vector_bytes)),
            ("vector_registers", str(self.vector_registers)),
            ("fused_multiply_add", "true" if self.fused_multiply_add else "false"),
        ]
        numbers: list[tuple[str, int | None]] = [
            ("fused_per_cycle", self.fused_per_cycle),
            ("pairs_per_cycle", self.pairs_per_cycle),
        ]
        if self.l1d is not None:
            numbers += [
                ("l1d_bytes", self.l1d.bytes),
                ("l1d_line_bytes", self.l1d.line_bytes),
                ("l1d_sets", self.l1d.sets),
            ]
        for name, cache in (("l2", self.l2), ("l3", self.l3)):
            if cache is not None:
                numbers += [
                    (f"{name}_bytes", cache.bytes),
                    (f"{name}_cores", cache.cores),
                    (f"{name}_line_bytes", cache.line_bytes),
                    (f"{name}_ways", cache.ways),
                ]
        numbers.append(("memory_gigabytes_per_second", self.memory_gigabytes_per_second))
        return facts + [(key, str(number)) for key, number in numbers if number is not None]


_LEFT_OUT = frozenset({"fused_per_cycle", "pairs_per_cycle", "l1d", "l2", "l3"})
"""Facts that may be left out: a note about one that is says why."""


def _noted(key: str, value: str, notes: Mapping[str, str]) -> str:
    note = notes.get(key) or next(
        (notes[name] for name in notes if key.startswith(f"{name}_")), None
    )
    return f"{key}: {value}" if note is None else f"{key}: {value}  # {note}"


def profile_from(data: Mapping[str, Any]) -> TargetProfile:
    """The profile that `dataclasses.asdict` took apart, from values as JSON has them."""
    fields = dict(data)
    fields["features"] = tuple(fields["features"])
    entries = {kernel: dict(numbers) for kernel, numbers in fields["policy"]["tiles"]["entries"]}
    fields["policy"] = Policy(**{**fields["policy"], "tiles": tiles_of(entries)})
    kinds = {"l1d": CacheGeometry, "l2": SharedCache, "l3": SharedCache}
    for name, kind in kinds.items():
        if fields[name] is not None:
            fields[name] = kind(**fields[name])
    if fields["device"] is not None:
        device = {**fields["device"], "features": tuple(fields["device"]["features"])}
        fields["device"] = Device(**device)
    return TargetProfile(**fields)


def canonical_architecture(machine: str) -> str:
    """The LLVM name of an architecture that the system calls `machine`."""
    return {"arm64": "aarch64", "amd64": "x86_64", "AMD64": "x86_64"}.get(machine, machine)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
