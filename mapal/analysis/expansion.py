"""Which bodies of collections are worth a function of their own.

A body is normally emitted at its site. One that several sites share would be emitted several
times, and shared bodies inside shared bodies multiply: a few dozen levels are more text than
any machine holds. So a body that is both large, with everything in it, and shared becomes a
function, and its sites call it. What is emitted is then at most a constant times the number of
sites.
"""

from __future__ import annotations

from mapal.analysis.totality import callees_first
from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import FunctionId

LARGEST_SHARED_BODY = 1000
"""Operations, expanded; a shared body with more becomes a function."""

REDUCE_COPIES = 6
"""The steps of a reduction's tree that each emit the body."""


def outlined_bodies(graph: Graph) -> frozenset[FunctionId]:
    """The bodies that become functions."""
    return graph.remembered("outlined bodies", lambda: _outlined(graph))


def _outlined(graph: Graph) -> frozenset[FunctionId]:
    copies: dict[FunctionId, int] = {}
    for function in graph.functions:
        for body, count in _sites(graph, function.id):
            copies[body] = copies.get(body, 0) + count
    sizes: dict[FunctionId, int] = {}
    outlined: set[FunctionId] = set()
    for identity in callees_first(graph):
        function = graph.functions[identity]
        inside = sum(sizes[body] * count for body, count in _sites(graph, identity))
        size = len(function.morphisms) + inside
        is_shared = copies.get(identity, 0) > 1
        if function.kind is not FunctionKind.NAMED and is_shared and size > LARGEST_SHARED_BODY:
            outlined.add(identity)
            size = 1
        sizes[identity] = size
    return frozenset(outlined)


def _sites(graph: Graph, function: FunctionId) -> list[tuple[FunctionId, int]]:
    """The bodies that a function uses, each with the number of copies that a site emits."""
    found: list[tuple[FunctionId, int]] = []
    for identity in graph.functions[function].morphisms:
        match graph.morphisms[identity].op:
            case ops.Map(body=body) | ops.Fold(body=body):
                found.append((body, 1))
            case ops.Reduce(body=body):
                found.append((body, REDUCE_COPIES))
    return found
