"""Finds the filetests, runs the stage that each names, compares with what it expects."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.check import KINDS as CHECK_KINDS
from mapal.lower.codes import KINDS as LOWER_KINDS
from mapal.syntax.codes import KINDS as SYNTAX_KINDS
from tests.filetests.file_format import FileTest, MalformedError, parse_text, read, written
from tests.filetests.stages import STAGES, reports
from tests.golden import Golden

FOLDER = Path(__file__).parent
PATHS = sorted(FOLDER.rglob("*.mapal"))
INTERNAL = {"L1000", "L1901"}


@pytest.mark.parametrize("path", PATHS, ids=[str(path.relative_to(FOLDER)) for path in PATHS])
def test_file(path: Path, golden: Golden) -> None:
    test = read(path)
    if test.stage not in STAGES:
        raise MalformedError(f"there is no stage {test.stage}; known are {', '.join(STAGES)}")
    found, graph, locations = reports(test)
    render = STAGES[test.stage]
    if render is None:
        assert test.expected is None, "a check expects markers and no text"
        assert found or "accepted" in test.options, "neither an error nor `// accepted`"
        assert not (found and "accepted" in test.options), f"accepted, but reported: {found}"
        expected = None
    else:
        assert graph is not None, f"the program is not accepted: {found}"
        expected = render(test, graph, locations)
    golden.check(path, written(test, found, expected))


def test_nothing_else_lies_here() -> None:
    """An expectation without its test would never fail."""
    others = [
        path
        for path in FOLDER.rglob("*")
        if path.is_file() and path.suffix not in (".mapal", ".py", ".pyc")
    ]
    assert [path for path in others if path.name != "README.md"] == []


def test_every_code_has_a_filetest() -> None:
    pinned = {marker.code for path in PATHS for marker in read(path).markers}
    known = {*SYNTAX_KINDS, *LOWER_KINDS, *(kind.code for kind in CHECK_KINDS)}
    assert pinned == known - INTERNAL


def _test_of(text: str) -> FileTest:
    return parse_text(FOLDER / "made_up.mapal", text)


def test_writing_expectations_is_stable() -> None:
    text = "// test: run\n\nfn main() { }\n\n// expect\n// done\n"
    test = _test_of(text)
    assert written(test, [], test.expected) == text
    marked = "// test: check\n\nfn main() { 1 }  // error: L1201 at 3, L1202 at 4\n"
    test = _test_of(marked)
    assert written(test, list(test.markers), None) == marked


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("fn main() { }\n", "names no stage"),
        ("// test: run\n// tset: x\nfn main() { }\n", "unknown key"),
        ("// test: run\nfn main() { }\n// expect\n", "not empty"),
        ("// test: run\n// expect\nfn main() { }\n", "not empty"),
        ("// test: check\nfn main() { } // error: L12\n", "not `CODE at COLUMN`"),
    ],
)
def test_malformed_files_are_refused(text: str, reason: str) -> None:
    with pytest.raises(MalformedError, match=reason):
        _test_of(text)


def test_golden_refuses_missing_and_different_texts(tmp_path: Path) -> None:
    golden = Golden(update=False, root=tmp_path)
    with pytest.raises(AssertionError, match="update-golden"):
        golden.check(tmp_path / "missing", "text\n")
    (tmp_path / "empty").write_text("", encoding="utf-8")
    with pytest.raises(AssertionError, match="nothing to expect"):
        golden.check(tmp_path / "empty", "")


def test_golden_writes_and_keeps_the_difference(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old\n", encoding="utf-8")
    golden = Golden(update=True, root=tmp_path)
    golden.check(path, "new\n")
    assert path.read_text(encoding="utf-8") == "new\n"
    (change,) = golden.changes
    assert "-old" in change
    golden.check(path, "new\n")
    assert golden.changes == [change]
