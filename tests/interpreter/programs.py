"""Runs source texts, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from mapal.interpreter import Outcome, run
from mapal.ir.graph import Graph
from mapal.lower import lower
from mapal.syntax import parse

AMPLE = 10**7


def graph_of(text: str, arithmetic: Literal["exact", "fused"] = "exact") -> Graph:
    """The graph of an accepted program."""
    parsed = parse(text)
    assert parsed.diagnostics == ()
    lowered = lower(parsed.program, arithmetic)
    assert lowered.diagnostics == ()
    assert lowered.graph is not None
    return lowered.graph


def run_text(
    text: str,
    inputs: Mapping[str, object] | None = None,
    *,
    budget: int = AMPLE,
    arithmetic: Literal["exact", "fused"] = "exact",
    clock: Callable[[], float] | None = None,
) -> Outcome:
    """The outcome of a program."""
    return run(graph_of(text, arithmetic), inputs or {}, budget=budget, clock=clock)


def result_of(text: str, **inputs: object) -> object:
    """The result of a program that must be done."""
    outcome = run_text(text, inputs)
    assert outcome.kind == "done"
    return outcome.result


def ending(text: str, **inputs: object) -> str:
    """How a program ends: `done`, `diverged`, or the kind of its trap."""
    outcome = run_text(text, inputs)
    return outcome.trap.kind if outcome.trap else outcome.kind
