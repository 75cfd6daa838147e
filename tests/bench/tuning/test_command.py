"""The command: for which targets, which kernels, and where it writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from mapal.bench.answers import WrongAnswer
from mapal.bench.tuning import __main__ as command
from mapal.bench.tuning.search import Finding
from mapal.diagnostics import UserError
from mapal.target import load_profile, parse_tuning, targets_directory
from mapal.target.detect import detect_host, why_not_executable
from mapal.target.tuning import NATIVE_TUNING, tuned, with_native_tuning
from tests.bench.tuning.test_search import finding


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def searching(monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    def search(trial: Any, *_: Any) -> tuple[dict[str, int], list[Finding]]:
        if isinstance(answer, Exception):
            raise answer
        return answer, []

    monkeypatch.setattr(command, "search", search)


def test_what_is_found_for_this_machine_is_used_by_its_builds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    host = detect_host()
    assert with_native_tuning(host) is host
    searching(monkeypatch, {"rows": 7})
    assert command.main(["matmul-f32-*"]) == 0
    assert "matmul-f32-exact: rows 7" in capsys.readouterr().out
    assert with_native_tuning(host).tiles.get("matmul-f32-fused") == {"rows": 7}
    with pytest.raises(UserError, match="was measured on a m68k"):
        tuned(host, "m68k", host.tiles)


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / NATIVE_TUNING).mkdir(parents=True)
    with pytest.raises(UserError, match=r"native\.tune\.yaml"):
        with_native_tuning(detect_host())


def test_a_shipped_profile_is_tuned_beside_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "x86-64-v2" if detect_host().architecture == "x86_64" else "aarch64-generic"
    if why_not_executable(load_profile(name), detect_host()) is not None:
        pytest.skip(f"this machine does not run {name}")
    source = targets_directory() / f"{name}.yaml"
    (tmp_path / source.name).write_bytes(source.read_bytes())
    monkeypatch.setattr(command, "targets_directory", lambda: tmp_path)
    searching(monkeypatch, {"rows": 3})
    assert command.main(["--target", name, "matmul-f32-exact"]) == 0
    path = tmp_path / f"{name}.tune.yaml"
    found = parse_tuning(path.read_bytes(), path.name)
    assert found.cpu == detect_host().cpu
    assert found.tiles.get("matmul-f32-exact") == {"rows": 3}


@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [
        (["matmul-f32-exakt"], 2, "did you mean 'matmul-f32-exact'"),
        (["--target", "zen44"], 2, "did you mean 'zen4'"),
        (["--target", "cuda-ada"], 1, "cannot be tuned here: "),
        (["--target", "./zen4.yaml"], 2, "unknown target './zen4.yaml'; "),
        (["--target", "zen3,zen4"], 2, "unknown target 'zen3,zen4'; "),
    ],
)
def test_mistakes_are_named(
    words: list[str], status: int, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(words) == status
    assert expected in capsys.readouterr().err
    assert not Path(NATIVE_TUNING).exists()


def test_a_wrong_build_ends_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    searching(monkeypatch, WrongAnswer("4 gives another result"))
    assert command.main(["matmul-f32-exact"]) == 1
    assert "4 gives another result" in capsys.readouterr().err
    assert not Path(NATIVE_TUNING).exists()


def test_what_was_undecided_is_said() -> None:
    text = command.describe("k", {}, [finding(4, (0.5, 0.6), quiet=0), finding(5, (1.5, 1.6))])
    assert "k: the formulas stay (2 candidates measured)" in text
    assert "rows 4: 0.500  too few quiet rounds to decide" in text
    assert "rows 5: 1.500\n" in text


TUNED = "name: native\ncpu: '{cpu}'\ntiles:\n  matmul-f64-exact: {{rows: 9}}\nevidence: []\n"


def test_what_is_found_is_kept_kernel_by_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Any] = [({"rows": 7}, []), KeyboardInterrupt()]

    def search(*_: Any) -> tuple[dict[str, int], list[Finding]]:
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return cast("tuple[dict[str, int], list[Finding]]", answer)

    monkeypatch.setattr(command, "search", search)
    with pytest.raises(KeyboardInterrupt):
        command.main(["matmul-f32-*"])
    assert with_native_tuning(detect_host()).tiles.get("matmul-f32-exact") == {"rows": 7}


def test_numbers_of_another_processor_are_not_taken_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    searching(monkeypatch, {"rows": 7})
    path = Path(NATIVE_TUNING)
    path.parent.mkdir(parents=True)
    for cpu, kept in (("m68k", {}), (detect_host().cpu, {"rows": 9})):
        path.write_text(TUNED.format(cpu=cpu), encoding="utf-8")
        assert command.main(["matmul-f32-exact"]) == 0
        tiles = with_native_tuning(detect_host()).tiles
        assert tiles.get("matmul-f64-exact") == kept
        assert tiles.get("matmul-f32-exact") == {"rows": 7}
        assert ("was measured on a m68k; it is replaced" in capsys.readouterr().err) == (not kept)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name: native\ncpu: 'm68k'\ntiles: {}\n",
        TUNED.format(cpu="m68k").replace("rows: 9", "rows: 900"),
        TUNED.format(cpu="m68k").replace("evidence: []", "evidence: [{step: depth}]"),
        TUNED.format(cpu="m68k").replace("evidence: []", "evidence: [words]"),
    ],
)
def test_a_damaged_file_is_said_before_anything_is_measured(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "search", lambda *_: pytest.fail("measured in vain"))
    path = Path(NATIVE_TUNING)
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    assert command.main(["matmul-f32-exact"]) == 1
    error = capsys.readouterr().err
    assert error.startswith((f"tune: {NATIVE_TUNING}:", "tune: the former tuning file:"))
    assert error.endswith("; the file is damaged, move it away\n")
    assert path.read_text(encoding="utf-8") == text


def test_what_cannot_be_written_is_said_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "search", lambda *_: pytest.fail("measured in vain"))
    Path("build").write_text("no directory", encoding="utf-8")
    assert command.main(["matmul-f32-exact"]) == 1
    assert f"tune: {NATIVE_TUNING}: " in capsys.readouterr().err
