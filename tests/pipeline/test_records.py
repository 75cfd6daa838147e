"""Records survive kills, damage and full disks, at worst by being forgotten."""

from __future__ import annotations

import os
from pathlib import Path

from mapal.pipeline.records import RecordStore
from mapal.pipeline.seal import sealed


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


def test_a_file_that_is_not_as_it_was_written_is_forgotten(tmp_path: Path) -> None:
    """Also one that says something else, or is of another version: what a record says is believed
    part by part, so the whole has to be as some build wrote it."""
    store = RecordStore(str(tmp_path))
    store.put("a", {"bytes": 17})
    store.close()
    file = tmp_path / "records.json"
    good = file.read_bytes()
    assert RecordStore(str(tmp_path)).names() == ["a"]
    for text in (
        b"",
        b"[]",
        good[: len(good) // 2],
        bytes(len(good)),
        good.replace(b"17", b"18"),
        good.partition(b"\n")[2],
        sealed(b'{"schema": 99, "entries": {"a": 5}}'),
        sealed(b"{}"),
    ):
        file.write_bytes(text)
        assert RecordStore(str(tmp_path)).names() == []
    file.unlink()
    os.mkfifo(file)  # whoever opens it for reading waits for a writer
    assert RecordStore(str(tmp_path)).names() == []


def test_lines_that_are_not_as_they_were_written_are_passed_over(tmp_path: Path) -> None:
    store = RecordStore(str(tmp_path))
    store.put("a", {"x": 1})
    journal = tmp_path / "records.journal"
    line = journal.read_bytes()
    altered = line.replace(b'"x":1', b'"x":2')
    journal.write_bytes(line + line[:-9] + b"\n[]\n{}\n" + altered)
    assert RecordStore(str(tmp_path)).get("a") == {"x": 1}
    journal.unlink()
    os.mkfifo(journal)
    assert RecordStore(str(tmp_path)).names() == []


def test_a_journal_that_cannot_be_written_costs_a_rebuild(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = RecordStore(str(tmp_path / "file"))
    store.put("a", {"x": 1})
    assert store.get("a") == {"x": 1}
