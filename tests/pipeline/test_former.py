"""What the page remembers of earlier builds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mapal.pipeline import former
from mapal.pipeline.former import Snapshot, remember
from mapal.report.comparison import Artifact, Manifest


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Where it is remembered; paths of artifacts are relative to the same directory."""
    monkeypatch.chdir(tmp_path)
    return str(tmp_path / "memory.z")


def snapshot(texts: Mapping[str, str], **tools: str) -> Snapshot:
    artifacts = {
        name: Artifact("emit", f"hash of {text}", len(text), ("a",)) for name, text in texts.items()
    }
    return Snapshot(Manifest(artifacts, tools), texts)


def test_the_first_build_has_nothing_to_compare_with(memory: str) -> None:
    found = remember(memory, snapshot({"a": "1"}))
    assert found.comparison is None
    assert remember(memory, snapshot({"a": "1"})).comparison is None


def test_the_last_change_stays_until_the_next_one(memory: str) -> None:
    remember(memory, snapshot({"a": "1", "b": "1", "c": "1"}, cc="1"))
    for _ in range(2):
        found = remember(memory, snapshot({"a": "2", "b": "1", "d": "1"}, cc="2"))
        assert found.comparison is not None
        assert [(one.path, one.kind) for one in found.comparison.changes] == [
            ("a", "changed"), ("c", "removed"), ("d", "added"),
        ]  # fmt: skip
        assert found.comparison.tools == (("cc", "1", "2"),)
        assert found.texts == {"a": "1", "c": "1"}
    found = remember(memory, snapshot({"a": "3", "b": "1", "d": "1"}, cc="2"))
    assert found.texts == {"a": "2"}


def test_what_a_build_did_not_look_at_did_not_change(memory: str) -> None:
    Path("b").write_text("1")
    remember(memory, snapshot({"a": "1", "b": "1"}))
    found = remember(memory, snapshot({"a": "2"}))
    assert found.comparison is not None
    assert [one.path for one in found.comparison.changes] == ["a"]
    found = remember(memory, snapshot({"a": "2", "b": "1"}))
    assert found.comparison is not None
    assert [one.path for one in found.comparison.changes] == ["a"], "and is known all the same"


def test_too_many_former_texts_are_left_out(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(former, "_MOST_CHARACTERS", 25)
    remember(memory, snapshot({name: name * 10 for name in "abc"}))
    found = remember(memory, snapshot({name: name for name in "abc"}))
    assert (list(found.texts), found.left_out) == (["a", "b"], 1)


@pytest.mark.parametrize("data", [b"", b"junk", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_a_damaged_memory_is_none(memory: str, data: bytes) -> None:
    remember(memory, snapshot({"a": "1"}))
    Path(memory).write_bytes(data)
    assert remember(memory, snapshot({"a": "2"})).comparison is None


def test_another_schema_or_no_place_to_remember_is_no_error(memory: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(former, "_SCHEMA", 0)
        remember(memory, snapshot({"a": "1"}))
    assert remember(memory, snapshot({"a": "2"})).comparison is None
    (tmp_path / "file").write_text("")
    nowhere = str(tmp_path / "file" / "memory.z")
    assert remember(nowhere, snapshot({"a": "1"})).comparison is None
