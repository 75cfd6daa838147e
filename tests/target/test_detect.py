"""Detection: the host's own profile, cache trees with faults, and what can run where."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.target import CacheGeometry, SharedCache, load_profile, parse_profile
from mapal.target.detect import (
    apple_caches,
    detect_host,
    host_identity,
    native_profile,
    read_caches,
    why_not_executable,
)


def write_cache(core: Path, index: int, **fields: str) -> None:
    directory = core / "cache" / f"index{index}"
    directory.mkdir(parents=True)
    for name, text in fields.items():
        (directory / name).write_text(text + "\n")


def tree(root: Path, cores: int = 4) -> None:
    for number in range(cores):
        core = root / f"cpu{number}"
        write_cache(
            core,
            0,
            level="1",
            type="Data",
            size="48K",
            coherency_line_size="64",
            number_of_sets="64",
            ways_of_associativity="12",
            shared_cpu_list=str(number),
        )
        write_cache(
            core,
            2,
            level="2",
            type="Unified",
            size="2M",
            coherency_line_size="64",
            number_of_sets="2048",
            ways_of_associativity="16",
            shared_cpu_list="0-1,2-3",
        )
        (core / "topology").mkdir()
        (core / "topology" / "thread_siblings_list").write_text("0,2\n")


def test_caches_of_a_sound_tree(tmp_path: Path) -> None:
    tree(tmp_path)
    assert read_caches(tmp_path) == (
        CacheGeometry(bytes=48 << 10, line_bytes=64, sets=64),
        SharedCache(bytes=2 << 20, cores=2),
    )


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("size", "0"),
        ("size", ""),
        ("size", "x"),
        ("size", "99K"),
        ("number_of_sets", "0"),
        ("ways_of_associativity", "11"),
        ("coherency_line_size", "-64"),
        ("level", "7"),
    ],
)
def test_what_does_not_add_up_is_unreadable(tmp_path: Path, file: str, text: str) -> None:
    tree(tmp_path, 1)
    (tmp_path / "cpu0" / "cache" / "index0" / file).write_text(text)
    l1d, l2 = read_caches(tmp_path)
    assert l1d is None
    assert l2 is not None


@pytest.mark.parametrize("text", ["", "0-", "3-1", "a", "0,x"])
def test_a_broken_sharing_list_hides_the_second_level(tmp_path: Path, text: str) -> None:
    tree(tmp_path, 1)
    (tmp_path / "cpu0" / "cache" / "index2" / "shared_cpu_list").write_text(text)
    assert read_caches(tmp_path)[1] is None


def test_missing_trees_and_files_are_unreadable(tmp_path: Path) -> None:
    assert read_caches(tmp_path / "absent") == (None, None)
    tree(tmp_path, 1)
    (tmp_path / "cpu0" / "cache" / "index0" / "size").unlink()
    (tmp_path / "cpu0" / "cache" / "index2" / "size").write_bytes(b"\xff")
    assert read_caches(tmp_path) == (None, None)


def test_the_fastest_core_counts_on_hybrid_parts(tmp_path: Path) -> None:
    tree(tmp_path, 2)
    (tmp_path / "cpu1" / "cpu_capacity").write_text("1024")
    (tmp_path / "cpu1" / "cache" / "index0" / "number_of_sets").write_text("32")
    (tmp_path / "cpu1" / "cache" / "index0" / "ways_of_associativity").write_text("24")
    l1d, _ = read_caches(tmp_path)
    assert l1d is not None
    assert l1d.sets == 32


def test_apple_caches_come_from_the_performance_cores() -> None:
    keys = {
        "hw.perflevel0.l1dcachesize": "131072",
        "hw.cachelinesize": "128",
        "hw.pagesize": "16384",
        "hw.perflevel0.l2cachesize": "16777216",
        "hw.perflevel0.cpusperl2": "5",
    }
    assert apple_caches(keys.get) == (
        CacheGeometry(bytes=131072, line_bytes=128, sets=128),
        SharedCache(bytes=16777216, cores=5),
    )
    assert apple_caches(lambda key: None) == (None, None)
    assert apple_caches(lambda key: "0") == (None, None)


def features(*names: str) -> dict[str, bool]:
    return dict.fromkeys(names, True) | {"absent": False}


@pytest.mark.parametrize(
    ("triple", "names", "unit"),
    [
        ("x86_64-unknown-linux-gnu", ("avx512f", "avx512vl", "avx2", "fma"), (64, 32, True)),
        ("x86_64-unknown-linux-gnu", ("avx512f", "avx2"), (32, 16, False)),
        ("x86_64-unknown-linux-gnu", ("sse2",), (16, 16, False)),
        ("arm64-apple-darwin24.0.0", (), (16, 32, True)),
    ],
)
def test_the_vector_unit_follows_the_extensions(
    triple: str, names: tuple[str, ...], unit: tuple[int, int, bool]
) -> None:
    profile = native_profile(
        cpu="some", features=features(*names), triple=triple, l1d=None, l2=None
    )
    assert (profile.vector_bytes, profile.vector_registers, profile.fused_multiply_add) == unit
    assert "-absent" in profile.features


def test_the_host_profile_reads_back_and_runs_here() -> None:
    profile = detect_host()
    assert profile.name == "native"
    text = profile.to_yaml()
    assert parse_profile({"native.yaml": text.encode()}, "native.yaml", "any") == profile
    assert why_not_executable(profile, profile) is None
    assert load_profile("native") == profile
    assert host_identity() == host_identity()


def test_reasons_for_not_running_here() -> None:
    host = native_profile(
        cpu="x86-64-v3",
        features={f[1:]: True for f in load_profile("x86-64-v3").features},
        triple="x86_64-unknown-linux-gnu",
        l1d=None,
        l2=None,
    )
    assert why_not_executable(load_profile("x86-64-v3"), host) is None
    missing = why_not_executable(load_profile("x86-64-v4"), host)
    assert missing is not None
    assert "avx512f" in missing
    assert "aarch64" in str(why_not_executable(load_profile("aarch64-generic"), host))
    assert "GPU" in str(why_not_executable(load_profile("cuda-ada"), host))
    arm = native_profile(
        cpu="generic", features={"neon": True}, triple="aarch64-linux-gnu", l1d=None, l2=None
    )
    assert "needs macos" in str(why_not_executable(load_profile("apple-m"), arm))
