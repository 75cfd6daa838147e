"""How many elements of a Map are computed in turns.

A reduction of a row reads one stream of memory, and one stream does not use all that a memory can
give. Where rows come from beyond the second-level cache and each is gone over once, several are
reduced at once, as many as there are registers for their lanes. Rows that are gone over again are
better done one by one: then they are still in the first-level cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from mapal.codegen.layout import leaves
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.reduction_lanes import holds_array
from mapal.codegen.llvm.values import Memory, Value
from mapal.ir import ops
from mapal.ir.ops import FunctionId
from mapal.ir.order import OperationItem, PackItem, ReturnSlotItem, schedule
from mapal.ir.reduction import LANES
from mapal.ir.types import Array, Scalar, Type

_LEAST_ROW_BYTES = 2048
_USUAL_L2_BYTES = 256 * 1024


def elements_in_turns(
    e: Emitter, body: FunctionId, operands: Sequence[tuple[Type, Value]], length: int
) -> int:
    """How many of the `length` elements of a Map with this body are computed in turns, 1 for
    none; `operands` are captures and array."""
    if not (e.uses_kernels and e.module.has_kernels) or body in e.module.outlined:
        return 1
    profile = e.module.profile
    l2 = profile.l2.bytes if profile.l2 is not None else _USUAL_L2_BYTES
    held = [e.layouts.of(ty).size for ty, value in operands if isinstance(value, Memory)]
    if sum(held) <= l2:
        return 1
    graph, function = e.graph, e.graph.functions[body]
    if holds_array(graph.ty(function.output)):
        return 1
    rows: list[Array] = []
    for item in schedule(graph, function.body):
        match item:
            case OperationItem(morphism=morphism) if isinstance(morphism.op, ops.Reduce):
                ty = graph.ty(item.operands[-1])
                assert isinstance(ty, Array)
                rows.append(ty)
            case OperationItem(morphism=morphism) if isinstance(morphism.op, ops.Fold):
                return 1
            case OperationItem() | PackItem() | ReturnSlotItem():
                pass
            case _:
                return 1
    if len(rows) != 1 or holds_array(rows[0].element):
        return 1
    if e.layouts.of(rows[0]).size < _LEAST_ROW_BYTES:
        return 1
    numbers = [part for part in leaves(rows[0].element) if isinstance(part, Scalar)]
    lanes_bytes = LANES * sum(part.bytes for part in numbers)
    registers = -(-lanes_bytes // profile.vector_bytes)
    return max(1, min(length, profile.vector_registers // (2 * registers)))
