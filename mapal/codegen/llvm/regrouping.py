"""Folds that give the same in any grouping, cut into blocks for threads.

The body of such a fold is one associative operation of integers or truth values on the
accumulator, and what it makes of the element does not read the accumulator. So each block of
elements is folded from the operation's neutral element on, all blocks at once, and their values
are combined with the seed from the left. Whether the element's part traps does not matter:
slices keep their traps in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mapal.analysis.legality import combining_operation
from mapal.analysis.work import work_of
from mapal.codegen.layout import Layout
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.arrays import record
from mapal.codegen.llvm.carried import Carried
from mapal.codegen.llvm.collections import RunFunction, apply_body, fold_operands
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.scalars import binary
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.slices import Bulk, Cut, cut_of_units, execute, keeps_order
from mapal.codegen.llvm.values import Buffer, Memory, Value
from mapal.ir import ops
from mapal.ir.ops import BinaryCode, FunctionId
from mapal.ir.order import OperationItem
from mapal.ir.types import Array, Scalar, Tuple


@dataclass(frozen=True, slots=True)
class Regrouping:
    """How a fold is cut: the operation on its accumulator, elements of a block, blocks."""

    code: BinaryCode
    ty: Scalar
    elements: int
    blocks: int
    cut: Cut


def regrouping_of(e: Emitter, item: OperationItem) -> Regrouping | None:
    """How a Fold is cut into blocks; None if it has to be, or best is, one loop."""
    op, ty = item.morphism.op, e.graph.ty(item.target)
    assert isinstance(op, ops.Fold)
    if item.morphism.id not in e.module.regrouped or not keeps_order(e, op.body):
        return None
    code = combining_operation(e.graph, e.graph.functions[op.body])
    if code is None or not isinstance(ty, Scalar):
        return None
    length = _length(e, item)
    cut = cut_of_units(e, length, length * work_of(e.graph, op.body))
    if cut is None:
        return None
    elements = -(-length // cut.pieces)
    return Regrouping(code, ty, elements, -(-length // elements), cut)


def _length(e: Emitter, item: OperationItem) -> int:
    ty = e.graph.ty(item.operands[-1])
    if isinstance(ty, Tuple):
        ty = ty.items[-1]
    assert isinstance(ty, Array)
    return ty.length


def neutral_element(code: BinaryCode, ty: Scalar) -> str:
    """What an operation on values of an integer type, or on truth values, leaves unchanged."""
    match code:
        case BinaryCode.ADD:
            return "0"
        case BinaryCode.MUL:
            return "1"
        case BinaryCode.AND:
            return "true"
        case BinaryCode.OR:
            return "false"
        case BinaryCode.MIN:
            return str((1 << (ty.bits - 1 if ty.is_signed else ty.bits)) - 1)
        case _:
            assert code is BinaryCode.MAX
            return str(-(1 << (ty.bits - 1)) if ty.is_signed else 0)


def fold_blocks(
    e: Emitter, scope: Scope, item: OperationItem, regrouping: Regrouping, run: RunFunction
) -> Value:
    """The accumulator after the last element."""
    op, ty = item.morphism.op, regrouping.ty
    assert isinstance(op, ops.Fold)
    types, values = fold_operands(e, scope, item)
    seed, source = values[-2], types[-1]
    assert isinstance(source, Array)
    reason = f"{regrouping.code.value} is associative here; {regrouping.cut.reason}"
    record(e, scope, "fold", item.morphism.key, source.length, "slices", reason)
    captured = list(zip(types, values, strict=True))
    del captured[-2]
    blocks = regrouping.blocks
    made = Memory(e.slot(Layout(ty.bytes * blocks, 64)), (Buffer(writable=True),))
    bulk = Bulk(
        units=blocks,
        operations=regrouping.elements * work_of(e.graph, op.body),
        captured=captured,
        made=made,
        ty=Array(ty, blocks),
        body=_Blocks(op.body, regrouping, source, run).emit_range,
    )
    scope.frames[-1].position -= 1
    execute(e, scope, bulk, regrouping.cut)
    scope.frames[-1].position += 1
    carried = Carried(e, ty, seed, [], None)
    with memory.counted_loop(e, blocks, "fold.blocks") as loop:
        carried.at_head()
        part = memory.element(e, made, bulk.ty, loop.index)
        total = carried.value
        assert isinstance(part, str)
        assert isinstance(total, str)
        result = carried.back(binary(e, regrouping.code, ty, total, part, item.morphism.key))
    carried.close()
    return result


@dataclass(frozen=True, slots=True)
class _Blocks:
    """What is folded for a block of elements."""

    body: FunctionId
    regrouping: Regrouping
    source: Array
    run: RunFunction

    def emit_range(
        self, e: Emitter, scope: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        """The blocks from `low` up to but not with `high`."""
        elements, ty = self.regrouping.elements, self.regrouping.ty
        with memory.range_loop(e, low, high, "fold.block") as block:
            start = e.w.value(f"mul nuw nsw i64 {block}, {elements}")
            count = str(elements)
            if self.source.length % elements:
                left = e.w.value(f"sub nuw nsw i64 {self.source.length}, {start}")
                smaller = e.module.intrinsic("llvm.umin.i64", "i64", "i64, i64")
                count = e.w.value(f"call i64 {smaller}(i64 {left}, i64 {elements})")
            value = self._fold(e, scope, values, start, count)
            memory.store(e, ty, value, memory.element_pointer(e, made.pointer, ty, block))

    def _fold(
        self, e: Emitter, scope: Scope, values: Sequence[Value], start: str, count: str
    ) -> Value:
        *captures, array = values
        ty = self.regrouping.ty
        carried = Carried(e, ty, neutral_element(self.regrouping.code, ty), list(values), None)
        with memory.counted_loop(e, count, "fold") as loop:
            carried.at_head()
            index = e.w.value(f"add nuw nsw i64 {start}, {loop.index}")
            element = memory.element(e, array, self.source, index)
            arguments = (*captures, carried.value, element)
            consumed = frozenset({len(captures)})
            state = apply_body(e, scope, self.body, arguments, consumed, None, self.run)
            result = carried.back(state)
        carried.close()
        return result
