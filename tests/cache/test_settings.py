"""What the environment says, and what it must not say."""

from __future__ import annotations

from pathlib import Path

import platformdirs
import pytest

from mapal.cache import open_cache, read_settings
from mapal.diagnostics import UserError


def test_without_variables_the_platform_decides() -> None:
    settings = read_settings({"MAPAL_CACHE": "", "MAPAL_CACHE_DIR": ""})
    assert settings == read_settings({})
    assert settings.place() == platformdirs.user_cache_dir("mapal", appauthor=False)
    assert (settings.enabled, settings.remote, settings.shown_remote()) == (True, None, None)


def test_each_variable_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = read_settings(
        {
            "MAPAL_CACHE_DIR": "here",
            "MAPAL_CACHE_LIMIT": "500M",
            "MAPAL_CACHE_REMOTE": "webdav://me:secret@host/x",
            "MAPAL_CACHE_REMOTE_SECONDS": "0.5",
        }
    )
    assert settings.place() == str(tmp_path / "here")
    assert settings.limit_bytes == 500 << 20
    assert settings.shown_remote() == "webdav://host/x"
    assert settings.remote_seconds == 0.5


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1", 1), ("2k", 2048), ("3 ".strip(), 3), ("1GiB", 1 << 30), ("1TB", 1 << 40), ("0", 0)],
)
def test_sizes_have_units(text: str, expected: int) -> None:
    assert read_settings({"MAPAL_CACHE_LIMIT": text}).limit_bytes == expected


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("MAPAL_CACHE", "maybe"),
        ("MAPAL_CACHE_LIMIT", "much"),
        ("MAPAL_CACHE_LIMIT", "-1"),
        ("MAPAL_CACHE_LIMIT", "G"),
        ("MAPAL_CACHE_LIMIT", "B"),
        ("MAPAL_CACHE_LIMIT", "iB"),
        ("MAPAL_CACHE_LIMIT", "9" * 5000),
        ("MAPAL_CACHE_REMOTE_SECONDS", "soon"),
        ("MAPAL_CACHE_REMOTE_SECONDS", "0"),
        ("MAPAL_CACHE_REMOTE_SECONDS", "inf"),
        ("MAPAL_CACHE_REMOTE_SECONDS", "nan"),
        ("MAPAL_CACHE_REMOTE_SECONDS", "1e300"),
        ("MAPAL_CACHE_REMOTE", "http://me:secret@[host"),
        ("MAPAL_CACHE_REMOTE", "http://me:secret@ho\u2100st/"),
    ],
)
def test_what_means_nothing_is_an_error(name: str, text: str) -> None:
    with pytest.raises(UserError, match=f"{name} is ") as caught:
        read_settings({name: text})
    assert len(caught.value.message) < 160
    assert "secret" not in caught.value.message


def test_off_is_off() -> None:
    assert open_cache({"MAPAL_CACHE": "Off"}, print) is None
    assert open_cache({"MAPAL_CACHE": "on"}, print) is not None
