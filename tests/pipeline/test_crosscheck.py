"""`crosscheck: true` in a project file: an option of the stages that ask for proofs, which say what
they compared."""

from __future__ import annotations

import json
from types import ModuleType

import pytest

from mapal.analysis.legality import loops, maps, reads
from mapal.diagnostics import CompilerBug
from mapal.pipeline.stages.emit import emit
from mapal.pipeline.stages.emit_device import emit_device
from mapal.pipeline.stages.rewrite import rewrite
from tests.pipeline.directories import ProjectDirectory
from tests.pipeline.test_stages import SCALE, lowered, profile_inputs

SOURCE = (
    b"fn main(a: [f32; 9]) -> [f32; 9] { 9 -> iota -> map { i -> a[i - i % 3 + 2] } -> ret; }\n"
)
TOLD = "no simple rule allows more; 2 of {} answers go beyond them"


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


COUNTING = b"""
fn main(v: [i32; 9]) -> [i32; 9] {
    mut a: [i32; 9] <- v; mut i: i32 <- 0;
    loop { (i < 9) -> { -true-> { a[i] <- a[i] * 2; i + 1 -> i; -> loop; } -false-> a -> r; } }
    r -> ret;
}
"""


def test_the_report_lists_what_goes_beyond_the_rules() -> None:
    inputs = {"ir": lowered(COUNTING)}
    plain, both = rewrite(inputs, {}), rewrite(inputs, {"crosscheck": True})
    report = json.loads(both.outputs["report"])
    (gain,) = report.pop("crosscheck")
    assert gain.startswith("loop as map: the query accepts, the rule declines")
    assert report == json.loads(plain.outputs["report"])
    assert both.outputs["ir"] == plain.outputs["ir"]


@pytest.mark.parametrize(
    ("module", "function", "source", "site"),
    [
        (loops, "_order", COUNTING.replace(b"a[i] * 2", b"v[i] * 2"), "loop as map"),
        (
            reads,
            "recompute_count",
            b"fn main(v: [i32; 9]) -> [i32; 9] {"
            b" v -> map { x -> x + 1 } -> a; a -> map { x -> x * 2 } -> ret; }",
            "once",
        ),
    ],
)
def test_a_stricter_answer_fails_the_rewriting(
    module: ModuleType,
    function: str,
    source: bytes,
    site: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = (None, "nothing") if module is reads else None
    monkeypatch.setattr(module, function, lambda *_: answer)
    rewrite({"ir": lowered(source)}, {})
    with pytest.raises(CompilerBug, match=f"{site}: the rule accepts, the query declines"):
        rewrite({"ir": lowered(source)}, {"crosscheck": True})


def test_only_stages_that_compare_run_again(project: ProjectDirectory) -> None:
    project.build()
    project.edit("mapal.yaml", "targets:", "crosscheck: true\ntargets:")
    result = project.doit("build")
    assert result.status == 0, result.err
    assert {name.split(":")[0] for name in project.tasks_run()} == {
        "rewrite",
        "emit",
        "manifest",
    }
    assert "no simple rule allows more" in result.out
    (name,) = [name for name in project.artifacts() if name.endswith("scale.plan.json")]
    assert json.loads(project.artifacts()[name])["crosscheck"] == []
