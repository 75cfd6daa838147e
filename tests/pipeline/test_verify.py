"""`doit verify`: what is the same is said to be, and what is not is named with its cause."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from mapal.pipeline import rebuild, session
from mapal.pipeline.verification import compare
from tests.pipeline.directories import ProjectDirectory


def test_a_second_build_gives_the_same_bytes(project: ProjectDirectory) -> None:
    result = project.doit("verify", "program=hello")
    assert (result.status, result.err) == (0, "")
    project.tasks_run()
    assert project.build("program=hello") == []


def test_nor_does_anything_else_matter(
    project: ProjectDirectory, capfd: pytest.CaptureFixture[str]
) -> None:
    result = project.doit_process("verify", "--elsewhere", "program=scale")
    assert (result.status, result.err) == (0, "")
    assert "verify elsewhere: 22 artifacts, byte-identical\n" in result.out


@pytest.fixture
def twice(project: ProjectDirectory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another directory with the same artifacts, seen from the project's."""
    project.build()
    other = project.path.parent / "other"
    shutil.copytree(project.path, other)
    monkeypatch.chdir(project.path)
    return other


def findings(other: Path) -> str:
    return "\n".join(compare(list(session.current().steps.values()), str(other)))


def test_the_first_stage_at_fault_is_named(twice: Path) -> None:
    assert findings(twice) == ""
    ll = twice / "build/emit/generic/scale.ll"
    data = ll.read_bytes()
    position = data.index(b"define")
    ll.write_bytes(data[:position] + b"DEFINE" + data[position + 6 :])
    for name in ("object/generic/scale.o", "object/generic/scale.s", "link/generic/scale"):
        file = twice / "build" / name
        file.write_bytes(file.read_bytes() + b"x")
    text = findings(twice)
    line = data.count(b"\n", 0, position) + 1
    assert f"build/emit/generic/scale.ll differs from byte {position} on, line {line}\n" in text
    assert f"first build   {data[position : position + 16].hex(' ')}  '" in text
    assert "second build  44 45 46 49 4e 45 20" in text
    assert "every input of emit:generic:scale is the same in both builds: stage emit" in text
    assert text.endswith("3 further artifacts differ, such as build/object/generic/scale.s")
    assert text.count("every input of") == 1


def test_an_artifact_that_ends_early_or_is_missing(twice: Path) -> None:
    (twice / "build/graph/hello.lower.mmd").write_bytes(b"")
    (twice / "build/oracle/scale/result.npy").unlink()
    text = findings(twice)
    assert "graph/hello.lower.mmd differs from byte 0 on, line 1" in text
    assert "second build  ends here" in text
    assert "build/oracle/scale/result.npy is not in the second build" in text


def test_a_build_that_cannot_be_repeated_is_an_error(project: ProjectDirectory) -> None:
    # What a script reads and does not declare is not there.
    project.write("secret.txt", "words")
    project.write("picture.py", "print(open('secret.txt').read())\n")
    result = project.doit("verify")
    assert result.status != 0
    assert "verify: the build did not end well\npicture:demo: picture.py ended with" in result.err
    assert "No such file or directory: 'secret.txt'" in result.err


def test_a_manifest_that_differs_is_an_error(
    project: ProjectDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.build()
    again = rebuild.rebuild

    def other_tools(*arguments: object) -> tuple[str, str | None]:
        directory, failure = again(*arguments)  # type: ignore[arg-type]
        manifest = Path(directory, "build/manifest.json")
        manifest.write_bytes(manifest.read_bytes().replace(b'"llvmlite": "', b'"llvmlite": "9'))
        return directory, failure

    monkeypatch.setattr("mapal.pipeline.verification.rebuild", other_tools)
    result = project.doit("verify", "program=hello")
    assert result.status != 0
    assert "build/manifest.json differs from byte " in result.err


def test_what_is_different_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = rebuild.foreign("/top").variables
    assert {"USER", "HOME", "TZ", "LC_ALL", "PYTHONHASHSEED"} <= set(changed)
    assert changed["LC_ALL"] != os.environ.get("LANG")
    monkeypatch.setenv("PATH", "/nowhere")
    assert rebuild.foreign("/top").variables["LC_ALL"] == "POSIX"
