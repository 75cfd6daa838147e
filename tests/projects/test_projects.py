"""The projects as files: complete, small, documented, and their inputs fit their programs."""

import math
import re
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest

from mapal.bench.peers import find_peers
from mapal.project.file import Program, load_project
from mapal.project.template import substitute
from mapal.syntax import ast, parse

PROJECTS = Path(__file__).parents[2] / "projects"
NAMES = sorted(path.parent.name for path in PROJECTS.glob("*/mapal.yaml"))
PROGRAMS = [
    (name, program)
    for name in NAMES
    for program in load_project(PROJECTS / name / "mapal.yaml").programs
]
WITH_PICTURE = sorted(path.parent.name for path in PROJECTS.glob("*/picture.py"))
DTYPES = {"i32": "<i4", "i64": "<i8", "u8": "|u1", "f32": "<f4", "f64": "<f8", "bool": "|b1"}


def program_ids() -> list[str]:
    return [program.name for _, program in PROGRAMS]


def tree(project: str, program: Program) -> ast.Program:
    """The syntax tree of a program of a project, its placeholders filled in."""
    source = (PROJECTS / project / program.source).read_text(encoding="utf-8")
    if program.sizes:
        source = substitute(source, dict(program.sizes), program.source)
    result = parse(source)
    assert not result.diagnostics
    return result.program


def leaves(annotation: ast.TypeExpression, types: dict[str, ast.TypeItem]) -> list[tuple[str, int]]:
    """The scalars of a type in order, each with how often it stands there in a row."""
    match annotation:
        case ast.ArrayType(element=element, length=length):
            return (
                leaves(element, types) * length
                if length < 100
                else [(scalar, count * length) for scalar, count in leaves(element, types)]
            )
        case ast.TupleType(items=items):
            return [leaf for item in items for leaf in leaves(item, types)]
        case ast.NamedType(name=name) if name in types:
            return [
                leaf for field in types[name].fields for leaf in leaves(field.annotation, types)
            ]
        case ast.NamedType(name=name):
            return [(name, 1)]


def test_every_job_has_its_project() -> None:
    jobs = "sepia edges fir digits matmul transpose gather nbody heat mandelbrot tour"
    assert set(jobs.split()) == set(NAMES)


def test_program_names_are_unique_across_projects() -> None:
    assert len(set(program_ids())) == len(PROGRAMS)


@pytest.mark.parametrize("name", NAMES)
def test_project_is_complete(name: str) -> None:
    project = PROJECTS / name
    assert load_project(project / "mapal.yaml").name == name
    assert (project / "dodo.py").read_text().startswith("from mapal.dodo import *")
    assert list(project.glob("make_data.py")) + list(project.glob("train.py"))
    readme = (project / "README.md").read_text(encoding="utf-8")
    assert readme.startswith(f"# {name}\n")
    assert "\n## Run\n" in readme
    assert "](result.png)" in readme or "\n| program |" in readme


@pytest.mark.parametrize("name", NAMES)
def test_readme_names_the_source_of_the_data(name: str) -> None:
    _, _, data = (PROJECTS / name / "README.md").read_text().partition("\n## Data\n")
    assert re.search("public domain|CC BY|licence|project's own", data)


@pytest.mark.parametrize("name", NAMES)
def test_data_is_small_and_used(name: str) -> None:
    read = {
        path
        for program in load_project(PROJECTS / name / "mapal.yaml").programs
        for _, path in program.inputs
    }
    kept = {str(path.relative_to(PROJECTS / name)) for path in PROJECTS.glob(f"{name}/data/*")}
    assert read == kept
    assert sum((PROJECTS / name / path).stat().st_size for path in kept) < 2**20


@pytest.mark.parametrize("path", sorted(PROJECTS.glob("*/result.png")), ids=str)
def test_pictures_are_small(path: Path) -> None:
    assert path.stat().st_size < 200_000


def test_list_names_every_project_and_array() -> None:
    listed = (PROJECTS / "README.md").read_text(encoding="utf-8")
    assert {name for name, _ in re.findall(r"\| \[(\w+)\]\((\w+)\) \|", listed)} == set(NAMES)
    patterns = re.findall(r"`([^`]*\.npy)`", listed)
    arrays = [str(path.relative_to(PROJECTS)) for path in PROJECTS.glob("*/data/*.npy")]
    for array in arrays:
        assert [pattern for pattern in patterns if fnmatch(array, pattern)], array
    for pattern in patterns:
        assert [array for array in arrays if fnmatch(array, pattern)], pattern


@pytest.mark.parametrize(("project", "program"), PROGRAMS, ids=program_ids())
def test_inputs_fit_the_entry_function(project: str, program: Program) -> None:
    items = tree(project, program).items
    types = {item.name: item for item in items if isinstance(item, ast.TypeItem)}
    (main,) = [item for item in items if isinstance(item, ast.FunctionItem) and item.name == "main"]
    inputs = dict(program.inputs)
    assert [parameter.name for parameter in main.parameters] == list(inputs)
    for parameter in main.parameters:
        array = np.load(PROJECTS / project / inputs[parameter.name])
        wanted = leaves(parameter.annotation, types)
        assert {DTYPES[scalar] for scalar, _ in wanted} == {array.dtype.str}
        assert sum(count for _, count in wanted) == array.size
        assert array.flags.c_contiguous


@pytest.mark.parametrize(("project", "program"), PROGRAMS, ids=program_ids())
def test_peers_exist_for_every_measured_program(project: str, program: Program) -> None:
    found = find_peers(PROJECTS / project, program.bench.peers, program.name, program.source)
    assert [peer.absent for peer in found if peer.absent is not None] == []


def test_every_peer_is_measured() -> None:
    used = {
        peer.script
        for project, program in PROGRAMS
        for peer in find_peers(
            PROJECTS / project, program.bench.peers, program.name, program.source
        )
    }
    assert set(PROJECTS.glob("*/peers/*.*")) == used


@pytest.mark.parametrize("name", WITH_PICTURE)
def test_picture_shows_a_result_of_the_project(name: str) -> None:
    script = (PROJECTS / name / "picture.py").read_text(encoding="utf-8")
    shown = re.findall(r"build/differential/native/([\w-]+)/t1-o2\.result\.npy", script)
    assert shown
    assert set(shown) <= {program.name for project, program in PROGRAMS if project == name}
    assert f"build/out/{name}.png" in script


def test_inputs_stay_within_the_time_of_a_first_build() -> None:
    elements = sum(
        math.prod(np.load(PROJECTS / project / path).shape)
        for project, program in PROGRAMS
        for _, path in program.inputs
    )
    assert elements < 2_000_000
