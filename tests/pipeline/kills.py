"""Builds that are killed at random times, and builds that are started twice.

`./dev nice -n 10 python -m tests.pipeline.kills --count 200 --doubles 50 --seed 1` prints what
happened. Whatever a kill interrupts, the next build must end well with exactly the artifacts of a
clean one, leave no temporary file, and the cache that all of them share must verify clean.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from mapal.cache import LocalStore, decode
from tests.pipeline.conftest import write_project
from tests.pipeline.directories import ProjectDirectory

_SERIAL, _PARALLEL = ("build",), ("-n", "2", "build")
_VARIANTS = (("1 + 2", "x * 2.0"), ("1 + 5", "x * 2.0"), ("1 + 5", "x * 3.0"))


class Trial:
    """A project that is built and disturbed again and again."""

    def __init__(self, directory: Path, seed: int) -> None:
        self.counts: Counter[str] = Counter()
        self._chosen = random.Random(seed)
        self._variant = 0
        self._cache = directory / "cache"
        self._environment = {
            **os.environ,
            "MAPAL_CACHE": "on",
            "MAPAL_CACHE_DIR": str(self._cache),
        }
        self._project = write_project(directory / "demo", lambda: ("", ""))
        self._clean: list[dict[str, bytes]] = []
        self._seconds = 0.0
        for number in range(len(_VARIANTS)):
            self._clean.append(self._undisturbed(directory / f"clean-{number}", number))

    def _undisturbed(self, path: Path, variant: int) -> dict[str, bytes]:
        """The artifacts of a variant, built without cache in a directory of its own."""
        project = write_project(path, lambda: ("", ""))
        _edit(project, 0, variant)
        start = time.monotonic()
        result = project.doit_process("build", env={**os.environ, "MAPAL_CACHE": "off"})
        assert result.status == 0, result.err
        self._seconds = max(self._seconds, time.monotonic() - start)
        return project.artifacts()

    def kill(self) -> bool:
        """One build that is killed, and one that must make up for it. Tells whether the kill came
        before the end."""
        self._disturb()
        words = self._chosen.choice((_SERIAL, _PARALLEL))
        process = self._start(words)
        # From the start of Python on; early times more often, since most builds have less to do
        # than the one that was measured.
        time.sleep(self._seconds * self._chosen.uniform(0.05, 1.0) ** 2)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        self.counts[f"killed, {'-n 2' if words is _PARALLEL else 'serial'}"] += status == -9
        self.counts["ended before the kill"] += status != -9
        self._check_next_build()
        return status == -9

    def double_start(self) -> None:
        """Two builds at once, which must both end well."""
        self._disturb()
        first = self._start(self._chosen.choice((_SERIAL, _PARALLEL)))
        time.sleep(self._chosen.choice((0.0, self._chosen.random() * self._seconds)))
        second = self._start(self._chosen.choice((_SERIAL, _PARALLEL)))
        assert (first.wait(), second.wait()) == (0, 0)
        self.counts["double starts"] += 1
        self._check_next_build()

    def _disturb(self) -> None:
        """Makes it likely that there is something to do."""
        variant = self._chosen.randrange(len(_VARIANTS))
        _edit(self._project, self._variant, variant)
        self._variant = variant
        if self._chosen.random() < 0.6:
            shutil.rmtree(self._project.path / "build", ignore_errors=True)
        if self._chosen.random() < 0.4:
            shutil.rmtree(self._cache, ignore_errors=True)

    def _start(self, words: tuple[str, ...]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "doit", *words],
            cwd=self._project.path,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _check_next_build(self) -> None:
        words = self._chosen.choice((_SERIAL, _PARALLEL))
        result = self._project.doit_process(*words, env=self._environment)
        assert result.status == 0, result.err
        assert self._project.artifacts() == self._clean[self._variant]
        build = self._project.path / "build"
        assert not list(build.rglob("*.mapal-tmp"))
        assert not (build / ".mapal/running").exists()
        assert not (build / ".mapal/tmp").exists()
        self._check_cache()
        self.counts["builds compared"] += 1

    def _check_cache(self) -> None:
        store = LocalStore(str(self._cache), 1 << 40)
        for key in store.keys():  # noqa: SIM118  (a method of ours)
            data = store.read(key, mark_used=False)
            assert data is not None
            decode(key, data)
            self.counts["entries verified"] += 1


def _edit(project: ProjectDirectory, before: int, after: int) -> None:
    for name, old, new in zip(("hello", "scale"), _VARIANTS[before], _VARIANTS[after], strict=True):
        project.edit(f"src/{name}.mapal", old, new)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="kills")
    parser.add_argument("--doubles", type=int, default=50, help="double starts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        trial = Trial(Path(directory), options.seed)
        killed = 0
        while killed < options.count:
            killed += trial.kill()
            if sys.stderr.isatty():
                print(f"\r{killed} kills", end="", file=sys.stderr, flush=True)
        for _ in range(options.doubles):
            trial.double_start()
    for what, count in sorted(trial.counts.items()):
        print(f"{count:6} {what}")


if __name__ == "__main__":
    main()
