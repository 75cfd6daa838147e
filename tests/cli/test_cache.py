"""`mapal cache`: what it shows, empties and finds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mapal.cache import Entry, LocalStore, encode
from mapal.cli.main import main

KEYS = [f"{number:064x}" for number in (1, 2, 3)]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalStore:
    """A cache with three entries, which the environment names."""
    monkeypatch.setenv("MAPAL_CACHE", "on")
    monkeypatch.setenv("MAPAL_CACHE_DIR", str(tmp_path / "cache"))
    made = LocalStore(str(tmp_path / "cache"), 1 << 20)
    for key in KEYS:
        made.write(key, encode(key, Entry(stage="test", files={"out": bytes(2000)})))
    made.add_statistics({"hits": 5, "remote_hits": 0})
    return made


def test_what_it_holds(
    store: LocalStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAPAL_CACHE_REMOTE", "webdav://me:secret@host/x")
    assert main(["cache"]) == 0
    text = capsys.readouterr().out
    assert f"directory    {store.directory}\n" in text
    assert "entries      3\n" in text
    assert "size         6.3 KiB of at most 2.0 GiB\n" in text
    assert "remote       webdav://host/x\n" in text
    assert "hits         5\n" in text
    monkeypatch.setenv("MAPAL_CACHE", "off")
    assert main(["cache", "info", "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts == {
        "directory": store.directory,
        "enabled": False,
        "entries": 3,
        "bytes": store.census().bytes,
        "limit_bytes": 2 << 30,
        "remote": "webdav://host/x",
        "statistics": {"hits": 5, "remote_hits": 0},
    }
    assert main(["cache"]) == 0
    assert "(off: MAPAL_CACHE=off)" in capsys.readouterr().out


def test_emptying(store: LocalStore, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "clean"]) == 0
    assert capsys.readouterr().out == "removed 3 entries, 6.3 KiB\n"
    assert main(["cache", "clean"]) == 0
    assert capsys.readouterr().out == "removed 0 entries, 0 B\n"
    assert (store.keys(), store.statistics()) == ([], {})


def test_damage_is_removed_and_told(store: LocalStore, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "verify"]) == 0
    assert capsys.readouterr().out == "3 entries, 0 damaged\n"
    file = Path(store.path(KEYS[1]))
    file.write_bytes(file.read_bytes().replace(b"\0", b"\1", 1))
    Path(store.directory, "temporary/half").write_bytes(b"")
    assert main(["cache", "verify"]) == 1
    assert capsys.readouterr().out == (
        f"removed {file}: damaged\nremoved 1 files of writers that were ended\n"
        "3 entries, 1 damaged\n"
    )
    assert store.keys() == [KEYS[0], KEYS[2]]
    assert main(["cache", "verify"]) == 0


def test_mistakes(
    store: LocalStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["cache", "empty"])
    assert ended.value.code == 2
    monkeypatch.setenv("MAPAL_CACHE_LIMIT", "much")
    assert main(["cache"]) == 2
    assert "MAPAL_CACHE_LIMIT is 'much'; expected a size" in capsys.readouterr().err


def test_what_is_no_file_is_removed_like_damage(
    store: LocalStore, capsys: pytest.CaptureFixture[str]
) -> None:
    for key in KEYS[:2]:
        Path(store.path(key)).unlink()
    Path(store.path(KEYS[0])).mkdir()
    os.mkfifo(store.path(KEYS[1]))
    assert main(["cache", "verify"]) == 1
    assert "3 entries, 2 damaged\n" in capsys.readouterr().out
    assert store.keys() == [KEYS[2]]
    Path(store.path(KEYS[0])).mkdir()
    assert main(["cache", "clean"]) == 0
    assert store.keys() == []


def test_damage_that_cannot_be_removed_is_not_called_removed(
    store: LocalStore, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(store.path(KEYS[0])).write_bytes(b"")

    def refused(path: str) -> None:
        raise OSError(30, "Read-only file system", path)

    monkeypatch.setattr(os, "unlink", refused)
    assert main(["cache", "verify"]) == 1
    assert f"cannot remove {store.path(KEYS[0])}: damaged\n" in capsys.readouterr().out


@pytest.mark.parametrize("action", ["info", "verify", "clean"])
def test_what_is_no_directory_is_an_error(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    action: str,
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MAPAL_CACHE", "on")
    monkeypatch.setenv("MAPAL_CACHE_DIR", str(tmp_path / "file"))
    assert main(["cache", action]) == 1
    assert capsys.readouterr().err == f"mapal: {tmp_path}/file/entries: Not a directory\n"


def test_a_directory_whose_name_is_no_text_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MAPAL_CACHE", "on")
    monkeypatch.setenv("MAPAL_CACHE_DIR", os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    assert main(["cache"]) == 0
    assert f"directory    {tmp_path}/\\udcff\n" in capsys.readouterr().out
