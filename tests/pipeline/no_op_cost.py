"""What a build with nothing to do costs, next to doit itself.

`./dev python -m tests.pipeline.no_op_cost` builds projects of about 1, 100 and 1,000 tasks, and
writes for each a plain doit file with as many tasks that depend on the same files, with a checker
that hashes each file once with SHA-256. Then both are run with nothing to do, in turns, and the
processor time of the whole processes is compared: the ratio of the medians, and the range of the
ratios of neighbouring runs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from mapal.pipeline.seal import read_sealed

_SOURCE = "fn main() {\n    {{N}} -> println;\n}\n"
_PROJECT = """\
name: many
programs:
  p: {{source: src/p.mapal, sizes: {{N: [{sizes}]}}}}
targets: [generic]
"""
_PLAIN = """\
import hashlib, json
from doit.dependency import FileChangedChecker

class ContentChecker(FileChangedChecker):
    known = {}

    def digest(self, path):
        if path not in self.known:
            with open(path, "rb") as file:
                self.known[path] = hashlib.sha256(file.read()).hexdigest()
        return self.known[path]

    def check_modified(self, file_path, file_stat, state):
        return self.digest(file_path) != state

    def get_state(self, dep, current_state):
        return self.digest(dep)

DOIT_CONFIG = {"check_file_uptodate": ContentChecker, "default_tasks": ["build"]}

with open("tasks.json") as file:
    TASKS = json.load(file)

def nothing():
    pass

def task_stage():
    for name, files in TASKS.items():
        yield {"name": name, "actions": [nothing], "file_dep": files}

def task_build():
    return {"actions": None, "task_dep": ["stage"]}
"""


@dataclass(frozen=True)
class Comparison:
    """Processor milliseconds of runs with nothing to do, in the order of the runs."""

    tasks: int
    ours: list[float]
    plain: list[float]

    def ratio(self) -> float:
        return statistics.median(self.ours) / statistics.median(self.plain)

    def row(self) -> str:
        """A line of a table."""
        ratios = [ours / plain for ours, plain in zip(self.ours, self.plain, strict=True)]
        return (
            f"| {self.tasks:,} | {statistics.median(self.ours):.0f} | "
            f"{statistics.median(self.plain):.0f} | {self.ratio():.2f} | "
            f"{min(ratios):.2f} to {max(ratios):.2f} |"
        )


def compare(directory: Path, programs: int, rounds: int) -> Comparison:
    """Builds a project of so many programs and compares `rounds` idle builds of each kind."""
    ours, plain = directory / "ours", directory / "plain"
    _write_project(ours, programs)
    # Modules are compiled once, as in any installation, wherever this runs.
    unwanted = ("PYTHONDONTWRITEBYTECODE", "PYTHONPROFILEIMPORTTIME")
    environment = {name: text for name, text in os.environ.items() if name not in unwanted}
    environment["MAPAL_CACHE"] = "off"
    _run(ours, environment)
    records = json.loads(read_sealed(str(ours / "build/.mapal/records.json")) or b"")["entries"]
    _write_plain(ours, plain, records)
    _run(plain, environment)
    _run(ours, environment)
    measured: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for place, times in zip((ours, plain), measured, strict=True):
            times.append(_run(place, environment))
    return Comparison(len(records) + 1, *measured)


def _write_project(directory: Path, programs: int) -> None:
    (directory / "src").mkdir(parents=True)
    (directory / "src/p.mapal").write_text(_SOURCE)
    sizes = ", ".join(str(number + 1) for number in range(programs))
    (directory / "mapal.yaml").write_text(_PROJECT.format(sizes=sizes))
    (directory / "dodo.py").write_text("from mapal.dodo import *\n")


def _write_plain(ours: Path, plain: Path, records: dict[str, dict[str, dict[str, str]]]) -> None:
    """The same files as dependencies of as many tasks; what a project's records name relative to
    its build directory lies there."""
    plain.mkdir()
    import mapal

    top = Path(mapal.__file__).parents[1]
    tasks = {}
    for name, record in records.items():
        labels = [*record["inputs"], *record["outputs"]]
        tasks[name] = [
            str(top / label.removeprefix("mapal:"))
            if label.startswith("mapal:")
            else os.path.normpath(ours / "build" / label)
            for label in labels
        ]
    tasks["manifest"] = [str(ours / "build/manifest.json")]
    (plain / "tasks.json").write_text(json.dumps(tasks))
    (plain / "dodo.py").write_text(_PLAIN)


def _run(directory: Path, environment: dict[str, str]) -> float:
    """Runs `doit build` and gives its processor time in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "doit", "build"],
        cwd=directory,
        env=environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, nargs="+", default=[1, 9, 91])
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    print("| tasks | Mapal, ms | plain doit, ms | ratio | ratios of neighbours |")
    print("| ---: | ---: | ---: | ---: | --- |")
    for programs in options.programs:
        with tempfile.TemporaryDirectory() as directory:
            print(compare(Path(directory), programs, options.rounds).row(), flush=True)


if __name__ == "__main__":
    main()
