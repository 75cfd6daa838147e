"""Packing the right matrix of a product into panels.

For each piece of the steps, for each tile of columns, `tile_columns` elements a step. Where columns
lie side by side, that copies short rows; where they do not, square tiles are transposed on the way.
What a panel has beyond its columns is never used, so it is not written.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.product_plan import ColumnGroup, Product
from mapal.codegen.llvm.kernels.transpose_tile import transposed
from mapal.codegen.llvm.kernels.vectors import (
    Vectors,
    function_attributes,
    guarded_loop,
    vector_type,
)
from mapal.codegen.llvm.module import ModuleBuilder

_ROW_BYTES = 256
"""Neighbouring bytes of a row that are copied before the next row is."""


def add_packing(module: ModuleBuilder, product: Product) -> None:
    """Adds `void SYMBOL.pack(ptr packed, ptr right, i64 low, i64 high)`, which packs the panels
    from `low` up to but not with `high`."""
    e = Emitter(module)
    _Packing(e, product).write()
    parameters = "ptr noalias %packed, ptr noalias readonly %right, i64 %low, i64 %high"
    e.finish(
        f"define internal void {product.symbol}.pack({parameters}) noinline "
        f"{function_attributes(module)}",
        "void",
    )


class _Packing:
    """Writes the packing."""

    def __init__(self, e: Emitter, product: Product) -> None:
        self.e = e
        self.w = e.w
        self.product = product
        self.plan = product.plan
        self.v = Vectors(e.module, e.w, product.element)

    def write(self) -> None:
        right = self.v.address("%right", self.product.right_base)
        for panel, group in self.plan.first_panels:
            # The panels of this group among those asked for.
            low = self._clamped("%low", panel, panel + group.count)
            high = self._clamped("%high", panel, panel + group.count)
            if self.product.right_column == 1:
                self._copied(right, (low, high), panel, group)
            else:
                self._turned(right, (low, high), panel, group)

    def _loop(
        self, bounds: tuple[int | str, int | str, int], purpose: str
    ) -> AbstractContextManager[str]:
        """A loop that stays one: LLVM would unroll each and gain nothing but time to compile."""
        return guarded_loop(self.w, bounds, purpose, self.e.module.not_unrolled())

    def _clamped(self, value: str, least: int, most: int) -> str:
        below = self.w.value(f"icmp ult i64 {value}, {least}")
        raised = self.w.value(f"select i1 {below}, i64 {least}, i64 {value}")
        above = self.w.value(f"icmp ugt i64 {raised}, {most}")
        return self.w.value(f"select i1 {above}, i64 {most}, i64 {raised}")

    @contextmanager
    def _depths(self) -> Iterator[tuple[str, int | str]]:
        """A loop over the pieces of the steps: the number of each and how many steps it has."""
        plan, w = self.plan, self.w
        with self._loop((0, plan.depths, 1), "depth") as depth:
            steps: int | str = plan.steps
            if plan.depths > 1:
                is_last = w.value(f"icmp eq i64 {depth}, {plan.depths - 1}")
                steps = w.value(f"select i1 {is_last}, i64 {plan.last_depth}, i64 {plan.depth}")
            yield depth, steps

    def _target(self, depth: str, number: str, steps: int | str) -> str:
        """Where a piece of a panel begins."""
        plan, v = self.plan, self.v
        start = v.product(v.product(depth, plan.depth), plan.panels * plan.tile_columns)
        inside = v.product(v.product(number, steps), plan.tile_columns)
        return v.address("%packed", v.sum(start, inside))

    # Columns side by side -------------------------------------------------------------

    def _copied(self, right: str, panels: tuple[str, str], panel: int, group: ColumnGroup) -> None:
        """Row by row, the columns of several panels: one panel alone would read a line here and a
        line there, each in another page."""
        v, w, plan, product = self.v, self.w, self.plan, self.product
        low, high = panels
        together = max(1, _ROW_BYTES // (plan.tile_columns * product.element.bytes))
        with self._loop((low, high, together), "panels") as number:
            left = w.value(f"sub nuw nsw i64 {high}, {number}")
            is_last = w.value(f"icmp ult i64 {left}, {together}")
            count = w.value(f"select i1 {is_last}, i64 {left}, i64 {together}")
            column = self._column(number, panel, group)
            with self._depths() as (depth, steps):
                first = v.product(v.product(depth, plan.depth), product.right_step)
                origin = v.address(v.address(right, column), first)
                target = self._target(depth, number, steps)
                distance = v.product(steps, plan.tile_columns)
                with self._loop((0, steps, 1), "row") as step:
                    row = v.address(origin, v.product(step, product.right_step))
                    place = v.address(target, v.product(step, plan.tile_columns))
                    with self._loop((0, count, 1), "piece") as piece:
                        self._copy_row(
                            v.address(row, v.product(piece, group.width)),
                            v.address(place, v.product(piece, distance)),
                            group,
                        )

    def _column(self, number: str, panel: int, group: ColumnGroup) -> int | str:
        """Where the columns of a panel begin in a row of the matrix."""
        beyond = self.w.value(f"sub nuw nsw i64 {number}, {panel}")
        column = self.v.sum(self.v.product(beyond, group.width), group.first)
        return self.v.product(column, self.product.right_column)

    def _copy_row(self, row: str, place: str, group: ColumnGroup) -> None:
        for at in range(group.vectors):
            live = group.live if at == group.vectors - 1 else None
            offset = at * group.lanes
            vector = self.v.load(self.v.address(row, offset), group.lanes, live=live)
            self._store(vector, self.v.address(place, offset), group.lanes)

    def _store(self, vector: str, place: str, lanes: int) -> None:
        alignment = min(64, lanes * self.product.element.bytes)
        self.v.store(vector, place, lanes, alignment=alignment)

    # Columns apart --------------------------------------------------------------------

    def _turned(self, right: str, panels: tuple[str, str], panel: int, group: ColumnGroup) -> None:
        """Panel by panel."""
        v = self.v
        with self._loop((*panels, 1), "panel") as number:
            source = v.address(right, self._column(number, panel, group))
            with self._depths() as (depth, steps):
                first = v.product(v.product(depth, self.plan.depth), self.product.right_step)
                target = self._target(depth, number, steps)
                self._transpose_steps(v.address(source, first), target, group, steps)

    def _transpose_steps(
        self, origin: str, target: str, group: ColumnGroup, steps: int | str
    ) -> None:
        """Vector by vector of columns, all steps."""
        for at in range(group.vectors):
            live = group.live if at == group.vectors - 1 else group.lanes
            columns = self.v.address(origin, at * group.lanes * self.product.right_column)
            place = self.v.address(target, at * group.lanes)
            self._transpose_columns(columns, place, group.lanes, live, steps)

    def _transpose_columns(
        self, columns: str, place: str, lanes: int, live: int, steps: int | str
    ) -> None:
        v, w, product = self.v, self.w, self.product
        whole: int | str = 0
        if product.right_step == 1:
            whole = _rounded_down(v, steps, lanes)
            with self._loop((0, whole, lanes), "square") as step:
                rows = [
                    v.load(v.address(columns, v.sum(step, column * product.right_column)), lanes)
                    for column in range(live)
                ]
                rows += ["zeroinitializer"] * (lanes - live)
                start = v.product(step, self.plan.tile_columns)
                for number, vector in enumerate(transposed(v, rows, lanes)):
                    offset = v.sum(start, number * self.plan.tile_columns)
                    self._store(vector, v.address(place, offset), lanes)
        with self._loop((whole, steps, 1), "step") as step:
            start = v.address(columns, v.product(step, product.right_step))
            vector = "poison" if live == lanes else "zeroinitializer"
            for column in range(live):
                element = v.load_element(v.address(start, column * product.right_column))
                vector = w.value(
                    f"insertelement {vector_type(product.element, lanes)} {vector}, "
                    f"{v.element} {element}, i64 {column}"
                )
            offset = v.product(step, self.plan.tile_columns)
            self._store(vector, v.address(place, offset), lanes)


def _rounded_down(v: Vectors, steps: int | str, lanes: int) -> int | str:
    """The largest multiple of a power of two."""
    if isinstance(steps, int):
        return steps // lanes * lanes
    return v.w.value(f"and i64 {steps}, {-lanes}")
