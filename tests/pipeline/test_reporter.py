"""What a build says about tasks of any kind."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from doit.exceptions import TaskError, TaskFailed, UnmetDependency

from mapal.diagnostics import UserError
from mapal.pipeline import session as sessions
from mapal.pipeline.files import content_hash
from mapal.pipeline.reporter import BuildReporter
from mapal.pipeline.session import current
from tests.pipeline.directories import ProjectDirectory


def task(name: str, **changes: Any) -> Any:
    fields: dict[str, Any] = {
        "name": name,
        "actions": [SimpleNamespace(out="said\n", err=None)],
        "verbosity": 0,
        "title": lambda: name,
    }
    return SimpleNamespace(**{**fields, **changes})


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildReporter:
    """A reporter where no stages are known."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sessions, "_current", None)
    return BuildReporter(io.StringIO())


def printed(reporter: BuildReporter) -> str:
    stream = reporter._out._stream
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


def test_tasks_that_are_no_stages(
    alone: BuildReporter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone.initialize({}, [])
    lint, quiet, group = task("lint"), task("_quiet"), task("group", actions=[])
    for one in (lint, quiet, group):
        alone.get_status(one)
        alone.execute_task(one)
    alone.add_failure(lint, TaskFailed("Command failed: 'x' returned 1"))
    alone.add_success(quiet)
    alone.add_success(group)
    alone.add_failure(task("after"), UnmetDependency("lint"))
    alone.skip_ignore(task("ignored"))
    alone.skip_uptodate(task("fresh"))
    alone.teardown_task(lint)
    alone.runtime_error("no such task")
    alone.cleanup_error(TaskError("teardown failed"))
    alone.complete_run()
    assert re.sub(r"[0-9]+\.[0-9]+", "N", printed(alone)) == (
        ".  lint\nfailed    N s  lint\n!! ignored\n"
    )
    error = capsys.readouterr().err
    assert error.count("lint: Command failed: 'x' returned 1\nsaid\n") == 1
    assert "after" not in error
    assert "ERROR: no such task" in error
    assert "teardown failed" in error
    tasks = json.loads((tmp_path / "build/last-build.json").read_text())["tasks"]
    assert [(entry["name"], entry["action"]) for entry in tasks] == [
        ("lint", "failed"),
        ("_quiet", "ran"),
    ]


def test_an_error_for_people_comes_without_a_traceback(
    alone: BuildReporter, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        raise UserError("the disk is tired")
    except UserError as error:
        failed = TaskError("PythonAction Error", error)
    alone.add_failure(task("manifest", verbosity=2), failed)
    assert capsys.readouterr().err == "manifest: the disk is tired\n"


def test_a_report_that_cannot_be_written_is_one_line(
    alone: BuildReporter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "build").write_text("")
    alone.execute_task(task("one"))
    alone.add_success(task("one"))
    alone.complete_run()
    error = capsys.readouterr().err
    assert error == "mapal: cannot write build/last-build.json: build is no directory\n"


def test_no_session_is_a_bug_of_ours(alone: BuildReporter) -> None:
    with pytest.raises(Exception, match="tasks were not loaded"):
        current()


def test_a_program_that_differs_is_named_and_fails_the_build(project: ProjectDirectory) -> None:
    project.build()
    record = project.path / "build/oracle/scale.json"
    # An oracle that is itself wrong, as if interpreter and compiler disagreed.
    text = record.read_text()
    session = current()
    step = session.steps["oracle:scale"]
    wrong = text.replace('"stdout": ""', '"stdout": "more\\n"')
    empty = json.loads(text)["stdout_sha256"]
    wrong = wrong.replace(empty, content_hash(b"more\n"))
    record.write_text(wrong)
    entry: dict[str, Any] = dict(step.recorded() or {})
    entry["outputs"] = {
        **entry["outputs"],
        "oracle/scale.json": {"sha256": content_hash(wrong.encode()), "bytes": len(wrong)},
    }
    before = os.getcwd()
    os.chdir(project.path)
    step.site.records.put("oracle:scale", entry)
    step.site.records.close()
    os.chdir(before)
    result = project.doit("build")
    assert result.status in (1, 2)
    assert "demo/scale generic different" in result.out
    assert "demo/hello generic equal" in result.out
    assert (
        "differential:generic:scale: the native program differs from the interpreter\n"
        "  with 1 threads: line 1 of stdout: expected 'more' (hex 6d6f7265), found '' (hex )"
    ) in result.err
    evidence = json.loads(project.read("build/differential/generic/scale.json"))
    assert evidence["status"] == "different"
