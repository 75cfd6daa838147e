"""A failure is made small, saved, and can be seen again."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.diagnostics import CompilerBug
from mapal.ir import scalars
from mapal.ir.ops import BinaryCode
from mapal.ir.text import parse_graph
from mapal.ir.types import I32
from mapal.sweep import __main__ as command
from mapal.sweep import failures
from mapal.sweep.battery import Difference, check
from mapal.sweep.failures import Failure, replay, save, shrunk
from mapal.sweep.generate import script_of
from mapal.sweep.script import from_json, size_of
from mapal.target import TargetProfile, load_profile


@pytest.fixture(scope="module")
def profile() -> TargetProfile:
    return load_profile("native")


def break_multiplication(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the interpreters see products of i32 that no machine makes."""
    wrong = scalars.Raw(lambda a, b: a * b + 1, scalars.Fit.WRAPPED)
    monkeypatch.setitem(scalars.RAW_BINARY, (BinaryCode.MUL, I32), wrong)


def test_from_fault_to_file_and_back(
    monkeypatch: pytest.MonkeyPatch, profile: TargetProfile, tmp_path: Path
) -> None:
    break_multiplication(monkeypatch)
    scripts = [script_of(12, number) for number in range(40)]
    found = check(scripts, profile, text_every=40, executable_every=0)
    number = next(n for n, difference in enumerate(found) if difference is not None)
    difference = found[number]
    assert difference is not None
    failure = shrunk(12, number, scripts[number], difference, profile, "pipeline")
    assert failure.difference.leg == difference.leg
    assert size_of(failure.script) <= 3

    report = save(failure, tmp_path / "sweep", "pipeline")
    assert failure.difference.text in report.read_text(encoding="utf-8")
    script = report.with_suffix(".json")
    assert from_json(script.read_text(encoding="utf-8")) == failure.script
    parse_graph(report.with_suffix(".ir").read_text(encoding="utf-8"))

    again = replay(script, profile, "pipeline")
    assert again is not None
    assert again.leg == difference.leg
    monkeypatch.undo()
    assert replay(script, profile, "pipeline") is None


def test_the_command_tells_what_files_show(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = Failure(1, 2, Difference("text", "other"), script_of(1, 2))
    script = save(failure, tmp_path, "each").with_suffix(".json")
    assert command.main([str(script), "rewrite=each"]) == 0
    assert capsys.readouterr().out == f"{script}: no difference\n"
    monkeypatch.setattr(command, "replay", lambda *_: Difference("native", "wrong"))
    assert command.main([str(script)]) == 1
    assert capsys.readouterr().out == f"{script}: native: wrong\n"


def test_a_script_without_a_graph_is_saved_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(script: object) -> None:
        raise CompilerBug("cannot seal")

    monkeypatch.setattr(failures, "build", broken)
    failure = Failure(1, 2, Difference("bug", "cannot seal"), script_of(1, 2))
    report = save(failure, tmp_path, "pipeline")
    assert "cannot seal" in report.with_suffix(".ir").read_text(encoding="utf-8")
