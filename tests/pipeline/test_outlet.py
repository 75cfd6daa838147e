"""A build ends as it does wherever its words go."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from mapal.diagnostics import UserError
from mapal.pipeline.outlet import Outlet
from tests.pipeline.directories import ProjectDirectory

FULL = "/dev/full"


def build(
    project: ProjectDirectory, redirection: str, *words: str, program: str = "doit"
) -> tuple[int, str]:
    """The status of a build whose streams the shell redirects, and its standard error."""
    command = " ".join([f"{sys.executable} -m {program}", *words, redirection])
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=project.path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return result.returncode, result.stderr


@pytest.mark.skipif(not os.path.exists(FULL), reason="no device that is always full")
def test_words_that_nobody_takes_change_nothing(project: ProjectDirectory) -> None:
    one = ("build", "program=hello")
    assert build(project, "| true", *one) == (0, "")
    assert build(project, ">&-", *one) == (0, "")
    assert build(project, ">&- 2>&-", *one) == (0, "")
    assert build(project, f"> {FULL}", *one) == (
        0,
        "mapal: standard output: No space left on device\n",
    )
    assert build(project, "| true", *one, program="mapal") == (0, "")
    for where, why in ((">&-", "Bad file descriptor"), (f"> {FULL}", "No space left on device")):
        said = f"mapal: standard output: {why}\n"
        assert build(project, where, *one, program="mapal") == (0, said)
    project.edit("src/hello.mapal", "1 + 2", "1 + ")
    status, said = build(project, "| true", *one)
    assert (status, said.count("error[")) == (2, 1)
    status, said = build(project, ">&-", *one)
    assert (status, said.count("error[")) == (2, 1)
    assert build(project, f"> {FULL} 2>&1", *one) == (2, "")


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), UserError("standard output: full", 1)]
)
def test_a_stream_in_memory_needs_no_descriptor(error: Exception) -> None:
    class Refusing(io.StringIO):
        def write(self, text: str, /) -> int:
            raise error

    outlet = Outlet(Refusing())
    for _ in range(2):
        assert outlet.write("words") == 5
        outlet.flush()
    assert not outlet.isatty()
    kept = io.StringIO()
    Outlet(kept).write("words")
    assert kept.getvalue() == "words"
    Outlet(None).flush()
