"""The loops around the tiles of a transposition: blocks, bands, tiles, and the ragged ends.

What does not fill a tile is moved by one that overlaps the tile before: at the end of rows it
writes the same values again, and of the last rows it leaves out those that are moved already, which
may be another slice's.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.codegen.llvm.kernels.streaming import end_streaming
from mapal.codegen.llvm.kernels.transpose_tile import transposed
from mapal.codegen.llvm.kernels.vectors import (
    Vectors,
    function_attributes,
    guarded_loop,
    only_if,
)
from mapal.codegen.llvm.module import ModuleBuilder
from mapal.codegen.llvm.writer import FunctionWriter
from mapal.ir.types import Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class Transposition:
    """How a result of `rows` rows of `width` elements is made of a source whose rows are `stride`
    elements apart. A tile has `side` rows and columns, and consists of square ones of `lanes`. A
    band is `side` rows of the result; a block is `block_bands` bands, `block_tiles` tiles wide.
    `streams` tells whether the result may go past the caches."""

    element: Scalar
    rows: int
    width: int
    stride: int
    lanes: int
    side: int
    block_bands: int
    block_tiles: int
    streams: bool

    @property
    def bands(self) -> int:
        return -(-self.rows // self.side)


def add_transposition(
    module: ModuleBuilder, symbol: str, plan: Transposition, *, streams: bool
) -> None:
    """Adds `void symbol(ptr source, ptr result, i64 low, i64 high)` to a module, which moves the
    bands from `low` up to but not with `high`."""
    w = FunctionWriter()
    _Nest(module, w, plan, streams=streams).write()
    parameters = "ptr noalias readonly %source, ptr noalias %result, i64 %low, i64 %high"
    module.add_function(
        f"define internal void {symbol}({parameters}) noinline "
        f"{function_attributes(module)} {{\n{w.text()}\n}}"
    )


class _Nest:
    """Writes the function of a transposition."""

    def __init__(
        self, module: ModuleBuilder, w: FunctionWriter, plan: Transposition, *, streams: bool
    ) -> None:
        self.module = module
        self.w = w
        self.plan = plan
        self.streams = streams
        self.v = Vectors(module, w, plan.element)
        self.whole_bands, self.rest_rows = divmod(plan.rows, plan.side)
        self.whole_tiles, self.rest_columns = divmod(plan.width, plan.side)

    def write(self) -> None:
        plan, w = self.plan, self.w
        end = self._least("%high", self.whole_bands)
        with guarded_loop(w, ("%low", end, plan.block_bands), "block") as band:
            block_end = self._least(self.v.sum(band, plan.block_bands), end)
            with guarded_loop(w, (0, self.whole_tiles, plan.block_tiles), "tiles") as tile:
                tile_end = self._least(self.v.sum(tile, plan.block_tiles), self.whole_tiles)
                self._bands((band, block_end), (tile, tile_end))
        if self.rest_columns:
            with guarded_loop(w, ("%low", end, 1), "column") as band:
                self._tile(self.v.product(band, plan.side), plan.width - plan.side)
        if self.rest_rows:
            is_last = w.value(f"icmp ugt i64 %high, {self.whole_bands}")
            with only_if(w, is_last, "rest"):
                self._last_band()
        if self.streams:
            end_streaming(self.module, w)
        w.line("ret void")

    def _bands(self, bands: tuple[str, str], tiles: tuple[str, str]) -> None:
        """The tiles of a block, along each of its bands."""
        with guarded_loop(self.w, (*bands, 1), "band") as band:
            self._tiles(self.v.product(band, self.plan.side), tiles)

    def _last_band(self) -> None:
        """The rows behind the last whole band, as the lower part of a band that overlaps it."""
        plan = self.plan
        row, moved = plan.rows - plan.side, plan.side - self.rest_rows
        self._tiles(row, (0, self.whole_tiles), moved)
        if self.rest_columns:
            self._tile(row, plan.width - plan.side, moved)

    def _tiles(self, row: int | str, tiles: tuple[int | str, int | str], moved: int = 0) -> None:
        metadata = self.module.not_unrolled()
        with guarded_loop(self.w, (*tiles, 1), "tile", metadata) as tile:
            self._tile(row, self.v.product(tile, self.plan.side), moved)

    def _tile(self, row: int | str, column: int | str, moved: int = 0) -> None:
        """One tile of the result, whose first `moved` rows are left as they are."""
        plan, v = self.plan, self.v
        source = v.address(v.address("%source", v.product(column, plan.stride)), row)
        result = v.address(v.address("%result", v.product(row, plan.width)), column)
        parts = range(0, plan.side, plan.lanes)
        for down in parts:
            if moved >= down + plan.lanes:
                continue
            for right in parts:
                self._part(
                    v.address(source, right * plan.stride + down),
                    v.address(result, down * plan.width + right),
                    max(0, moved - down),
                )

    def _part(self, source: str, result: str, moved: int) -> None:
        """A square of `lanes` rows, of whose result the first `moved` are left as they are."""
        plan, v, lanes = self.plan, self.v, self.plan.lanes
        alignment = lanes * plan.element.bytes if self.streams else None
        rows = [v.load(v.address(source, at * plan.stride), lanes) for at in range(lanes)]
        for at, vector in enumerate(transposed(v, rows, lanes)):
            if at >= moved:
                place = v.address(result, at * plan.width)
                v.store(vector, place, lanes, alignment=alignment, streaming=self.streams)

    def _least(self, a: str | int, b: str | int) -> str:
        is_less = self.w.value(f"icmp ult i64 {a}, {b}")
        return self.w.value(f"select i1 {is_less}, i64 {a}, i64 {b}")
