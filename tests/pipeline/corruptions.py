"""Corruptions of cache entries under whole builds.

`./dev nice -n 10 python -m tests.pipeline.corruptions --count 200 --seed 1` builds a small project
again and again from a cache in which bytes were changed. Every build must end well with exactly
the artifacts of a clean one, and every corrupted entry must be found.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mapal.cache import LocalStore
from mapal.pipeline import action
from tests.pipeline.conftest import write_project

_MOST_AT_ONCE = 4


def corrupt_builds(count: int, *, seed: int, directory: Path) -> Counter[str]:
    """Builds `count` times from a cache with one to four entries corrupted in one byte each.
    Raises `AssertionError` if a corruption got anywhere."""
    chosen = random.Random(seed)
    counts: Counter[str] = Counter()
    project = write_project(directory / "demo", lambda: ("", ""))
    store = LocalStore(str(directory / "cache"), 1 << 40)
    with _cache_in(store.directory):
        project.build()
        clean = project.artifacts()
        for number in range(count):
            keys = chosen.sample(store.keys(), chosen.randint(1, _MOST_AT_ONCE))
            before = store.statistics()["damaged"]
            for key in keys:
                _corrupt(Path(store.path(key)), chosen)
            shutil.rmtree(project.path / "build")
            action._kept.clear()
            project.build()
            assert project.artifacts() == clean, f"build {number} differs"
            found = store.statistics()["damaged"] - before
            assert found == len(keys), f"build {number}: {found} of {len(keys)} were found"
            counts["builds"] += 1
            counts["corruptions"] += len(keys)
            counts["found"] += found
    return counts


def _corrupt(file: Path, chosen: random.Random) -> None:
    data = bytearray(file.read_bytes())
    position = chosen.randrange(len(data))
    data[position] = (data[position] + chosen.randrange(1, 256)) % 256
    file.write_bytes(data)


@contextlib.contextmanager
def _cache_in(directory: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(MAPAL_CACHE="on", MAPAL_CACHE_DIR=directory)
    action._kept.clear()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory, contextlib.redirect_stderr(io.StringIO()):
        counts = corrupt_builds(options.count, seed=options.seed, directory=Path(directory))
    print(
        f"{counts['builds']} builds with {counts['corruptions']} corrupted entries, "
        f"{counts['found']} found, all artifacts right"
    )


if __name__ == "__main__":
    main()
