"""Places as editors count them.

The protocol counts lines and, within a line, code units of an agreed encoding (UTF-16 unless
client and server agree on another). Lines end with a line feed, a carriage return, or both.
Everything of ours counts bytes of UTF-8.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from enum import Enum
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

_LINE_END = re.compile(r"\r\n|\r|\n")


class Encoding(Enum):
    """What a unit within a line is."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class Place(NamedTuple):
    """A line and a unit within it, both from 0."""

    line: int
    unit: int


def _utf8_units(character: str) -> int:
    return len(character.encode("utf-8", "surrogatepass"))


def _utf16_units(character: str) -> int:
    return 2 if ord(character) > 0xFFFF else 1


_UNITS: dict[Encoding, Callable[[str], int]] = {
    Encoding.UTF8: _utf8_units,
    Encoding.UTF16: _utf16_units,
    Encoding.UTF32: lambda character: 1,
}


class TextIndex:
    """A text, and its places in characters, in bytes and in an editor's units."""

    def __init__(self, text: str, encoding: Encoding = Encoding.UTF16) -> None:
        self.text = text
        self._units = _UNITS[encoding]
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(text))]
        self._ascii = text.isascii()
        self._units_of_lines: dict[int, list[int]] = {}

    @cached_property
    def _bytes(self) -> list[int]:
        """The byte offset of each character, and of the end."""
        offsets = [0]
        for character in self.text:
            offsets.append(offsets[-1] + _utf8_units(character))
        return offsets

    def _line_end(self, line: int) -> int:
        """The character offset of the end of a line, its line break not counted."""
        if line + 1 == len(self._starts):
            return len(self.text)
        end = self._starts[line + 1] - 1
        crlf = end > self._starts[line] and self.text[end - 1 : end + 1] == "\r\n"
        return end - crlf

    def _units_before(self, line: int) -> list[int]:
        """For each character of a line, its break included, the units before it in the line;
        and the units of all. Kept, since a single line may hold a whole text and be asked about
        once for each report on it."""
        known = self._units_of_lines.get(line)
        if known is None:
            following = self._starts[line + 1] if line + 1 < len(self._starts) else None
            characters = self.text[self._starts[line] : following]
            known = [0, *accumulate(map(self._units, characters))]
            self._units_of_lines[line] = known
        return known

    def character_at(self, place: Place) -> int:
        """The offset of a place in characters; one beyond a line or the text is its end, one
        inside a character the beginning of it."""
        if place.line >= len(self._starts):
            return len(self.text)
        position, end = self._starts[place.line], self._line_end(place.line)
        if self._ascii:
            return min(position + place.unit, end)
        return min(position + bisect_right(self._units_before(place.line), place.unit) - 1, end)

    def place_of_character(self, position: int) -> Place:
        """The place of an offset in characters."""
        line = bisect_right(self._starts, position) - 1
        start = self._starts[line]
        if self._ascii:
            return Place(line, position - start)
        return Place(line, self._units_before(line)[position - start])

    def byte_at(self, place: Place) -> int:
        """The offset of a place in bytes."""
        position = self.character_at(place)
        return position if self._ascii else self._bytes[position]

    def place_of_byte(self, offset: int) -> Place:
        """The place of an offset in bytes."""
        if not self._ascii:
            offset = bisect_right(self._bytes, offset) - 1
        return self.place_of_character(min(offset, len(self.text)))

    @property
    def end(self) -> Place:
        """The place behind the last character."""
        return self.place_of_character(len(self.text))


def edited(index: TextIndex, start: Place, end: Place, replacement: str) -> str:
    """The text with what lies between two places replaced."""
    first, last = index.character_at(start), index.character_at(end)
    return index.text[:first] + replacement + index.text[max(first, last) :]
