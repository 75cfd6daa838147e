"""The fused arithmetic mode: one rule, applied once, after placement (language 7.3).

A float product whose only use is as an operand of one sum or difference of the same type in
the same region becomes part of it, rounded once. Of two candidates the right one fuses.
"""

from __future__ import annotations

from mapal.ir import ops
from mapal.ir.ops import BinaryCode
from mapal.ir.types import is_float
from mapal.lower.draft import DraftFunction, DraftValue, Operation

_SUMS = (BinaryCode.ADD, BinaryCode.SUB)


def fuse(function: DraftFunction) -> None:
    """Rewrites a placed function in place."""
    counts = function.use_counts()
    merged: set[Operation] = set()
    for unit in function.units:
        if not isinstance(unit, Operation) or not isinstance(unit.op, ops.Binary):
            continue
        if unit.op.code not in _SUMS or not is_float(unit.result.ty):
            continue
        left, right = unit.operands
        subtracts = unit.op.code is BinaryCode.SUB
        product = _product(right, unit, counts)
        if product is not None:
            unit.op = ops.Fma(negate_product=subtracts, negate_addend=False)
            unit.operands = [*product.operands, left]
            merged.add(product)
            continue
        product = _product(left, unit, counts)
        if product is not None:
            unit.op = ops.Fma(negate_product=False, negate_addend=subtracts)
            unit.operands = [*product.operands, right]
            merged.add(product)
    function.units = [unit for unit in function.units if unit not in merged]


def _product(
    operand: DraftValue, reader: Operation, counts: dict[DraftValue, int]
) -> Operation | None:
    unit = operand.unit
    fits = (
        isinstance(unit, Operation)
        and isinstance(unit.op, ops.Binary)
        and unit.op.code is BinaryCode.MUL
        and unit.region is reader.region
        and counts[operand] == 1
    )
    return unit if fits and isinstance(unit, Operation) else None
