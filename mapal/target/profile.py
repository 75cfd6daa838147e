"""Target profiles: what is known about a machine, and the choices made for it.

A profile is a file `targets/NAME.yaml` or the one that `mapal.target.detect` writes for the
host. Facts (with their unit in the key) stand apart from policy, the numbers one may tune.
Every value may change speed and never output; there is no field for the arithmetic mode.
The data layout is LLVM's business and follows from the triple.

`targets/README.md` describes the fields.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
    """One instance of a cache and the number of physical cores that share it."""

    bytes: int
    cores: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Tuning choices. `accumulator_vectors_per_row` is the number of vector registers of one
    accumulator row of a register tile, `column_tiles_per_block` the number of such tiles in a
    packed column block, `arena_minimum_bytes` the size from which a block comes from the
    arena instead of the stack."""

    accumulator_vectors_per_row: int = 4
    column_tiles_per_block: int = 32
    arena_minimum_bytes: int = 262_144


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
    extensions that generated code may use. `l1d` and `l2` are None where nothing reliable is
    known. `device` is None on a processor; on a GPU profile the other fields describe the
    host processor."""

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
    policy: Policy = Policy()
    device: Device | None = None

    @property
    def is_gpu(self) -> bool:
        return self.device is not None

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

    def to_yaml(self) -> str:
        """The canonical text of a processor profile; `mapal.target.schema` reads it back."""
        lines = [f"name: {self.name}", f"summary: {_quoted(self.summary)}"]
        lines += [f"triple: {self.triple}", f"cpu: {_quoted(self.cpu)}"]
        lines += ["features:", *(f"  - {_quoted(feature)}" for feature in self.features)]
        if not self.features:
            lines[-1] = "features: []"
        lines += ["facts:", *(f"  {key}: {value}" for key, value in self._facts())]
        policy = self.policy
        lines += [
            "policy:",
            f"  accumulator_vectors_per_row: {policy.accumulator_vectors_per_row}",
            f"  column_tiles_per_block: {policy.column_tiles_per_block}",
            f"  arena_minimum_bytes: {policy.arena_minimum_bytes}",
        ]
        return "\n".join(lines) + "\n"

    def _facts(self) -> list[tuple[str, str]]:
        facts = [
            ("vector_bytes", str(self.vector_bytes)),
            ("vector_registers", str(self.vector_registers)),
            ("fused_multiply_add", "true" if self.fused_multiply_add else "false"),
        ]
        if self.l1d is not None:
            facts += [
                ("l1d_bytes", str(self.l1d.bytes)),
                ("l1d_line_bytes", str(self.l1d.line_bytes)),
                ("l1d_sets", str(self.l1d.sets)),
            ]
        if self.l2 is not None:
            facts += [("l2_bytes", str(self.l2.bytes)), ("l2_cores", str(self.l2.cores))]
        return facts


def canonical_architecture(machine: str) -> str:
    """The LLVM name of an architecture that the system calls `machine`."""
    return {"arm64": "aarch64", "amd64": "x86_64", "AMD64": "x86_64"}.get(machine, machine)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
