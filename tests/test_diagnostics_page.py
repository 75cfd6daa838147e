"""The page of all diagnostics is what the tables say."""

from pathlib import Path

from tests.diagnostics_page import SECTIONS, kinds, page
from tests.golden import Golden

PAGE = Path(__file__).parents[1] / "docs" / "diagnostics.md"


def test_page_is_up_to_date(golden: Golden) -> None:
    golden.check(PAGE, page())


def test_every_code_is_in_one_section() -> None:
    for code in kinds():
        assert [title for title, prefix in SECTIONS if code.startswith(prefix)] != [], code
    text = PAGE.read_text(encoding="utf-8")
    assert all(text.count(f"\n### {code}\n") == 1 for code in kinds())
