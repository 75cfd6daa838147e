"""Places of guarded reads that lie apart, hidden from LLVM's loop vectoriser.

LLVM 22 turns reads of every third place, say, into loads of whole groups, which reach beyond the
last place that is read. It leaves the last passes of a loop to scalar code, so that what lies there
is memory of the array all the same; but a pass whose guard does not let it read is no proof of
that. Such a loop then reads behind the end of an array, where nothing need be. A place that LLVM
does not know is read by itself.
"""

from __future__ import annotations

from mapal.codegen.llvm.emitter import Emitter
from mapal.ir import ops
from mapal.ir.graph import Graph, RegionKind
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId, RegionId
from mapal.ir.order import OperationItem
from mapal.ir.types import Array, Scalar

_ARMS = (RegionKind.ARM_TRUE, RegionKind.ARM_FALSE)


def hidden_place(e: Emitter, item: OperationItem, ty: Array, place: str) -> str:
    """The place of a read, an i64 in range, hidden if a guard may stand before the read and
    neighbours may lie apart. A read that checks its place itself keeps a loop scalar."""
    if not place.startswith("%") or item.morphism.id not in e.module.in_range:
        return place
    graph = e.graph
    if not _lies_apart(graph, item, ty) or not _is_conditional(graph, item.morphism.region):
        return place
    return e.value(f'call i64 asm "", "=r,0"(i64 {place}) nounwind willreturn memory(none)')


def _lies_apart(graph: Graph, item: OperationItem, ty: Array) -> bool:
    """Whether the next place that is read may be another than the next of the array."""
    array, index = item.operands
    made = graph.definer(array)
    is_row = made is not None and isinstance(made.op, ops.Index)
    if is_row or not isinstance(ty.element, Scalar):
        return True
    return graph.remembered(("has a product", index), lambda: _has_product(graph, index))


def _has_product(graph: Graph, index: ObjectId) -> bool:
    work, seen = [index], set()
    while work:
        at = work.pop()
        made = graph.definer(at)
        if at in seen or made is None:
            continue
        seen.add(at)
        match made.op:
            case ops.Binary(code=BinaryCode.MUL):
                return True
            case ops.Binary() | ops.Unary() | ops.Widen() | ops.Convert():
                work += graph.operands(made)
    return False


def _is_conditional(graph: Graph, region: RegionId) -> bool:
    """Whether a region may be left out in a pass of a loop."""
    return graph.remembered(("is conditional", region), lambda: _may_be_left_out(graph, region))


def _may_be_left_out(graph: Graph, region: RegionId) -> bool:
    at: RegionId | None = region
    while at is not None:
        if graph.regions[at].kind in _ARMS:
            return True
        at = graph.regions[at].parent
    function = graph.regions[region].function
    return any(_is_conditional(graph, user) for user in _users(graph).get(function, ()))


def _users(graph: Graph) -> dict[FunctionId, list[RegionId]]:
    """The regions in which each function is applied."""

    def found() -> dict[FunctionId, list[RegionId]]:
        users: dict[FunctionId, list[RegionId]] = {}
        for morphism in graph.morphisms:
            match morphism.op:
                case ops.Call(function=applied):
                    users.setdefault(applied, []).append(morphism.region)
                case ops.Map(body=applied) | ops.Fold(body=applied) | ops.Reduce(body=applied):
                    users.setdefault(applied, []).append(morphism.region)
        return users

    return graph.remembered("users of functions", found)
