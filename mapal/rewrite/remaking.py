"""Which values a body makes itself, and what it captures for that.

Literals, ranges, and zips, enumerations and fills cost nothing to make: their elements are
computed where they are read. Captured, they would hide what they are from the body.
"""

from __future__ import annotations

from collections.abc import Iterable

from mapal.analysis.definitions import definition
from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import ObjectId
from mapal.ir.order import OperationItem, PackItem
from mapal.ir.types import Struct, Tuple


def made_from(
    graph: Graph, obj: ObjectId, *, opens_packs: bool = False
) -> tuple[ObjectId, ...] | None:
    """The values from which a body makes a value; None for one that it captures. A tuple or
    record that is assembled outside counts only where the body takes it apart."""
    if graph.objects[obj].kind is ObjectKind.CONSTANT:
        return ()
    item = definition(graph, obj)
    if isinstance(item, OperationItem):
        match item.morphism.op:
            case ops.Iota():
                return ()
            case ops.Enumerate() | ops.Zip():
                return item.operands
            case ops.Fill():
                return item.operands[:1]
    if opens_packs and isinstance(item, PackItem) and isinstance(graph.ty(obj), Tuple | Struct):
        return item.feeders
    return None


def captured_for(
    graph: Graph, values: Iterable[ObjectId], opened: frozenset[ObjectId] = frozenset()
) -> tuple[ObjectId, ...]:
    """What a body captures to have some values, each once. `opened` are the packs that it
    takes apart."""
    found: dict[ObjectId, None] = {}
    seen: set[ObjectId] = set()
    work = list(values)[::-1]
    while work:
        obj = work.pop()
        if obj in seen:
            continue
        seen.add(obj)
        parts = made_from(graph, obj, opens_packs=obj in opened)
        if parts is None:
            found[obj] = None
        else:
            work.extend(reversed(parts))
    return tuple(found)
