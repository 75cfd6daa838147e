"""A project's own picture of its results."""

from __future__ import annotations

import shutil

from tests.pipeline.directories import ProjectDirectory

SCRIPT = """\
from pathlib import Path
data = Path("build/differential/generic/scale/t1-o2.result.npy").read_bytes()
target = Path("build/out/deep/picture.bin")
target.parent.mkdir(parents=True, exist_ok=True)
target.write_bytes(data[-4:])
"""


def test_the_script_runs_after_the_checks_and_is_tracked(project: ProjectDirectory) -> None:
    project.write("picture.py", SCRIPT)
    project.write("peers/numpy_scale.py", "")
    assert project.build()[-2:] == ["picture:demo", "manifest"]
    picture = project.path / "build/out/deep/picture.bin"
    assert picture.read_bytes() == b"\0\0\x60\x41"
    assert "out/" not in project.read("build/manifest.json")
    assert project.build() == []
    # What a program writes beside it is not the script's.
    assert project.doit("exec", "program=scale").status == 0
    assert project.build() == []
    picture.unlink()
    assert project.build() == ["picture:demo"]
    project.write("peers/numpy_scale.py", "# changed\n")
    assert project.build() == ["picture:demo"]
    project.edit("src/scale.mapal", "2.0", "3.0")
    assert "picture:demo" in project.build()
    assert project.doit("clean").status == 0
    assert not picture.exists()
    assert (project.path / "build/out/s.npy").exists()


def test_other_selections_have_no_picture(project: ProjectDirectory) -> None:
    project.write("picture.py", SCRIPT)
    assert "picture:demo" not in project.build("program=hello")
    assert "picture:demo" not in project.build("target=x86-64-v2")
    assert "picture:demo" in project.build("target=generic,x86-64-v2")
    shutil.rmtree(project.path / "build")
    assert "picture:demo" in project.build()


def test_a_script_that_fails_fails_its_task(project: ProjectDirectory) -> None:
    project.write("picture.py", "print('context')\nraise SystemExit('no picture today')\n")
    result = project.doit("build")
    assert result.status != 0
    assert "picture:demo: picture.py ended with status 1\ncontext\nno picture today" in result.err
    assert "demo/scale generic equal" in result.out
