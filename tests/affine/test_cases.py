"""The case file: every answer at least as strong as expected, none stronger than the truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.affine.case_file import Case, failure, load_cases

FILE = Path(__file__).parent / "cases.json"
CASES = load_cases(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    assert failure(case) is None


def test_the_file_asks_every_query() -> None:
    from mapal.affine.case_queries import QUERIES

    assert {case.query for case in CASES} == QUERIES.keys()
