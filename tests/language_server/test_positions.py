"""Places in characters, bytes and editors' units."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapal.language_server import positions
from mapal.language_server.positions import Encoding, Place, TextIndex, edited

TEXTS = st.text(alphabet="a\n\ré𝄞\u2028\x0c€ ")
UNITS = {
    Encoding.UTF8: lambda text: len(text.encode()),
    Encoding.UTF16: lambda text: len(text.encode("utf-16-le")) // 2,
    Encoding.UTF32: len,
}


@given(TEXTS, st.sampled_from(Encoding), st.data())
def test_there_and_back(text: str, encoding: Encoding, data: st.DataObject) -> None:
    index = TextIndex(text, encoding)
    position = data.draw(st.integers(0, len(text)))
    place = index.place_of_character(position)
    line_start = max(
        text.rfind("\n", 0, position),
        text.rfind("\r", 0, position) if text[position - 1 : position + 1] != "\r\n" else -1,
    )
    if "\r" not in text:
        assert place.line == text.count("\n", 0, position)
        assert place.unit == UNITS[encoding](text[line_start + 1 : position])
    if text[position - 1 : position + 1] != "\r\n":
        assert index.character_at(place) == position
        offset = len(text[:position].encode())
        assert index.byte_at(place) == offset
        assert index.place_of_byte(offset) == place


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", 1), ("a", 1), ("a\n", 2), ("a\rb\r\nc\n\rd", 5), ("a\u2028b\x0cc\x85d\x0be", 1)],
)
def test_line_ends(text: str, lines: int) -> None:
    assert TextIndex(text).end.line == lines - 1


def test_units() -> None:
    text = "é𝄞x"
    assert TextIndex(text, Encoding.UTF8).end == Place(0, 7)
    assert TextIndex(text, Encoding.UTF16).end == Place(0, 4)
    assert TextIndex(text, Encoding.UTF32).end == Place(0, 3)


def test_places_that_do_not_exist() -> None:
    index = TextIndex("a𝄞\r\nb")
    assert index.character_at(Place(0, 2)) == 1
    assert index.character_at(Place(0, 99)) == 2
    assert index.character_at(Place(1, 99)) == 5
    assert index.character_at(Place(9, 0)) == 5
    assert index.place_of_byte(99) == Place(1, 1)
    assert index.place_of_byte(2) == Place(0, 1)
    assert TextIndex("ab\nc").character_at(Place(0, 99)) == 2


def test_half_a_surrogate_pair() -> None:
    index = TextIndex("\ud800x", Encoding.UTF8)
    assert index.end == Place(0, 4)
    assert index.byte_at(Place(0, 3)) == 3


@given(TEXTS, st.data())
def test_edits(text: str, data: st.DataObject) -> None:
    index = TextIndex(text)
    first = data.draw(st.integers(0, len(text)))
    last = data.draw(st.integers(first, len(text)))
    for position in (first, last):
        if text[position - 1 : position + 1] == "\r\n":
            return
    places = index.place_of_character(first), index.place_of_character(last)
    assert edited(index, *places, "new") == text[:first] + "new" + text[last:]


def test_an_edit_whose_end_is_before_its_start() -> None:
    assert edited(TextIndex("abc"), Place(0, 2), Place(0, 1), "x") == "abxc"


def test_a_line_is_measured_once_whatever_is_asked_about_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured = 0

    def units(character: str) -> int:
        nonlocal measured
        measured += 1
        return 1

    monkeypatch.setitem(positions._UNITS, Encoding.UTF16, units)
    text = "é " * 5000
    index = TextIndex(text)
    for position in range(0, len(text), 3):
        place = index.place_of_character(position)
        assert index.character_at(place) == position
    assert measured == len(text)
