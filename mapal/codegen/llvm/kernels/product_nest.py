"""The loops around the tiles of a matrix product: columns, rows, and blocks of packed matrices.

Where the plan packs, the right matrix lies as `product_packing` packs it. If the left matrix is
packed, too, then by whoever multiplies, a block of rows at a time, into strips (`left_strips`).
"""

from __future__ import annotations

from mapal.codegen.layout import Layout
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.left_strips import pack_strips
from mapal.codegen.llvm.kernels.product_plan import ColumnGroup, Product
from mapal.codegen.llvm.kernels.product_tile import Strides, TileKernel, add_tile_function
from mapal.codegen.llvm.kernels.vectors import (
    Vectors,
    carrying_loop,
    function_attributes,
    guarded_loop,
    only_if,
)
from mapal.codegen.llvm.module import ModuleBuilder


def add_product(module: ModuleBuilder, product: Product) -> None:
    """Adds `void SYMBOL(ptr result, ptr left, ptr right, i64 low, i64 high)`, which computes the
    row tiles from `low` up to but not with `high`. `right` is the packed matrix if the plan
    packs."""
    e = Emitter(module)
    _Nest(e, product).write()
    parameters = (
        "ptr noalias %result, ptr noalias readonly %left, ptr noalias readonly %right, "
        "i64 %low, i64 %high"
    )
    e.finish(
        f"define internal void {product.symbol}({parameters}) noinline "
        f"{function_attributes(module)}",
        "void",
    )


class _Nest:
    """Writes the loops over blocks and tiles."""

    def __init__(self, e: Emitter, product: Product) -> None:
        self.e = e
        self.w = e.w
        self.product = product
        self.plan = product.plan
        self.at_once = self.plan.steps_at_once
        self.v = Vectors(e.module, e.w, product.element)
        self._tiles: dict[tuple[int, ColumnGroup], str] = {}
        self.rest = self.plan.rows % self.plan.tile_rows
        self.goes_on = "false"

    def write(self) -> None:
        plan = self.plan
        self.left = self.v.address("%left", self.product.left_base)
        self.left_piece = self.left
        if not plan.is_packed:
            right = self.v.address("%right", self.product.right_base)
            self._tiles_of(("%low", "%high"), right, str(plan.steps))
            return
        if plan.is_left_packed:
            layout = Layout(plan.strips * plan.strip_elements * self.product.element.bytes, 64)
            self.strips = self.e.slot(layout)
        if plan.depths == 1:
            self._depth(0, str(plan.steps))
            return
        metadata = self.e.module.not_unrolled()
        with carrying_loop(self.w, (0, plan.depths, 1), [], "depth", metadata) as loop:
            self.goes_on = self.w.value(f"icmp ne i64 {loop.index}, 0")
            is_last = self.w.value(f"icmp eq i64 {loop.index}, {plan.depths - 1}")
            choice = f"select i1 {is_last}, i64 {plan.last_depth}, i64 {plan.depth}"
            self._depth(loop.index, self.w.value(choice))

    def _depth(self, number: int | str, steps: str) -> None:
        """One piece of the steps, for all blocks of rows."""
        plan, w = self.plan, self.w
        first_step = self.v.product(number, plan.depth)
        block_tiles = plan.block_rows // plan.tile_rows or 1
        offset = self.v.product(first_step, plan.panels * plan.tile_columns)
        right = self.v.address("%right", offset)
        piece = self.v.product(first_step, self.product.left_step)
        self.left_piece = self.v.address(self.left, piece)
        metadata = self.e.module.not_unrolled()
        with guarded_loop(w, ("%low", "%high", block_tiles), "block", metadata) as tile:
            behind = w.value(f"add nuw nsw i64 {tile}, {block_tiles}")
            is_whole = w.value(f"icmp ult i64 {behind}, %high")
            end = w.value(f"select i1 {is_whole}, i64 {behind}, i64 %high")
            if plan.is_left_packed:
                pack_strips(self.e, self.product, self.strips, (tile, end), self.left_piece, steps)
            self._tiles_of((tile, end), right, steps)

    # Tiles ----------------------------------------------------------------------------

    def _tiles_of(self, tiles: tuple[str, str], right: str, steps: str) -> None:
        """All columns of some row tiles."""
        plan = self.plan
        for panel, group in plan.first_panels:
            metadata = self.e.module.not_unrolled()
            with guarded_loop(self.w, (0, group.count, 1), "columns", metadata) as number:
                column = self.v.sum(self.v.product(number, group.width), group.first)
                if plan.is_packed:
                    size = self.v.product(steps, plan.tile_columns)
                    of_panel = self.v.sum(number, panel)
                    source = self.v.address(right, self.v.product(of_panel, size))
                else:
                    source = self.v.address(right, column)
                self._column(tiles, group, column, source, steps)

    def _column(
        self,
        tiles: tuple[str, str],
        group: ColumnGroup,
        column: int | str,
        right: str,
        steps: str,
    ) -> None:
        """One tile of columns: its whole tiles of rows, several at once where columns are few, then
        the rest of the rows."""
        low, high = tiles
        w, plan = self.w, self.plan
        at_once = plan.row_tiles_at_once(group)
        rows = at_once * plan.tile_rows
        whole, rest = plan.rows // rows * at_once, plan.rows % rows
        end = high
        if rest:
            fits = w.value(f"icmp ult i64 {high}, {whole}")
            end = w.value(f"select i1 {fits}, i64 {high}, i64 {whole}")
        metadata = self.e.module.not_unrolled()
        with guarded_loop(w, (low, end, at_once), "rows", metadata) as tile:
            self._call(tile, tiles, group, column, right, steps, rows)
        if rest:
            is_cut = w.value(f"icmp ugt i64 {high}, {whole}")
            with only_if(w, is_cut, "rest"):
                self._call(str(whole), tiles, group, column, right, steps, rest)

    def _call(
        self,
        tile: str,
        tiles: tuple[str, str],
        group: ColumnGroup,
        column: int | str,
        right: str,
        steps: str,
        rows: int,
    ) -> None:
        plan, v, w = self.plan, self.v, self.w
        row = v.product(tile, plan.tile_rows)
        result = v.address("%result", v.sum(v.product(row, plan.columns), column))
        if plan.is_left_packed:
            strip = w.value(f"sub nuw nsw i64 {tile}, {tiles[0]}")
            left = v.address(self.strips, v.product(strip, plan.strip_elements))
        else:
            left = v.address(self.left_piece, v.product(row, self.product.left_row))
        symbol = self._tile(rows, group)
        state = f"i64 {steps}, i1 {self.goes_on}, i64 {self._ahead(tile, tiles[1], steps)}"
        w.line(f"call void {symbol}(ptr {left}, ptr {right}, ptr {result}, {state})")

    def _ahead(self, tile: str, high: str, steps: str) -> str:
        """How far behind what a tile reads of the right matrix lies what it asks for: the last tile
        of a panel for the next panel, the others for nothing new."""
        plan, w = self.plan, self.w
        if not plan.fetches_ahead:
            return "0"
        following = w.value(f"add nuw nsw i64 {tile}, 1")
        is_last = w.value(f"icmp uge i64 {following}, {high}")
        size = self.v.product(steps, plan.tile_columns * self.product.element.bytes)
        return w.value(f"select i1 {is_last}, i64 {size}, i64 0")

    def _tile(self, rows: int, group: ColumnGroup) -> str:
        """The function for tiles of this form."""
        form = ColumnGroup(0, 1, group.vectors, group.lanes, group.live)
        key = rows, form
        if key in self._tiles:
            return self._tiles[key]
        product, plan = self.product, self.plan
        symbol = self._tiles[key] = f"{product.symbol}.tile{len(self._tiles)}"
        row, step, group_of_steps = product.left_row, product.left_step, product.left_step
        if plan.is_left_packed:
            row, step, group_of_steps = self.at_once, 1, plan.tile_rows * self.at_once
        strides = Strides(
            left_row=row,
            left_step=step,
            left_group=group_of_steps,
            right_step=plan.tile_columns if plan.is_packed else product.right_step,
            result_row=plan.columns,
        )
        alignment = product.element.bytes
        if plan.is_packed:
            # Packed panels begin at whole lines, and at no more than that.
            alignment = min(64, min(group.lanes, plan.lanes) * product.element.bytes)
        tile = TileKernel(
            element=product.element,
            rows=rows,
            group=form,
            strides=strides,
            seed=product.seed,
            may_go_on=plan.is_packed and plan.depths > 1,
            is_fused=product.is_fused,
            right_alignment=alignment,
            is_right_padded=plan.is_packed,
            steps_at_once=self.at_once,
            has_even_steps=plan.steps % self.at_once == 0,
            fetches_ahead=plan.fetches_ahead,
        )
        add_tile_function(self.e.module, symbol, tile)
        return symbol
