"""Runs the passes, round after round, until one round applies nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mapal.diagnostics import CompilerBug
from mapal.ir.graph import Graph
from mapal.ir.verify import verify

MAXIMUM_ROUNDS = 32
"""A safety net: passes that undo each other would never end."""


@dataclass(frozen=True, slots=True)
class RewritePass:
    """`apply` returns the graph itself when it changes nothing, and how much it changed."""

    name: str
    summary: str
    apply: Callable[[Graph], tuple[Graph, int]]


@dataclass(frozen=True, slots=True)
class RewriteResult:
    """`report` is what `rewrite/P.report.json` holds."""

    graph: Graph
    report: dict[str, Any]


PIPELINE: tuple[RewritePass, ...] = ()


def rewrite(graph: Graph, passes: tuple[RewritePass, ...] = PIPELINE) -> RewriteResult:
    """The graph after the passes, with a report: rounds (the idle last one included) and how
    often each pass applied. The result of every pass is verified; a violation names the pass."""
    applied: dict[str, int] = {}
    rounds = 0
    changed = True
    while changed:
        if rounds == MAXIMUM_ROUNDS:
            raise CompilerBug(f"rewriting does not settle in {MAXIMUM_ROUNDS} rounds")
        rounds += 1
        changed = False
        for step in passes:
            result, count = step.apply(graph)
            if not count:
                continue
            violations = verify(result)
            if violations:
                raise CompilerBug(f"pass {step.name} broke the graph: {violations[0]}")
            applied[step.name] = applied.get(step.name, 0) + count
            graph, changed = result, True
    report = {
        "schema": 1,
        "passes": [step.name for step in passes],
        "rounds": rounds,
        "applied": [{"pass": name, "count": count} for name, count in applied.items()],
        "declined": [],
    }
    return RewriteResult(graph, report)
