"""A terminal for tests: what a person sees after a program has written to one."""

from __future__ import annotations

import re

_PARTS = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)")


class Screen:
    """A terminal of `columns` columns and any number of rows. It knows the few control
    sequences that builds use, and refuses others."""

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._rows = [""]
        self._row = self._column = 0
        self.most_rows = 0

    def feed(self, text: str) -> None:
        position = 0
        for part in _PARTS.finditer(text):
            assert part.start() == position, f"a sequence nobody knows in {text!r}"
            position = part.end()
            argument, command, control, words = part.groups()
            if command is not None:
                self._command(argument, command)
            elif control == "\r":
                self._column = 0
            elif control == "\n":
                self._row += 1
                self._column = 0
                while len(self._rows) <= self._row:
                    self._rows.append("")
            else:
                self._put(words)
        assert position == len(text), f"a sequence that was cut short in {text!r}"
        self.most_rows = max(self.most_rows, len(self._rows))

    def _command(self, argument: str, command: str) -> None:
        if command == "A":
            self._row -= int(argument or 1)
            assert self._row >= 0, "the cursor left the screen"
        elif command == "J":
            self._rows[self._row] = self._rows[self._row][: self._column]
            del self._rows[self._row + 1 :]
        else:
            assert command == "m", f"a command nobody knows: {command}"

    def _put(self, words: str) -> None:
        row = self._rows[self._row]
        row = row[: self._column].ljust(self._column) + words + row[self._column + len(words) :]
        self._rows[self._row] = row
        self._column += len(words)

    def lines(self) -> list[str]:
        """The rows with something on them."""
        return [row.rstrip() for row in self._rows if row.strip()]
