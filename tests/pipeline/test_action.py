"""Running one step: crashes, bugs, refusals, moving inputs; and what ends up on disk."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mapal.diagnostics import Unsupported, UserError
from mapal.native.toolchain import Compiler, Search
from mapal.pipeline.action import StageAction, StageFailed, run_step
from mapal.pipeline.files import FileHashes
from mapal.pipeline.fingerprint import fingerprint
from mapal.pipeline.lock import BuildLock
from mapal.pipeline.site import Site
from mapal.pipeline.source_digest import SourceDigests
from mapal.pipeline.stages.result import StageResult
from mapal.pipeline.step import Call, Environment, Step
from mapal.pipeline.tools import Tools, package_version
from mapal.project.file import Program, Project
from tests.pipeline.test_source_digest import ROOT

PROGRAM = Program(name="p", source="src/p.mapal")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    before = os.getcwd()
    os.chdir(tmp_path)
    (tmp_path / "input").write_text("text")
    yield Site("", Project(name="demo", programs=(PROGRAM,)))
    os.chdir(before)


def environment() -> Environment:
    tools = Tools(lambda: Search(Compiler(("cc",), "cc 1"), ()), print)
    return Environment(FileHashes(), SourceDigests(ROOT), tools)


def step(site: Site, local: Callable[[Call], StageResult] | None = None, **changes: Any) -> Step:
    fields: dict[str, Any] = {
        "stage": "test",
        "task": "test:generic:p",
        "record": "test",
        "site": site,
        "inputs": (("text", "../input"),),
        "outputs": (("out", "out/file"),),
        "modules": ("mapal.pipeline.files",),
        "local": local,
        "program": PROGRAM,
        "target": "generic",
    }
    return Step(**{**fields, **changes})


def upper(call: Call) -> StageResult:
    return StageResult({"out": call.inputs["text"].upper()})


def failure(made: Step, env: Environment | None = None) -> StageFailed:
    with pytest.raises(StageFailed) as caught:
        run_step(made, env or environment())
    assert not Path("build/out/file").exists()
    return caught.value


def test_a_step_writes_and_records(site: Site) -> None:
    made, env = step(site, upper), environment()
    record, outcome = run_step(made, env)
    assert Path("build/out/file").read_bytes() == b"TEXT"
    assert outcome == "ran"
    assert list(record["inputs"]) == ["../input"]
    assert record["outputs"]["out/file"]["bytes"] == 4
    site.records.put("test", record)
    assert list(made.stale_reasons(env, inputs=True)) == []
    Path("input").unlink()
    assert list(made.stale_reasons(env, inputs=True)) == ["input input is missing"]


def test_every_kind_of_staleness_has_a_reason(site: Site) -> None:
    made, env = step(site, upper, options={"a": 1}, tools=("cc",)), environment()
    assert list(made.stale_reasons(env, inputs=True)) == [
        "it has no record of a run that succeeded"
    ]
    record, _ = run_step(made, env)
    site.records.put("test", record)
    Path("second").write_text("")
    other = step(
        site,
        upper,
        options={"b": 1},
        tools=("numpy",),
        inputs=(("text", "../second"),),
        outputs=(("out", "out/other"),),
        modules=("mapal.pipeline.lock",),
    )
    reasons = "\n".join(other.stale_reasons(env, inputs=True))
    for expected in (
        "the code of stage test changed",
        "option a changed (1 → None)",
        "option b changed (None → 1)",
        "tool cc changed ('cc 1' → None)",
        "tool numpy changed (None",
        "input second is new",
        "input input is no longer one",
        "build/out/other is a new target",
    ):
        assert expected in reasons


def test_a_crash_names_program_target_and_stage(site: Site) -> None:
    crash = failure(step(site, function="os:abort", inputs=()))
    assert crash.is_bug
    assert (
        crash.message.startswith(
            "test:generic:p: stage test crashed (program p, target generic): killed by SIGABRT"
        )
        or "abort" in crash.message
    )
    crash = failure(step(site, function="mapal.native.workers:os._exit", inputs=()))
    assert "internal error" in crash.message


def raising(error: BaseException) -> Callable[[Call], StageResult]:
    def stage(call: Call) -> StageResult:
        raise error

    return stage


@pytest.mark.parametrize(
    ("error", "expected", "is_bug"),
    [
        (UserError("wrong"), "test:generic:p: wrong", False),
        (UserError("<source>:1:1: error: x"), "src/p.mapal:1:1: error: x", False),
        (Unsupported("why"), "test:generic:p: not supported: why", False),
        (OSError(28, "whatever", "f"), "test:generic:p: f: no space left on the device", False),
        (OSError(5, "io"), "test:generic:p: io", False),
        (ZeroDivisionError("oops"), "internal error:\nTraceback", True),
        (StageFailed("told"), "told", False),
    ],
)
def test_errors_become_messages(site: Site, error: Exception, expected: str, is_bug: bool) -> None:
    failed = failure(step(site, raising(error)))
    assert expected in failed.message
    assert failed.is_bug == is_bug


def test_an_output_without_a_label_is_our_bug(site: Site) -> None:
    def wrong(call: Call) -> StageResult:
        return StageResult({"other": b""})

    failed = failure(step(site, wrong))
    assert failed.is_bug
    assert "stage test has no output 'other'" in failed.message


def test_an_input_that_moves_fails_the_task(site: Site) -> None:
    def moving(call: Call) -> StageResult:
        Path("input").write_text("other")
        return upper(call)

    assert "input changed while it was in use; build again" in failure(step(site, moving)).message
    Path("input").unlink()
    assert "no such file" in failure(step(site, upper, inputs=(("path.t", "../input"),))).message


def test_evidence_of_a_failure_is_kept(site: Site) -> None:
    def failing(call: Call) -> StageResult:
        return StageResult({"out": b"evidence"}, failure="bad")

    with pytest.raises(StageFailed, match="test:generic:p: bad"):
        run_step(step(site, failing), environment())
    assert Path("build/out/file").read_bytes() == b"evidence"


def test_former_outputs_of_a_stage_that_names_them_are_removed(site: Site) -> None:
    names = ["a", "b"]

    def naming(call: Call) -> StageResult:
        return StageResult(dict.fromkeys(names, b""))

    made = step(site, naming, outputs=(), extra="out/{role}")
    site.records.put("test", run_step(made, environment())[0])
    names[:] = ["b"]
    run_step(made, environment())
    assert os.listdir("build/out") == ["b"]


def test_shared_work_is_done_once(site: Site) -> None:
    calls = []

    def counting(call: Call) -> StageResult:
        calls.append(1)
        return upper(call)

    made = step(site, counting, shared=True, stage="shared-once")
    assert run_step(made, environment())[1] == "ran"
    assert run_step(made, environment())[1] == "cached"
    assert len(calls) == 1


def test_the_fingerprint_covers_what_counts_and_no_place(site: Site) -> None:
    made = step(site, upper)
    record, _ = run_step(made, environment())
    key = fingerprint(record, made)
    moved = step(site, upper, inputs=(("text", "../elsewhere"),))
    assert (
        fingerprint({**record, "inputs": {"../elsewhere": record["inputs"]["../input"]}}, moved)
        == key
    )
    for change in (
        {"code": "x"},
        {"options": {"o": 1}},
        {"tools": {"t": "1"}},
        {"inputs": {"../input": ""}},
    ):
        assert fingerprint({**record, **change}, made) != key  # type: ignore[typeddict-item]


def test_doit_gets_values_or_a_failure(site: Site) -> None:
    lock = BuildLock(["build/.mapal"])
    action = StageAction(step(site, upper), environment(), lock)
    assert action.execute() is None
    assert action.values["stage"] == "test"
    assert (str(action), action.outcome) == ("stage test", "ran")
    failed = StageAction(step(site, raising(UserError("no"))), environment(), lock).execute()
    assert failed.get_name() == "TaskFailed"
    failed = StageAction(step(site, raising(KeyError("no"))), environment(), lock).execute()
    assert failed.get_name() == "TaskError"
    site.end()
    lock.release()


def test_a_compiler_is_required_before_it_is_recorded(site: Site) -> None:
    env = environment()
    record, _ = run_step(step(site, upper, tools=("cc",)), env)
    assert record["tools"] == {"cc": "cc 1"}
    assert env.tools.versions(["no-such-package", "ptxas"])["no-such-package"] == ""


def test_versions_of_packages_are_those_that_are_installed() -> None:
    for name in ("numpy", "llvmlite", "pyyaml", "PyYAML", "doit", "mapal"):
        assert package_version(name) == importlib.metadata.version(name)
    assert package_version("no-such-package") == ""


def test_tools_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    tools = Tools(lambda: Search(None, ()), said.append)
    assert tools.versions(["cc"]) == {"cc": ""}
    installed = Compiler(("zig", "cc"), "zig 1", is_zig=True)
    monkeypatch.setattr("mapal.pipeline.tools.require_compiler", lambda say: installed)
    assert tools.require_compiler() is installed
    assert tools.versions(["cc"]) == {"cc": "zig 1"}
