"""Target profiles: what is known about a machine, and the choices made for it.

A profile is a file `targets/NAME.yaml` or the one that `mapal.target.detect` writes for the
host. Facts (with their unit in the key) stand apart from policy, the numbers one may tune.
Every value may change speed and never output; there is no field for the arithmetic mode.
The data layout is LLVM's business and follows from the triple.

`targets/README.md` describes the fields.
"""

from __future__ import annotations

import functools
import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mapal.diagnostics import UserError
from mapal.target.document import Entry, closest, read_document

NATIVE = "native"
"""The name of the profile that is detected instead of read from `targets/`."""

ARCHITECTURES = ("x86_64", "aarch64")
_NAME = re.compile(r"[A-Za-z0-9_-]+\Z")
_FEATURE = re.compile(r"[+-][A-Za-z0-9_.-]+\Z")
_WORD = re.compile(r"[A-Za-z0-9_.-]+\Z")

_TOP_KEYS = ("name", "summary", "triple", "cpu", "features", "facts", "policy")
_GENERIC_KEYS = ("name", "summary", "architectures", "policy")
_GPU_KEYS = ("name", "summary", "host", "device")
_ARCHITECTURE_KEYS = ("triple", "cpu", "features", "facts")


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
        """The canonical text of a processor profile; `parse_profile` reads it back."""
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


def host_architecture() -> str:
    return canonical_architecture(platform.machine())


@functools.cache
def targets_directory() -> Path:
    """Where the shipped profiles lie: in the installed package or at the top of a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data" / "targets"
    return installed if installed.is_dir() else package.parent / "targets"


def list_profiles(directory: Path | None = None) -> tuple[str, ...]:
    """The names of the shipped profiles, sorted; `native` is not among them."""
    directory = directory or targets_directory()
    return tuple(sorted(entry[:-5] for entry in os.listdir(directory) if entry.endswith(".yaml")))


def profile_files(name: str, directory: Path | None = None) -> dict[str, bytes]:
    """The files that define the shipped profile `name`: its own, and its host's on a GPU.
    Raises `UserError` if there is no such profile."""
    directory = directory or targets_directory()
    file = f"{name}.yaml"
    files = {file: _shipped(name, directory)}
    host = host_of(files[file], file)
    if host is not None:
        files[f"{host}.yaml"] = _shipped(host, directory)
    return files


def _shipped(name: str, directory: Path) -> bytes:
    path = directory / f"{name}.yaml"
    if not _NAME.match(name) or not path.is_file():
        names = (*list_profiles(directory), NATIVE)
        raise UserError(
            f"unknown target {name!r}; known are {', '.join(names)}{closest(name, names)}"
        )
    return path.read_bytes()


def host_of(data: bytes, file: str) -> str | None:
    """The host profile that a GPU profile names; None for a processor's."""
    entries = read_document(data, f"targets/{file}").mapping()
    return entries["host"].text() if "host" in entries else None


def load_profile(
    name_or_path: str, *, architecture: str | None = None, directory: Path | None = None
) -> TargetProfile:
    """The profile with this name in `targets/`, or in the file with this path (a name with a
    slash or the suffix `.yaml`), or the detected one for `native`. A profile with a table of
    architectures is taken for `architecture`, by default the host's. Raises `UserError`."""
    architecture = architecture or host_architecture()
    if name_or_path == NATIVE:
        from mapal.target.detect import detect_host

        return detect_host()
    if "/" not in name_or_path and not name_or_path.endswith(".yaml"):
        files = profile_files(name_or_path, directory)
        return parse_profile(files, f"{name_or_path}.yaml", architecture)
    path = Path(name_or_path)
    try:
        files = {path.name: path.read_bytes()}
    except OSError as error:
        raise UserError(f"{name_or_path}: {error.strerror}") from None
    host = host_of(files[path.name], path.name)
    if host is not None:
        files[f"{host}.yaml"] = _shipped(host, directory or targets_directory())
    return parse_profile(files, path.name, architecture)


def parse_profile(files: Mapping[str, bytes], file: str, architecture: str) -> TargetProfile:
    """The profile in `files[file]`; a GPU profile finds its host's file there too.
    Raises `DocumentError` with file, line, key and the closest valid key."""
    root = read_document(files[file], f"targets/{file}")
    given = root.mapping()
    if "device" in given or "host" in given:
        return _gpu_profile(root, files, architecture)
    if "architectures" in given:
        entries = _required(root, _GENERIC_KEYS)
        table = entries["architectures"].mapping(ARCHITECTURES)
        if architecture not in table:
            entries["architectures"].fail(
                f"{_profile_name(entries, file)} has no entry for the architecture {architecture}"
            )
        machine = _required(table[architecture], _ARCHITECTURE_KEYS)
    else:
        entries = machine = _required(root, _TOP_KEYS)
    facts = _facts(machine["facts"])
    return TargetProfile(
        name=_profile_name(entries, file),
        summary=entries["summary"].text(),
        triple=_triple(machine["triple"], ARCHITECTURES),
        cpu=_word(machine["cpu"]),
        features=_features(machine["features"]),
        policy=_policy(entries["policy"]),
        vector_bytes=facts["vector_bytes"],
        vector_registers=facts["vector_registers"],
        fused_multiply_add=bool(facts["fused_multiply_add"]),
        l1d=_l1d(machine["facts"], facts),
        l2=SharedCache(bytes=facts["l2_bytes"], cores=facts["l2_cores"])
        if "l2_bytes" in facts
        else None,
    )


def _gpu_profile(root: Entry, files: Mapping[str, bytes], architecture: str) -> TargetProfile:
    entries = _required(root, _GPU_KEYS)
    host_file = f"{entries['host'].text()}.yaml"
    if host_file not in files:
        entries["host"].fail(f"host profile {host_file[:-5]!r} is not there")
    if host_of(files[host_file], host_file) is not None:
        entries["host"].fail("the host of a GPU profile is the profile of a processor")
    host = parse_profile(files, host_file, architecture)
    device = _required(entries["device"], tuple(_DEVICE_KEYS))
    integers = {key: device[key].integer(*bounds) for key, bounds in _DEVICE_KEYS.items() if bounds}
    return TargetProfile(
        name=_profile_name(entries, root.file.rsplit("/", 1)[-1]),
        summary=entries["summary"].text(),
        triple=host.triple,
        cpu=host.cpu,
        features=host.features,
        vector_bytes=host.vector_bytes,
        vector_registers=host.vector_registers,
        fused_multiply_add=host.fused_multiply_add,
        l1d=host.l1d,
        l2=host.l2,
        policy=host.policy,
        device=Device(
            triple=_triple(device["triple"], ("nvptx64",)),
            cpu=_word(device["cpu"]),
            features=_features(device["features"]),
            warp_threads=integers["warp_threads"],
            threads_per_block=integers["threads_per_block"],
            shared_memory_bytes_per_block=integers["shared_memory_bytes_per_block"],
        ),
    )


_DEVICE_KEYS: dict[str, tuple[int, int] | None] = {
    "triple": None,
    "cpu": None,
    "features": None,
    "warp_threads": (1, 1024),
    "threads_per_block": (1, 65_536),
    "shared_memory_bytes_per_block": (1024, 1 << 24),
}

_FACT_BOUNDS: dict[str, tuple[int, int] | None] = {
    "vector_bytes": (8, 256),
    "vector_registers": (8, 128),
    "fused_multiply_add": None,
    "l1d_bytes": (1024, 1 << 24),
    "l1d_line_bytes": (16, 1024),
    "l1d_sets": (1, 65_536),
    "l2_bytes": (4096, 1 << 32),
    "l2_cores": (1, 4096),
}
_REQUIRED_FACTS = ("vector_bytes", "vector_registers", "fused_multiply_add")

_POLICY_BOUNDS = {
    "accumulator_vectors_per_row": (1, 64),
    "column_tiles_per_block": (1, 4096),
    "arena_minimum_bytes": (0, 1 << 40),
}


def _required(entry: Entry, keys: tuple[str, ...]) -> dict[str, Entry]:
    entries = entry.mapping(keys)
    for key in keys:
        if key not in entries:
            entry.fail(f"key {key!r} is missing{' in ' + entry.path if entry.path else ''}")
    return entries


def _profile_name(entries: Mapping[str, Entry], file: str) -> str:
    name = entries["name"].text()
    if name != file.removesuffix(".yaml"):
        entries["name"].fail(f"name is {name!r}; expected the file's name, {file[:-5]!r}")
    if not _NAME.match(name):
        entries["name"].expected("letters, digits, _ and -")
    return name


def _word(entry: Entry) -> str:
    text = entry.text()
    if not _WORD.match(text):
        entry.expected("an LLVM name")
    return text


def _triple(entry: Entry, architectures: tuple[str, ...]) -> str:
    text = _word(entry)
    if canonical_architecture(text.split("-")[0]) not in architectures or text.count("-") < 2:
        entry.expected(f"an LLVM triple for {' or '.join(architectures)}")
    return text


def _features(entry: Entry) -> tuple[str, ...]:
    features = []
    for item in entry.items():
        text = item.text()
        if not _FEATURE.match(text):
            item.expected("an LLVM feature name with + or - before it")
        features.append(text)
    return tuple(features)


def _facts(entry: Entry) -> dict[str, int]:
    entries = entry.mapping(tuple(_FACT_BOUNDS))
    for key in _REQUIRED_FACTS:
        if key not in entries:
            entry.fail(f"key {key!r} is missing in {entry.path}")
    facts = {}
    for key, value in entries.items():
        bounds = _FACT_BOUNDS[key]
        facts[key] = int(value.boolean()) if bounds is None else value.integer(*bounds)
    for group in (("l1d_bytes", "l1d_line_bytes", "l1d_sets"), ("l2_bytes", "l2_cores")):
        present = [key for key in group if key in facts]
        if present and len(present) != len(group):
            entry.fail(f"{', '.join(group)} go together; only {', '.join(present)} given")
    return facts


def _l1d(entry: Entry, facts: Mapping[str, int]) -> CacheGeometry | None:
    if "l1d_bytes" not in facts:
        return None
    geometry = CacheGeometry(
        bytes=facts["l1d_bytes"], line_bytes=facts["l1d_line_bytes"], sets=facts["l1d_sets"]
    )
    if geometry.ways < 1 or geometry.bytes != geometry.ways * geometry.line_bytes * geometry.sets:
        entry.fail_at_key("l1d_bytes", "l1d_bytes is no multiple of l1d_line_bytes x l1d_sets")
    return geometry


def _policy(entry: Entry) -> Policy:
    entries = entry.mapping(tuple(_POLICY_BOUNDS))
    return Policy(**{key: value.integer(*_POLICY_BOUNDS[key]) for key, value in entries.items()})


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


__all__ = [
    "NATIVE",
    "CacheGeometry",
    "Device",
    "Policy",
    "SharedCache",
    "TargetProfile",
    "host_architecture",
    "list_profiles",
    "load_profile",
    "parse_profile",
    "profile_files",
    "targets_directory",
]
