"""The nesting limit of types that a program makes without spelling them (L1209).

An operation on several operands reads them as one product, which is a type of the graph too
and counts.
"""

from __future__ import annotations

from collections.abc import Iterable

from mapal.ir import ops
from mapal.ir.graph import Key
from mapal.ir.types import MAXIMUM_DEPTH, Type, depth
from mapal.lower.draft import CallNamed, Collect, DraftOp, DraftValue
from mapal.lower.reports import stop

_TAKE_ONE_OPERAND = (
    CallNamed,
    ops.Proj,
    ops.Unary,
    ops.Widen,
    ops.Convert,
    ops.Enumerate,
    ops.Iota,
    ops.TimeMs,
)


def depth_made(op: DraftOp, operands: list[DraftValue], result: Type) -> int:
    """The deepest type that an operation brings into the graph."""
    if isinstance(op, _TAKE_ONE_OPERAND) or (isinstance(op, Collect) and len(operands) == 1):
        return depth(result)
    return max(depth(result), product_depth(operand.ty for operand in operands))


def product_depth(parts: Iterable[Type]) -> int:
    """The depth of the product of some types."""
    return 1 + max(map(depth, parts))


def require_depth(levels: int, key: Key) -> None:
    """L1209 where a type is made that nests too deep."""
    if levels > MAXIMUM_DEPTH:
        raise stop(
            "L1209",
            f"a type that nests {levels} levels deep is made here",
            key[-1],
            f"types nest at most {MAXIMUM_DEPTH} levels; keep the parts apart, or use longer"
            " arrays in place of nested ones",
        )
