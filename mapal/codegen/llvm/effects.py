"""Prints and clock reads: calls of the runtime in token order."""

from __future__ import annotations

from mapal.codegen.layout import register_type
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.values import Value
from mapal.ir import ops
from mapal.ir.order import OperationItem
from mapal.ir.types import Scalar, Str


def print_value(e: Emitter, scope: Scope, item: OperationItem) -> None:
    """Prints a number, `bool` or string literal."""
    op = item.morphism.op
    assert isinstance(op, ops.Print)
    newline = f"i1 zeroext {'true' if op.newline else 'false'}"
    printed = item.operands[1]
    ty = e.graph.ty(printed)
    if isinstance(ty, Str):
        text = e.graph.objects[printed].value
        assert isinstance(text, str)
        data = text.encode("utf-8")
        symbol = e.module.runtime("mapal_print_str")
        address = e.module.text_constant(data)
        e.w.line(f"call void {symbol}(ptr {address}, i64 {len(data)}, {newline})")
        return
    assert isinstance(ty, Scalar)
    symbol = e.module.runtime(f"mapal_print_{ty.name}")
    extension = " zeroext" if ty.bits < 32 else ""
    argument = f"{register_type(ty)}{extension} {scope.values[printed]}"
    e.w.line(f"call void {symbol}({argument}, {newline})")


def time_ms(e: Emitter) -> Value:
    """A clock read: token and milliseconds."""
    symbol = e.module.runtime("mapal_time_ms")
    return None, e.w.value(f"call double {symbol}()")
