"""`mapal fmt`."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

import pytest

from mapal.cli.main import main

ROUGH = "fn main(){1->a;// é\n}"
SMOOTH = "fn main() {\n    1 -> a;  // é\n}\n"
BROKEN = "fn main() { 1 -> ; }"


@pytest.fixture
def rough(tmp_path: Path) -> Path:
    path = tmp_path / "rough.mapal"
    path.write_text(ROUGH, encoding="utf-8")
    return path


def test_files_in_place(rough: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "smooth.mapal"
    other.write_text(SMOOTH, encoding="utf-8")
    before = other.stat()
    assert main(["fmt", str(rough), str(other)]) == 0
    assert rough.read_text(encoding="utf-8") == SMOOTH
    assert (other.stat().st_ino, other.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert capsys.readouterr() == ("", "")
    assert sorted(os.listdir(tmp_path)) == ["rough.mapal", "smooth.mapal"]


def test_check_only(rough: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--check", str(rough)]) == 1
    assert rough.read_text(encoding="utf-8") == ROUGH
    assert capsys.readouterr() == ("", f"{rough}: would change\n")
    assert main(["fmt", str(rough)]) == 0
    assert main(["fmt", "--check", str(rough)]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_file_that_does_not_parse_is_left_alone(
    rough: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.mapal"
    broken.write_text(BROKEN, encoding="utf-8")
    assert main(["fmt", str(broken), str(rough)]) == 1
    assert broken.read_text(encoding="utf-8") == BROKEN
    assert rough.read_text(encoding="utf-8") == SMOOTH
    output = capsys.readouterr()
    assert output.out == ""
    assert f"{broken}:1:18: error[P0001]" in output.err


def test_a_file_that_cannot_be_read(
    rough: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    latin = tmp_path / "latin.mapal"
    latin.write_bytes(b"// \xe9\n")
    missing = tmp_path / "missing.mapal"
    assert main(["fmt", str(missing), str(latin), str(tmp_path), str(rough)]) == 2
    error = capsys.readouterr().err
    assert f"mapal: {missing}: " in error
    assert f"mapal: {latin}:1:4: " in error
    assert f"mapal: {tmp_path}: " in error
    assert latin.read_bytes() == b"// \xe9\n"
    assert rough.read_text(encoding="utf-8") == SMOOTH


def test_stdin_to_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def feed(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    feed(ROUGH)
    assert main(["fmt", "-"]) == 0
    assert capsys.readouterr() == (SMOOTH, "")
    feed(ROUGH)
    assert main(["fmt", "--check", "-"]) == 1
    assert capsys.readouterr() == ("", "<stdin>: would change\n")
    feed(BROKEN)
    assert main(["fmt", "-"]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert "<stdin>:1:18: error[P0001]" in output.err


def test_permissions_and_links_stay(rough: Path, tmp_path: Path) -> None:
    rough.chmod(0o640)
    link = tmp_path / "link.mapal"
    link.symlink_to(rough.name)
    assert main(["fmt", str(link)]) == 0
    assert link.is_symlink()
    assert rough.read_text(encoding="utf-8") == SMOOTH
    assert stat.S_IMODE(rough.stat().st_mode) == 0o640


def test_a_failed_write_leaves_the_file_and_nothing_else(
    rough: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", refuse)
    assert main(["fmt", str(rough)]) == 2
    assert capsys.readouterr().err == f"mapal: cannot write {rough}: No space left on device\n"
    assert rough.read_text(encoding="utf-8") == ROUGH
    assert os.listdir(tmp_path) == ["rough.mapal"]


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["fmt"])
    assert exit_.value.code == 2
    assert "FILE" in capsys.readouterr().err
