"""Builds with `validate: true`: what is run, when it runs again, and how it fails."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from mapal.ir.ops import BinaryCode
from mapal.ir.text import parse_graph
from mapal.pipeline import action
from mapal.pipeline.stages import validated_rewrite
from mapal.rewrite import pipeline
from tests.pipeline.directories import ProjectDirectory
from tests.rewrite.test_validation import swapping


def validation(project: ProjectDirectory, program: str) -> dict[str, Any]:
    report = json.loads(project.read(f"build/rewrite/{program}.report.json"))
    found: dict[str, Any] = report["validation"]
    return found


def test_validation_is_an_option_of_the_rewriter_alone(project: ProjectDirectory) -> None:
    project.build()
    artifacts = project.artifacts()
    project.edit("mapal.yaml", "targets:", "validate: true\ntargets:")
    result = project.doit("build")
    assert result.status == 0, result.err
    assert {name.split(":")[0] for name in project.tasks_run()} == {"rewrite", "manifest"}
    assert "rewrite:scale: " in result.out
    assert "validated on 5 inputs (4 generated)" in result.out
    assert validation(project, "scale")["inputs"] == 5
    assert validation(project, "hello")["generated"] == 0
    changed = {
        name
        for name, data in project.artifacts().items()
        if artifacts.get(name) != data and "report" not in name
    }
    assert changed <= {"manifest.json", "provenance.json"}


def test_other_inputs_are_validated_again(project: ProjectDirectory) -> None:
    project.edit("mapal.yaml", "targets:", "validate: true\ntargets:")
    project.build()
    np.save(project.path / "data" / "a.npy", np.full(8, np.nan, dtype="f4"))
    assert "rewrite:scale" in project.build()
    assert project.build() == []


class Here:
    """Runs stages in this process, so that a test can break a pass."""

    def call(self, function: str, inputs: Mapping[str, bytes], options: object) -> object:
        module, _, name = function.partition(":")
        stage: Callable[..., object] = getattr(__import__(module, fromlist=[name]), name)
        return stage(inputs, options)


def test_a_broken_pass_fails_the_build(
    project: ProjectDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.edit("mapal.yaml", "targets:", "validate: true\ntargets:")
    project.edit("src/scale.mapal", "x * 2.0", "x - 2.0")
    monkeypatch.setattr(action, "shared_pool", Here)
    monkeypatch.setattr(pipeline, "PIPELINE", (swapping(BinaryCode.SUB),))
    result = project.doit("build")
    assert result.status != 0
    assert (
        "rewrite:scale: pass swapping changed the program: on the program's inputs, the result[0] "
        "was -2.0 (0xc0000000) before and is 2.0 (0x40000000)" in result.err
    )
    assert "rewrite/scale/before.ir and rewrite/scale/after.ir" in result.err
    assert not (project.path / "build" / "rewrite" / "scale.ir").exists()
    for role in (validated_rewrite.BEFORE, validated_rewrite.AFTER):
        assert parse_graph(project.read(f"build/rewrite/scale/{role}.ir")).morphisms
    monkeypatch.undo()
    project.build()
    assert validation(project, "scale")["changes"] >= 0
