"""`crosscheck: true` in a project file: an option of `emit` alone, which says what it compared."""

from __future__ import annotations

import json

import pytest

from mapal.analysis.legality import maps
from mapal.diagnostics import CompilerBug
from mapal.pipeline.stages.emit import emit
from mapal.pipeline.stages.emit_device import emit_device
from tests.pipeline.directories import ProjectDirectory
from tests.pipeline.test_stages import SCALE, lowered, profile_inputs

SOURCE = (
    b"fn main(a: [f32; 9]) -> [f32; 9] { 9 -> iota -> map { i -> a[i - i % 3 + 2] } -> ret; }\n"
)
TOLD = "no simple rule allows more; 1 of {} answers go beyond them"


@pytest.mark.parametrize(("target", "asked"), [("generic", 6), ("cuda-ada", 7)])
def test_the_plan_lists_what_goes_beyond_the_rules(target: str, asked: int) -> None:
    files, options = profile_inputs(target)
    stage = emit if target == "generic" else emit_device
    inputs = {"ir": lowered(SOURCE), **files}
    plain = stage(inputs, {"name": "p", "ptxas": False, **options})
    compared = stage(inputs, {"name": "p", "ptxas": False, "crosscheck": True, **options})
    assert plain.summary is None
    assert compared.summary == TOLD.format(asked)
    plan = json.loads(compared.outputs["plan"])
    assert plan.pop("crosscheck")[0].startswith("bounds: the query accepts, the rule declines")
    assert plan == json.loads(plain.outputs["plan"])
    assert compared.outputs["ll"] == plain.outputs["ll"]


def test_a_stricter_answer_fails_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps, "tie", lambda *_: "nothing")
    files, options = profile_inputs("generic")
    inputs = {"ir": lowered(SCALE), **files}
    emit(inputs, {"name": "p", **options})
    with pytest.raises(CompilerBug, match="slices: the rule accepts, the query declines"):
        emit(inputs, {"name": "p", "crosscheck": True, **options})


def test_only_emit_runs_again(project: ProjectDirectory) -> None:
    project.build()
    project.edit("mapal.yaml", "targets:", "crosscheck: true\ntargets:")
    result = project.doit("build")
    assert result.status == 0, result.err
    assert {name.split(":")[0] for name in project.tasks_run()} == {"emit", "manifest"}
    assert "no simple rule allows more" in result.out
    (name,) = [name for name in project.artifacts() if name.endswith("scale.plan.json")]
    assert json.loads(project.artifacts()[name])["crosscheck"] == []
