"""Remote stores: a real WebDAV server that works, is away, silent, wrong, slow or read-only."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from mapal.cache import Entry, ResultCache, Settings, encode
from mapal.cache.remote import RemoteStore
from tests.cache.server import WebDav, webdav

KEY = "ab" * 32
OTHER = "cd" * 32
ENTRY = Entry(stage="test", files={"out": b"some bytes\n" * 20}, summary="equal")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WebDav]:
    with webdav(tmp_path / "served") as running:
        yield running


class Machine:
    """One machine with a local cache of its own."""

    made: ClassVar[list[Machine]] = []

    def __init__(self, directory: Path, url: str, *, seconds: float = 20.0) -> None:
        self.said: list[str] = []
        place = directory / f"machine-{len(self.made)}"
        settings = Settings(directory=str(place), remote=url, remote_seconds=seconds)
        self.cache = ResultCache(settings, self.said.append)
        self.made.append(self)


@pytest.fixture(autouse=True)
def connections() -> Iterator[None]:
    """Ends the connections of the machines of a test."""
    yield
    for machine in Machine.made:
        machine.cache.close()
    Machine.made.clear()


def test_what_one_machine_computes_another_one_gets(tmp_path: Path, server: WebDav) -> None:
    first, second = Machine(tmp_path, server.url), Machine(tmp_path, server.url)
    assert first.cache.get(KEY) is None
    first.cache.put(KEY, ENTRY)
    assert [path.name for path in server.files()] == [KEY]
    assert second.cache.get(KEY) == ENTRY
    before = len(server.requests)
    assert second.cache.get(KEY) == ENTRY
    assert len(server.requests) == before
    assert second.cache.counters["remote_hits"] == second.cache.counters["hits"] == 1
    assert (first.said, second.said) == ([], [])


def test_a_server_that_is_away_is_one_line(tmp_path: Path) -> None:
    with webdav(tmp_path / "served") as server:
        url = server.url
    machine = Machine(tmp_path, url)
    for key in (KEY, OTHER):
        assert machine.cache.get(key) is None
        machine.cache.put(key, ENTRY)
        assert machine.cache.get(key) == ENTRY
    (line,) = machine.said
    assert line.startswith(f"cache: going on without the remote cache {url}: ")


def test_a_silent_server_is_waited_for_once(tmp_path: Path, server: WebDav) -> None:
    server.manner = "silent"
    machine = Machine(tmp_path, server.url, seconds=0.2)
    for key in (KEY, OTHER):
        assert machine.cache.get(key) is None
        machine.cache.put(key, ENTRY)
    assert machine.said == [
        f"cache: going on without the remote cache {server.url}: no answer within 0.2 s"
    ]
    assert len(server.requests) <= 1


def test_wrong_answers_are_never_used_and_mended(tmp_path: Path, server: WebDav) -> None:
    Machine(tmp_path, server.url).cache.put(KEY, ENTRY)
    server.manner = "corrupt"
    machine = Machine(tmp_path, server.url)
    assert machine.cache.get(KEY) is None
    assert machine.cache.get(KEY) is None
    assert machine.cache.counters["damaged"] == 2
    assert machine.said == [
        f"cache: the remote cache {server.url} gave damaged bytes, which were not used"
    ]
    server.manner = "well"
    (file,) = server.files()
    file.write_bytes(b"something else")
    machine = Machine(tmp_path, server.url)
    assert machine.cache.get(KEY) is None
    machine.cache.put(KEY, ENTRY)
    assert file.read_bytes() == encode(KEY, ENTRY)


def test_an_entry_under_a_wrong_name_is_damaged(tmp_path: Path, server: WebDav) -> None:
    Machine(tmp_path, server.url).cache.put(KEY, ENTRY)
    server.files()[0].rename(server.files()[0].with_name(OTHER))
    assert Machine(tmp_path, server.url).cache.get(OTHER) is None


def test_a_read_only_server_is_still_read_from(tmp_path: Path, server: WebDav) -> None:
    Machine(tmp_path, server.url).cache.put(KEY, ENTRY)
    server.manner = "read-only"
    machine = Machine(tmp_path, server.url)
    machine.cache.put(OTHER, ENTRY)
    machine.cache.put(OTHER, ENTRY)
    assert machine.cache.get(KEY) == ENTRY
    (line,) = machine.said
    assert line.startswith(f"cache: the remote cache {server.url} takes no results: ")
    assert [path.name for path in server.files()] == [KEY]


def test_a_broken_server_is_left_alone(tmp_path: Path, server: WebDav) -> None:
    server.manner = "broken"
    machine = Machine(tmp_path, server.url)
    assert machine.cache.get(KEY) is None
    before = len(server.requests)
    assert machine.cache.get(OTHER) is None
    assert len(server.requests) == before
    assert len(machine.said) == 1


def test_a_slow_server_is_left_alone(
    tmp_path: Path, server: WebDav, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = itertools.count(step=2)
    monkeypatch.setattr("mapal.cache.remote._clock", lambda: float(next(seconds)))
    machine = Machine(tmp_path, server.url)
    for number in range(20):
        assert machine.cache.get(f"{number:064x}") is None
    (line,) = machine.said
    assert line.endswith("it needs 2.0 s for an answer")
    assert len({path for _, path in server.requests}) < 20


@pytest.mark.parametrize("url", ["nonsense://host/path", "webdav://127.0.0.1:1"])
def test_a_url_that_leads_nowhere_is_one_line(tmp_path: Path, url: str) -> None:
    machine = Machine(tmp_path, url)
    assert machine.cache.get(KEY) is None
    machine.cache.put(KEY, ENTRY)
    assert len(machine.said) == 1
    assert "\n" not in machine.said[0]


def test_missing_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr("mapal.cache.remote.import_module", missing)
    machine = Machine(tmp_path, "webdav://host/path")
    assert machine.cache.get(KEY) is None
    assert "`pip install 'mapal[remote]'` brings what is needed" in machine.said[0]


def test_other_file_systems_do_too(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/shared/deep"
    Machine(tmp_path, url).cache.put(KEY, ENTRY)
    assert (tmp_path / "shared/deep" / KEY).is_file()
    assert Machine(tmp_path, url).cache.get(KEY) == ENTRY


def test_accounts_are_used_and_not_shown(tmp_path: Path) -> None:
    settings = Settings(directory=str(tmp_path), remote="webdavs://me:s%20x@host/place")
    store = RemoteStore(settings, lambda line: None)
    assert store.shown == "webdavs://host/place"
    place = store._opened()
    assert place.path(KEY) == f"place/{KEY}"
    assert str(place.system.client.http.base_url) == "https://host/"
    store.close()
