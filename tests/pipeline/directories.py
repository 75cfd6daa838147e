"""Small projects in temporary directories, built in this process or in one of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HELLO = 'fn main() {\n    "hello" -> println;\n    1 + 2 -> println;\n}\n'
SCALE = "fn main(a: [f32; 8]) -> [f32; 8] {\n    a -> map { x -> x * 2.0 } -> ret;\n}\n"
PROJECT = """\
name: demo
programs:
  hello: {source: src/hello.mapal}
  scale: {source: src/scale.mapal, inputs: {a: data/a.npy}, outputs: {result: build/out/s.npy}}
targets: [generic]
"""


@dataclass(frozen=True)
class Result:
    """What a command printed and how it ended."""

    status: int
    out: str
    err: str


class ProjectDirectory:
    """A project and ways to build it."""

    def __init__(self, path: Path, capture: Callable[[], tuple[str, str]]) -> None:
        self.path = path
        self._capture = capture

    def write(self, name: str, text: str) -> Path:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def read(self, name: str) -> str:
        return (self.path / name).read_text()

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.read(name)
        assert old in text
        self.write(name, text.replace(old, new))

    def doit(self, *words: str) -> Result:
        """Runs doit in this process."""
        from doit.cmd_base import ModuleTaskLoader
        from doit.doit_cmd import DoitMain

        import mapal.dodo

        before = os.getcwd()
        os.chdir(self.path)
        out = self.path.parent / "stdout"
        # doit writes to the standard output of the moment when it was imported.
        runs = not words or words[0] not in (
            "exec",
            "why",
            "list",
            "info",
            "clean",
            "forget",
            "ignore",
        )
        options = ["run", "-o", str(out)] if runs else []
        try:
            self._capture()
            status = DoitMain(ModuleTaskLoader(mapal.dodo)).run([*options, *words])
        finally:
            os.chdir(before)
        printed, errors = self._capture()
        if runs:
            printed = out.read_text() if out.exists() else ""
            out.unlink(missing_ok=True)
        return Result(int(status or 0), printed, errors)

    def doit_process(self, *words: str, **options: Any) -> Result:
        """Runs doit in a process of its own."""
        result = subprocess.run(
            [sys.executable, "-m", "doit", *words],
            cwd=self.path,
            capture_output=True,
            text=True,
            check=False,
            **options,
        )
        return Result(result.returncode, result.stdout, result.stderr)

    def tasks_run(self) -> list[str]:
        """The tasks of the last build that ran something, in order, and forgets them."""
        file = self.path / "build" / "last-build.json"
        if not file.exists():
            return []
        tasks = [task["name"] for task in json.loads(file.read_text())["tasks"]]
        file.unlink()
        return tasks

    def build(self, *words: str) -> list[str]:
        """Builds, expects success, and gives the tasks that ran."""
        # Options stand before the task, as doit wants them.
        options = [word for word in words if "=" not in word]
        result = self.doit(*options, "build", *(word for word in words if "=" in word))
        assert result.status == 0, result.err
        return self.tasks_run()

    def artifacts(self) -> dict[str, bytes]:
        """Every file below `build/` but the build's own state and what tells of the build."""
        top = self.path / "build"
        return {
            str(file.relative_to(top)): file.read_bytes()
            for file in sorted(top.rglob("*"))
            if file.is_file()
            and ".mapal" not in file.parts
            and file.name not in ("last-build.json", "index.html", "junit.xml")
        }
