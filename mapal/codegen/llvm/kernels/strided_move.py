"""Maps that move elements row by row with fixed strides: two nested loops without a division.

Rows that lie together are copied whole. Other strides are left to LLVM, which knows how to gather
or to take vectors apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mapal.analysis.move_plan import MoveSite, move_plan
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.site import Kernel, MapSite
from mapal.codegen.llvm.kernels.vectors import Vectors, guarded_loop
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.slices import Cut
from mapal.codegen.llvm.values import Memory, Value
from mapal.ir.types import Array, Scalar


def strided_move(e: Emitter, site: MapSite) -> Kernel | None:
    """The kernel of a map that moves elements at fixed strides."""
    move = move_plan(site.graph, site.scope.function.id).get(site.morphism.id)
    if move is None or not isinstance(move.element, Scalar):
        return None
    emission = _Emission(site, move, move.element)
    if move.column_step == 1:
        return Kernel("rows copied", "the elements of a row lie together", emission.emit)
    reason = f"strides of {move.column_step} in a row, {move.row_step} between rows"
    return Kernel("strided loops", reason, emission.emit)


@dataclass(frozen=True, slots=True)
class _Emission:
    """One map being emitted."""

    site: MapSite
    move: MoveSite
    element: Scalar

    def emit(self, e: Emitter, scope: Scope) -> Cut | None:
        """Rows are the units."""
        return self.site.fill(
            e,
            scope,
            self._rows,
            [self.site.stored(e, self.move.slot)],
            units=self.move.rows,
            operations=self.move.width,
        )

    def _rows(
        self, e: Emitter, _: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        (source,) = values
        assert isinstance(source, Memory)
        move, v = self.move, Vectors(e.module, e.w, self.element)
        with guarded_loop(e.w, (low, high, 1), "row") as row:
            result = v.address(made.pointer, v.product(row, move.width))
            origin = v.address(source.pointer, v.product(row, move.row_step))
            if move.column_step == 1:
                memory.copy_bytes(e, result, origin, Array(self.element, move.width))
            else:
                self._columns(v, origin, result)

    def _columns(self, v: Vectors, origin: str, result: str) -> None:
        with guarded_loop(v.w, (0, self.move.width, 1), "column") as column:
            value = v.load_element(v.address(origin, v.product(column, self.move.column_step)))
            v.store_element(value, v.address(result, column))
