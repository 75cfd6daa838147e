"""Extraction: one walk over a program that finds every access and what it knows of its index.

The walk runs the program on facts instead of values. Bodies of collections are walked at each of
their sites; named functions, and bodies that become functions, once, with what holds at all of
their calls. In the arm of a guard and on either way out of a loop's head, the condition narrows
the integers that it compares, and behind an access the index is in range.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.analysis.accesses.records import Table
from mapal.analysis.accesses.walk import Walk
from mapal.analysis.accesses.walker import Walker
from mapal.analysis.totality import callees_first
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import FunctionId, MorphismId


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a walk found. `in_range` are the `Index` and `Update` operations that are in range at
    every place where they stand and the program may get; `reached` are those with such a place."""

    table: Table
    in_range: frozenset[MorphismId]
    reached: frozenset[MorphismId]


def extract(graph: Graph) -> Extraction:
    """All accesses of a graph, in the order of the walk: callers before callees."""
    return graph.remembered("accesses", lambda: walked(graph, trusts_guards=True))


def walked(graph: Graph, *, trusts_guards: bool) -> Extraction:
    """One walk over a graph. `trusts_guards` tells whether a guard's condition narrows what its
    arms read."""
    walker = Walker(graph, trusts_guards=trusts_guards)
    for identity in reversed(callees_first(graph)):
        if not _stands_alone(walker, identity):
            continue
        taken = None if identity == graph.entry else walker.arguments[identity]
        walker.function = identity
        Walk(walker, graph.functions[identity], taken, 0).run()
    proved = frozenset(access for access, is_safe in walker.outcome.items() if is_safe)
    return Extraction(walker.table, proved, frozenset(walker.reached_accesses))


def _stands_alone(walker: Walker, identity: FunctionId) -> bool:
    """Whether a function is walked by itself: the entry, and what is called."""
    if identity == walker.graph.entry:
        return True
    kind = walker.graph.functions[identity].kind
    alone = kind is FunctionKind.NAMED or identity in walker.outlined
    return alone and identity in walker.is_called
