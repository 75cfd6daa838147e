"""Lines and columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapal.diagnostics import Position, SourceText


def test_positions_count_characters_from_one() -> None:
    text = SourceText("aé𝄞b\r\nc\n")
    offsets = {0: (1, 1), 1: (1, 2), 3: (1, 3), 7: (1, 4), 8: (1, 5), 10: (2, 1), 12: (3, 1)}
    assert {offset: tuple(text.position(offset)) for offset in offsets} == offsets


def test_an_offset_past_the_end_is_the_end() -> None:
    assert SourceText("ab\nc").position(99) == Position(2, 2)
    assert SourceText("").position(0) == Position(1, 1)


def test_line_bounds_leave_out_the_line_end() -> None:
    text = SourceText(b"ab\r\n\ncd")
    assert [text.line_bounds(line) for line in (1, 2, 3)] == [(0, 2), (4, 4), (5, 7)]


@pytest.mark.parametrize("unit", ["x", "é", "𝄞"])
def test_long_lines(unit: str) -> None:
    text = SourceText("é\n" + unit * 20_000 + "!")
    offset = len("é\n".encode()) + len(unit.encode()) * 20_000
    assert text.position(offset) == Position(2, 20_001)


@given(st.text(st.characters(codec="utf-8")), st.data())
def test_positions_agree_with_the_characters_before(text: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(text)))
    before = text[:cut]
    line = before.count("\n") + 1
    column = cut - (before.rfind("\n") + 1) + 1
    assert SourceText(text).position(len(before.encode())) == Position(line, column)
