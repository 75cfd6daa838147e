"""Manifests compared, and the command that shows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mapal.cli.main import main
from mapal.diagnostics import UserError
from mapal.report.comparison import compare, read_manifest


def manifest(*artifacts: tuple[str, str, list[str]], **tools: str) -> bytes:
    entries = [
        {"path": path, "stage": path.split("/")[0], "sha256": sha * 64, "bytes": 7, "inputs": needs}
        for path, sha, needs in artifacts
    ]
    return json.dumps({"schema": 1, "tools": tools, "artifacts": entries}).encode()


OLD = manifest(
    ("lower/p.ir", "1", ["parse/p"]), ("emit/p.ll", "2", ["lower/p.ir"]), ("link/p", "3", []),
    ("check/p.json", "4", []), cc="12", numpy="2",
)  # fmt: skip
NEW = manifest(
    ("lower/p.ir", "a", ["parse/p"]), ("emit/p.ll", "b", ["lower/p.ir"]), ("graph/p", "3", []),
    ("check/p.json", "4", []), cc="13", numpy="2",
)  # fmt: skip


def test_changes_have_causes() -> None:
    found = compare(read_manifest(OLD, "old"), read_manifest(NEW, "new"))
    assert [(change.path, change.kind, change.because) for change in found.changes] == [
        ("emit/p.ll", "changed", ("lower/p.ir",)),
        ("graph/p", "added", ()),
        ("link/p", "removed", ()),
        ("lower/p.ir", "changed", ()),
    ]
    assert found.tools == (("cc", "12", "13"),)
    assert found.equal == 1


def test_what_a_stream_cannot_say_is_one_line(tmp_path: Path) -> None:
    for name, data in (("old", OLD), ("new", NEW)):
        (tmp_path / name).write_bytes(data)
    words = [sys.executable, "-m", "mapal", "diff", str(tmp_path / "old"), str(tmp_path / "new")]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr == (
        "mapal: standard output: \\u2192 cannot be written in ascii; "
        "PYTHONUTF8=1 makes that UTF-8\n"
    )


def test_sizes_that_are_no_numbers_are_no_manifest() -> None:
    data = OLD.replace(b'"bytes": 7', b'"bytes": Infinity', 1)
    with pytest.raises(UserError, match="old: not a manifest of a build"):
        read_manifest(data, "old")


def test_the_command_prints_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "build").mkdir()
    old, new = tmp_path / "old.json", tmp_path / "build" / "manifest.json"
    old.write_bytes(OLD)
    new.write_bytes(NEW)
    assert main(["diff", str(old), str(tmp_path)]) == 1
    assert capsys.readouterr().out == (
        "tool cc: 12 → 13\n"
        "change   stage  artifact    bytes  sha256                       because\n"
        "changed  emit   emit/p.ll   7      222222222222 → bbbbbbbbbbbb  lower/p.ir\n"
        "added    graph  graph/p     7      333333333333\n"
        "removed  link   link/p      7      333333333333\n"
        "changed  lower  lower/p.ir  7      111111111111 → aaaaaaaaaaaa  source, option or code\n"
        "2 changed, 1 added, 1 removed, 1 equal\n"
    )
    assert main(["diff", str(new), str(tmp_path / "build")]) == 0
    assert capsys.readouterr().out == "4 equal\n"


def test_the_command_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_bytes(OLD)
    new.write_bytes(NEW)
    assert main(["diff", "--format", "json", str(old), str(new)]) == 1
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["equal"] == 1
    assert document["tools"] == [{"name": "cc", "before": "12", "after": "13"}]
    assert document["changes"][2] == {
        "path": "link/p",
        "stage": "link",
        "change": "removed",
        "before": {"sha256": "3" * 64, "bytes": 7},
        "after": None,
        "because": [],
    }


@pytest.mark.parametrize("data", [b"junk", b"[]", b'{"schema": 1}', b'{"schema": 2}', b"\xff"])
def test_what_is_no_manifest_is_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^m[.]json: "):
        read_manifest(data, "m.json")
    file = tmp_path / "m.json"
    file.write_bytes(data)
    assert main(["diff", str(file), str(file)]) == 2


def test_a_file_that_is_not_there_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "/nowhere/a", "/nowhere/b"]) == 2
    assert capsys.readouterr().err == "mapal: /nowhere/a: No such file or directory\n"
