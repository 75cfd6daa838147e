"""Lines and columns of a source text, as people count them.

A column counts Unicode characters from 1. Only a line feed ends a line. Every look-up is
logarithmic in the number of lines plus a bounded scan, also on lines of many megabytes.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

_STRIDE = 4096


class Position(NamedTuple):
    """A place for people: line and column, both from 1."""

    line: int
    column: int


class SourceText:
    """An immutable source with its line index.

    Bytes that are not UTF-8 (possible only for callers that never decoded the file) count as
    the replacement characters that stand for them.
    """

    def __init__(self, source: str | bytes) -> None:
        self.data = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
        self._line_starts = [0]
        start = self.data.find(b"\n")
        while start >= 0:
            self._line_starts.append(start + 1)
            start = self.data.find(b"\n", start + 1)
        self._ascii = self.data.isascii()
        # Characters that begin before each multiple of the stride.
        self._characters_before = [0]
        if not self._ascii:
            for begin in range(0, len(self.data), _STRIDE):
                chunk = self.data[begin : begin + _STRIDE]
                self._characters_before.append(self._characters_before[-1] + _count_starts(chunk))

    def _characters_up_to(self, offset: int) -> int:
        if self._ascii:
            return offset
        block = offset // _STRIDE
        return self._characters_before[block] + _count_starts(self.data[block * _STRIDE : offset])

    def position(self, offset: int) -> Position:
        """The place of a byte offset; an offset past the end is the end of the text."""
        offset = min(offset, len(self.data))
        line = bisect_right(self._line_starts, offset)
        start = self._line_starts[line - 1]
        column = self._characters_up_to(offset) - self._characters_up_to(start) + 1
        return Position(line, column)

    def line_bounds(self, line: int) -> tuple[int, int]:
        """The byte range of a line, without its line feed and a carriage return before it."""
        start = self._line_starts[line - 1]
        end = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.data)
        if end > start and self.data[end - 1] == 0x0D:
            end -= 1
        return (start, end)


def _count_starts(data: bytes) -> int:
    """How many characters begin in a piece of UTF-8: every byte that continues none."""
    return len(data) - sum(map(data.count, _CONTINUATIONS))


_CONTINUATIONS = [bytes([byte]) for byte in range(0x80, 0xC0)]
