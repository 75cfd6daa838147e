"""The command line from outside: statuses, streams and the way out of every error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mapal.cli import check as check_command
from mapal.cli.main import entry_point, main
from mapal.diagnostics import CompilerBug, Unsupported


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--help"], ["run", "--help"], ["build", "--help"], ["target", "show", "-h"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0
        assert "usage: mapal" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out.startswith("mapal 0.")


def test_usage_errors_are_status_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage: mapal" in capsys.readouterr().err
    assert main(["bild"]) == 2
    assert "unknown command 'bild'" in (error := capsys.readouterr().err)
    assert "did you mean 'build'?" in error
    for words in (["check"], ["run", "a", "--arithmetic", "fast"], ["run", "a", "--steps", "0"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
    assert "no positive number" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (Unsupported("too new"), 2, "mapal: not supported: too new"),
        (CompilerBug("oops"), 70, "mapal: internal error: oops"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 1, ""),
        (MemoryError(), 1, "mapal: out of memory"),
    ],
)
def test_ways_out(
    error: BaseException,
    status: int,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(options: object) -> int:
        raise error

    monkeypatch.setattr(check_command, "run", fail)
    assert main(["check", "x"]) == status
    assert capsys.readouterr().err.strip() == text


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    source = tmp_path / "long.mapal"
    source.write_text('fn main() { 100000 -> iota -> map { i -> i } -> xs; "x" -> println; }\n')
    command = f"{sys.executable} -m mapal target list | true"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert result.stderr == ""


def test_the_installed_command_and_the_module_are_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["mapal", "--version"])
    with pytest.raises(SystemExit):
        entry_point()
    installed = capsys.readouterr().out
    result = subprocess.run(
        [sys.executable, "-m", "mapal", "--version"], capture_output=True, text=True, check=True
    )
    assert result.stdout == installed


def test_build_and_the_like_find_the_project_upward(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["build"]) == 2
    assert "no mapal.yaml in" in capfd.readouterr().err
    assert main(["new", "some-project"]) == 0
    assert "cd some-project && doit build" in capfd.readouterr().out
    below = tmp_path / "some-project" / "src"
    monkeypatch.chdir(below)
    output = tmp_path / "out"
    assert main(["build", "-o", str(output), "target=generic"]) == 0
    assert output.read_text().splitlines()[-1] == "some-project/some-project generic equal"
    monkeypatch.chdir(below)
    capfd.readouterr()
    assert main(["exec", "target=generic"]) == 0
    assert capfd.readouterr().out == "285\n"
    (tmp_path / "some-project" / "dodo.py").unlink()
    monkeypatch.chdir(below)
    assert main(["exec", "target=generic"]) == 0
    assert capfd.readouterr().out == "285\n"
    monkeypatch.chdir(below)
    assert main(["why", "target=generic"]) == 0
    assert os.getcwd() == str(tmp_path / "some-project")


def test_new_refuses_what_it_would_spoil(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "a b"]) == 2
    assert "expected letters, digits, _ and -" in capsys.readouterr().err
    assert main(["new", "deep/down"]) == 0
    assert (tmp_path / "deep/down/src/down.mapal").exists()
    assert main(["new", "deep/down"]) == 2
    assert "exists and is not empty" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main(["new", "file"]) == 2
    assert "Not a directory" in capsys.readouterr().err
