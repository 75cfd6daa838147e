"""check, run, compile, dump, where and target on single files."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mapal.cli.main import main
from mapal.native.llvm_worker import WorkerCrashed
from mapal.target import list_profiles, targets_directory

GOOD = "fn main() {\n    6 * 7 -> println;\n}\n"
SCALE = "fn main(a: [f32; 4], by: f32) -> [f32; 4] {\n    a -> map { x -> x * by } -> ret;\n}\n"
TRAP = "fn main() {\n    0 -> z;\n    1 -> println;\n    1 / z -> println;\n}\n"
UNKNOWN = "fn main() {\n    nope -> println;\n}\n"
SYNTAX = "fn main() { 1 -> -> }\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "good": GOOD,
        "scale": SCALE,
        "trap": TRAP,
        "unknown": UNKNOWN,
        "syntax": SYNTAX,
    }.items():
        (tmp_path / f"{name}.mapal").write_text(text)
    np.save(tmp_path / "a.npy", np.arange(4, dtype="f4"))
    np.save(tmp_path / "by.npy", np.float32(3))
    return tmp_path


def test_check(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "good.mapal", "scale.mapal"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["check", "unknown.mapal", "syntax.mapal"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "unknown.mapal:2:5: error[" in err
    assert "syntax.mapal:1:18: error[" in err
    assert main(["check", "absent.mapal", "unknown.mapal"]) == 2
    assert "mapal: absent.mapal: No such file or directory" in capsys.readouterr().err
    (here / "bytes.mapal").write_bytes(b"fn main() {}\n\xff")
    assert main(["check", "bytes.mapal"]) == 2
    assert "bytes.mapal:2:1: the source is not UTF-8" in capsys.readouterr().err


def test_check_for_programs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--format", "json", "good.mapal"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["check", "--format", "json", "unknown.mapal"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    entry = json.loads(out.splitlines()[0])
    assert list(entry) == [
        "file", "line", "column", "end_line", "end_column", "code", "severity", "message", "hint",
    ]  # fmt: skip
    assert (entry["file"], entry["line"], entry["column"]) == ("unknown.mapal", 2, 5)


def test_standard_input(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def feed(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    feed(UNKNOWN)
    assert main(["check", "-"]) == 1
    assert "<stdin>:2:5: error[" in capsys.readouterr().err
    feed(GOOD)
    assert main(["run", "-"]) == 0
    assert capsys.readouterr().out == "42\n"
    assert main(["compile", "-"]) == 2
    assert "name the executable with -o" in capsys.readouterr().err


def test_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "good.mapal"]) == 0
    assert capsys.readouterr().out == "42\n"
    assert main(["run", "trap.mapal"]) == 101
    assert capsys.readouterr() == ("1\n", "mapal trap: div_zero\n  at trap.mapal:4:7\n")
    assert main(["run", "unknown.mapal"]) == 1
    assert "unknown.mapal:2:5: error[" in capsys.readouterr().err
    assert main(["run", "good.mapal", "--steps", "1"]) == 3
    assert "budget of 1 steps is spent" in capsys.readouterr().err
    assert main(["run", "scale.mapal", "--input", "a=a.npy", "--input", "by=by.npy",
                 "--output", "result=out/r.npy"]) == 0  # fmt: skip
    assert np.load(here / "out/r.npy").tolist() == [0, 3, 6, 9]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--input", "a=a.npy"], "parameter 'by' has no input"),
        (["--input", "a=a.npy", "--input", "bi=by.npy"], "did you mean 'by'?"),
        (["--input", "a"], "expected --input name=path"),
        (["--input", "a=a.npy", "--input", "a=a.npy"], "--input a is given twice"),
        (["--input", "a=absent.npy"], "input 'a': absent.npy: No such file"),
        (["--input", "a=by.npy", "--input", "by=by.npy"], "found 1 elements"),
        (["--output", "image=x.npy"], "output 'image' is no result; results are result"),
    ],
)
def test_run_with_wrong_ports(
    here: Path, words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "scale.mapal", *words]) == 2
    assert expected in capsys.readouterr().err


def test_run_with_a_full_output(here: Path) -> None:
    command = f"{sys.executable} -m mapal run good.mapal > /dev/full"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr == "mapal: standard output: No space left on device\n"


def test_compile(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for opt in ("0", "2"):
        assert main(["compile", "good.mapal", "--opt", opt]) == 0
        assert subprocess.run(["./good"], capture_output=True, check=True).stdout == b"42\n"
    words = ["-o", "bin/scale.exe", "--target", "generic", "--arithmetic", "fused", "--no-rewrite"]
    assert main(["compile", "scale.mapal", *words]) == 0
    subprocess.run(
        ["bin/scale.exe", "--input", "a=a.npy", "--input", "by=by.npy", "--output", "result=r.npy"],
        check=True,
    )
    assert np.load(here / "r.npy").tolist() == [0, 3, 6, 9]
    assert main(["compile", "unknown.mapal"]) == 1
    assert not (here / "unknown").exists()
    (here / "plain").write_text(GOOD)
    assert main(["compile", "plain"]) == 0
    assert (here / "plain").read_text() == GOOD
    assert (here / "plain.out").exists()


@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [
        (["absent.mapal"], 2, "absent.mapal: No such file"),
        (["good.mapal", "-o", "good.mapal"], 2, "would be overwritten"),
        (["good.mapal", "-o", "."], 2, "would be overwritten"),
        (["good.mapal", "--target", "zen33"], 2, "did you mean 'zen3'?"),
        (["good.mapal", "--target", "cuda-ada"], 4, "linking GPU targets comes later"),
        (["good.mapal", "--target", "apple-m"], 4, "needs such a machine"),
    ],
)
def test_compile_refuses(
    here: Path, words: list[str], status: int, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", *words]) == status
    assert expected in capsys.readouterr().err


def test_compile_reports_a_failing_toolchain(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake = here / "cc"
    fake.write_text(
        '#!/bin/sh\ncase "$*" in *program.o*) echo "ld: error: no" >&2; exit 1;; esac\nexec '
        '/usr/bin/env -i PATH=/usr/bin:/bin cc "$@"\n'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("CC", str(fake))
    assert main(["compile", "good.mapal"]) == 4
    assert "ld: error: no" in capsys.readouterr().err
    assert not (here / "good").exists()

    def crash(*arguments: object) -> object:
        raise WorkerCrashed("killed by SIGABRT", "LLVM ERROR: no")

    for name in ("compile_module", "compile_object"):
        monkeypatch.setattr(f"mapal.native.llvm_worker.{name}", crash)
    assert main(["compile", "good.mapal"]) == 4
    assert "LLVM crashed on good.mapal: killed by SIGABRT: LLVM ERROR" in capsys.readouterr().err
    assert main(["dump", "--stage", "asm", "good.mapal"]) == 70


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        ("ast", '"type":"Program"'),
        ("loc", '"spans":[['),
        ("lower", "mapal-ir 1"),
        ("check", '"diagnostics": []'),
        ("rewrite", "mapal-ir 1"),
        ("plan", '"target": "zen3"'),
        ("ll", "@mapal_program_descriptor"),
        ("asm", "mapal_program_descriptor:"),
    ],
)
def test_dump(here: Path, stage: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dump", "--stage", stage, "good.mapal", "--target", "zen3"]) == 0
    assert expected in capsys.readouterr().out


def test_dump_of_ptx_and_of_rejected_programs(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dump", "--stage", "ptx", "scale.mapal"]) == 0
    assert ".target sm_" in capsys.readouterr().out
    assert main(["dump", "--stage", "ptx", "scale.mapal", "--target", "zen3"]) == 2
    assert "target zen3 has no PTX; one of cuda-ada" in capsys.readouterr().err
    assert main(["dump", "--stage", "ast", "unknown.mapal"]) == 0
    assert main(["dump", "--stage", "lower", "unknown.mapal"]) == 1
    assert main(["dump", "--stage", "ast", "syntax.mapal"]) == 1
    assert "syntax.mapal:1:18: error[" in capsys.readouterr().err


def test_where(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["where", "trap.mapal", "5"]) == 0
    assert capsys.readouterr().out == "trap.mapal:2:5\n"
    assert main(["where", "trap.mapal", "999"]) == 2
    assert "there is no 999" in capsys.readouterr().err
    assert main(["where", "syntax.mapal", "1"]) == 1
    assert "error[" in capsys.readouterr().err


def test_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["target"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [*list_profiles(), "native"]
    assert lines[-1].endswith("runs here")
    assert "does not run here: linking and running GPU targets comes later" in lines[2]
    assert main(["target", "show", "zen4"]) == 0
    assert "cpu: znver4" in capsys.readouterr().out
    assert main(["target", "detect"]) == 0
    detected = capsys.readouterr().out
    assert detected.startswith("name: native\n")
    assert main(["target", "show", "native"]) == 0
    shown = capsys.readouterr().out
    assert shown == re.sub(r"  # .*", "", re.sub(r"\n  # .*", "", detected))
    assert "vector_bytes: " in shown
    assert "  # the " in detected
    path = targets_directory() / "zen3.yaml"
    assert main(["target", "show", str(path)]) == 0
    assert capsys.readouterr().out == path.read_text(encoding="utf-8")
    assert main(["target", "show", "zen44"]) == 2
    assert "did you mean 'zen4'?" in capsys.readouterr().err
