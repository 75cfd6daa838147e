"""A project's place in a build: its paths, its records, its temporary files.

Every file of a project has a label that means the same in any directory: artifacts are named
relative to `build/` (`parse/sepia.ast.json`), other files of the project as seen from there
(`../src/sepia.mapal`), files of the package with a prefix (`mapal:targets/zen3.yaml`).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading

from mapal.native.toolchain import runtime_directory
from mapal.pipeline.files import remove_leftovers
from mapal.pipeline.records import RecordStore
from mapal.project.file import Project
from mapal.target import targets_directory

BUILD = "build"
STATE = ".mapal"
_PACKAGE = "mapal:"


class Site:
    """The project in `root`, a directory relative to the current one, empty for that itself."""

    def __init__(self, root: str, project: Project) -> None:
        self.root = root
        self.project = project
        self.build = os.path.join(root, BUILD)
        self.state = os.path.join(self.build, STATE)
        self.records = RecordStore(self.state)
        self._scratch = os.path.join(self.state, "tmp")
        self._running = os.path.join(self.state, "running")
        self._begun = False
        self._paths: dict[str, str] = {}
        self._lock = threading.Lock()

    def path(self, label: str) -> str:
        """Where the file with this label lies, seen from the current directory."""
        known = self._paths.get(label)
        if known is None:
            known = self._paths[label] = self._path(label)
        return known

    def _path(self, label: str) -> str:
        if label.startswith("../"):
            return os.path.join(self.root, label[3:])
        if label.startswith("mapal:targets/"):
            return os.path.join(targets_directory(), label.removeprefix("mapal:targets/"))
        if label.startswith("mapal:runtime/"):
            return os.path.join(runtime_directory(), label.removeprefix("mapal:runtime/"))
        return f"{self.build}{os.sep}{label}"

    def shown(self, label: str) -> str:
        """The name of the file in messages."""
        return label.removeprefix(_PACKAGE) if label.startswith(_PACKAGE) else self.path(label)

    def begin(self) -> None:
        """To be called before anything is written, with the build lock held: sweeps up after a
        build that was killed, and leaves a mark for the case that this one is."""
        with self._lock:
            if self._begun:
                return
            self._sweep()
            with contextlib.suppress(OSError):
                os.makedirs(self.state, exist_ok=True)
                os.close(os.open(self._running, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))
            self._begun = True

    def end(self) -> None:
        """To be called when the build is over, with the build lock held."""
        with self._lock:
            self._sweep()
            with contextlib.suppress(OSError):
                os.unlink(self._running)
            self._begun = False

    def _sweep(self) -> None:
        """Removes temporary files if there can be any."""
        if os.path.exists(self._running):
            remove_leftovers(self.build)
            shutil.rmtree(self._scratch, ignore_errors=True)

    def scratch(self) -> tempfile.TemporaryDirectory[str]:
        """A temporary directory on the same device as the artifacts. Raises `OSError`."""
        os.makedirs(self._scratch, exist_ok=True)
        return tempfile.TemporaryDirectory(prefix="task-", dir=self._scratch)
