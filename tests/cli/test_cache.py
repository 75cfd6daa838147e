"""`mapal cache`: what it shows, empties and finds."""

from __future__ import annotations

import json
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
    Path(store.path("ab" * 32)).mkdir(parents=True)
    assert main(["cache", "verify"]) == 1
    assert "Is a directory" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main(["cache", "empty"])
    assert ended.value.code == 2
    monkeypatch.setenv("MAPAL_CACHE_LIMIT", "much")
    assert main(["cache"]) == 2
    assert "MAPAL_CACHE_LIMIT is 'much'; expected a size" in capsys.readouterr().err
