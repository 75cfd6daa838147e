"""Telling the operations that compute an array where it will have to lie in the end.

A wish starts at a value whose final place is known (a result, the next state of a loop, an
element of an outer array) and is handed backward to whatever may compute it. It is an offer:
`arrays.destination` takes it only if the memory is free at that point.
"""

from __future__ import annotations

from mapal.codegen.llvm.scope import Scope, Wish
from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import ObjectId
from mapal.ir.order import guard_item, loop_item
from mapal.ir.types import Struct, Tuple


def offer(graph: Graph, scope: Scope, obj: ObjectId, wish: Wish) -> None:
    """Offers a destination to an object and to what it is made of."""
    work = [(obj, wish)]
    while work:
        at, offered = work.pop()
        merged = _merged(scope.wishes.get(at), offered)
        if merged is None or merged == scope.wishes.get(at):
            continue
        scope.wishes[at] = merged
        if graph.is_pack(at) or at == scope.function.output:
            parts = offered if isinstance(offered, tuple) else ()
            work.extend(zip(graph.feeders(at), parts, strict=False))
        for edge in graph.in_edges[at]:
            morphism = graph.morphisms[edge]
            match morphism.op:
                case ops.Output():
                    work.append((morphism.source, offered))
                case ops.Update():
                    work.append((graph.operands(morphism)[0], offered))
                case ops.Phi(guard=guard):
                    item = guard_item(graph, guard)
                    work += [(item.when_true, offered), (item.when_false, offered)]
                case ops.LoopExit(loop=loop):
                    work.append((loop_item(graph, loop).payload, offered))
                case ops.LoopEnter():
                    work.append((morphism.source, offered))
                case ops.Proj(index=index) if _is_merge(graph, morphism.source):
                    ty = graph.ty(morphism.source)
                    assert isinstance(ty, Tuple | Struct)
                    slots = range(len(ty.items))
                    state = tuple(offered if slot == index else None for slot in slots)
                    work.append((morphism.source, state))
                case _:
                    pass


def _is_merge(graph: Graph, obj: ObjectId) -> bool:
    return graph.objects[obj].kind is ObjectKind.LOOP_MERGE


def _merged(old: Wish, new: Wish) -> Wish:
    """Two offers to one product, for different components; the first of two for the same."""
    if isinstance(old, tuple) and isinstance(new, tuple):
        return tuple(_merged(a, b) for a, b in zip(old, new, strict=True))
    return old if old is not None else new
