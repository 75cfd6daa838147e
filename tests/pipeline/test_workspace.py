"""Selections, several projects at once, and what is remembered between loads."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mapal.diagnostics import UserError
from mapal.native.toolchain import Search
from mapal.pipeline.load_cache import LoadCache
from mapal.pipeline.seal import read_sealed, sealed, unsealed
from mapal.pipeline.workspace import load_workspace
from mapal.target import load_profile, targets_directory
from tests.pipeline.directories import ProjectDirectory


@pytest.fixture
def inside(project: ProjectDirectory) -> Iterator[ProjectDirectory]:
    before = os.getcwd()
    os.chdir(project.path)
    yield project
    os.chdir(before)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("taget=zen3",), "did you mean 'target'?"),
        (("target=zen33",), "unknown target 'zen33'"),
        (("target=generic,zen33",), "did you mean 'zen3'?"),
        (("target=",), "unknown target ''"),
        (("program=helo",), "unknown program 'helo'; programs are hello, scale; did you mean 'he"),
        (("executor=dask",), "executor is 'dask'; expected dask://HOST:PORT"),
    ],
)
def test_misspelt_selections_are_errors(
    project: ProjectDirectory, words: tuple[str, ...], expected: str
) -> None:
    result = project.doit("build", *words)
    assert result.status == 3
    assert expected in result.err
    assert len(result.err.splitlines()) == 1
    assert not (project.path / "build/manifest.json").exists()


def test_a_mistake_in_the_project_file_is_one_error(project: ProjectDirectory) -> None:
    project.edit("mapal.yaml", "targets:", "tagets:")
    result = project.doit("build")
    assert result.status == 3
    assert result.err == (
        "ERROR: mapal.yaml:5:1: error: unknown key 'tagets'; expected one of name, programs, "
        "targets, arithmetic, opt, threads, steps, bench, library, validate, crosscheck; did you "
        "mean 'targets'?\n"
    )


def test_a_missing_source_is_one_error_also_when_it_vanishes_later(
    project: ProjectDirectory,
) -> None:
    project.build()
    (project.path / "src/hello.mapal").unlink()
    result = project.doit("build")
    assert result.status == 3
    assert (
        "mapal.yaml:3:19: error: programs.hello.source is 'src/hello.mapal'; no such" in result.err
    )


def test_a_selection_builds_only_that(project: ProjectDirectory) -> None:
    tasks = project.build("program=scale", "target=x86-64-v2,generic")
    assert {task.rsplit(":", 1)[-1] for task in tasks} == {
        "scale", "manifest", "generic", "x86-64-v2",
    }  # fmt: skip
    manifest = json.loads(project.read("build/manifest.json"))
    assert {a["path"].split("/")[1] for a in manifest["artifacts"] if a["stage"] == "emit"} == {
        "generic", "x86-64-v2",
    }  # fmt: skip


def test_no_project_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"no mapal\.yaml here, and none in projects/"):
        load_workspace({})


def joint(project: ProjectDirectory) -> ProjectDirectory:
    """A directory with the project twice, under other names."""
    top = ProjectDirectory(project.path.parent / "top", project._capture)
    for name in ("first", "second"):
        shutil.copytree(project.path, top.path / "projects" / name)
        text = project.read("mapal.yaml").replace("name: demo", f"name: {name}")
        text = text.replace("hello:", f"hello-{name}:").replace("scale:", f"scale-{name}:")
        (top.path / "projects" / name / "mapal.yaml").write_text(text)
    (top.path / "projects" / "README.md").write_text("")
    return top


def test_all_projects_at_once_and_each_on_its_own(project: ProjectDirectory) -> None:
    top = joint(project)
    tasks = top.build()
    assert "runtime:generic:first" in tasks
    assert "manifest:second" in tasks
    assert top.build() == []
    second = ProjectDirectory(top.path / "projects" / "second", project._capture)
    assert second.build() == []
    assert "second/hello-second generic equal" in second.doit("build").out
    first = top.path / "projects/first/build/manifest.json"
    text = first.read_text().replace("-first", "-second")
    other = json.loads((second.path / "build/manifest.json").read_text())
    assert [a["path"] for a in json.loads(text)["artifacts"]] == [
        a["path"] for a in other["artifacts"]
    ]
    assert top.doit("exec", "program=hello-second").out == "hello\n3\n"


def test_names_must_differ_across_projects(project: ProjectDirectory) -> None:
    top = joint(project)
    file = "projects/second/mapal.yaml"
    top.edit(file, "hello-second", "hello-first")
    result = top.doit("build")
    assert result.status == 3
    assert (
        "program 'hello-first' is in projects/first/mapal.yaml and in projects/second/mapal.yaml"
    ) in result.err
    top.edit(file, "name: second", "name: first")
    assert "project 'first' is in projects/first/mapal.yaml and in" in top.doit("build").err


def test_a_damaged_cache_costs_time_only(inside: ProjectDirectory) -> None:
    load_workspace({}).finish_loading()
    file = inside.path / "build/.mapal/load.json"
    good = file.read_bytes()
    other = json.loads(unsealed(good) or b"")
    for entry in other["projects"].values():
        entry["value"] = None
    altered = (b"", b"[]", json.dumps(other).encode(), good[:-1], good.replace(b"hello", b"hullo"))
    for content in altered:
        file.write_bytes(content)
        workspace = load_workspace({})
        assert [p.name for p in workspace.programs(workspace.sites[0])] == ["hello", "scale"]
        workspace.finish_loading()
        assert file.read_bytes() == good


def test_imports_that_other_code_found_are_found_again(inside: ProjectDirectory) -> None:
    load_workspace({}).finish_loading()
    file = inside.path / "build/.mapal/load.json"
    good = file.read_bytes()
    other = json.loads(unsealed(good) or b"")
    other.update(reader="an earlier version", imports={key: [] for key in other["imports"]})
    file.write_bytes(sealed(json.dumps(other).encode()))
    load_workspace({}).finish_loading()
    assert file.read_bytes() == good


def test_profiles_survive_the_cache(inside: ProjectDirectory) -> None:
    names = ("zen3", "cuda-ada", "aarch64-generic", "generic")
    for _ in range(2):
        cache = LoadCache("build/.mapal/load.json")
        for name in names:
            profile, files = cache.profile(name, "x86_64")
            assert profile == load_profile(name, architecture="x86_64")
            assert files[0] == f"{name}.yaml"
        assert cache.host().name == "native"
        cache.save()


TUNING = """\
name: NAME
cpu: CPU
tiles:
  matmul-f32-exact: {rows: ROWS}
evidence: []
"""


def tuning(name: str, cpu: str, rows: int) -> str:
    return TUNING.replace("NAME", name).replace("CPU", cpu).replace("ROWS", str(rows))


def test_what_was_tuned_for_this_machine_is_part_of_its_profile(inside: ProjectDirectory) -> None:
    cpu = load_profile("native").cpu
    profile = inside.path / "build/targets/native.yaml"
    assert inside.doit("build", "target=native", "program=scale").status == 0
    assert "tiles:" not in profile.read_text(encoding="utf-8")
    for rows in (8, 9, 9):
        inside.write("build/targets/native.tune.yaml", tuning("native", cpu, rows))
        result = inside.doit("build", "target=native", "program=scale")
        assert result.status == 0
        assert f"matmul-f32-exact: {{rows: {rows}}}" in profile.read_text(encoding="utf-8")
    # Once more with nothing new: nothing runs.
    assert "ran" not in result.err
    inside.write("build/targets/native.tune.yaml", tuning("native", "another", 8))
    refused = inside.doit("build", "target=native", "program=scale")
    assert refused.status == 3
    assert f"was measured on a another, and this is a {cpu}" in refused.err
    inside.write("build/targets/native.tune.yaml", "name: native\n")
    assert "key 'cpu' is missing" in inside.doit("build", "target=native", "program=scale").err


def test_a_tuning_file_beside_a_profile_is_an_input_of_its_builds(
    inside: ProjectDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profiles = tmp_path / "targets"
    shutil.copytree(targets_directory(), profiles)
    for module in ("mapal.pipeline.load_cache", "mapal.target.library"):
        monkeypatch.setattr(f"{module}.targets_directory", lambda: profiles)

    def rows() -> object:
        cache = LoadCache("build/.doit/load.json")
        profile, files = cache.profile("zen4", "x86_64")
        cache.save()
        return profile.tiles.get("matmul-f32-exact").get("rows"), files

    assert rows() == (None, ["zen4.yaml"])
    for number in (8, 9):
        text = tuning("zen4", "znver4", number)
        (profiles / "zen4.tune.yaml").write_text(text, encoding="utf-8")
        assert rows() == (number, ["zen4.yaml", "zen4.tune.yaml"])
    (profiles / "zen4.tune.yaml").unlink()
    assert rows() == (None, ["zen4.yaml"])


def test_imports_of_vanished_sources_are_dropped_in_time(inside: ProjectDirectory) -> None:
    cache = LoadCache("build/.mapal/load.json")
    cache.digests.imports.update({f"mapal.x:{number}": [] for number in range(3000)})
    cache.digests.of(["mapal.project.file"])
    cache.save()
    saved = json.loads(read_sealed("build/.mapal/load.json") or b"")["imports"]
    assert 0 < len(saved) < 100


def test_the_compiler_is_remembered_until_it_changes(
    inside: ProjectDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = LoadCache("build/.mapal/load.json").compiler()
    assert first.compiler is not None
    with monkeypatch.context() as patch:
        patch.setattr("mapal.pipeline.load_cache.find_compiler", lambda: pytest.fail("searched"))
        assert LoadCache("build/.mapal/load.json").compiler() == first
    fake = inside.write("bin/mycc", '#!/bin/sh\nexec cc "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("CC", str(fake))
    found = LoadCache("build/.mapal/load.json").compiler().compiler
    assert found is not None
    assert found.command == (str(fake),)
    for _ in range(2):
        monkeypatch.setenv("CC", "/absent/cc")
        search = LoadCache("build/.mapal/load.json").compiler()
        assert search == Search(first.compiler, ("/absent/cc: not found",))
    monkeypatch.setenv("LIBRARY_PATH", str(inside.path))
    found = LoadCache("build/.mapal/load.json").compiler().compiler
    assert found is not None
    assert found.fingerprint != first.compiler.fingerprint
    monkeypatch.setattr("mapal.native.toolchain.packaged_zig", lambda: None)
    monkeypatch.setenv("PATH", str(inside.path))
    monkeypatch.delenv("CC")
    assert LoadCache("build/.mapal/load.json").compiler().compiler is None
