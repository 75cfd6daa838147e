"""The schema of profile files: which keys there are, in which units and bounds.

Mistakes are `DocumentError`s that name file, line, key and the closest valid key. Whether LLVM
knows the names of processor and extensions is asked where they are used (`mapal.native.llvm`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mapal.target.document import DocumentError, Entry, read_document
from mapal.target.profile import (
    ARCHITECTURES,
    PROFILE_NAME,
    CacheGeometry,
    Device,
    Policy,
    SharedCache,
    TargetProfile,
    canonical_architecture,
)
from mapal.target.tiles import Tiles, parse_tiles

_FEATURE = re.compile(r"[+-][A-Za-z0-9_.-]+\Z")
_WORD = re.compile(r"[A-Za-z0-9_.-]+\Z")

_TOP_KEYS = ("name", "summary", "triple", "cpu", "features", "facts", "policy")
_GENERIC_KEYS = ("name", "summary", "architectures", "policy")
_GPU_KEYS = ("name", "summary", "host", "device")
_ARCHITECTURE_KEYS = ("triple", "cpu", "features", "facts")


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
    policy = _policy(entries["policy"])
    tuning = f"{file.removesuffix('.yaml')}{TUNING_SUFFIX}"
    if tuning in files:
        found = parse_tuning(files[tuning], tuning)
        policy = replace(policy, tiles=policy.tiles.updated(found.tiles))
    return TargetProfile(
        name=_profile_name(entries, file),
        summary=entries["summary"].text(),
        triple=_triple(machine["triple"], ARCHITECTURES),
        cpu=_word(machine["cpu"]),
        features=_features(machine["features"]),
        policy=policy,
        vector_bytes=facts["vector_bytes"],
        vector_registers=facts["vector_registers"],
        fused_multiply_add=bool(facts["fused_multiply_add"]),
        fused_per_cycle=facts.get("fused_per_cycle"),
        pairs_per_cycle=facts.get("pairs_per_cycle"),
        memory_gigabytes_per_second=facts.get("memory_gigabytes_per_second"),
        l1d=_l1d(machine["facts"], facts),
        l2=_shared("l2", machine["facts"], facts),
        l3=_shared("l3", machine["facts"], facts),
    )


TUNING_SUFFIX = ".tune.yaml"
"""What the file beside a profile ends in that holds what was measured for it."""

_TUNING_KEYS = ("name", "cpu", "tiles", "evidence")


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a tuning file says: for which profile, measured on which processor, which numbers.
    The evidence is for people."""

    name: str
    cpu: str
    tiles: Tiles


def parse_tuning(data: bytes, file: str, shown_as: str | None = None) -> Tuning:
    """A tuning file. Raises `DocumentError` as `parse_profile`; `shown_as` is the file's name in
    messages, by default that of one beside the shipped profiles."""
    root = read_document(data, shown_as or f"targets/{file}")
    entries = _required(root, _TUNING_KEYS)
    name = entries["name"].text()
    if name != file.removesuffix(TUNING_SUFFIX):
        entries["name"].fail(
            f"name is {name!r}; expected the profile's, {file.removesuffix(TUNING_SUFFIX)!r}"
        )
    entries["evidence"].items()
    return Tuning(name, entries["cpu"].text(), parse_tiles(entries["tiles"]))


def _gpu_profile(root: Entry, files: Mapping[str, bytes], architecture: str) -> TargetProfile:
    entries = _required(root, _GPU_KEYS)
    host_file = f"{entries['host'].text()}.yaml"
    if host_file not in files:
        entries["host"].fail(f"host profile {host_file[:-5]!r} is not there")
    if host_of(files[host_file], host_file) is not None:
        entries["host"].fail("the host of a GPU profile is the profile of a processor")
    host = parse_profile(files, host_file, architecture)
    tuning = f"{root.file.removesuffix('.yaml')}{TUNING_SUFFIX}"
    if tuning.rsplit("/", 1)[-1] in files:
        raise DocumentError(
            f"{tuning}:1:1: error: nothing is tuned for a GPU; the numbers of its host "
            f"are in {host_file.removesuffix('.yaml')}{TUNING_SUFFIX}"
        )
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
        l3=host.l3,
        fused_per_cycle=host.fused_per_cycle,
        pairs_per_cycle=host.pairs_per_cycle,
        memory_gigabytes_per_second=host.memory_gigabytes_per_second,
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

FACT_BOUNDS: dict[str, tuple[int, int] | None] = {
    "vector_bytes": (8, 256),
    "vector_registers": (8, 128),
    "fused_multiply_add": None,
    "fused_per_cycle": (1, 16),
    "pairs_per_cycle": (1, 16),
    "l1d_bytes": (1024, 1 << 24),
    "l1d_line_bytes": (16, 1024),
    "l1d_sets": (1, 65_536),
    "l2_bytes": (4096, 1 << 32),
    "l2_cores": (1, 4096),
    "l2_line_bytes": (16, 1024),
    "l2_ways": (1, 65_536),
    "l3_bytes": (4096, 1 << 32),
    "l3_cores": (1, 4096),
    "l3_line_bytes": (16, 1024),
    "l3_ways": (1, 65_536),
    "memory_gigabytes_per_second": (1, 100_000),
}
"""The integers that facts may be; None for a truth value."""

_POWERS_OF_TWO = ("vector_bytes", "l1d_line_bytes", "l2_line_bytes", "l3_line_bytes")
_GROUPS = (
    ("l1d_bytes", "l1d_line_bytes", "l1d_sets"),
    ("l2_bytes", "l2_cores"),
    ("l3_bytes", "l3_cores"),
)
_REQUIRED_FACTS = ("vector_bytes", "vector_registers", "fused_multiply_add")

_POLICY_BOUNDS = {
    "parallel_operations": (1, 1 << 40),
    "slice_operations": (1, 1 << 40),
    "thread_operations": (1, 1 << 40),
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
    if not PROFILE_NAME.match(name):
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
    if architectures == ARCHITECTURES and not any(system in text for system in _SYSTEMS):
        entry.expected("an LLVM triple for Linux or macOS")
    return text


_SYSTEMS = ("linux", "apple", "darwin")


def _features(entry: Entry) -> tuple[str, ...]:
    features = []
    for item in entry.items():
        text = item.text()
        if not _FEATURE.match(text):
            item.expected("an LLVM feature name with + or - before it")
        features.append(text)
    return tuple(features)


def _facts(entry: Entry) -> dict[str, int]:
    entries = entry.mapping(tuple(FACT_BOUNDS))
    for key in _REQUIRED_FACTS:
        if key not in entries:
            entry.fail(f"key {key!r} is missing in {entry.path}")
    facts = {}
    for key, value in entries.items():
        bounds = FACT_BOUNDS[key]
        facts[key] = int(value.boolean()) if bounds is None else value.integer(*bounds)
        wanted = wanted_fact(key, facts[key])
        if wanted is not None:
            value.expected(wanted)
    for group in _GROUPS:
        present = [key for key in group if key in facts]
        if present and len(present) != len(group):
            entry.fail(f"{', '.join(group)} go together; only {', '.join(present)} given")
    return facts


def wanted_fact(key: str, number: int) -> str | None:
    """What a fact of a profile has to be that is not `number`; None if it may be."""
    bounds = FACT_BOUNDS[key]
    if bounds is None or (
        bounds[0] <= number <= bounds[1] and not (key in _POWERS_OF_TWO and number & (number - 1))
    ):
        return None
    kind = "a power of two" if key in _POWERS_OF_TWO else "an integer"
    return f"{kind} from {bounds[0]} to {bounds[1]}"


def _l1d(entry: Entry, facts: Mapping[str, int]) -> CacheGeometry | None:
    if "l1d_bytes" not in facts:
        return None
    geometry = CacheGeometry(
        bytes=facts["l1d_bytes"], line_bytes=facts["l1d_line_bytes"], sets=facts["l1d_sets"]
    )
    if geometry.ways < 1 or geometry.bytes != geometry.ways * geometry.line_bytes * geometry.sets:
        entry.fail_at_key("l1d_bytes", "l1d_bytes is no multiple of l1d_line_bytes x l1d_sets")
    return geometry


def _shared(level: str, entry: Entry, facts: Mapping[str, int]) -> SharedCache | None:
    size = facts.get(f"{level}_bytes")
    line, ways = facts.get(f"{level}_line_bytes"), facts.get(f"{level}_ways")
    if size is None:
        for key, value in ((f"{level}_line_bytes", line), (f"{level}_ways", ways)):
            if value is not None:
                entry.fail_at_key(key, f"{key} without {level}_bytes")
        return None
    if line is not None and ways is not None and size % (line * ways):
        entry.fail_at_key(f"{level}_bytes", f"{level}_bytes is no multiple of its line x ways")
    return SharedCache(bytes=size, cores=facts[f"{level}_cores"], line_bytes=line, ways=ways)


def _policy(entry: Entry) -> Policy:
    entries = entry.mapping((*_POLICY_BOUNDS, "tiles"))
    tiles = parse_tiles(entries.pop("tiles")) if "tiles" in entries else Tiles()
    numbers = {key: value.integer(*_POLICY_BOUNDS[key]) for key, value in entries.items()}
    return Policy(tiles=tiles, **numbers)


def host_of(data: bytes, file: str) -> str | None:
    """The host profile that a GPU profile names; None for a processor's."""
    entries = read_document(data, f"targets/{file}").mapping()
    return entries["host"].text() if "host" in entries else None
