"""What a condition says of the values that it compares, once it is known to hold or not."""

from __future__ import annotations

from collections.abc import Iterator

from mapal.analysis.intervals import OPPOSITE
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import BinaryCode, ObjectId, UnaryCode

Comparison = tuple[BinaryCode, ObjectId, ObjectId]


def comparisons(graph: Graph, cond: ObjectId, holds: bool) -> Iterator[Comparison]:
    """Comparisons that are true if `cond` is `holds`. Those of an alternative of which only one
    need be true are left out."""
    work = [(cond, holds)]
    while work:
        at, is_true = work.pop()
        definer = graph.definer(at)
        if definer is None:
            continue
        operands = graph.operands(definer)
        match definer.op:
            case ops.Unary(code=UnaryCode.NOT):
                work.append((operands[0], not is_true))
            case ops.Binary(code=BinaryCode.AND) if is_true:
                work += [(operand, True) for operand in operands]
            case ops.Binary(code=BinaryCode.OR) if not is_true:
                work += [(operand, False) for operand in operands]
            case ops.Binary(code=code) if code in OPPOSITE:
                left, right = operands
                yield (code if is_true else OPPOSITE[code]), left, right
