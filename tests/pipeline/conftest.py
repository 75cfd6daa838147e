"""A project to build."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.pipeline.directories import HELLO, PROJECT, SCALE, ProjectDirectory


def write_project(path: Path, capture: Callable[[], tuple[str, str]]) -> ProjectDirectory:
    """Two programs, one with an array, for the target `generic`."""
    directory = ProjectDirectory(path, capture)
    directory.write("mapal.yaml", PROJECT)
    directory.write("dodo.py", "from mapal.dodo import *\n")
    directory.write("src/hello.mapal", HELLO)
    directory.write("src/scale.mapal", SCALE)
    (directory.path / "data").mkdir()
    np.save(directory.path / "data" / "a.npy", np.arange(8, dtype="f4"))
    return directory


@pytest.fixture
def project(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> ProjectDirectory:
    """A project to build."""

    def capture() -> tuple[str, str]:
        captured = capfd.readouterr()
        return captured.out, captured.err

    return write_project(tmp_path / "demo", capture)
