"""What sweeps have found, kept as scripts: none of it shows a difference any more.

`doit sweep` saves the shrunk script of a failure below `build/sweep`. When the fault is mended,
the script moves into `found`, under a name that says what was wrong.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.sweep.failures import replay
from mapal.sweep.script import from_json, to_json
from mapal.target import load_profile

FOUND = sorted((Path(__file__).parent / "found").glob("*.json"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_it_is_mended(path: Path) -> None:
    assert replay(path, load_profile("native"), "each") is None


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_it_is_laid_out_as_saved(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert to_json(from_json(text)) == text


def test_there_are_some() -> None:
    assert FOUND
