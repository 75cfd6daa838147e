"""Matrix products: many rows that share the right matrix, cell by cell a chain of multiply-adds.

The sites are those of the tile plans with several rows whose right factor does not move with the
row, whether or not its columns are neighbours, in any element type and either arithmetic mode. A
cell's chain starts with the seed and takes the steps in ascending order, as the program says.
"""

from __future__ import annotations

from collections.abc import Sequence

from mapal.analysis.tile_plan import TileSite, strided_tile_plan, tile_plan
from mapal.codegen.layout import Layout
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.product_nest import add_product
from mapal.codegen.llvm.kernels.product_packing import add_packing
from mapal.codegen.llvm.kernels.product_plan import Product, ProductPlan, product_plan
from mapal.codegen.llvm.kernels.site import Kernel, MapSite
from mapal.codegen.llvm.scalar_context import literal
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.slices import Bulk, Cut, cut_of, execute
from mapal.codegen.llvm.values import Buffer, Memory, Value
from mapal.ir.types import Array

_SLICES = 8
"""Into how many slices a product is cut at least where blocks allow it, so that threads of
different speed end together."""


def matrix_product(e: Emitter, site: MapSite) -> Kernel | None:
    """The kernel of a matrix product."""
    function, identity = site.scope.function.id, site.morphism.id
    tile = tile_plan(site.graph, function).get(identity)
    if tile is None:
        tile = strided_tile_plan(site.graph, function).get(identity)
    if tile is None or not _is_product(tile):
        return None
    if tile.is_fused and not e.module.profile.fused_multiply_add:
        return None
    plan = product_plan(
        e.module.profile,
        tile.element,
        tile.rows,
        tile.lanes,
        tile.steps,
        is_fused=tile.is_fused,
        left_row=tile.a.row if tile.a.step == 1 else None,
        is_transposed=tile.b.lane != 1,
    )
    return Kernel(plan.shape, plan.reason, _Emission(e, site, tile, plan).emit)


def _is_product(tile: TileSite) -> bool:
    """Several rows, and a right factor that every row reads."""
    is_plain = tile.a.split is None and tile.b.split is None
    return is_plain and tile.rows > 1 and tile.b.row == 0 and tile.lanes > 1


class _Emission:
    """One product being emitted."""

    def __init__(self, e: Emitter, site: MapSite, tile: TileSite, plan: ProductPlan) -> None:
        self.site = site
        self.plan = plan
        self.tile = tile
        self.product = Product(
            element=tile.element,
            plan=plan,
            left_base=tile.a.base,
            left_row=tile.a.row,
            left_step=tile.a.step,
            right_base=tile.b.base,
            right_step=tile.b.step,
            right_column=tile.b.lane,
            seed=literal(tile.seed, tile.element),
            is_fused=tile.is_fused,
            symbol=f"@product.{e.module.new_kernel()}",
        )

    def emit(self, e: Emitter, scope: Scope) -> Cut | None:
        """Packs the right matrix where the plan says so, and multiplies."""
        add_product(e.module, self.product)
        left_ty, left = self.site.stored(e, self.tile.a.slot)
        right_ty, right = self.site.stored(e, self.tile.b.slot)
        if self.plan.is_packed:
            right_ty, right = self._pack(e, scope, right_ty, right)
        plan = self.plan
        rows = max(plan.tile_rows, min(plan.block_rows, plan.rows // _SLICES))
        together = plan.most_row_tiles_at_once
        return self.site.fill(
            e,
            scope,
            self._multiply,
            [(left_ty, left), (right_ty, right)],
            units=plan.row_tiles,
            operations=2 * plan.tile_rows * plan.columns * plan.steps // plan.lanes,
            quantum=-(-rows // (plan.tile_rows * together)) * together,
        )

    def _multiply(
        self, e: Emitter, _: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        left, right = values
        assert isinstance(left, Memory)
        assert isinstance(right, Memory)
        e.w.line(
            f"call void {self.product.symbol}(ptr {made.pointer}, ptr {left.pointer}, "
            f"ptr {right.pointer}, i64 {low}, i64 {high})"
        )

    def _pack(self, e: Emitter, scope: Scope, ty: Array, right: Memory) -> tuple[Array, Memory]:
        add_packing(e.module, self.product)
        plan = self.plan
        packed_ty = Array(self.tile.element, self.product.packed_elements)
        layout = Layout(e.layouts.of(packed_ty).size, 64)
        packed = Memory(e.slot(layout), (Buffer(writable=True),))
        bulk = Bulk(
            units=plan.panels,
            operations=2 * plan.steps * plan.tile_vectors,
            captured=[(ty, right)],
            made=packed,
            ty=packed_ty,
            body=self._pack_panels,
        )
        execute(e, scope, bulk, cut_of(e, bulk))
        return packed_ty, packed

    def _pack_panels(
        self, e: Emitter, _: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        (right,) = values
        assert isinstance(right, Memory)
        e.w.line(
            f"call void {self.product.symbol}.pack(ptr {made.pointer}, ptr {right.pointer}, "
            f"i64 {low}, i64 {high})"
        )
