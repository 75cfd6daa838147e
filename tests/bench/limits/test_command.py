"""The command: selection of rows, what is kept, failures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mapal.bench.answers import WrongAnswer
from mapal.bench.limits import __main__ as command
from mapal.bench.limits.rows import Row
from mapal.diagnostics import UserError
from tests.bench.limits.small_rows import small_row


def fake_rows() -> tuple[Row, ...]:
    return (small_row(8), small_row(16))


GOALS = [
    {"peers": ["c"], "against": "c", "to_reach": 1.0, "ratio": 0.9, "reached": True},
    {"peers": ["c"], "against": "c", "to_reach": 1.0, "ratio": 1.1, "reached": False},
    {"peers": ["halide"], "to_reach": 1.0, "ratio": None, "reached": None},
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command, "all_rows", fake_rows)


def test_rows_are_listed_by_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--list", "small-1*"]) == 0
    assert capsys.readouterr().out == "small-16\n"


def test_a_pattern_without_rows_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["smal-8"]) == 2
    assert "no row is called 'smal-8'; did you mean 'small-8'?" in capsys.readouterr().err


def test_one_processor_measures_one_thread_unless_more_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[int] = []

    def measured(row: Row, profile: object, threads: int, *_: object, **__: object) -> Any:
        asked.append(threads)
        raise UserError("enough")

    monkeypatch.setattr(command, "measure_row", measured)
    monkeypatch.setattr(command, "processors", lambda: 1)
    command.main(["small-8"])
    assert asked == [1]
    assert "limits: one thread only" in (told := capsys.readouterr()).err
    assert "only 1 processors" not in told.out
    command.main(["--threads", "1,2", "small-8"])
    assert asked == [1, 1]
    assert "only 1 processor" in capsys.readouterr().out


def test_figures_are_printed_and_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers: dict[str, Any] = {}
    quiet, rounds = 3, 9

    def measured(row: Row, profile: object, threads: int, *_: object, **__: object) -> Any:
        if row.name == "small-16":
            raise answers["small-16"]
        return {
            "row": row.name,
            "threads": threads,
            "median_ms": 12.5,
            "gflop_per_s": None,
            "gbyte_per_s": None,
            "quiet_rounds": quiet,
            "rounds": rounds,
            "goals": GOALS,
            "peers": [],
        }

    monkeypatch.setattr(command, "measure_row", measured)
    for error in (UserError("broken"), WrongAnswer("wrong")):
        answers["small-16"] = error
        assert command.main(["--threads", "1"]) == 1
        assert str(error) in capsys.readouterr().out
    document = json.loads(Path("build/bench/limits.json").read_text(encoding="utf-8"))
    assert [entry["row"] for entry in document["results"]] == ["small-8", "small-16"]
    assert command.main(["--kept"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| small-8 | 1 | 12.50 |  | c 0.90, 1.00; c **1.10**, 1.00; halide not there, 1.00 | 3/9 |"
    ]
    # On a busy machine nothing is decided.
    quiet = 2
    assert command.main(["--threads", "1", "small-8"]) == 0
    assert capsys.readouterr().out.count("not decided: the machine was busy") == 4
    assert command.main(["--kept"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    # Nobody was busy where nobody asked for more rounds.
    rounds = 2
    assert command.main(["--threads", "1", "small-8"]) == 0
    assert capsys.readouterr().out.count("not decided: too few rounds") == 4
    assert command.main(["--threads", "4096", "small-8"]) == 1
    assert "not measured here: only" in capsys.readouterr().out


def test_bits_are_compared_and_disagreement_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def checked(row: Row, profiles: Sequence[object], threads: Sequence[int], *_: object) -> int:
        if row.name == "small-16":
            raise WrongAnswer("small-16 gives another result")
        return len(profiles) * len(threads) + 1

    monkeypatch.setattr(command, "check_row", checked)
    assert command.main(["--bits", "native,cuda-ada"]) == 1
    out = capsys.readouterr().out
    assert "cuda-ada: skipped: " in out
    assert "2 rows: 3 builds gave the expected bits, 1 rows did not" in out
    assert command.main(["--bits", "native,native", "--threads", "1", "small-8"]) == 0
    assert "1 rows: 2 builds gave" in capsys.readouterr().out
    monkeypatch.setattr(command, "check_row", lambda *_: pytest.fail("nothing runs here"))
    assert command.main(["--bits", "cuda-ada", "small-8"]) == 1


@pytest.mark.parametrize(
    "option", [[], ["--compile"], ["--bits", "native"], ["--kept"], ["--list"]]
)
def test_what_is_no_thread_count_is_an_error(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main([*option, "--threads", "0", "small-8"]) == 2
    assert "limits: --threads is '0'; expected" in capsys.readouterr().err


def test_what_excludes_each_other_is_not_asked_together() -> None:
    with pytest.raises(SystemExit):
        command.main(["--list", "--kept"])


ENTRY = (
    '{"row": "small-8", "threads": 1, "goals": [], "quiet_rounds": 9, "median_ms": 1.0, '
    '"gflop_per_s": null, "gbyte_per_s": null, "rounds": 9}'
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"results": 7}',
        '{"results": [7]}',
        '{"results": [{"row": [], "threads": 1}]}',
        f'{{"results": [{ENTRY}',
    ],
)
def test_figures_that_cannot_be_read_are_not_overwritten(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "measure_row", lambda *_, **__: pytest.fail("measured in vain"))
    command.KEPT.parent.mkdir(parents=True)
    command.KEPT.write_text(text, encoding="utf-8")
    for words in (["--kept"], ["small-8"]):
        assert command.main(words) == 1
        assert "limits.json is damaged, or of another version" in capsys.readouterr().err
    assert command.KEPT.read_text(encoding="utf-8") == text


def test_kept_figures_of_another_version_are_not_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command.KEPT.parent.mkdir(parents=True)
    command.KEPT.write_text(f'{{"results": [{ENTRY}]}}', encoding="utf-8")
    assert command.main(["--kept"]) == 0
    text = ENTRY.replace('"goals": []', '"goals": [{}]')
    command.KEPT.write_text(f'{{"results": [{text}]}}', encoding="utf-8")
    capsys.readouterr()
    assert command.main(["--kept"]) == 1
    assert "limits.json is damaged, or of another version" in capsys.readouterr().err
