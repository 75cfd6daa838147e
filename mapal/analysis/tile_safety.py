"""Bodies that may be run in another order than element by element, or again: nothing in them can
trap, run forever, or make an array."""

from __future__ import annotations

from mapal.analysis.bounds import accesses_in_range
from mapal.analysis.totality import is_total_morphism
from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind
from mapal.ir.ops import BinaryCode, FunctionId, MorphismId
from mapal.ir.types import Scalar

_REFUSED = (ops.Update, ops.Call, ops.Reduce, ops.Print, ops.TimeMs, ops.LoopEnter)


def is_tile_safe(graph: Graph, body: FunctionId, *, folds: int = 0, maps: int = 0) -> bool:
    """Whether a body holds no update, call, reduction, loop or effect, exactly `folds` folds and
    `maps` maps, divides integers by literals only that no target traps on, and reads arrays in
    range."""
    seen = seen_maps = 0
    for identity in graph.functions[body].morphisms:
        match graph.morphisms[identity].op:
            case ops.Fold():
                seen += 1
            case ops.Map():
                seen_maps += 1
            case ops.Binary(code=BinaryCode.DIV | BinaryCode.MOD):
                if not _divides_safely(graph, identity):
                    return False
            case ops.Index():
                if not is_total_morphism(graph, identity, accesses_in_range(graph)):
                    return False
            case op if isinstance(op, _REFUSED):
                return False
    return seen == folds and seen_maps == maps


def _divides_safely(graph: Graph, identity: MorphismId) -> bool:
    """By a float, or by a literal that is neither 0 nor, for signed types, -1: hardware may
    fault on the least value by -1."""
    divisor = graph.objects[graph.operands(graph.morphisms[identity])[1]]
    assert isinstance(divisor.ty, Scalar)
    if divisor.ty.is_float:
        return True
    return divisor.kind is ObjectKind.CONSTANT and divisor.value not in (0, -1)
