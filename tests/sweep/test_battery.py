"""All ways to run a program agree, and a fault put into any one of them is noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mapal.diagnostics import CompilerBug
from mapal.ir import scalars
from mapal.ir.graph import Graph
from mapal.ir.ops import BinaryCode
from mapal.ir.types import I32
from mapal.sweep import battery, executable, native
from mapal.sweep.battery import Difference, Tally, check
from mapal.sweep.generate import script_of
from mapal.sweep.script import FunctionScript, Script, Step
from mapal.target import TargetProfile, load_profile

BATCH = 50


@pytest.fixture(scope="module")
def profile() -> TargetProfile:
    return load_profile("native")


def pure(*steps: Step) -> Script:
    return Script("default", False, (), FunctionScript((), 0, False, steps))


SUM = Script(
    "default",
    False,
    (),
    FunctionScript((0,), 0, False, (Step("arithmetic", (0, 0, 0, 0, 0)),)),
    (5,),
)
"""A number of i32 added to itself; a parameter, so that no pass can fold it."""

MAPPED = pure(Step("map", (0, 0, 0, 2, 3), ((Step("arithmetic", (0, 0, 0, 0, 0)),),)))
"""A map that adds elements of i32 to themselves."""


@pytest.mark.parametrize("first", range(0, 200, BATCH))
def test_everything_agrees_on_random_programs(first: int, profile: TargetProfile) -> None:
    scripts = [script_of(1000, number) for number in range(first, first + BATCH)]
    tally = Tally()
    found = check(scripts, profile, text_every=10, executable_every=25, tally=tally)
    assert found == [None] * BATCH
    assert tally.programs == BATCH
    assert tally.endings["done"] > BATCH // 3
    assert tally.endings["div_zero"] + tally.endings["index_oob"] > 0


def test_every_pass_alone(profile: TargetProfile) -> None:
    scripts = [script_of(1001, number) for number in range(20)]
    assert check(scripts, profile, "each", native=False, text_every=20) == [None] * 20


def only_difference(script: Script, profile: TargetProfile, **options: Any) -> Difference:
    (found,) = check([script], profile, **options)
    assert found is not None
    return found


def test_without_a_fault_the_samples_agree(profile: TargetProfile) -> None:
    assert check([SUM, MAPPED], profile) == [None, None]


def test_a_fault_of_the_plain_interpreter(
    monkeypatch: pytest.MonkeyPatch, profile: TargetProfile
) -> None:
    add = scalars.Raw(lambda a, b: a + b + 1, scalars.Fit.WRAPPED)
    monkeypatch.setitem(scalars.RAW_BINARY, (BinaryCode.ADD, I32), add)
    found = only_difference(SUM, profile)
    assert found.leg == "native at level 0 on the raw graph"


def test_a_fault_of_the_lockstep_interpreter(
    monkeypatch: pytest.MonkeyPatch, profile: TargetProfile
) -> None:
    from mapal.interpreter.lockstep import numbers

    def wrong(code: BinaryCode, ty: Any) -> Any:
        return np.subtract

    monkeypatch.setattr(numbers, "binary", wrong)
    assert only_difference(MAPPED, profile).leg == "lockstep on the raw graph"
    assert check([SUM], profile, executable_every=0) == [None]


def faulty_emit(change: Callable[[str], str]) -> Any:
    """An emitter whose text is changed."""

    def emit(graph: Graph, profile: Any, *, name: str, **options: Any) -> Any:
        from mapal.codegen import emit as right

        made = right(graph, profile, name=name, **options)
        return replace(made, ll=change(made.ll))

    return emit


def test_a_fault_of_the_emitted_code(
    monkeypatch: pytest.MonkeyPatch, profile: TargetProfile
) -> None:
    monkeypatch.setattr(native, "emit", faulty_emit(lambda ll: ll.replace("add i32", "sub i32")))
    assert only_difference(SUM, profile).leg == "native at level 0 on the raw graph"


def test_a_fault_of_the_executable(monkeypatch: pytest.MonkeyPatch, profile: TargetProfile) -> None:
    monkeypatch.setattr(
        executable, "emit", faulty_emit(lambda ll: ll.replace("add i32", "sub i32"))
    )
    assert only_difference(SUM, profile).leg == "executable of the raw graph"


def test_text_that_llvm_refuses(monkeypatch: pytest.MonkeyPatch, profile: TargetProfile) -> None:
    monkeypatch.setattr(native, "emit", faulty_emit(lambda ll: ll + "\nnonsense"))
    found = check([SUM, MAPPED], profile, executable_every=0)
    assert [difference and difference.leg for difference in found] == ["emit of the raw graph"] * 2


def test_a_graph_that_reads_back_differently(
    monkeypatch: pytest.MonkeyPatch, profile: TargetProfile
) -> None:
    texts = iter(["one", "two", "three", "four"])
    monkeypatch.setattr(battery, "print_graph", lambda graph: next(texts))
    monkeypatch.setattr(battery, "parse_graph", lambda text: text)
    assert only_difference(SUM, profile, native=False).leg == "text"


def test_a_rewriter_that_changes_what_a_program_does(
    monkeypatch: pytest.MonkeyPatch, profile: TargetProfile
) -> None:
    from mapal.rewrite import RewriteResult
    from mapal.sweep.program import build

    other = build(pure(Step("constant", (0, 5)))).graph
    monkeypatch.setattr(battery, "rewrite", lambda graph: RewriteResult(other, {}))
    assert only_difference(SUM, profile, native=False).leg == "plain on the rewritten graph"


def test_a_bug_on_the_way_is_a_difference(
    monkeypatch: pytest.MonkeyPatch, profile: TargetProfile
) -> None:
    def broken(graph: Graph) -> None:
        raise CompilerBug("no rewriting today")

    monkeypatch.setattr(battery, "rewrite", broken)
    found = only_difference(SUM, profile, native=False)
    assert (found.leg, found.text) == ("rewrite", "no rewriting today")


def test_a_graph_that_does_not_verify(
    monkeypatch: pytest.MonkeyPatch, profile: TargetProfile
) -> None:
    monkeypatch.setattr(battery, "verify", lambda graph: ["BadRegion"])
    found = only_difference(SUM, profile, native=False)
    assert found.leg == "bug CompilerBug"
    assert "BadRegion" in found.text


def test_a_program_that_spends_its_budget(
    monkeypatch: pytest.MonkeyPatch, profile: TargetProfile
) -> None:
    monkeypatch.setattr(battery, "BUDGET", 0)
    monkeypatch.setattr(battery, "LOCKSTEP_BUDGET", 0)
    found = only_difference(SUM, profile)
    assert (found.leg, found.text) == ("plain", "a bounded program spends its budget")
