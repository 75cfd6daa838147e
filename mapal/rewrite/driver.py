"""Runs the passes, round after round, until one round applies nothing."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mapal.diagnostics import CompilerBug
from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId
from mapal.ir.verify import verify
from mapal.rewrite.copies import Replayed
from mapal.rewrite.entries import RewritePlan
from mapal.rewrite.order_law import disordered
from mapal.rewrite.plan import Declined, PlanMaker
from mapal.rewrite.replay import replay
from mapal.rewrite.report import Report
from mapal.rewrite.restriction import without_functions

MAXIMUM_ROUNDS = 32
"""A safety net: passes that undo each other would never end."""

ORDER_WOULD_CHANGE = "operations that can trap would run in another order"


@dataclass(frozen=True, slots=True)
class RewritePass:
    """`analyse` fills the plan of one application; it reads the graph and nothing else."""

    name: str
    summary: str
    analyse: Callable[[PlanMaker], None]


@dataclass(frozen=True, slots=True)
class Application:
    """What one pass made of a graph: None for `replayed` means that it changes nothing."""

    plan: RewritePlan
    replayed: Replayed | None
    declined: tuple[Declined, ...]


@dataclass(frozen=True, slots=True)
class RewriteResult:
    """`report` is what `rewrite/P.report.json` holds."""

    graph: Graph
    report: dict[str, Any]


Observer = Callable[[RewritePass, Graph, Graph], None]
"""Told of each change of a graph by a pass: the pass, the graph before, the graph after."""


class PassFailure(CompilerBug):
    """A pass broke its contract; `graph` is what it was given."""

    def __init__(self, name: str, graph: Graph, what: str) -> None:
        super().__init__(f"pass {name}: {what}")
        self.graph = graph


def apply_pass(graph: Graph, step: RewritePass) -> Application:
    """Applies one pass once. The result is verified."""
    try:
        maker = PlanMaker(graph)
        step.analyse(maker)
        plan, replayed, left_alone = _carried_out(graph, maker.finish())
    except (CompilerBug, ArithmeticError, AssertionError, LookupError) as error:
        raise PassFailure(step.name, graph, str(error)) from error
    declined = [*maker.declined]
    for function in sorted(left_alone):
        declined.append(Declined(graph.functions[function].key, ORDER_WOULD_CHANGE))
    if replayed is not None:
        violations = verify(replayed.graph)
        if violations:
            raise PassFailure(step.name, graph, f"broke the graph: {violations[0]}")
    return Application(plan, replayed, tuple(declined))


def _carried_out(
    graph: Graph, plan: RewritePlan
) -> tuple[RewritePlan, Replayed | None, frozenset[FunctionId]]:
    """Replays a plan, without its entries about functions whose order would change."""
    left_alone: frozenset[FunctionId] = frozenset()
    while plan.count:
        replayed = replay(graph, plan)
        changed = disordered(graph, replayed)
        if not changed:
            return plan, replayed, left_alone
        if changed <= left_alone:
            changed = frozenset(function.id for function in graph.functions)
        left_alone |= changed
        plan = without_functions(graph, plan, changed)
    return plan, None, left_alone


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Graphs are large and hold no cycles: searching them for cycles again and again while
    they grow costs a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def rewrite_with(
    graph: Graph, passes: Sequence[RewritePass], observe: Observer | None = None
) -> RewriteResult:
    """The graph after the passes, with a report: the rounds (the idle last one included), how
    often each law of each pass applied and where, and what each left alone in the last round,
    and why."""
    with _collection_paused():
        return _rewrite(graph, passes, observe)


def _rewrite(
    graph: Graph, passes: Sequence[RewritePass], observe: Observer | None
) -> RewriteResult:
    report = Report([step.name for step in passes])
    changed = True
    while changed:
        if report.rounds == MAXIMUM_ROUNDS:
            raise CompilerBug(f"rewriting does not settle in {MAXIMUM_ROUNDS} rounds")
        report.begin_round()
        changed = False
        for step in passes:
            application = apply_pass(graph, step)
            report.declined += [
                (step.name, entry.key, entry.reason) for entry in application.declined
            ]
            if application.replayed is not None:
                report.fired(step.name, graph, application.plan)
                before, graph, changed = graph, application.replayed.graph, True
                if observe is not None:
                    observe(step, before, graph)
    return RewriteResult(graph, report.content())
