"""Random corruptions of one byte, at the cache's own interface.

`./dev python -m tests.cache.corruptions --count 10000 --seed 1` prints how many there were. Every
one must be found: the cache gives nothing, drops the entry, and takes a new one.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from mapal.cache import Entry, LocalStore, ResultCache, Settings

_ENTRIES = 50


def corrupt_entries(count: int, *, seed: int, directory: Path) -> int:
    """Corrupts `count` bytes, each in a whole entry, and gives the number of those that were
    found. Raises `AssertionError` for one that was not."""
    chosen = random.Random(seed)
    said: list[str] = []
    cache = ResultCache(Settings(directory=str(directory)), said.append)
    store = LocalStore(str(directory), 1 << 40)
    entries = {f"{chosen.getrandbits(256):064x}": _entry(chosen) for _ in range(_ENTRIES)}
    for key, entry in entries.items():
        cache.put(key, entry)
    for number in range(count):
        key = chosen.choice(sorted(entries))
        file = Path(store.path(key))
        data = bytearray(file.read_bytes())
        position = chosen.randrange(len(data))
        data[position] = (data[position] + chosen.randrange(1, 256)) % 256
        file.write_bytes(data)
        assert cache.get(key) is None, f"corruption {number} at byte {position} was believed"
        assert not file.exists(), f"corruption {number} at byte {position} was kept"
        cache.put(key, entries[key])
        assert cache.get(key) == entries[key]
    assert said == []
    return cache.counters["damaged"]


def _entry(chosen: random.Random) -> Entry:
    files = {f"role.{number}": chosen.randbytes(chosen.randrange(2000)) for number in range(3)}
    return Entry(stage="test", files=files, summary=chosen.choice([None, "equal"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        found = corrupt_entries(options.count, seed=options.seed, directory=Path(directory))
    print(f"{options.count} corruptions of one byte, {found} found, 0 believed")


if __name__ == "__main__":
    main()
