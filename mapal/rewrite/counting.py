"""Counters of loops: how often a comparison with a constant holds."""

from __future__ import annotations

from mapal.ir.ops import BinaryCode


def passes(start: int, step: int, code: BinaryCode, bound: int) -> int:
    """How often a condition holds of start, start + step, …; 0 for never and for endlessly."""
    if code in (BinaryCode.GT, BinaryCode.GE):
        start, step, bound = -start, -step, -bound
    if code in (BinaryCode.LE, BinaryCode.GE):
        bound += 1
    if step < 0:
        return 0
    return max(0, -(-(bound - start) // step))


MIRRORED = {
    BinaryCode.LT: BinaryCode.GT,
    BinaryCode.GT: BinaryCode.LT,
    BinaryCode.LE: BinaryCode.GE,
    BinaryCode.GE: BinaryCode.LE,
}
"""The comparison with its operands swapped."""

NEGATED = {
    BinaryCode.LT: BinaryCode.GE,
    BinaryCode.GE: BinaryCode.LT,
    BinaryCode.GT: BinaryCode.LE,
    BinaryCode.LE: BinaryCode.GT,
}
"""The comparison that holds where another does not."""
