"""The cache of a build: whatever is wrong with it costs time and one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mapal.cache import Entry, LocalStore, ResultCache, Settings
from tests.cache.corruptions import corrupt_entries

KEY = "12" * 32
ENTRY = Entry(stage="test", files={"out": b"bytes"}, summary=None)


def cache(directory: Path, said: list[str]) -> ResultCache:
    return ResultCache(Settings(directory=str(directory)), said.append)


def test_results_come_back_in_another_process_of_life(tmp_path: Path) -> None:
    said: list[str] = []
    first = cache(tmp_path, said)
    assert first.get(KEY) is None
    first.put(KEY, ENTRY)
    first.close()
    first.close()
    second = cache(tmp_path, said)
    assert second.get(KEY) == ENTRY
    second.close()
    statistics = LocalStore(str(tmp_path), 1).statistics()
    assert (statistics["hits"], statistics["misses"], statistics["stored"]) == (1, 1, 1)
    assert said == []


def test_an_unused_cache_touches_nothing(tmp_path: Path) -> None:
    cache(tmp_path / "none", []).close()
    assert not (tmp_path / "none").exists()


def test_a_damaged_entry_is_dropped_and_replaced(tmp_path: Path) -> None:
    used = cache(tmp_path, [])
    used.put(KEY, ENTRY)
    file = Path(LocalStore(str(tmp_path), 1).path(KEY))
    file.write_bytes(file.read_bytes()[:-1])
    assert used.get(KEY) is None
    assert not file.exists()
    assert used.counters["damaged"] == 1
    used.put(KEY, ENTRY)
    assert used.get(KEY) == ENTRY


def test_no_corruption_of_one_byte_is_believed(tmp_path: Path) -> None:
    assert corrupt_entries(400, seed=1, directory=tmp_path) == 400


def test_a_directory_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said: list[str] = []
    used = cache(tmp_path / "file", said)
    for _ in range(2):
        assert used.get(KEY) is None
        used.put(KEY, ENTRY)
    assert len(said) == 1
    assert said[0].startswith("cache: results are not kept: ")


def test_an_entry_that_cannot_be_read_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    used = cache(tmp_path, said)
    entry = LocalStore(str(tmp_path), 1).path(KEY)

    def refused(path: str) -> bytes:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("mapal.cache.store._content", refused)
    for _ in range(2):
        assert used.get(KEY) is None
    assert said == [f"cache: {entry} cannot be read: Permission denied"]


@pytest.mark.parametrize("kind", ["directory", "full directory", "pipe", "loop", "nowhere"])
def test_what_is_no_file_is_damaged_and_replaced(tmp_path: Path, kind: str) -> None:
    said: list[str] = []
    used = cache(tmp_path, said)
    path = Path(LocalStore(str(tmp_path), 1).path(KEY))
    path.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(path)  # whoever opens it for reading waits for a writer
    elif kind in ("loop", "nowhere"):
        path.symlink_to(path if kind == "loop" else tmp_path / "nowhere")
    else:
        path.mkdir()
        if kind == "full directory":
            (path / "letter.txt").write_text("")
    assert used.get(KEY) is None
    used.put(KEY, ENTRY)
    assert used.get(KEY) == ENTRY
    assert said == []
    assert used.counters["damaged"] == (kind != "nowhere")


def test_what_is_too_large_to_keep_is_not_counted_as_kept(tmp_path: Path) -> None:
    used = ResultCache(Settings(directory=str(tmp_path), limit_bytes=1), print)
    used.put(KEY, ENTRY)
    assert used.get(KEY) is None
    assert used.counters["stored"] == 0
