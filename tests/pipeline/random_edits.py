"""Random edits of a project, built after each: the end must be that of a clean build.

`./dev nice -n 10 python -m tests.pipeline.random_edits --count 300 --edits 10 --whole 30 --seed 1`
runs so many sequences in this process, for the target `generic` and without linking, and so many
through whole builds. A sequence edits sources, the project file and inputs, breaks programs and
mends them, takes edits back, alters and deletes artifacts and records, adds and removes programs,
with and without a shared cache. At the end the manifest must be, byte for byte, that of a clean
build of the same files in another directory.
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
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from mapal.pipeline import action, session
from mapal.pipeline.manifest import manifest_bytes
from tests.pipeline.conftest import write_project
from tests.pipeline.directories import ProjectDirectory

_STAGES = ("parse", "lower", "check", "rewrite", "oracle", "emit", "object")
_TEXTS = ("program({number})", "quoted", "{number} words", "")
_THIRD = "fn main() {\n    3 -> println;\n}\n"


class Sequence:
    """One project and its edits."""

    def __init__(self, directory: Path, chosen: random.Random, *, whole: bool) -> None:
        self.project = write_project(directory / "demo", lambda: ("", ""))
        self.counts: Counter[str] = Counter()
        self._clean = directory / "clean"
        self._chosen = chosen
        self._whole = whole
        self._former: list[dict[str, bytes]] = [self._sources()]

    def run(self, edits: int) -> None:
        """Edits and builds; raises `AssertionError` if the end is not that of a clean build."""
        self._build()
        for _ in range(edits):
            edit = self._chosen.choice(_EDITS)
            edit(self)
            self.counts[edit.__name__.lstrip("_").replace("_", " ")] += 1
            self.counts["failed builds"] += self._build() != 0
            self._former.append(self._sources())
        self._mend()
        assert self._build() == 0
        incremental = self._result(self.project)
        shutil.copytree(self.project.path, self._clean, ignore=shutil.ignore_patterns("build"))
        clean = ProjectDirectory(self._clean, lambda: ("", ""))
        with _cache(None):
            assert self._build(clean) == 0
            assert incremental == self._result(clean)

    def _build(self, project: ProjectDirectory | None = None) -> int:
        chosen = project or self.project
        action._kept.clear()
        with contextlib.redirect_stderr(io.StringIO()):
            return chosen.doit(*(("build",) if self._whole else _STAGES)).status

    def _result(self, project: ProjectDirectory) -> bytes:
        if self._whole:
            return (project.path / "build/manifest.json").read_bytes()
        self._build(project)
        steps = session.current().steps.values()
        before = os.getcwd()
        os.chdir(project.path)
        try:
            made = manifest_bytes([step for step in steps if step.stage in _STAGES])
        finally:
            os.chdir(before)
        assert made is not None
        return made

    def _sources(self) -> dict[str, bytes]:
        """All files of the project that are not generated."""
        return {
            str(path.relative_to(self.project.path)): path.read_bytes()
            for path in sorted(self.project.path.rglob("*"))
            if path.is_file() and "build" not in path.relative_to(self.project.path).parts
        }

    def _artifact(self) -> Path | None:
        build = self.project.path / "build"
        found = [
            path
            for path in sorted(build.rglob("*"))
            if path.is_file() and ".mapal" not in path.parts
        ]
        return self._chosen.choice(found) if found else None

    def _source(self) -> str:
        return self._chosen.choice(["src/hello.mapal", "src/scale.mapal"])

    def _change(self, name: str, change: Callable[[str], str]) -> None:
        self.project.write(name, change(self.project.read(name)))

    # The edits.

    def _comment(self) -> None:
        number = self._chosen.randrange(100)
        self._change(self._source(), lambda text: f"// remark {number}\n{text}")

    def _layout(self) -> None:
        self._change(self._source(), lambda text: text.replace(" -> ", "\n  ->   ", 1))

    def _constant(self) -> None:
        number = self._chosen.randrange(1, 6)
        self._change("src/hello.mapal", lambda text: text.replace("1 + ", f"{number} + ", 1))
        self._change("src/scale.mapal", lambda text: text.replace("2.0", f"{number}.0", 1))

    def _text(self) -> None:
        new = self._chosen.choice(_TEXTS).format(number=self._chosen.randrange(9))
        self._change("src/hello.mapal", lambda text: text.replace("hello", new or "hello", 1))

    def _parameter(self) -> None:
        self._change("src/scale.mapal", lambda text: text.replace("x", "each"))

    def _break(self) -> None:
        self._change(self._source(), lambda text: text.replace(";", ";§", 1))

    def _mend(self) -> None:
        for name in ("src/hello.mapal", "src/scale.mapal"):
            self._change(name, lambda text: text.replace("§", ""))

    def _option(self) -> None:
        line = self._chosen.choice(
            ["opt: 0", "opt: 1", "opt: 3", "arithmetic: fused", "threads: [1]", "steps: 5000"]
        )
        key = line.split(":")[0]

        def change(text: str) -> str:
            kept = [row for row in text.splitlines() if not row.startswith(f"{key}:")]
            return "\n".join([*kept, line]) + "\n"

        self._change("mapal.yaml", change)

    def _input(self) -> None:
        values = np.full(8, self._chosen.randrange(5), dtype="f4")
        np.save(self.project.path / "data/a.npy", values)

    def _program(self) -> None:
        """Adds a program, or removes it."""
        line = "  third: {source: src/third.mapal}\n"
        self.project.write("src/third.mapal", _THIRD)
        self._change(
            "mapal.yaml",
            lambda text: (
                text.replace(line, "")
                if line in text
                else text.replace("programs:\n", f"programs:\n{line}")
            ),
        )

    def _revert(self) -> None:
        for name, data in self._chosen.choice(self._former).items():
            (self.project.path / name).write_bytes(data)

    def _touch(self) -> None:
        seconds = self._chosen.randrange(10**9)
        os.utime(self.project.path / self._source(), (seconds, seconds))

    def _alter_artifact(self) -> None:
        path = self._artifact()
        if path is not None:
            path.write_bytes(path.read_bytes()[:-1] + b"#")

    def _delete_artifact(self) -> None:
        path = self._artifact()
        if path is not None:
            path.unlink()

    def _lose_records(self) -> None:
        (self.project.path / "build/.mapal/records.json").unlink(missing_ok=True)

    def _nothing(self) -> None:
        pass


_EDITS: tuple[Callable[[Sequence], None], ...] = (
    Sequence._comment,
    Sequence._layout,
    Sequence._constant,
    Sequence._text,
    Sequence._parameter,
    Sequence._break,
    Sequence._mend,
    Sequence._option,
    Sequence._input,
    Sequence._program,
    Sequence._revert,
    Sequence._touch,
    Sequence._alter_artifact,
    Sequence._delete_artifact,
    Sequence._lose_records,
    Sequence._nothing,
)


@contextlib.contextmanager
def _cache(directory: Path | None) -> Iterator[None]:
    """The cache in a directory, or none, for the builds of the block."""
    before = dict(os.environ)
    os.environ["MAPAL_CACHE"] = "on" if directory is not None else "off"
    if directory is not None:
        os.environ["MAPAL_CACHE_DIR"] = str(directory)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def run_sequences(
    count: int, edits: int, *, seed: int, directory: Path, whole: bool
) -> Counter[str]:
    """Runs sequences, every second one with a cache that these share. Gives how often each edit
    was made; an `AssertionError` says which sequence went wrong."""
    counts: Counter[str] = Counter()
    for number in range(count):
        chosen = random.Random(f"{seed}:{number}:{whole}")
        place = directory / f"{number}-{whole}"
        sequence = Sequence(place, chosen, whole=whole)
        with _cache(directory / "cache" if number % 2 else None):
            try:
                sequence.run(edits)
            except AssertionError as error:
                raise AssertionError(f"sequence {number} of seed {seed}: {error}") from error
        counts += sequence.counts
        counts["sequences"] += 1
        shutil.rmtree(place)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="sequences without linking")
    parser.add_argument("--whole", type=int, default=30, help="sequences through whole builds")
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for count, whole in ((options.count, False), (options.whole, True)):
        with tempfile.TemporaryDirectory() as directory:
            counts = run_sequences(
                count, options.edits, seed=options.seed, directory=Path(directory), whole=whole
            )
        how = "through whole builds" if whole else "in process, without linking"
        print(f"{counts.pop('sequences', 0)} sequences of {options.edits} edits {how}, all equal")
        print(
            "  " + ", ".join(f"{what} {times}" for what, times in counts.most_common()), flush=True
        )


if __name__ == "__main__":
    main()
