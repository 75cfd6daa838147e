"""Entries on disk: bounds, the order of removal, leftovers, and many processes at once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mapal.cache import Entry, LocalStore, decode, encode
from mapal.cache.store import Census


def key(number: int) -> str:
    return f"{number:064x}"[::-1]


def store(directory: Path, limit_bytes: int = 1 << 30) -> LocalStore:
    return LocalStore(str(directory / "cache"), limit_bytes)


def test_a_store_is_made_when_it_is_written_to(tmp_path: Path) -> None:
    made = store(tmp_path)
    assert made.read(key(1)) is None
    assert (made.keys(), made.census(), made.sweep()) == ([], Census(0, 0), 0)
    assert not (tmp_path / "cache").exists()
    assert made.write(key(1), b"one") == 0
    assert made.read(key(1)) == b"one"
    assert made.write(key(1), b"other") == 0
    assert made.read(key(1)) == b"other"
    assert store(tmp_path).keys() == [key(1)]
    made.drop(key(1))
    made.drop(key(1))
    assert made.keys() == []


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    made = store(tmp_path, 1000)
    for number in range(10):
        assert made.write(key(number), bytes(100)) == 0
        os.utime(made.path(key(number)), (number, number))
    assert made.read(key(0)) is not None
    assert made.read(key(1), mark_used=False) is not None
    assert made.write(key(10), bytes(100)) == 2
    assert sorted(made.keys()) == sorted(key(number) for number in (0, *range(3, 11)))
    assert made.census() == Census(9, 900)


def test_a_store_never_stays_above_its_limit(tmp_path: Path) -> None:
    others = [store(tmp_path, 5000) for _ in range(3)]
    for number in range(300):
        made = others[number % 3]
        made.write(key(number), bytes(number))
        # What two others may have added since this one looked last.
        assert made.census().bytes <= 5000 + 2 * (5000 // 16 + 300)
    assert others[0].write(key(400), bytes(5001)) == 0
    assert key(400) not in others[0].keys()  # noqa: SIM118  (a method of ours)


def test_only_entries_are_touched(tmp_path: Path) -> None:
    made = store(tmp_path)
    made.write(key(1), b"one")
    made.add_statistics({"hits": 1})
    foreign = tmp_path / "cache/entries/ab"
    foreign.mkdir()
    (foreign / "letter.txt").write_text("mine")
    (foreign / "A").write_text("mine")
    (tmp_path / "cache/notes").write_text("mine")
    assert made.clear() == Census(1, 3)
    assert {p.name for p in (tmp_path / "cache").rglob("*") if p.is_file()} == {
        "letter.txt", "A", "notes", "lock",
    }  # fmt: skip
    assert made.statistics() == {}


def test_files_of_dead_writers_are_swept_and_others_left(tmp_path: Path) -> None:
    made = store(tmp_path, 100)
    made.write(key(1), b"one")
    script = (
        "import fcntl, os, sys\n"
        "file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)\n"
        "fcntl.flock(file, fcntl.LOCK_EX)\n"
        "os.write(file, b'half')\n"
        "print(flush=True)\n"
        "sys.stdin.read()\n"
    )
    path = tmp_path / "cache/temporary/writer"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        assert made.sweep() == 0
        assert path.exists()
        writer.kill()
    assert made.sweep() == 1
    assert not path.exists()


def test_a_directory_that_vanishes_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = store(tmp_path)
    replace = os.replace
    calls = []

    def swept_first(source: str, target: str) -> None:
        calls.append(source)
        if len(calls) == 1:
            os.unlink(source)
        replace(source, target)

    monkeypatch.setattr(os, "replace", swept_first)
    made.write(key(1), b"one")
    assert made.read(key(1)) == b"one"
    assert len(calls) == 2


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = store(tmp_path)

    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device", target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        made.write(key(1), b"one")
    assert not list((tmp_path / "cache/temporary").iterdir())


def test_counters_add_up_over_threads_and_survive_damage(tmp_path: Path) -> None:
    made = store(tmp_path)
    threads = [
        threading.Thread(target=made.add_statistics, args=({"hits": 1, "misses": 2},))
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made.statistics() == {"hits": 20, "misses": 40}
    for text in ("", "[]", '{"hits": "x", "misses": 1}'):
        (tmp_path / "cache/statistics.json").write_text(text)
        assert set(made.statistics()) <= {"misses"}
    (tmp_path / "file").write_text("")
    LocalStore(str(tmp_path / "file"), 1).add_statistics({"hits": 1})


WRITER = """\
import sys
from mapal.cache import Entry, LocalStore, decode, encode
store = LocalStore(sys.argv[1], 40_000)
for number in range(300):
    key = f"{number % 40:064x}"
    data = store.read(key)
    if data is None:
        files = {"out": bytes([number % 40]) * 1500}
        store.write(key, encode(key, Entry(stage="s", files=files)))
    else:
        assert decode(key, data).files["out"] == bytes([number % 40]) * 1500
"""


def test_many_processes_share_a_store(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path / "cache")]
    running = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    made = store(tmp_path, 40_000)
    assert made.census().bytes <= 40_000 + 3 * 40_000 // 16 + 4 * 1700
    for name in made.keys():  # noqa: SIM118  (a method of ours)
        data = made.read(name)
        assert data is not None
        decode(name, data)
    assert not list((tmp_path / "cache/temporary").iterdir())


def test_an_entry_is_one_file(tmp_path: Path) -> None:
    made = store(tmp_path)
    data = encode(key(7), Entry(stage="s", files={}))
    made.write(key(7), data)
    assert Path(made.path(key(7))).read_bytes() == data
