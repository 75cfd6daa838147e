"""Hashes by content and writes that are whole or nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mapal.diagnostics import UserError
from mapal.pipeline.files import (
    FileHashes,
    content_hash,
    remove_leftovers,
    write_if_changed,
)


def test_a_hash_follows_the_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    hashes = FileHashes()
    assert hashes.of(str(path)) is None
    path.write_bytes(b"one")
    assert hashes.of(str(path)) == content_hash(b"one")
    times = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert hashes.of(str(path)) == content_hash(b"two")
    assert hashes.read(str(path)) == (b"two", content_hash(b"two"))
    path.unlink()
    assert hashes.of(str(path / "below")) is None


def test_what_is_no_file_has_no_hash_and_no_content(tmp_path: Path) -> None:
    pipe, loop = tmp_path / "pipe", tmp_path / "loop"
    os.mkfifo(pipe)  # whoever opens it for reading waits for a writer
    loop.symlink_to(loop)
    for path in (pipe, loop, tmp_path):
        assert FileHashes().of(str(path)) is None
        with pytest.raises(OSError, match=r"not a file|Too many levels"):
            FileHashes().read(str(path))
    for path in (pipe, loop):
        assert write_if_changed(str(path), b"data")
        assert path.read_bytes() == b"data"


def test_an_unchanged_file_is_left_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "below" / "file")
    assert write_if_changed(path, b"data")
    before = os.stat(path)
    assert not write_if_changed(path, b"data")
    assert os.stat(path).st_ino == before.st_ino
    assert write_if_changed(path, b"date")
    assert write_if_changed(path, b"date", executable=True)
    assert os.access(path, os.X_OK)
    assert not write_if_changed(path, b"date", executable=True)


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"same")
    link = tmp_path / "link"
    link.symlink_to(target)
    assert write_if_changed(str(link), b"same")
    assert not link.is_symlink()


def test_a_write_that_fails_leaves_the_old_content_and_no_traces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "whatever the system says")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(UserError, match=r"cannot write .*file: no space left on the device"):
            write_if_changed(str(path), b"new")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(5, "input/output")))
        patch.setattr(os, "unlink", lambda *_: (_ for _ in ()).throw(OSError(5, "input/output")))
        with pytest.raises(UserError, match="input/output"):
            write_if_changed(str(path), b"new")
    remove_leftovers(str(tmp_path))
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"
    with pytest.raises(UserError, match="file is no directory"):
        write_if_changed(str(path / "below"), b"new")


def test_leftovers_are_found_anywhere(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / ".9-9.mapal-tmp").write_bytes(b"half")
    (tmp_path / "a" / "keep").write_bytes(b"")
    remove_leftovers(str(tmp_path))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "keep"]
