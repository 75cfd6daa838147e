"""The loops around the tiles of a matrix product: columns, rows, and blocks of packed matrices.

Where the plan packs, the right matrix lies as `product_packing` packs it. The left matrix is packed
by whoever multiplies, a block of rows at a time, into strips: for each tile of rows, as many steps
of one row beside each other as a tile does at once, row after row.
"""

from __future__ import annotations

from mapal.codegen.layout import Layout
from mapal.codegen.llvm.emitter import Emitter
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
        if not plan.is_packed:
            right = self.v.address("%right", self.product.right_base)
            self._tiles_of(("%low", "%high"), right, str(plan.steps))
            return
        self.strip_elements = plan.tile_rows * (-(-plan.depth // self.at_once) * self.at_once)
        tiles = -(-plan.block_rows // plan.tile_rows)
        layout = Layout(tiles * self.strip_elements * self.product.element.bytes, 64)
        self.strips = self.e.slot(layout)
        if plan.depths == 1:
            self._depth(0, str(plan.steps))
            return
        with carrying_loop(self.w, (0, plan.depths, 1), [], "depth") as loop:
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
        with guarded_loop(w, ("%low", "%high", block_tiles), "block") as tile:
            behind = w.value(f"add nuw nsw i64 {tile}, {block_tiles}")
            is_whole = w.value(f"icmp ult i64 {behind}, %high")
            end = w.value(f"select i1 {is_whole}, i64 {behind}, i64 %high")
            self._pack_left((tile, end), first_step, steps)
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
            self._call(tile, low, group, column, right, steps, rows)
        if rest:
            is_cut = w.value(f"icmp ugt i64 {high}, {whole}")
            with only_if(w, is_cut, "rest"):
                self._call(str(whole), low, group, column, right, steps, rest)

    def _call(
        self,
        tile: str,
        low: str,
        group: ColumnGroup,
        column: int | str,
        right: str,
        steps: str,
        rows: int,
    ) -> None:
        plan, v, w = self.plan, self.v, self.w
        row = v.product(tile, plan.tile_rows)
        result = v.address("%result", v.sum(v.product(row, plan.columns), column))
        if plan.is_packed:
            strip = w.value(f"sub nuw nsw i64 {tile}, {low}")
            left = v.address(self.strips, v.product(strip, self.strip_elements))
        else:
            left = v.address(self.left, v.product(row, self.product.left_row))
        symbol = self._tile(rows, group)
        arguments = f"ptr {left}, ptr {right}, ptr {result}, i64 {steps}, i1 {self.goes_on}"
        w.line(f"call void {symbol}({arguments})")

    def _tile(self, rows: int, group: ColumnGroup) -> str:
        """The function for tiles of this form."""
        form = ColumnGroup(0, 1, group.vectors, group.lanes, group.live)
        key = rows, form
        if key in self._tiles:
            return self._tiles[key]
        product, plan = self.product, self.plan
        symbol = self._tiles[key] = f"{product.symbol}.tile{len(self._tiles)}"
        strides = Strides(
            left_row=product.left_row,
            left_step=product.left_step,
            left_group=product.left_step * self.at_once,
            right_step=product.right_step,
            result_row=plan.columns,
        )
        if plan.is_packed:
            strides = Strides(
                left_row=self.at_once,
                left_step=1,
                left_group=plan.tile_rows * self.at_once,
                right_step=plan.tile_columns,
                result_row=plan.columns,
            )
        alignment = product.element.bytes
        if plan.is_packed:
            alignment = min(group.lanes, plan.lanes) * product.element.bytes
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
        )
        add_tile_function(self.e.module, symbol, tile)
        return symbol

    # The left matrix -------------------------------------------------------------------

    def _pack_left(self, tiles: tuple[str, str], first_step: int | str, steps: str) -> None:
        """Copies the strips of some row tiles for some steps."""
        low, high = tiles
        plan, w, v = self.plan, self.w, self.v
        source = v.address(self.left, v.product(first_step, self.product.left_step))
        whole = plan.rows // plan.tile_rows
        end = high
        if self.rest:
            fits = w.value(f"icmp ult i64 {high}, {whole}")
            end = w.value(f"select i1 {fits}, i64 {high}, i64 {whole}")
        with guarded_loop(w, (low, end, 1), "strip") as tile:
            self._pack_strip(tile, low, source, steps, plan.tile_rows)
        if self.rest:
            is_cut = w.value(f"icmp ugt i64 {high}, {whole}")
            with only_if(w, is_cut, "strip.rest"):
                self._pack_strip(str(whole), low, source, steps, self.rest)

    def _pack_strip(self, tile: str, low: str, source: str, steps: str, rows: int) -> None:
        plan, w, v = self.plan, self.w, self.v
        number = w.value(f"sub nuw nsw i64 {tile}, {low}")
        strip = v.address(self.strips, v.product(number, self.strip_elements))
        row = v.product(tile, plan.tile_rows)
        start = v.address(source, v.product(row, self.product.left_row))
        whole = w.value(f"and i64 {steps}, {-self.at_once}")
        with guarded_loop(
            w, (0, whole, self.at_once), "pack", self.e.module.not_unrolled()
        ) as step:
            target = v.address(strip, v.product(step, plan.tile_rows))
            self._copy_rows(start, step, target, rows, self.at_once)
        with guarded_loop(w, (whole, steps, 1), "pack.rest", self.e.module.not_unrolled()) as step:
            offset = v.product(whole, plan.tile_rows)
            beyond = w.value(f"sub nuw nsw i64 {step}, {whole}")
            target = v.address(strip, v.sum(offset, beyond))
            self._copy_rows(start, step, target, rows, 1)

    def _copy_rows(self, start: str, step: str, target: str, rows: int, count: int) -> None:
        """`count` steps of each of `rows` rows from a step on, rows `at_once` elements apart."""
        v, product = self.v, self.product
        at_step = v.address(start, v.product(step, product.left_step))
        for row in range(rows):
            source = v.address(at_step, row * product.left_row)
            place = v.address(target, row * self.at_once)
            if count == self.at_once and product.left_step == 1:
                alignment = min(64, self.at_once * product.element.bytes)
                v.store(v.load(source, count), place, count, alignment=alignment)
                continue
            for number in range(count):
                value = v.load_element(v.address(source, number * product.left_step))
                self.w.line(
                    f"store {v.element} {value}, ptr {v.address(place, number)}, "
                    f"align {product.element.bytes}"
                )
