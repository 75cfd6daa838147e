"""Records survive kills, damage and full disks, at worst by being forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.pipeline.records import RecordStore


def test_entries_survive_with_and_without_a_proper_end(tmp_path: Path) -> None:
    store = RecordStore(str(tmp_path / "state"))
    store.put("a", {"x": 1})
    store.put("b", {"x": 2})
    store.put("b", None)
    store.put("absent", None)
    killed = RecordStore(str(tmp_path / "state"))
    assert killed.get("a") == {"x": 1}
    assert killed.names() == ["a"]
    killed.close()
    assert [file.name for file in (tmp_path / "state").iterdir()] == ["records.json"]
    closed = RecordStore(str(tmp_path / "state"))
    assert closed.get("a") == {"x": 1}
    closed.clear()
    closed.close()
    assert RecordStore(str(tmp_path / "state")).names() == []


def test_nothing_new_is_not_written(tmp_path: Path) -> None:
    store = RecordStore(str(tmp_path / "state"))
    assert store.get("a") is None
    store.close()
    assert not (tmp_path / "state").exists()
    store.put("a", {"x": 1})
    store.close()
    before = (tmp_path / "state" / "records.json").stat().st_mtime_ns
    store.put("a", {"x": 1})
    store.close()
    assert (tmp_path / "state" / "records.json").stat().st_mtime_ns == before


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 2, "entries": {}}', "[" * 9999])
def test_a_damaged_file_is_forgotten(tmp_path: Path, text: str) -> None:
    (tmp_path / "records.json").write_text(text)
    assert RecordStore(str(tmp_path)).names() == []


def test_a_line_that_was_cut_short_is_passed_over(tmp_path: Path) -> None:
    store = RecordStore(str(tmp_path))
    store.put("a", {"x": 1})
    journal = tmp_path / "records.journal"
    line = journal.read_bytes()
    journal.write_bytes(line[:-9] + b"\n[]\n{}\n" + line)
    assert RecordStore(str(tmp_path)).get("a") == {"x": 1}


def test_a_journal_that_cannot_be_written_costs_a_rebuild(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = RecordStore(str(tmp_path / "file"))
    store.put("a", {"x": 1})
    assert store.get("a") == {"x": 1}
