"""Computes the same thing once.

Two operations with the same operands have the same value, and the second traps only if the
first did. A later one is replaced by an earlier one whose region lies around its own, so that
the earlier one has run whenever the later one would. Equal constants of a function become one;
they are told apart by their bits, so `0.0` and `-0.0` stay two.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from mapal.analysis.definitions import live_functions
from mapal.ir import ops
from mapal.ir.graph import Graph, Object, ObjectKind
from mapal.ir.ops import BinaryCode, FunctionId, ObjectId, RegionId
from mapal.ir.order import GuardItem, LoopItem, OperationItem, PackItem, schedule
from mapal.ir.types import BOOL, is_integer
from mapal.rewrite.plan import PlanMaker

_COMMUTATIVE = frozenset(
    {
        BinaryCode.ADD,
        BinaryCode.MUL,
        BinaryCode.MIN,
        BinaryCode.MAX,
        BinaryCode.EQ,
        BinaryCode.NEQ,
        BinaryCode.AND,
        BinaryCode.OR,
    }
)
"""On integers and `bool`: on floats an operand may be a NaN or a zero of either sign, and the
laws are not worth a proof."""


def analyse(maker: PlanMaker) -> None:
    """Plans all merging, in every live function."""
    for function in live_functions(maker.graph):
        _share_constants(maker, function)
        _merge(maker, function)


def _share_constants(maker: PlanMaker, function: FunctionId) -> None:
    graph = maker.graph
    first: dict[object, ObjectId] = {}
    for obj in graph.functions[function].objects:
        record = graph.objects[obj]
        if record.kind is ObjectKind.CONSTANT and graph.out_edges[obj]:
            kept = first.setdefault(_identity_of(record), obj)
            if kept != obj:
                maker.share(obj, kept)


def _identity_of(constant: Object) -> object:
    """What tells a constant from others; floats by their bits."""
    value = constant.value
    if isinstance(value, float):
        return (constant.ty, struct.pack("<d", value))
    return (constant.ty, type(value), value)


def _merge(maker: PlanMaker, function: FunctionId) -> None:
    """Walks the regions in evaluation order; what a region computed is forgotten at its end."""
    graph = maker.graph
    table: dict[object, ObjectId] = {}

    def visit(region: RegionId) -> Iterator[RegionId]:
        added: list[object] = []
        for item in schedule(graph, region):
            match item:
                case OperationItem() | PackItem():
                    number = _number(maker, item)
                    earlier = table.get(number)
                    if earlier is None:
                        if graph.objects[item.target].kind is ObjectKind.TEMPORARY:
                            table[number] = item.target
                            added.append(number)
                    elif maker.may_alias(item.target, earlier):
                        maker.alias(item.target, earlier)
                case GuardItem(guard=guard):
                    yield guard.arm_true
                    yield guard.arm_false
                case LoopItem(loop=loop):
                    yield loop.body
                case _:
                    pass
        yield from _arms_of_loop(graph, region)
        for number in added:
            del table[number]

    work = [visit(graph.functions[function].body)]
    while work:
        for region in work[-1]:
            work.append(visit(region))
            break
        else:
            work.pop()


def _arms_of_loop(graph: Graph, region: RegionId) -> tuple[RegionId, ...]:
    """The exit and jump regions, which follow what the body of a loop computes."""
    record = graph.regions[region]
    if record.owner is None or record.kind.value != "loop-body":
        return ()
    loop = graph.loops[record.owner]
    return (loop.exit, loop.jump)


def _number(maker: PlanMaker, item: OperationItem | PackItem) -> object:
    """Equal for items that compute the same."""
    graph = maker.graph
    ty = graph.ty(item.target)
    if isinstance(item, PackItem):
        return ("pack", ty, tuple(map(maker.resolved, item.feeders)))
    op = item.morphism.op
    operands = tuple(map(maker.resolved, item.operands))
    if isinstance(op, ops.Binary) and op.code in _COMMUTATIVE:
        operand = graph.ty(operands[0])
        if is_integer(operand) or operand == BOOL:
            operands = tuple(sorted(operands))
    return (op, ty, operands)
