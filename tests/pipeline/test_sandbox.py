"""Every stage reads what it declares and nothing else; one that does more is found."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from mapal.pipeline import session
from mapal.pipeline.step import Step
from tests.pipeline.conftest import write_project
from tests.pipeline.directories import ProjectDirectory
from tests.pipeline.sandbox import observe


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProjectDirectory]:
    """A built project with a program that has an input, for two kinds of targets."""
    directory = write_project(tmp_path_factory.mktemp("sandbox") / "demo", lambda: ("", ""))
    directory.edit("mapal.yaml", "[generic]", "[generic, cuda-ada]")
    directory.build("program=scale")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory.path)
        yield directory


def steps() -> dict[str, Step]:
    return session.current().steps


def test_every_stage_reads_only_what_it_declares(built: ProjectDirectory, tmp_path: Path) -> None:
    seen = set()
    findings: list[str] = []
    for number, step in enumerate(steps().values()):
        observation = observe(built.path, step, tmp_path / str(number))
        findings += observation.findings
        assert observation.outputs
        seen.add(step.stage)
    assert not findings, "\n".join(findings)
    assert seen == {
        "parse", "lower", "check", "rewrite", "oracle", "graph", "runtime", "emit", "object",
        "link", "differential",
    }  # fmt: skip


def misbehaving(name: str) -> Step:
    return dataclasses.replace(steps()["lower:scale"], function=f"tests.pipeline.undeclared:{name}")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("reads_a_file", "lower:scale reads /etc/hostname, which is no input"),
        ("lists_a_directory", "lower:scale reads /etc, which is no input"),
        ("reads_the_source", "lower:scale failed: FileNotFoundError: "),
        ("imports_a_package", "lower:scale imports yaml, whose version is no tool of it"),
        ("runs_other_code", "lower:scale runs mapal.codegen.plan, which the digest of its code"),
        ("starts_a_program", "lower:scale starts true"),
        ("asks_the_environment", "lower:scale: lower/scale.ir is not what the build made"),
    ],
)
def test_an_undeclared_dependency_is_found(
    built: ProjectDirectory, tmp_path: Path, name: str, expected: str
) -> None:
    findings = observe(built.path, misbehaving(name), tmp_path / "place").findings
    assert any(finding.startswith(expected) for finding in findings), findings


def test_validated_rewriting_reads_what_the_oracle_reads(
    project: ProjectDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The last test here, since it makes another project the one of this process.
    project.edit("mapal.yaml", "targets:", "validate: true\ntargets:")
    assert project.doit("rewrite:scale").status == 0
    monkeypatch.chdir(project.path)
    assert observe(project.path, steps()["rewrite:scale"], tmp_path / "place").findings == []
