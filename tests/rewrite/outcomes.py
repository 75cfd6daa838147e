"""Runs a case before and after every pass alone and all together, in strict mode."""

from __future__ import annotations

from collections import Counter

from mapal.interpreter import run
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.rewrite import RewritePass, apply_pass, rewrite_with
from mapal.rewrite.pipeline import PASSES
from tests.rewrite.programs import strict
from tests.rewrite.regions import region_changes

BUDGET = 50_000

Strict = tuple[object, ...]


def ending(graph: Graph, *arguments: object, budget: int = BUDGET) -> Strict:
    """The strict outcome, the same in both interpreters. A run that spends its budget tells
    nothing about where it was."""
    inputs = {f"p{place}": value for place, value in enumerate(arguments)}
    plain = run(graph, inputs, budget=budget, clock=lambda: 0.0)
    lockstep = run(graph, inputs, budget=budget, clock=lambda: 0.0, lockstep_from=1)
    assert (
        strict(plain)[: 1 if plain.kind == "diverged" else 4]
        == (strict(lockstep)[: 1 if plain.kind == "diverged" else 4])
    )
    return ("diverged",) if plain.kind == "diverged" else strict(plain)


def kind(graph: Graph, *arguments: object) -> str:
    """How a run ends: `done`, `diverged`, or the kind of its trap."""
    found = ending(graph, *arguments)
    trap = found[3] if found[0] == "trapped" else None
    return trap[0] if isinstance(trap, tuple) else str(found[0])


def value(graph: Graph, *arguments: object) -> str:
    """The result of a run that must be done, as text."""
    found = ending(graph, *arguments)
    assert found[0] == "done", found
    return str(found[2])


def applied(graph: Graph, step: RewritePass, *argument_lists: tuple[object, ...]) -> Graph:
    """The graph after one pass, which must keep each of the outcomes."""
    application = apply_pass(graph, step)
    if application.replayed is None:
        return graph
    assert region_changes(graph, application.replayed, application.plan) == []
    result = application.replayed.graph
    for arguments in argument_lists or ((),):
        assert ending(result, *arguments) == ending(graph, *arguments), step.name
    return result


def kept(graph: Graph, *argument_lists: tuple[object, ...]) -> Graph:
    """The graph after all passes; every pass alone and all together keep each outcome."""
    for step in PASSES:
        applied(graph, step, *argument_lists)
    result = rewrite_with(graph, PASSES).graph
    for arguments in argument_lists or ((),):
        assert ending(result, *arguments) == ending(graph, *arguments)
    again = rewrite_with(result, PASSES)
    assert again.report["applied"] == []
    assert again.graph is result
    return result


def census(graph: Graph) -> Counter[str]:
    """How many operations of each name a graph has, and how many constants, guards, loops."""
    found: Counter[str] = Counter()
    for morphism in graph.morphisms:
        match morphism.op:
            case ops.Binary(code=BinaryCode() as code):
                found[code.value] += 1
            case ops.Unary(code=UnaryCode() as code):
                found[code.value] += 1
            case ops.Pair():
                pass
            case op:
                found[type(op).__name__] += 1
    found["loops"] = len(graph.loops)
    found["guards"] = len(graph.guards)
    return found


def declines(graph: Graph, step: RewritePass) -> list[str]:
    """The reasons for which a pass leaves candidates alone."""
    return [entry.reason for entry in apply_pass(graph, step).declined]
