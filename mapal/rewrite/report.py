"""What `rewrite/P.report.json` holds: which law fired where, and what was left alone and why.

    {"schema": 1, "passes": [name, ...], "rounds": number,
     "applied": [{"pass": name, "count": number, "laws": {law: number}, "sites": [key, ...]}],
     "declined": [{"pass": name, "site": key, "reason": text}]}

`applied` lists the passes in the order in which they first fired. `laws` are the
channels of plans, and for those with several laws each of them; `count` is the sum of their
numbers. `sites` are the first places where a pass fired, each
once. `declined` is what the last round, in which nothing fired, left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from mapal.ir.graph import Graph, Key
from mapal.ir.text_values import key_text
from mapal.rewrite.entries import RewritePlan

MOST_SITES = 50
"""Places told of one pass: a large program has one for nearly every operation."""


@dataclass(slots=True)
class _Fired:
    laws: dict[str, int] = field(default_factory=dict)
    sites: dict[Key, None] = field(default_factory=dict)


@dataclass(slots=True)
class Report:
    """Collects what the rounds do."""

    passes: Sequence[str]
    rounds: int = 0
    applied: dict[str, _Fired] = field(default_factory=dict)
    declined: list[tuple[str, Key, str]] = field(default_factory=list)

    def begin_round(self) -> None:
        self.rounds += 1
        self.declined.clear()

    def fired(self, name: str, graph: Graph, plan: RewritePlan) -> None:
        """A pass applied a plan to a graph."""
        entry = self.applied.setdefault(name, _Fired())
        for law, count in _laws(plan):
            entry.laws[law] = entry.laws.get(law, 0) + count
        for key in _sites(graph, plan):
            if len(entry.sites) == MOST_SITES:
                return
            entry.sites[key] = None

    def content(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "schema": 1,
            "passes": [*self.passes],
            "rounds": self.rounds,
            "applied": [
                {
                    "pass": name,
                    "count": sum(entry.laws.values()),
                    "laws": entry.laws,
                    "sites": [key_text(key) for key in entry.sites],
                }
                for name, entry in self.applied.items()
            ],
            "declined": [
                {"pass": name, "site": key_text(key), "reason": reason}
                for name, key, reason in self.declined
            ],
        }


def _laws(plan: RewritePlan) -> Iterator[tuple[str, int]]:
    for channel, count in plan.counts.items():
        if channel == "stream":
            yield from ((streaming.law, 1) for streaming in plan.stream.values())
        elif channel == "apply":
            yield from ((application.law, 1) for application in plan.apply.values())
        elif count:
            yield channel, count


def _sites(graph: Graph, plan: RewritePlan) -> Iterator[Key]:
    """The places that the entries of a plan are about; of a channel no more than can be told."""

    def first(entries: Iterator[Key]) -> Iterator[Key]:
        return islice(entries, MOST_SITES)

    for objects in (plan.alias, plan.constify, sorted(plan.drop), plan.share, plan.move):
        yield from first(graph.objects[obj].key for obj in objects)
    yield from first(graph.morphisms[morphism].key for morphism, _ in plan.reoperand)
    for morphisms in (plan.fuse, plan.stream, plan.apply, sorted(plan.inline)):
        yield from first(graph.morphisms[morphism].key for morphism in morphisms)
    yield from first(graph.guards[guard].key for guard in plan.resolve_guards)
    for loops in (plan.lift, sorted(plan.resolve_loops)):
        yield from first(graph.loops[loop].key for loop in loops)
