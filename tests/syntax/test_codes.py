"""The catalogue is complete, and its examples do what they say."""

import re
from pathlib import Path

import pytest

from mapal.diagnostics import DiagnosticKind
from mapal.syntax import parse
from mapal.syntax.codes import KINDS

SOURCES = Path(__file__).parents[2] / "mapal" / "syntax"


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_example_and_correction(kind: DiagnosticKind) -> None:
    if not kind.example:
        assert kind.code == "P0117"
        return
    assert {report.code for report in parse(kind.example).diagnostics} == {kind.code}
    assert parse(kind.correction).diagnostics == ()


def test_catalogue_has_exactly_the_codes_that_are_reported() -> None:
    reported = {
        code
        for path in SOURCES.glob("*.py")
        if path.name != "codes.py"
        for code in re.findall(r'"([LP]\d{4})"', path.read_text(encoding="utf-8"))
    }
    assert reported == set(KINDS)


def test_entries_are_sorted_and_say_something() -> None:
    assert list(KINDS) == sorted(KINDS)
    for code, kind in KINDS.items():
        assert kind.code == code
        assert kind.title
        assert kind.explanation.endswith(".")
