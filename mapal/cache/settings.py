"""What the environment says about the cache.

| variable | means |
| --- | --- |
| `MAPAL_CACHE` | `off` disables the cache, `on` is the default |
| `MAPAL_CACHE_DIR` | its directory; default is the platform's place for caches |
| `MAPAL_CACHE_LIMIT` | the size that it is kept below, such as `500M`; default `2G` |
| `MAPAL_CACHE_REMOTE` | URL of a store that several machines share; default none |
| `MAPAL_CACHE_REMOTE_SECONDS` | how long one request to it may take; default 5 |
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from mapal.diagnostics import UserError

_SWITCH = "MAPAL_CACHE"
_DIRECTORY = "MAPAL_CACHE_DIR"
_LIMIT = "MAPAL_CACHE_LIMIT"
_REMOTE = "MAPAL_CACHE_REMOTE"
_REMOTE_SECONDS = "MAPAL_CACHE_REMOTE_SECONDS"

_DEFAULT_LIMIT_BYTES = 2 << 30
_DEFAULT_REMOTE_SECONDS = 5.0
_MOST_SECONDS = 86_400
_SIZE = re.compile(r"([0-9]{1,30})(?:([KMGT])?I?B?)")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """`directory` is None where the platform decides."""

    enabled: bool = True
    directory: str | None = None
    limit_bytes: int = _DEFAULT_LIMIT_BYTES
    remote: str | None = None
    remote_seconds: float = _DEFAULT_REMOTE_SECONDS

    def place(self) -> str:
        """The directory of the cache, absolute."""
        if self.directory is not None:
            return os.path.abspath(self.directory)
        import platformdirs

        return platformdirs.user_cache_dir("mapal", appauthor=False)

    def shown_remote(self) -> str | None:
        """The URL of the remote store without the account in it."""
        if self.remote is None:
            return None
        from urllib.parse import urlsplit, urlunsplit

        parts = urlsplit(self.remote)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings in these environment variables; empty ones count as absent. Raises
    `UserError` for a value that means nothing."""
    switch = environment.get(_SWITCH, "").strip().lower()
    if switch not in ("", "on", "off"):
        raise UserError(f"{_SWITCH} is {environment[_SWITCH]!r}; expected on or off")
    return Settings(
        enabled=switch != "off",
        directory=environment.get(_DIRECTORY) or None,
        limit_bytes=_size(environment.get(_LIMIT, "")),
        remote=_url(environment[_REMOTE]) if environment.get(_REMOTE) else None,
        remote_seconds=_seconds(environment.get(_REMOTE_SECONDS, "")),
    )


def _size(text: str) -> int:
    """Bytes, with an optional binary unit."""
    if not text.strip():
        return _DEFAULT_LIMIT_BYTES
    match = _SIZE.fullmatch(text.strip().upper())
    if match is None:
        raise UserError(f"{_LIMIT} is {text[:40]!r}; expected a size such as 500M or 2G")
    return int(match[1]) * _UNITS.get(match[2], 1)


def _seconds(text: str) -> float:
    if not text.strip():
        return _DEFAULT_REMOTE_SECONDS
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _MOST_SECONDS:
        raise UserError(
            f"{_REMOTE_SECONDS} is {text[:40]!r}; expected a number of seconds above 0, "
            f"{_MOST_SECONDS} at most"
        )
    return seconds


def _url(text: str) -> str:
    """The URL, if it can be taken apart: everything about a store is done with its parts."""
    from urllib.parse import urlsplit

    try:
        urlsplit(text)
    except ValueError:
        # The text is not shown, nor what is wrong with it: both may hold a password.
        raise UserError(f"{_REMOTE} is no URL") from None
    return text
