"""Profiles: the shipped ones load, the text form round-trips, mistakes name their place."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from mapal.diagnostics import UserError
from mapal.target import (
    SharedCache,
    TargetProfile,
    list_profiles,
    load_profile,
    parse_profile,
    profile_files,
    profile_from,
)
from mapal.target.document import DocumentError

GOOD = """\
name: mine
summary: 'it''s mine'
triple: x86_64-unknown-linux-gnu
cpu: x86-64-v3
features: [+avx2, -gfni]
facts:
  vector_bytes: 32
  vector_registers: 16
  fused_multiply_add: true
  l1d_bytes: 32768
  l1d_line_bytes: 64
  l1d_sets: 64
  l2_bytes: 524288
  l2_cores: 1
policy:
  slice_operations: 4096
"""


def parse(text: str, file: str = "mine.yaml") -> TargetProfile:
    return parse_profile({file: text.encode()}, file, "x86_64")


def test_every_shipped_profile_loads_on_both_architectures() -> None:
    names = list_profiles()
    assert {"generic", "x86-64-v2", "x86-64-v3", "x86-64-v4", "zen3", "zen4"} < set(names)
    assert {"apple-m", "aarch64-generic", "cuda-ampere", "cuda-ada", "cuda-hopper"} < set(names)
    for name in names:
        for architecture in ("x86_64", "aarch64"):
            profile = load_profile(name, architecture=architecture)
            assert profile.name == name
            assert profile.summary
            assert profile.is_gpu == name.startswith("cuda-")


def test_generic_follows_the_architecture() -> None:
    assert load_profile("generic", architecture="x86_64").vector_registers == 16
    arm = load_profile("generic", architecture="aarch64")
    assert (arm.architecture, arm.operating_system, arm.vector_registers) == (
        "aarch64",
        "linux",
        32,
    )
    with pytest.raises(DocumentError, match="no entry for the architecture riscv64"):
        load_profile("generic", architecture="riscv64")


def test_a_gpu_profile_takes_its_host_from_another_file() -> None:
    files = profile_files("cuda-ada")
    assert set(files) == {"cuda-ada.yaml", "generic.yaml"}
    profile = parse_profile(files, "cuda-ada.yaml", "x86_64")
    assert profile.device is not None
    assert (profile.device.cpu, profile.device.warp_threads) == ("sm_89", 32)
    assert profile.cpu == "x86-64"


def test_the_text_form_reads_back() -> None:
    for name in list_profiles():
        profile = load_profile(name, architecture="aarch64")
        if not profile.is_gpu:
            file = f"{name}.yaml"
            text = profile.to_yaml()
            assert parse_profile({file: text.encode()}, file, "x86_64") == profile
    assert parse(GOOD.replace("[+avx2, -gfni]", "[]")).to_yaml().count("features: []") == 1


def test_derived_facts() -> None:
    profile = load_profile("zen3")
    assert profile.l1d is not None
    assert profile.l1d.ways == 8
    assert profile.feature_string.startswith("+cx16,")
    apple = load_profile("apple-m")
    assert (apple.architecture, apple.operating_system) == ("aarch64", "macos")


def test_a_profile_may_be_loaded_by_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD)
    profile = load_profile(str(path))
    assert (profile.name, profile.policy.slice_operations) == ("mine", 4096)
    assert profile.summary == "it's mine"
    gpu = tmp_path / "gpu.yaml"
    gpu.write_text(
        "name: gpu\nsummary: s\nhost: zen3\ndevice: {triple: nvptx64-nvidia-cuda, cpu: sm_80, "
        "features: [], warp_threads: 32, threads_per_block: 64, "
        "shared_memory_bytes_per_block: 4096}\n"
    )
    assert load_profile(str(gpu)).cpu == "znver3"
    with pytest.raises(UserError, match="No such file"):
        load_profile(str(tmp_path / "absent.yaml"))


def test_an_unknown_name_gets_the_closest() -> None:
    with pytest.raises(UserError, match="did you mean 'zen3'"):
        load_profile("zen33")
    with pytest.raises(UserError, match="unknown target"):
        load_profile("..")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("vector_bytes: 32", "vector_byte: 32", "mine.yaml:7:3: error: unknown key 'vector_byte'"),
        ("vector_bytes: 32", "vector_bytes: 4", "an integer from 8 to 256"),
        ("vector_bytes: 32", "vector_bytes: 24", "facts.vector_bytes is 24; expected a power of"),
        ("l1d_line_bytes: 64", "l1d_line_bytes: 48", "expected a power of two from 16 to 1024"),
        ("  vector_bytes: 32\n", "", "'vector_bytes' is missing in facts"),
        ("fused_multiply_add: true", "fused_multiply_add: 1", "expected true or false"),
        ("  l2_cores: 1\n", "", "l2_bytes, l2_cores go together; only l2_bytes given"),
        ("l1d_sets: 64", "l1d_sets: 60", "no multiple of"),
        ("cpu: x86-64-v3\n", "", "key 'cpu' is missing"),
        ("cpu: x86-64-v3", "cpu: a b", "expected an LLVM name"),
        ("name: mine", "name: yours", "expected the file's name, 'mine'"),
        ("x86_64-unknown-linux-gnu", "riscv64-unknown-linux-gnu", "expected an LLVM triple"),
        ("linux-gnu", "windows-msvc", "expected an LLVM triple for Linux or macOS"),
        ("+avx2", "avx2", "with + or - before it"),
        ("slice_operations: 4096", "slice_operation: 4096", "did you mean"),
        ("  l2_cores: 1\n", "  l2_cores: 1\n  l3_bytes: 4096\n", "l3_bytes, l3_cores go together"),
        ("  l2_cores: 1\n", "  l2_cores: 1\n  l3_ways: 4\n", "l3_ways without l3_bytes"),
        (
            "  l2_cores: 1\n",
            "  l2_cores: 1\n  l2_ways: 7\n  l2_line_bytes: 64\n",
            "l2_bytes is no multiple of its line x ways",
        ),
        ("  l2_cores: 1\n", "  l2_cores: 1\n  fused_per_cycle: 0\n", "an integer from 1 to 16"),
    ],
)
def test_mistakes_are_named(old: str, new: str, expected: str) -> None:
    assert old in GOOD
    with pytest.raises(DocumentError) as caught:
        parse(GOOD.replace(old, new))
    assert expected in str(caught.value)
    assert str(caught.value).startswith("targets/mine.yaml:")


def test_further_facts_are_optional_and_read_back() -> None:
    more = (
        "  l2_cores: 1\n  l2_line_bytes: 64\n  l2_ways: 8\n  l3_bytes: 33554432\n  l3_cores: 8\n"
        "  fused_per_cycle: 2\n  pairs_per_cycle: 1\n  memory_gigabytes_per_second: 25\n"
    )
    profile = parse(GOOD.replace("  l2_cores: 1\n", more))
    assert profile.l2 == SharedCache(bytes=524288, cores=1, line_bytes=64, ways=8)
    assert profile.l3 == SharedCache(bytes=33554432, cores=8)
    assert (profile.fused_per_cycle, profile.pairs_per_cycle) == (2, 1)
    assert profile.memory_gigabytes_per_second == 25
    assert parse(profile.to_yaml()) == profile
    plain = parse(GOOD)
    assert (plain.l3, plain.fused_per_cycle, plain.pairs_per_cycle) == (None, None, None)
    assert plain.memory_gigabytes_per_second is None


def test_a_profile_survives_being_taken_apart() -> None:
    text = GOOD + "  tiles: {matmul-f32-exact: {rows: 16, vectors: 1}}\n"
    for profile in (parse(text), load_profile("cuda-ada"), load_profile("zen4")):
        assert profile_from(json.loads(json.dumps(asdict(profile)))) == profile


def test_unsafe_names_and_gpu_hosts_are_refused() -> None:
    with pytest.raises(DocumentError, match="letters, digits"):
        parse(GOOD.replace("name: mine", "name: a.b"), "a.b.yaml")
    gpu = b"name: g\nsummary: s\nhost: g\ndevice: {}\n"
    with pytest.raises(DocumentError, match="profile of a processor"):
        parse_profile({"g.yaml": gpu}, "g.yaml", "x86_64")
    with pytest.raises(DocumentError, match="'h' is not there"):
        parse_profile({"g.yaml": gpu.replace(b"host: g", b"host: h")}, "g.yaml", "x86_64")
