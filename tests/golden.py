"""Texts that tests expect, kept in files."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Golden:
    """Compares texts with files, or with `update` writes the files and keeps what changed in
    `changes`, to be shown."""

    update: bool
    root: Path
    changes: list[str] = field(default_factory=list)

    def check(self, path: Path, text: str) -> None:
        """Asserts that a file holds exactly a text. A missing or empty file fails."""
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        if text == expected and text:
            return
        name = str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)
        difference = "".join(
            difflib.unified_diff(
                expected.splitlines(keepends=True),
                text.splitlines(keepends=True),
                f"{name} (expected)",
                f"{name} (now)",
            )
        )
        assert text, f"{name}: nothing to expect"
        assert self.update, f"{difference}\nwrite it with: ./dev pytest --update-golden {name}"
        self.changes.append(difference)
        path.write_text(text, encoding="utf-8")
