"""The shared cache: results of stages by the fingerprint of everything that they depend on.

`entry` is the form of a result, on disk and on the wire; `store` keeps entries in a directory;
`remote` reaches a store by URL; `results` puts these together for a build; `settings` reads the
environment. A build with nothing to do needs none of it, so modules are imported when one of
their names is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mapal.cache.entry import Damaged, Entry, decode, encode
    from mapal.cache.results import ResultCache, open_cache
    from mapal.cache.settings import Settings, read_settings
    from mapal.cache.store import LocalStore

__all__ = [
    "Damaged",
    "Entry",
    "LocalStore",
    "ResultCache",
    "Settings",
    "decode",
    "encode",
    "open_cache",
    "read_settings",
]

_MODULES = {
    "Damaged": "entry",
    "Entry": "entry",
    "decode": "entry",
    "encode": "entry",
    "ResultCache": "results",
    "open_cache": "results",
    "Settings": "settings",
    "read_settings": "settings",
    "LocalStore": "store",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
