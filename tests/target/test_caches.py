"""Cache trees, sound ones and ones with faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.target import CacheGeometry, SharedCache, parse_profile
from mapal.target.caches import apple_caches, read_caches
from mapal.target.detect import native_detection


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
        write_cache(
            core,
            3,
            level="3",
            type="Unified",
            size="24M",
            coherency_line_size="64",
            number_of_sets="32768",
            ways_of_associativity="12",
            shared_cpu_list="0-7",
        )
        (core / "topology").mkdir()
        (core / "topology" / "thread_siblings_list").write_text("0,2\n")


def test_caches_of_a_sound_tree(tmp_path: Path) -> None:
    tree(tmp_path)
    found = read_caches(tmp_path)
    assert found.l1d == CacheGeometry(bytes=48 << 10, line_bytes=64, sets=64)
    assert found.l2 == SharedCache(bytes=2 << 20, cores=2, line_bytes=64, ways=16)
    assert found.l3 == SharedCache(bytes=24 << 20, cores=4, line_bytes=64, ways=12)
    assert {name: note.rsplit("/", 1)[-1] for name, note in found.notes.items()} == {
        "l1d": "index0",
        "l2": "index2",
        "l3": "index3",
    }


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("size", "0", "missing or zero"),
        ("size", "", "missing or zero"),
        ("size", "x", "missing or zero"),
        ("size", "99K", "64 sets x 12 ways x 64 bytes are not 101376 bytes"),
        ("number_of_sets", "0", "missing or zero"),
        ("ways_of_associativity", "11", "are not 49152 bytes"),
        ("coherency_line_size", "-64", "missing or zero"),
        ("level", "7", "the system lists none"),
    ],
)
def test_what_does_not_add_up_is_unreadable(tmp_path: Path, file: str, text: str, why: str) -> None:
    tree(tmp_path, 1)
    (tmp_path / "cpu0" / "cache" / "index0" / file).write_text(text)
    found = read_caches(tmp_path)
    assert found.l1d is None
    assert why in found.notes["l1d"]
    assert found.l2 is not None
    assert found.l3 is not None


def test_a_cache_smaller_than_the_one_before_it_is_unreadable(tmp_path: Path) -> None:
    tree(tmp_path, 1)
    directory = tmp_path / "cpu0" / "cache" / "index3"
    (directory / "size").write_text("768K")
    (directory / "number_of_sets").write_text("1024")
    found = read_caches(tmp_path)
    assert found.l2 is not None
    assert found.l3 is None
    assert "less than the level before it" in found.notes["l3"]


def test_a_cache_of_absurd_size_is_unreadable(tmp_path: Path) -> None:
    tree(tmp_path, 1)
    directory = tmp_path / "cpu0" / "cache" / "index3"
    (directory / "size").write_text("48G")
    (directory / "number_of_sets").write_text(str((48 << 30) // (64 * 12)))
    found = read_caches(tmp_path)
    assert found.l3 is None
    assert found.notes["l3"].endswith(
        ": l3_bytes is 51539607552, not an integer from 4096 to 4294967296"
    )


Geometry = tuple[int, int, int, int]


@pytest.mark.parametrize(
    ("index", "geometry"),
    [
        (0, (1 << 14, 64, 64, 4)),
        (0, (512, 64, 4, 2)),  # too small
        (0, (1 << 25, 64, 1 << 15, 16)),  # too large for a first level
        (0, (1 << 22, 16, 1 << 18, 1)),  # more sets than a profile has
        (0, (3 << 14, 48, 64, 16)),  # a line that is no power of two
        (2, (2048, 64, 8, 4)),
        (3, (32 << 20, 64, 1, 1 << 19)),  # fully associative
        (3, (32 << 20, 2048, 1 << 10, 16)),
    ],
)
def test_what_is_found_can_be_written_down(tmp_path: Path, index: int, geometry: Geometry) -> None:
    """A profile that its reader refuses would stop every build for this machine."""
    tree(tmp_path, 1)
    directory = tmp_path / "cpu0" / "cache" / f"index{index}"
    names = ("size", "coherency_line_size", "number_of_sets", "ways_of_associativity")
    for name, number in zip(names, geometry, strict=True):
        (directory / name).write_text(str(number))
    found = native_detection(
        cpu="some", features={}, triple="x86_64-linux-gnu", caches=read_caches(tmp_path)
    )
    text = found.profile.to_yaml(found.notes).encode()
    assert parse_profile({"native.yaml": text}, "native.yaml", "any") == found.profile


def test_absurd_numbers_of_sysctl_are_unreadable() -> None:
    keys = {
        "hw.perflevel0.l1dcachesize": "131072",
        "hw.cachelinesize": "8",
        "hw.pagesize": "16384",
        "hw.perflevel0.l2cachesize": "16777216",
        "hw.perflevel0.cpusperl2": "5000",
    }
    found = apple_caches(keys.get)
    assert (found.l1d, found.l2) == (None, None)
    assert "l1d_line_bytes is 8, not a power of two from 16" in found.notes["l1d"]
    assert "l2_cores is 5000, not an integer from 1" in found.notes["l2"]


@pytest.mark.parametrize("text", ["", "0-", "3-1", "a", "0,x"])
def test_a_broken_sharing_list_hides_the_second_level(tmp_path: Path, text: str) -> None:
    tree(tmp_path, 1)
    (tmp_path / "cpu0" / "cache" / "index2" / "shared_cpu_list").write_text(text)
    found = read_caches(tmp_path)
    assert found.l2 is None
    assert "which cores share it" in found.notes["l2"]


def test_missing_trees_and_files_are_unreadable(tmp_path: Path) -> None:
    absent = read_caches(tmp_path / "absent")
    assert (absent.l1d, absent.l2, absent.l3) == (None, None, None)
    assert set(absent.notes) == {"l1d", "l2", "l3"}
    tree(tmp_path, 1)
    (tmp_path / "cpu0" / "cache" / "index0" / "size").unlink()
    (tmp_path / "cpu0" / "cache" / "index2" / "size").write_bytes(b"\xff")
    found = read_caches(tmp_path)
    assert (found.l1d, found.l2) == (None, None)


def test_the_fastest_core_counts_on_hybrid_parts(tmp_path: Path) -> None:
    tree(tmp_path, 2)
    (tmp_path / "cpu1" / "cpu_capacity").write_text("1024")
    (tmp_path / "cpu1" / "cache" / "index0" / "number_of_sets").write_text("32")
    (tmp_path / "cpu1" / "cache" / "index0" / "ways_of_associativity").write_text("24")
    l1d = read_caches(tmp_path).l1d
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
    found = apple_caches(keys.get)
    assert found.l1d == CacheGeometry(bytes=131072, line_bytes=128, sets=128)
    assert found.l2 == SharedCache(bytes=16777216, cores=5)
    assert found.l3 is None
    for nothing in (None, "0"):
        found = apple_caches(dict.fromkeys(keys, nothing).get)
        assert (found.l1d, found.l2, found.l3) == (None, None, None)
        assert all(note.startswith("unreadable: ") for note in found.notes.values())
