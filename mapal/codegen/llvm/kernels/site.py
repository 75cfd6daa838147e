"""What a kernel is chosen for, and what a choice is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.values import Memory, Value
from mapal.ir.graph import Graph, Morphism
from mapal.ir.types import Array, Type


@dataclass(frozen=True, slots=True, kw_only=True)
class MapSite:
    """A Map about to be emitted in the body of `scope.function`: its operands with their types,
    captures first and the mapped array last, and the memory `made` of the array of type `ty`
    that it makes, which overlaps none of them."""

    graph: Graph
    scope: Scope
    morphism: Morphism
    operands: Sequence[tuple[Type, Value]]
    made: Memory
    ty: Array

    def stored(self, e: Emitter, slot: int) -> tuple[Array, Memory]:
        """The array operand `slot` in memory; a law is stored where it was defined."""
        ty, value = self.operands[slot]
        assert isinstance(ty, Array)
        return ty, memory.addressed(e, ty, value, "a kernel reads it")


@dataclass(frozen=True, slots=True)
class Kernel:
    """A chosen kernel: its shape and the reason as the plan prints them, and its emission."""

    shape: str
    reason: str
    emit: Callable[[Emitter, Scope], None]
