"""Scripts are plain data: they go through JSON unchanged, and every edit is a script."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings

from mapal.ir.verify import verify
from mapal.sweep.emission import STEPS
from mapal.sweep.generate import script_of
from mapal.sweep.program import build
from mapal.sweep.script import (
    FunctionScript,
    Script,
    Step,
    from_json,
    size_of,
    steps_of,
    to_json,
    with_steps,
    without_function,
)
from tests.strategies_programs import program_scripts

PLAIN = FunctionScript((), None, False, ())


def test_json_gives_the_script_back() -> None:
    for number in range(50):
        script = script_of(3, number)
        text = to_json(script)
        assert from_json(text) == script
        assert to_json(from_json(text)) == text


def test_json_is_json() -> None:
    data = json.loads(to_json(script_of(3, 1)))
    assert data["schema"] == 1
    assert all(function["steps"] for function in data["functions"])


def test_steps_are_counted_with_those_inside_them() -> None:
    inner = Step("constant", (0, 1))
    steps = (Step("guard", (0,), ((inner, inner), (inner,))), inner)
    script = Script(
        "default", False, (replace(PLAIN, steps=(inner,)),), replace(PLAIN, steps=steps)
    )
    assert [step.kind for step in steps_of(steps)] == ["guard", *["constant"] * 4]
    assert size_of(script) == 6


def test_strategies_are_told_by_the_entry() -> None:
    script = Script("default", False, (), PLAIN)
    assert script.strategy == "closed"
    assert replace(script, entry=replace(PLAIN, prints=True)).strategy == "printing"
    assert replace(script, entry=replace(PLAIN, parameters=(1,))).strategy == "open"


def test_every_edit_of_a_script_can_be_built() -> None:
    for number in range(25):
        script = script_of(4, number)
        edits = [without_function(script, index) for index in range(len(script.helpers))]
        functions = (*script.helpers, script.entry)
        for index, function in enumerate(functions):
            edits.append(with_steps(script, index, function.steps[1:]))
            numbered = tuple(replace(step, numbers=()) for step in function.steps)
            edits.append(with_steps(script, index, numbered))
            bare = tuple(replace(step, blocks=()) for step in function.steps)
            edits.append(with_steps(script, index, bare))
        for edited in edits:
            assert verify(build(edited).graph) == []


@settings(max_examples=25, deadline=None)
@given(program_scripts())
def test_drawn_scripts_can_be_built(script: Script) -> None:
    assert verify(build(script).graph) == []


def test_each_kind_can_stand_alone() -> None:
    for kind in STEPS:
        for prints in (False, True):
            entry = FunctionScript((), 0, prints, (Step(kind), Step(kind, (1,) * 20)))
            assert verify(build(Script("default", True, (), entry)).graph) == []
