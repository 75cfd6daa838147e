"""`doit exec`, `doit why`, and doit's own commands over our records."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from tests.pipeline.directories import ProjectDirectory


def test_exec_becomes_the_program(project: ProjectDirectory) -> None:
    result = project.doit("exec", "program=scale")
    assert (result.status, result.out) == (0, "")
    assert "  link:generic:scale\n" in result.err
    assert np.load(project.path / "build/out/s.npy").tolist()[-1] == 14
    assert "oracle:scale" not in project.tasks_run()
    result = project.doit("exec", "program=hello")
    assert (result.status, result.out) == (0, "hello\n3\n")
    result = project.doit("exec", "program=hello")
    assert (result.out, result.err) == ("hello\n3\n", "")


def test_exec_shows_the_place_of_a_trap(project: ProjectDirectory) -> None:
    project.write(
        "src/hello.mapal", "fn main() {\n    // {{x\n    0 -> z;\n    1 / z -> println;\n}\n"
    )
    result = project.doit("exec", "program=hello")
    assert result.status == 101
    assert result.err.endswith("mapal trap: div_zero\n  at src/hello.mapal:4:7\n")


def test_exec_needs_one_program_that_runs_here(project: ProjectDirectory) -> None:
    result = project.doit("exec")
    assert result.status == 3
    assert "which program? program= one of hello, scale" in result.err
    result = project.doit("exec", "program=hello", "target=cuda-ada")
    assert "nothing here can be run (cuda-ada: linking" in result.err
    result = project.doit("exec", "hello")
    assert "takes program= and target=, not 'hello'" in result.err
    project.edit("src/hello.mapal", "1 + 2", "1 + zz")
    result = project.doit("exec", "program=hello")
    assert result.status != 0
    assert result.out == ""


def test_exec_passes_on_a_death_by_signal(project: ProjectDirectory) -> None:
    project.build("program=hello")
    program = project.path / "build/link/generic/hello"
    from mapal.pipeline import session
    from mapal.pipeline.commands import run_program

    step = next(s for s in session.current().steps.values() if s.stage == "link")
    program.write_text("#!/bin/sh\necho words >&2; kill -TERM $$\n")
    before = os.getcwd()
    os.chdir(project.path)
    try:
        assert run_program(step) == 128 + signal.SIGTERM
    finally:
        os.chdir(before)


def test_exec_says_why_a_program_cannot_be_started(
    project: ProjectDirectory, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    project.build("program=hello")
    from mapal.native.start import MOST_PAUSES
    from mapal.pipeline import session
    from mapal.pipeline.commands import NOT_STARTED, run_program

    step = next(s for s in session.current().steps.values() if s.stage == "link")
    pauses: list[float] = []
    monkeypatch.setattr("mapal.native.start.sleep", pauses.append)
    monkeypatch.chdir(project.path)
    with open(project.path / "build/link/generic/hello", "r+b"):
        assert run_program(step) == NOT_STARTED
    assert len(pauses) == MOST_PAUSES
    said = capfd.readouterr().err
    assert "build/link/generic/hello: cannot be run: some process has kept it open" in said


def test_why_names_the_cause(project: ProjectDirectory) -> None:
    result = project.doit("why")
    assert "parse:hello\n  it has no record of a run that succeeded\n" in result.out
    project.build()
    assert project.doit("why").out == "every stage is up to date\n"

    project.edit("src/hello.mapal", "1 + 2", "1 + 5")
    lines = project.doit("why").out.splitlines()
    assert lines[0] == "parse:hello"
    assert lines[1].startswith("  input src/hello.mapal changed (")
    assert len(lines) == 2
    project.build()

    project.write("build/lower/hello.ir", "junk")
    (project.path / "build/object/generic/scale.s").unlink()
    text = project.doit("why").out
    assert "lower:hello\n  target build/lower/hello.ir was altered (" in text
    assert "object:generic:scale\n  target build/object/generic/scale.s is missing" in text
    names = [line for line in text.splitlines() if not line.startswith(" ")]
    assert names == ["lower:hello", "object:generic:scale"], "what follows reads no edits"
    assert project.doit("why", "check:hello").out == "every stage is up to date\n"
    assert project.doit("why", "lower").out.startswith("lower:hello\n")
    assert sorted(project.build()) == ["lower:hello", "object:generic:scale"]

    (project.path / "build/manifest.json").unlink()
    expected = "manifest\n  build/manifest.json does not list what is there\n"
    assert project.doit("why").out == project.doit("why", "manifest").out == expected
    project.build()
    assert project.doit("why").out == "every stage is up to date\n"

    project.edit("mapal.yaml", "targets:", "opt: 3\narithmetic: fused\ntargets:")
    text = project.doit("why").out
    assert "lower:hello\n  option arithmetic changed ('exact' → 'fused')" in text
    assert "object:generic:hello\n  option opt changed (2 → 3)" in text
    assert project.doit("why", "nonsense").status == 3


def test_the_commands_of_doit_work_on_our_records(project: ProjectDirectory) -> None:
    project.build()
    assert "U lower:hello" in project.doit("list", "--all", "--status").out
    project.edit("src/hello.mapal", "1 + 2", "1 + 4")
    info = project.doit("info", "parse:hello").out
    assert "The following file dependencies have changed" in info
    assert "src/hello.mapal" in info
    project.edit("src/hello.mapal", "1 + 4", "1 + 2")
    project.write("build/lower/hello.ir", "junk")
    assert "was altered" in project.doit("info", "lower:hello").out
    project.build()

    assert project.doit("forget", "lower:hello").status == 0
    assert project.build() == ["lower:hello"]
    assert project.doit("clean", "-n").status == 0
    assert (project.path / "build/lower/hello.ir").exists()
    assert project.doit("clean").status == 0
    assert set(project.artifacts()) == set()
    assert not (project.path / "build/differential").exists()
    project.build()
    assert project.doit("forget", "--all").status == 0
    assert len(project.build()) > 20
    assert project.doit("ignore", "parse:hello").status == 0
    project.edit("src/hello.mapal", "1 + 2", "1 + 4")
    assert "!! parse:hello" in project.doit("build").out


def test_what_cannot_be_removed_is_said(
    project: ProjectDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.build("program=hello")

    def refused(path: str) -> None:
        raise OSError(30, "Read-only file system", path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refused)
        result = project.doit("clean", "manifest", "lower:hello")
    assert "manifest: cannot remove build/manifest.json: Read-only file system\n" in result.err
    assert "lower:hello: cannot remove build/lower/hello.ir: Read-only" in result.err
    assert "Traceback" not in result.err
    project.doit("clean", "manifest", "lower:hello")
    assert not (project.path / "build/manifest.json").exists()
    assert not (project.path / "build/lower").exists()


def test_causes_are_named_in_any_locale(
    project: ProjectDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.build("program=hello")
    project.edit("src/hello.mapal", "1 + 2", "1 + 5")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = project.doit_process("why", "program=hello", env=environment)
    assert result.status == 0, result.err
    assert "\\u2192" in result.out
