"""Remainders by powers of two that become places in arrays, hidden from LLVM's loop vectoriser.

LLVM 22 knows `i % 4` as a number of two bits that counts up and wraps. Where a loop reads at
`i % 4` plus something unknown, the vectoriser wants both to be free of wrapping, takes the check of
the wider number for one of the narrower, too, and reads neighbours in one vector: a wrong result. A
mask that it does not know hides the wrapping; such reads are then done one by one.
"""

from __future__ import annotations

from mapal.codegen.llvm.emitter import Emitter
from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import BinaryCode, ObjectId
from mapal.ir.order import OperationItem
from mapal.ir.types import Scalar

_COMPARISONS = frozenset(
    {
        BinaryCode.EQ,
        BinaryCode.NEQ,
        BinaryCode.LT,
        BinaryCode.GT,
        BinaryCode.LE,
        BinaryCode.GE,
    }
)


def hidden(e: Emitter, item: OperationItem, ty: Scalar, result: str) -> str:
    """The result of an operation, with its bits hidden if it is such a remainder."""
    if not e.uses_kernels or not result.startswith("%") or not _is_mask(e.graph, item, ty):
        return result
    if not e.graph.remembered(
        ("leads to a place", item.target), lambda: _leads_to_place(e.graph, item.target)
    ):
        return result
    register = f"i{ty.bits}"
    base = "i64" if ty.bits == 64 else "i32"
    ones = e.value(f'call {base} asm "", "=r,0"({base} -1) nounwind willreturn memory(none)')
    if base != register:
        ones = e.value(f"trunc {base} {ones} to {register}")
    return e.value(f"and {register} {result}, {ones}")


def _is_mask(graph: Graph, item: OperationItem, ty: Scalar) -> bool:
    """Whether an operation is a remainder of an integer by a power of two."""
    if item.morphism.op != ops.Binary(BinaryCode.MOD) or not ty.is_integer:
        return False
    divisor = graph.objects[item.operands[1]].value
    return isinstance(divisor, int) and divisor >= 2 and divisor & (divisor - 1) == 0


def _leads_to_place(graph: Graph, obj: ObjectId) -> bool:
    """Whether an index may be computed from an object by arithmetic, here or by a caller."""
    seen: set[ObjectId] = set()
    work = [obj]
    while work:
        at = work.pop()
        if at in seen:
            continue
        seen.add(at)
        for edge in graph.out_edges[at]:
            morphism = graph.morphisms[edge]
            match morphism.op:
                case ops.Binary(code=code) if code in _COMPARISONS:
                    pass
                case ops.Pair() | ops.Binary() | ops.Unary() | ops.Widen() | ops.Convert():
                    work.append(morphism.target)
                case ops.Output():
                    function = graph.functions[graph.regions[morphism.region].function]
                    if function.kind is FunctionKind.NAMED:
                        return True
                case ops.Index() | ops.Update() | ops.Call():
                    return True
    return False
