"""Kills, full disks, read-only directories, two builds at once: nothing is damaged, and the next
build is a correct one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.conftest import write_project
from tests.pipeline.directories import ProjectDirectory


@pytest.mark.parametrize("task", ["parse:hello", "emit:generic:hello", "link:generic:scale"])
@pytest.mark.parametrize("words", [("build",), ("-n", "2", "build")])
def test_a_killed_build_is_followed_by_a_correct_one(
    project: ProjectDirectory, task: str, words: tuple[str, ...], clean: dict[str, bytes]
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "doit", *words],
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    for printed in process.stdout:
        if printed.endswith(f"  {task}\n"):
            process.kill()
            break
    process.stdout.close()
    assert process.wait() == -9
    # What a kill between creating and renaming leaves behind.
    leftover = project.write("build/parse/.1-1.mapal-tmp", "half")
    project.build()
    assert project.artifacts() == clean
    assert not leftover.exists()
    assert not (project.path / "build/.mapal/running").exists()
    assert not (project.path / "build/.mapal/tmp").exists()
    assert project.build() == []


def test_an_interrupt_ends_the_build_with_one_line(
    project: ProjectDirectory, tmp_path: Path
) -> None:
    # Work for seconds, so that the interrupt comes before its end.
    more = "".join(f"  more-{number}: {{source: src/hello.mapal}}\n" for number in range(24))
    project.edit("mapal.yaml", "  hello: {source: src/hello.mapal}\n", more)
    other = ProjectDirectory(tmp_path / "other" / "demo", lambda: ("", ""))
    shutil.copytree(project.path, other.path)
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "doit", "build"],
        cwd=project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("ran ")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == -signal.SIGINT
    assert errors == "mapal: interrupted; the next build goes on from here\n"
    project.build()
    assert other.doit_process("build").status == 0
    assert project.artifacts() == other.artifacts()


def test_a_second_interrupt_ends_the_build_without_more_words(project: ProjectDirectory) -> None:
    # The process cannot end before its standard input does.
    project.write(
        "dodo.py",
        "import atexit, sys\natexit.register(sys.stdin.read)\nfrom mapal.dodo import *\n",
    )
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "doit", "build"],
        cwd=project.path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith("ran ")
    process.send_signal(signal.SIGINT)
    assert process.stderr.readline() == "mapal: interrupted; the next build goes on from here\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (-signal.SIGINT, "")
    project.write("dodo.py", "from mapal.dodo import *\n")
    project.build()


def test_a_program_under_exec_decides_how_interrupts_end_it(tmp_path: Path) -> None:
    program = tmp_path / "program"
    script = "trap 'echo caught' INT\necho ready\nuntil read word; do :; done\necho $word; exit 3"
    program.write_text(f"#!/bin/bash\n{script}\n")
    program.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-c", _RUN, str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "ready\n"
    assert process.stderr.readline() == "waiting\n"
    for _ in range(2):
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "caught\n"
    rest, errors = process.communicate("done\n")
    assert (rest, errors, process.returncode) == ("done\n", "", 3)


_RUN = """
import signal, sys, types
from mapal.pipeline.commands import run_program

def telling(number, action, install=signal.signal):
    before = install(number, action)
    if action == signal.SIG_IGN:
        print("waiting", file=sys.stderr, flush=True)
    return before

signal.signal = telling
program = types.SimpleNamespace(inputs=(), outputs=())
sys.exit(run_program(
    types.SimpleNamespace(site=None, program=program, output_paths=lambda: [sys.argv[1]])
))
"""


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The artifacts of a build that nobody disturbed."""
    directory = write_project(tmp_path_factory.mktemp("clean") / "demo", lambda: ("", ""))
    assert directory.doit_process("build").status == 0
    return directory.artifacts()


def test_a_second_build_waits_and_says_so(
    project: ProjectDirectory, clean: dict[str, bytes]
) -> None:
    first = subprocess.Popen(
        [sys.executable, "-u", "-m", "doit", "build"],
        cwd=project.path,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdout is not None
    assert first.stdout.readline().startswith("ran ")
    second = project.doit_process("build")
    assert second.status == 0
    assert "mapal: waiting for another build in build/.mapal to end" in second.err
    assert second.out.splitlines()[-2:] == [
        "demo/hello generic equal",
        "demo/scale generic equal",
    ]
    first.stdout.read()
    first.stdout.close()
    assert first.wait() == 0
    assert project.artifacts() == clean


def mount(path: Path, options: str) -> bool:
    """Mounts a small file system at `path`, if this process may."""
    path.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.fixture
def mounted(project: ProjectDirectory) -> Iterator[Path]:
    """The project's build directory as a file system of 256 KiB."""
    build = project.path / "build"
    if not mount(build, "size=256k"):
        pytest.skip("mounting a small file system needs more rights than this process has")
    yield build
    subprocess.run(["umount", str(build)], check=True)


def test_a_full_disk_is_an_error_without_damage(
    project: ProjectDirectory, mounted: Path, clean: dict[str, bytes]
) -> None:
    result = project.doit("build")
    assert result.status != 0
    assert "no space left on the device" in result.err
    assert "Traceback" not in result.err
    for name, data in project.artifacts().items():
        assert clean.get(name, data) == data, name
    assert not list(mounted.rglob("*.mapal-tmp"))
    subprocess.run(["mount", "-o", "remount,size=64m", str(mounted)], check=True)
    project.build()
    assert project.artifacts() == clean


def test_a_read_only_build_directory_is_one_error(project: ProjectDirectory, mounted: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(mounted)], check=True)
    result = project.doit("build", "program=hello")
    assert result.status != 0
    assert "Read-only file system" in result.err
    assert "Traceback" not in result.err
    assert project.artifacts() == {}


def test_a_built_project_on_a_read_only_disk_is_up_to_date(project: ProjectDirectory) -> None:
    project.build()
    build = project.path / "build"
    kept = project.path / "kept"
    build.rename(kept)
    if not mount(build, "size=64m"):
        pytest.skip("mounting a file system needs more rights than this process has")
    try:
        shutil.copytree(kept, build, dirs_exist_ok=True)
        subprocess.run(["mount", "-o", "remount,ro", str(build)], check=True)
        result = project.doit("build")
        assert result.status == 0
        assert result.out.splitlines()[1:] == [
            "demo/hello generic equal",
            "demo/scale generic equal",
        ]
        assert result.err == ""
    finally:
        subprocess.run(["umount", str(build)], check=True)


def test_a_limit_on_file_sizes_is_an_error_without_damage(
    project: ProjectDirectory, clean: dict[str, bytes]
) -> None:
    # Stands in for a full disk where nothing can be mounted.
    limit = (
        "import resource, runpy, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))\n"
    )
    run = "sys.argv = ['doit', 'build']\nrunpy.run_module('doit', run_name='__main__')\n"
    # Measuring coverage would write a file of its own, and Python keeps a truncated cache of a
    # module where the limit cuts it short.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    result = subprocess.run(
        [sys.executable, "-c", limit + run],
        cwd=project.path,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert result.returncode != 0
    # The archiver is told by a signal, Python by an error.
    assert "SIGXFSZ" in result.stderr or "File too large" in result.stderr
    assert "Traceback" not in result.stderr
    for name, data in project.artifacts().items():
        assert clean.get(name, data) == data, name
    project.build()
    assert project.artifacts() == clean


def test_no_compiler_at_all_is_one_error(project: ProjectDirectory, tmp_path: Path) -> None:
    # A Python without pip in an otherwise empty environment: nothing can be installed either.
    empty = tmp_path / "empty"
    empty.mkdir()
    block = "import sys\nsys.modules['pip'] = None\nimport subprocess\n"
    fake = (
        "import mapal.native.toolchain as t\n"
        "t.packaged_zig = lambda: None\n"
        "t._ZIG_PACKAGE = 'no-such-package-at-all'\n"
        "import os; os.environ['PIP_INDEX_URL'] = 'file:///nowhere'\n"
        "os.environ['PIP_NO_INDEX'] = '1'\n"
    )
    run = "sys.argv = ['doit', 'build', 'program=hello']\nimport runpy\n"
    run += "runpy.run_module('doit', run_name='__main__')\n"
    result = subprocess.run(
        [sys.executable, "-c", block + fake + run],
        cwd=project.path,
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": str(empty), "CC": ""},
        check=False,
    )
    assert result.returncode != 0
    assert "no working C compiler found; installing the package no-such-package" in result.stderr
    assert result.stderr.count("no C compiler is installed (tried CC, cc, gcc, clang)") == 1
    assert "demo/hello generic failed: runtime:generic" in result.stdout
    assert (project.path / "build/object/generic/hello.o").exists()
