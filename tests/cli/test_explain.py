"""`mapal explain`, and that the examples of the whole catalogue do what they say."""

from __future__ import annotations

import pytest

from mapal.check import check
from mapal.cli.catalogue import catalogue
from mapal.cli.main import main
from mapal.diagnostics import Diagnostic
from mapal.lower import lower
from mapal.syntax import parse

KINDS = catalogue()
WITHOUT_EXAMPLE = {"P0117", "L1000", "L1901"}


def reports(source: str) -> tuple[Diagnostic, ...]:
    """What all stages report about a text."""
    parsed = parse(source)
    if parsed.diagnostics:
        return parsed.diagnostics
    lowered = lower(parsed.program, "exact")
    if lowered.graph is None:
        return lowered.diagnostics
    return check(parsed.program, lowered.graph)


@pytest.mark.parametrize("code", KINDS)
def test_entry(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind = KINDS[code]
    assert kind.code == code
    assert main(["explain", code]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{code}: {kind.title}\n\n")
    if code in WITHOUT_EXAMPLE:
        assert not kind.example
        assert not kind.correction
        return
    assert {report.code for report in reports(kind.example)} == {code}
    assert reports(kind.correction) == ()
    assert kind.example != kind.correction
    for part in (kind.example, kind.correction):
        for line in part.split("\n"):
            assert f"    {line}".rstrip() in text.split("\n")


def test_catalogue_is_complete() -> None:
    assert len(KINDS) > 100
    assert {code[0] for code in KINDS} == {"L", "P", "T"}


def test_small_letters(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "p0003"]) == 0
    assert capsys.readouterr().out.startswith("P0003: ")


@pytest.mark.parametrize(
    ("code", "meant"), [("P003", "P0003"), ("L11101", "L1101"), ("T201", "T0201"), ("P3", "P0003")]
)
def test_unknown_code(code: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", code]) == 2
    error = capsys.readouterr().err
    assert error == f"mapal: there is no error {code}; did you mean {meant!r}?\n"


def test_nothing_like_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "nonsense"]) == 2
    assert capsys.readouterr().err == "mapal: there is no error nonsense\n"
