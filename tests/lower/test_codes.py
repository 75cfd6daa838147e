"""The catalogue of lowering is complete, and its examples do what they say."""

import re
from pathlib import Path

import pytest

from mapal.check import check
from mapal.diagnostics import DiagnosticKind
from mapal.lower import lower
from mapal.lower.codes import KINDS
from tests.lower.programs import codes_of, program

SOURCES = Path(__file__).parents[2] / "mapal" / "lower"
WITHOUT_EXAMPLE = {"L1000", "L1901"}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_example_and_correction(kind: DiagnosticKind) -> None:
    if kind.code in WITHOUT_EXAMPLE:
        assert not kind.example
        return
    assert set(codes_of(kind.example)) == {kind.code}
    correction = program(kind.correction)
    lowered = lower(correction, "exact")
    assert lowered.diagnostics == ()
    assert lowered.graph is not None
    assert check(correction, lowered.graph) == ()


def test_catalogue_has_exactly_the_codes_that_are_reported() -> None:
    reported = {
        code
        for path in SOURCES.glob("*.py")
        for code in re.findall(r'"(L1\d{3})"', path.read_text(encoding="utf-8"))
    }
    assert reported | WITHOUT_EXAMPLE == set(KINDS)


def test_entries_are_sorted_and_say_something() -> None:
    assert list(KINDS) == sorted(KINDS)
    for code, kind in KINDS.items():
        assert kind.code == code
        assert kind.title
        assert kind.explanation.endswith(".")
