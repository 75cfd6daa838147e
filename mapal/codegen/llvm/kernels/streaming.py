"""Stores that go past the caches: when the processor has them in order, and how code chooses."""

from __future__ import annotations

from mapal.codegen.llvm.module import ModuleBuilder
from mapal.codegen.llvm.writer import FunctionWriter


def choose_streaming(w: FunctionWriter, pointer: str, alignment: int, symbol: str) -> str:
    """`SYMBOL.streamed` if an address has an alignment in bytes, a power of two, else `SYMBOL`."""
    number = w.value(f"ptrtoint ptr {pointer} to i64")
    low_bits = w.value(f"and i64 {number}, {alignment - 1}")
    is_aligned = w.value(f"icmp eq i64 {low_bits}, 0")
    return w.value(f"select i1 {is_aligned}, ptr {symbol}.streamed, ptr {symbol}")


def end_streaming(module: ModuleBuilder, w: FunctionWriter) -> None:
    """Puts streaming stores before all later ones, as other threads see them. Those of x86 are
    not ordered without a fence; elsewhere the hint changes no order."""
    if module.triple.startswith("x86_64"):
        fence = module.intrinsic("llvm.x86.sse.sfence", "void", "")
        w.line(f"call void {fence}()")
