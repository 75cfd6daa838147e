"""Documents of measurements: whole or not there, and one writer at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mapal.bench.documents import read_text, write_document, write_text, writing
from mapal.diagnostics import UserError


def test_a_document_is_written_for_everybody_to_read(tmp_path: Path) -> None:
    path = tmp_path / "bench" / "native.json"
    write_document(path, {"schema": 1})
    assert json.loads(read_text(path) or "") == {"schema": 1}
    assert path.stat().st_mode & 0o777 == 0o644
    assert os.listdir(path.parent) == ["native.json"]


def test_what_cannot_be_written_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "native.json"
    write_text(path, "before")

    def full(descriptor: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match=r"native\.json: No space left"):
        write_text(path, "after")
    assert read_text(path) == "before"
    assert os.listdir(tmp_path) == ["native.json"]


def test_a_file_in_place_of_the_directory_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "bench").write_text("a file where the directory should be", encoding="utf-8")
    path = tmp_path / "bench" / "native.json"
    with pytest.raises(UserError, match=r"native\.json"):
        write_document(path, {})
    with pytest.raises(UserError, match=r"native\.json"), writing(path):
        pass


def test_what_cannot_be_read_is_one_error(tmp_path: Path) -> None:
    assert read_text(tmp_path / "absent") is None
    with pytest.raises(UserError, match="directory"):
        read_text(tmp_path)
    (tmp_path / "bytes").write_bytes(b"\xff")
    with pytest.raises(UserError, match="not UTF-8"):
        read_text(tmp_path / "bytes")


_COUNT = """
import sys
from pathlib import Path
from mapal.bench.documents import read_text, write_text, writing
path = Path(sys.argv[1])
for _ in range(100):
    with writing(path):
        write_text(path, str(int(read_text(path) or "0") + 1))
"""


def test_nothing_is_lost_between_two_writers(tmp_path: Path) -> None:
    path = tmp_path / "count"
    writers = [subprocess.Popen([sys.executable, "-c", _COUNT, str(path)]) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert read_text(path) == "200"
