"""The project file: what it may say, and that each mistake names its line and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from mapal.diagnostics import UserError
from mapal.project.file import (
    Bench,
    Program,
    Project,
    find_project,
    load_project,
    project_from_json,
)

MINIMAL = "name: demo\nprograms:\n  one: {source: src/one.mapal}\n"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    for name in ("src/one.mapal", "src/two.mapal", "data/in-128.npy", "data/in-512.npy"):
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return tmp_path / "project"


def load(directory: Path, text: str) -> Project:
    (directory / "mapal.yaml").write_text(text)
    return load_project(directory)


def error_of(directory: Path, text: str) -> str:
    with pytest.raises(UserError) as caught:
        load(directory, text)
    return str(caught.value)


def test_a_minimal_project_has_the_documented_defaults(directory: Path) -> None:
    assert load(directory, MINIMAL) == Project(
        name="demo",
        targets=("native",),
        programs=(
            Program(
                name="one",
                source="src/one.mapal",
                arithmetic="exact",
                opt=2,
                threads=(1, 2),
                steps=1_000_000_000_000,
                bench=Bench(repeat=11, peers=(), flop=None, bytes=None),
            ),
        ),
    )


def test_settings_are_inherited_and_overridden(directory: Path) -> None:
    project = load(
        directory,
        MINIMAL
        + "  two:\n    source: ./src/two.mapal\n    arithmetic: exact\n    opt: 3\n"
        + "    steps: 7\n    threads: [4]\n    bench: {repeat: 3, peers: [numpy], flop: 5}\n"
        + "arithmetic: fused\nopt: 0\nthreads: [1]\nsteps: 99\ntargets: [zen3, native]\n"
        + "library: false\nvalidate: false\ncrosscheck: true\n",
    )
    one, two = project.programs
    assert (one.arithmetic, one.opt, one.threads, one.steps) == ("fused", 0, (1,), 99)
    assert (two.arithmetic, two.opt, two.threads, two.steps) == ("exact", 3, (4,), 7)
    assert two.bench == Bench(repeat=3, peers=("numpy",), flop=5)
    assert (one.validate, two.crosscheck) == (False, True)
    assert two.source == "src/two.mapal"
    assert project.targets == ("zen3", "native")


def test_sizes_make_one_program_each_and_reach_the_paths(directory: Path) -> None:
    project = load(
        directory,
        "name: demo\nprograms:\n  p:\n    source: src/one.mapal\n    sizes: {N: [128, 512]}\n"
        "    inputs: {a: 'data/in-{{N}}.npy'}\n    outputs: {result: 'build/out/{{N*N}}.npy'}\n",
    )
    first, second = project.programs
    assert (first.name, second.name) == ("p-128", "p-512")
    assert second.sizes == (("N", 512),)
    assert first.inputs == (("a", "data/in-128.npy"),)
    assert second.outputs == (("result", "build/out/262144.npy"),)
    assert project.paths() == ["src/one.mapal", "data/in-128.npy", "data/in-512.npy"]


def test_the_json_form_reads_back(directory: Path) -> None:
    project = load(
        directory,
        "name: demo\nprograms:\n  p:\n    source: src/one.mapal\n    sizes: {N: [128]}\n"
        "    inputs: {a: 'data/in-{{N}}.npy'}\n    bench: {peers: [c]}\n",
    )
    assert project_from_json(project.to_json()) == project


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: demo\n", "mapal.yaml:1:1: error: key 'programs' is missing"),
        ("programs: {}\n", "mapal.yaml:1:1: error: key 'name' is missing"),
        ("- a\n", "the document is a list; expected a mapping"),
        ("", "the document is nothing; expected a mapping"),
        ("name: demo\nprograms:\n", "programs is nothing; expected a mapping"),
        ("name: demo\nprograms: {}\n", "expected at least one program"),
        (MINIMAL + "target: [native]\n", "4:1: error: unknown key 'target'"),
        (MINIMAL + "target: [native]\n", "did you mean 'targets'?"),
        (MINIMAL + "name: again\n", "key 'name' is given twice; first on line 1"),
        (MINIMAL + "opt: 4\n", "4:6: error: opt is 4; expected an integer from 0 to 3"),
        (MINIMAL + "opt: true\n", "opt is true; expected an integer"),
        (MINIMAL + "arithmetic: fast\n", "'fast'; expected one of exact, fused"),
        (MINIMAL + "arithmetic: fusd\n", "did you mean 'fused'?"),
        (MINIMAL + "threads: []\n", "threads is a list; expected a list with at least one item"),
        (MINIMAL + "threads: [1, 1]\n", "4:14: error: 1 is there twice in threads"),
        (MINIMAL + "threads: 2\n", "threads is 2; expected a list"),
        (MINIMAL + "steps: 0\n", "expected an integer from 1"),
        (MINIMAL + "library: yes\n", "'yes'; expected true or false"),
        (MINIMAL + "library: true\n", "`library: true` is not supported yet"),
        (MINIMAL + "crosscheck: 1\n", "crosscheck is 1; expected true or false"),
        (MINIMAL + "validate: 1\n", "validate is 1; expected true or false"),
        (MINIMAL + "bench: {repet: 1}\n", "did you mean 'repeat'?"),
        (MINIMAL + "bench: {repeat: 0}\n", "bench.repeat is 0; expected an integer from 1"),
        (MINIMAL + "bench: {peers: [a/b]}\n", "expected letters, digits, _ and -"),
        (MINIMAL + "targets: [native, native]\n", "'native' is there twice in targets"),
        (MINIMAL + "targets: [nativ]\n", "4:11: error: targets[0] is 'nativ'; expected one of"),
        (MINIMAL + "targets: [nativ]\n", "did you mean 'native'?"),
        (MINIMAL.replace("name: demo", "name: a b"), "expected letters, digits, _ and -"),
        (MINIMAL.replace("one:", "on/e:"), "3:3: error: program name 'on/e'; expected letters"),
        (MINIMAL.replace("{source: src/one.mapal}", "{}"), "key 'source' is missing"),
        (MINIMAL.replace("src/one.mapal", "3"), "programs.one.source is 3; expected text"),
        (MINIMAL.replace("src/one.mapal", "src/onne.mapal"), "no such file; did you mean 'one.m"),
        (MINIMAL.replace("src/one.mapal", "gone/one.mapal"), "no such file"),
        (MINIMAL.replace("src/one.mapal", "src"), "a directory"),
        (MINIMAL.replace("src/one.mapal", "/etc/passwd"), "expected a relative path"),
        (MINIMAL.replace("src/one.mapal", "''"), "expected a relative path"),
        (MINIMAL.replace("src/one.mapal", "src/../.."), "expected a path inside the project"),
        (MINIMAL.replace("src/one.mapal", "../outside"), "expected a path inside the project"),
        (MINIMAL.replace("src/one.mapal", "link"), "expected a path inside the project"),
    ],
)
def test_mistakes_name_the_place_and_the_way_out(directory: Path, text: str, expected: str) -> None:
    (directory.parent / "outside").write_text("")
    (directory / "link").symlink_to("../outside")
    assert expected in error_of(directory, text)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("inputs: {1a: data/in-128.npy}", "expected the name of a parameter or result"),
        ("inputs: {a: data/none.npy}", "no such file"),
        ("outputs: {image: build/x.npy}", "expected result, or result.0, result.1"),
        ("outputs: {result: data}", "a directory"),
        ("outputs: {result: src/one.mapal}", "would overwrite 'src/one.mapal'"),
        ("outputs: {result: mapal.yaml}", "would overwrite"),
        ("outputs: {result.0: b.npy, result.1: b.npy}", "both write 'b.npy'"),
        ("sizes: {}", "expected at least one size"),
        ("sizes: {1: [2]}", "size '1'; expected a name"),
        ("sizes: {N: [0]}", "expected an integer from 1"),
        (f"sizes: {{N: [1], {'M' * 99}: [{'1' * 9}]}}", ""),
        ("source: x", "given twice"),
    ],
)
def test_mistakes_inside_a_program(directory: Path, line: str, expected: str) -> None:
    text = f"name: demo\nprograms:\n  one:\n    source: src/one.mapal\n    {line}\n"
    if expected:
        assert expected in error_of(directory, text)
    else:
        assert load(directory, text).programs[0].name == "one-1-111111111"


def test_names_collide_through_sizes_and_lengths(directory: Path) -> None:
    source = "{source: src/one.mapal, sizes: {N: [128]}}"
    text = f"name: demo\nprograms:\n  p: {source}\n  p-128: {{source: src/two.mapal}}\n"
    assert "4:3: error: program 'p-128' is there twice" in error_of(directory, text)
    assert "too long" in error_of(directory, f"name: d\nprograms:\n  {'p' * 99}: {source}\n")
    many = ", ".join(str(n) for n in range(1, 200))
    text = (
        f"name: d\nprograms:\n  p: {{source: src/one.mapal, sizes: {{A: [{many}], B: [{many}]}}}}\n"
    )
    assert "more than 10000 programs" in error_of(directory, text)


def test_the_project_is_found_upward(directory: Path) -> None:
    load(directory, MINIMAL)
    assert find_project(directory / "src") == directory
    with pytest.raises(UserError, match="mapal new NAME"):
        find_project(directory.parent)
    with pytest.raises(UserError, match="No such file"):
        load_project(directory.parent)
    assert load_project(directory / "mapal.yaml").name == "demo"
