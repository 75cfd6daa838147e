"""A way to change sealed graphs, for tests of what must reject them.

Copies of the tables are changed; the graphs themselves stay as they are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from mapal.ir.function_builder import FunctionBuilder
from mapal.ir.graph import (
    Graph,
    Morphism,
    Object,
    ObjectKind,
    Value,
)
from mapal.ir.ops import (
    FunctionId,
    MorphismId,
    ObjectId,
    Op,
    RegionId,
)
from mapal.ir.types import (
    Type,
)
from tests.ir.sample_graphs import at, one_function

_ADDED = at(5)


def rebuilt(
    graph: Graph,
    objects: dict[int, dict[str, object]] | None = None,
    morphisms: dict[int, dict[str, object]] | None = None,
    **tables: dict[int, dict[str, object]],
) -> Graph:
    """A copy with some fields of some entries replaced, and the edge indices to match."""
    changed: dict[str, object] = {}
    for name, changes in {"objects": objects, "morphisms": morphisms, **tables}.items():
        table = list(getattr(graph, name))
        for position, fields in (changes or {}).items():
            table[position] = dataclasses.replace(table[position], **fields)
        changed[name] = tuple(table)
    return with_edges(dataclasses.replace(graph, **changed, memo={}))  # type: ignore[arg-type]


def with_edges(graph: Graph) -> Graph:
    """A copy with edge indices that match its morphisms, as far as their ends exist."""
    incoming: list[list[MorphismId]] = [[] for _ in graph.objects]
    outgoing: list[list[MorphismId]] = [[] for _ in graph.objects]
    for m in graph.morphisms:
        if 0 <= m.target < len(incoming) and 0 <= m.source < len(outgoing):
            incoming[m.target].append(m.id)
            outgoing[m.source].append(m.id)
    return dataclasses.replace(
        graph,
        in_edges=tuple(map(tuple, incoming)),
        out_edges=tuple(map(tuple, outgoing)),
        memo={},
    )


def with_edge(graph: Graph, op: Op, source: ObjectId, target: ObjectId, region: RegionId) -> Graph:
    """A copy with one more morphism."""
    function = graph.objects[source].function
    identity = MorphismId(len(graph.morphisms))
    edge = Morphism(
        id=identity,
        function=function,
        op=op,
        source=source,
        target=target,
        region=region,
        key=_ADDED,
    )
    owner = graph.functions[function]
    functions = list(graph.functions)
    functions[function] = dataclasses.replace(owner, morphisms=(*owner.morphisms, identity))
    made = dataclasses.replace(
        graph, morphisms=(*graph.morphisms, edge), functions=tuple(functions), memo={}
    )
    return with_edges(made)


def with_object(graph: Graph, ty: Type, kind: ObjectKind, value: Value | None = None) -> Graph:
    """A copy with one more object in function 0."""
    identity = ObjectId(len(graph.objects))
    obj = Object(
        id=identity, function=FunctionId(0), ty=ty, kind=kind, value=value, name=None, key=_ADDED
    )
    owner = graph.functions[0]
    functions = (
        dataclasses.replace(owner, objects=(*owner.objects, identity)),
        *graph.functions[1:],
    )
    made = dataclasses.replace(graph, objects=(*graph.objects, obj), functions=functions, memo={})
    return with_edges(made)


def find(graph: Graph, wanted: type[object] | Op, number: int = 0) -> Morphism:
    """The morphism with a kind of operation, or one operation."""
    found = [
        m
        for m in graph.morphisms
        if (isinstance(m.op, wanted) if isinstance(wanted, type) else m.op == wanted)
    ]
    return found[number]


def built(taken: Type, given_: Type, build: Callable[[FunctionBuilder], object]) -> Graph:
    builder, main, f = one_function(taken, given_)
    build(f)
    f.finish()
    return builder.seal(main)
