"""The shared cache: results of stages by the fingerprint of everything that they depend on.

`entry` is the form of a result, on disk and on the wire; `store` keeps entries in a directory;
`remote` reaches a store by URL; `results` puts these together for a build; `settings` reads the
environment. A build with nothing to do touches none of it, so imports here stay light.
"""

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
