"""The mutation run, on a package of one module: verdicts, survivors, what it keeps and refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mapal.diagnostics import UserError
from tests.mutations import run
from tests.mutations.mutation import Mutation

SOURCE = "def half(n: int) -> int:\n    if n < 0:\n        return 0\n    return n // 2\n"
TESTS = "from mapal.small import half\n\ndef test_half() -> None:\n    assert half(9) == 4\n"
WRONG = Mutation("wrong", "value", "small.py", "n // 2", "n // 3", ("tests/test_small.py",))
NEGATIVE = Mutation("negative", "value", "small.py", "n < 0", "False", ("tests/test_small.py",))
ENDLESS = Mutation(
    "endless",
    "value",
    "small.py",
    "    return n // 2\n",
    "    while True:\n        pass\n",
    ("tests/test_small.py",),
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(run, "EVERYTHING", ("tests",))
    monkeypatch.setattr(run, "TIME_LIMIT", 6)
    for name, text in {
        "mapal/__init__.py": "",
        "mapal/small.py": SOURCE,
        "tests/test_small.py": TESTS,
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts = ''\n",
    }.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"


def test_killed_and_survived(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = root / "build" / "mutants.json"
    assert not run.run_all((WRONG, NEGATIVE, ENDLESS), root, state)
    out = capsys.readouterr().out
    assert "value          wrong: killed by tests/test_small.py::test_half" in out
    assert "value          negative: survived" in out
    assert "value          endless: killed by no end within 6 s" in out
    assert "3 mutants, 2 killed, 1 survived" in out
    assert "  value: 2 of 3 killed" in out
    assert "mutant 'negative' survived" in out
    assert (root / "mapal" / "small.py").read_text() == SOURCE

    explained = replace(NEGATIVE, explained="nobody asks")
    assert run.run_all((WRONG, explained), root, state)
    assert "survived, as explained: negative: nobody asks" in capsys.readouterr().out
    assert not run.run_all((replace(WRONG, explained="cannot be seen"),), root, state)
    assert "'wrong' is explained as a survivor, but killed" in capsys.readouterr().out


def test_an_interrupted_run_goes_on(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = root / "build" / "mutants.json"
    run.Progress(run.digest(root), {"wrong": "killed by an earlier run"}).save(state)
    assert run.run_all((WRONG,), root, state)
    assert "1 mutants, 1 killed" in capsys.readouterr().out
    (root / "mapal" / "small.py").write_text(SOURCE + "\n")
    assert run.progress_of(state, run.digest(root)).verdicts == {}
    state.write_text("{")
    assert run.progress_of(state, run.digest(root)).verdicts == {}


def test_drifted_texts_and_failing_tests_are_errors(root: Path) -> None:
    drifted = replace(WRONG, old="n // 4")
    with pytest.raises(UserError, match=r"wrong: its text is not in small\.py exactly once"):
        run.run_all((drifted,), root, root / "state.json")
    (root / "tests" / "test_small.py").write_text(TESTS.replace("== 4", "== 5"))
    with pytest.raises(UserError, match="without any mutation: FAILED tests/test_small"):
        run.run_all((WRONG,), root, root / "state.json")


def test_verdicts_are_kept_as_json(root: Path) -> None:
    run.Progress("abc", {"x": "survived"}).save(root / "kept.json")
    assert json.loads((root / "kept.json").read_text())["verdicts"] == {"x": "survived"}
