"""How much memory values stand for, to be weighed against caches."""

from __future__ import annotations

from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.values import Enumerated, Mapped, Memory, Value, Zipped
from mapal.ir.types import Array, Tuple, Type


def bytes_behind(e: Emitter, ty: Type, value: Value) -> int:
    """Bytes of the memory that the elements of an array come from; 0 for other values."""
    match ty, value:
        case Array(), Memory():
            return e.layouts.of(ty).size
        case Array(element=Tuple(items=(first, second))), Zipped(left=left, right=right):
            parts = ((Array(first, ty.length), left), (Array(second, ty.length), right))
            return sum(bytes_behind(e, part, of) for part, of in parts)
        case Array(element=Tuple(items=(_, second))), Enumerated(array=inner):
            return bytes_behind(e, Array(second, ty.length), inner)
        case Array(), Mapped(operands=operands):
            return sum(bytes_behind(e, of, operand) for of, operand in operands)
    return 0
