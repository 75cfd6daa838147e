"""Whole programs on three threads under helgrind, which sees every access of emitted code.

They are built for `x86-64-v3`, since helgrind cannot decode AVX-512, with everything cut for
threads that may be. The runtime is built with annotations, since helgrind does not know atomic
operations.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mapal.codegen import emit
from mapal.ir.graph import Graph
from mapal.lower import lower
from mapal.native.llvm_worker import compile_module
from mapal.native.toolchain import build_runtime, find_compiler, link, runtime_sources
from mapal.project.file import load_project
from mapal.project.template import substitute
from mapal.rewrite import rewrite
from mapal.syntax import parse
from mapal.target import load_profile
from tests.codegen.native_runs import graph_of

PROJECTS = Path(__file__).parents[2] / "projects"
NAMES = ("edges", "heat", "sepia")
FOUND = 9

DEPENDENT = """
fn main() {
    2000000 -> iota -> map { i -> i -> to_f64 -> / 7.0 } -> data;
    (0.0, data) -> fold { a, x -> a + x } -> sum;
    (1.0, data) -> fold { a, x -> a * 0.5 + x } -> other;
    data -> map { x -> x * sum - other } -> scaled;
    (0.0, scaled) -> fold { a, x -> a * 0.25 - x } -> println;
}
"""


@pytest.fixture(scope="module")
def annotated_runtime() -> bytes:
    if shutil.which("valgrind") is None:
        pytest.fail("no valgrind found: races of emitted code cannot be looked for")
    compiler = find_compiler().compiler
    assert compiler is not None
    sources = {name: path.read_bytes() for name, path in runtime_sources().items()}
    marked = {name: b"#define MAPAL_ANNOTATED\n" + data for name, data in sources.items()}
    return build_runtime(compiler, marked)


def under_helgrind(
    text: str, runtime: bytes, directory: Path, arguments: list[str]
) -> subprocess.CompletedProcess[str]:
    """The run of a module as an executable."""
    compiler = find_compiler().compiler
    assert compiler is not None
    program = directory / "program"
    made = compile_module(text, load_profile("x86-64-v3"), 2).object
    program.write_bytes(link(compiler, made, runtime))
    program.chmod(0o755)
    return subprocess.run(
        [
            "valgrind",
            "--tool=helgrind",
            "--fair-sched=yes",
            f"--error-exitcode={FOUND}",
            str(program),
            *arguments,
        ],
        env={**os.environ, "MAPAL_THREADS": "3"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def module_of(graph: Graph) -> str:
    profile = load_profile("x86-64-v3")
    return emit(rewrite(graph).graph, profile, name="program", cuts_from=0).ll


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_projects_have_no_race(name: str, annotated_runtime: bytes, tmp_path: Path) -> None:
    directory = PROJECTS / name
    program = load_project(directory / "mapal.yaml").programs[0]
    text = (directory / program.source).read_text()
    source = substitute(text, dict(program.sizes), program.source)
    graph = lower(parse(source).program, "exact").graph
    assert graph is not None
    arguments = [
        part for port, path in program.inputs for part in ("--input", f"{port}={directory / path}")
    ]
    run = under_helgrind(module_of(graph), annotated_runtime, tmp_path, arguments)
    assert run.returncode == 0, run.stderr
    assert "0 errors from 0 contexts" in run.stderr


@pytest.mark.slow
def test_paths_have_no_race(annotated_runtime: bytes, tmp_path: Path) -> None:
    run = under_helgrind(module_of(graph_of(DEPENDENT)), annotated_runtime, tmp_path, [])
    assert run.returncode == 0, run.stderr


@pytest.mark.slow
def test_paths_without_their_edges_are_a_race(annotated_runtime: bytes, tmp_path: Path) -> None:
    """The detector and its annotations, held to a fault."""
    text = module_of(graph_of(DEPENDENT))
    task = r"(ptr @task\.\d+, i64 1, i64 1, i32 1, i32 \d+, i32 \d+), i32 \d+, i32 \d+,"
    broken, count = re.subn(task, r"\1, i32 0, i32 0,", text)
    assert count > 2
    run = under_helgrind(broken, annotated_runtime, tmp_path, [])
    assert run.returncode == FOUND
    assert "Possible data race" in run.stderr
