"""What a kernel is chosen for, and what a choice is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.slices import Bulk, Cut, RangeBody, cut_of, execute
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

    def fill(
        self,
        e: Emitter,
        scope: Scope,
        body: RangeBody,
        reads: Sequence[tuple[Type, Value]],
        *,
        units: int,
        operations: int,
        quantum: int = 1,
    ) -> Cut | None:
        """Emits the bulk work that fills the array, and gives the cut if it is in slices, which
        needs the proof that elements are stored in different places. `body` gets the values of
        `reads`; the other parameters are those of `Bulk`."""
        bulk = Bulk(
            units=units,
            operations=max(1, operations),
            captured=reads,
            made=self.made,
            ty=self.ty,
            body=body,
            quantum=quantum,
        )
        cut = cut_of(e, bulk) if self.morphism.id in e.module.independent else None
        execute(e, scope, bulk, cut)
        return cut


@dataclass(frozen=True, slots=True)
class Kernel:
    """A chosen kernel: its shape and the reason as the plan prints them, and its emission, which
    tells how it is cut into slices."""

    shape: str
    reason: str
    emit: Callable[[Emitter, Scope], Cut | None]
