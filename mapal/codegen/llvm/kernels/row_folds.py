"""Matrix times vector: each cell folds one row, the rows lie apart, and all read the same vector.

Chains of several rows run side by side in the lanes of a vector. To get one step of all of them
into a register, square tiles of the matrix are read row by row and turned round in registers.
Memory is read in the order in which it lies, once.
"""

from __future__ import annotations

from collections.abc import Sequence

from mapal.analysis.tile_plan import TileSite, strided_tile_plan
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.site import Kernel, MapSite
from mapal.codegen.llvm.kernels.transpose_tile import transposed
from mapal.codegen.llvm.kernels.vectors import (
    Vectors,
    carrying_loop,
    function_attributes,
    guarded_loop,
    only_if,
    vector_type,
)
from mapal.codegen.llvm.module import ModuleBuilder
from mapal.codegen.llvm.scalar_context import literal
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.slices import Cut
from mapal.codegen.llvm.values import Memory, Value
from mapal.codegen.llvm.writer import FunctionWriter

_MOST_LANES = 16
"""A tile of so many rows of so many elements fits in registers, in two halves where it must."""

_LINE_BYTES = 64
_BYTES_AHEAD = 2048
"""How far ahead lines of each row are asked for: what looks ahead by itself follows few rows."""


def row_folds(e: Emitter, site: MapSite) -> Kernel | None:
    """The kernel of a matrix times a vector."""
    tile = strided_tile_plan(site.graph, site.scope.function.id).get(site.morphism.id)
    if tile is None or not _is_rows(tile):
        return None
    profile = e.module.profile
    if tile.is_fused and not profile.fused_multiply_add:
        return None
    lanes = min(_MOST_LANES, profile.vector_bytes // tile.element.bytes)
    if lanes < 2 or tile.lanes < lanes or tile.steps < lanes:
        return None
    reason = "rows are independent chains; tiles of the matrix are turned round in registers"
    size = tile.lanes * tile.steps * tile.element.bytes
    fetches_ahead = profile.l2 is not None and size > profile.l2.bytes
    if fetches_ahead:
        reason += ", lines of all rows fetched ahead"
    emission = _Emission(site, tile, lanes, fetches_ahead)
    return Kernel(f"rows, {lanes} side by side", reason, emission.emit)


def _is_rows(tile: TileSite) -> bool:
    """Neighbouring steps lie side by side, and one factor is the same for all cells."""
    is_plain = tile.a.split is None and tile.b.split is None
    return is_plain and tile.rows == 1 and tile.b.step == 1 and tile.a.row == 0


class _Emission:
    """One product being emitted."""

    def __init__(self, site: MapSite, tile: TileSite, lanes: int, fetches_ahead: bool) -> None:
        self.site = site
        self.tile = tile
        self.lanes = lanes
        self.fetches_ahead = fetches_ahead
        self.symbol = ""

    def emit(self, e: Emitter, scope: Scope) -> Cut | None:
        """All blocks of rows, in slices where that pays."""
        tile = self.tile
        self.symbol = f"@rows.{e.module.new_kernel()}"
        _add_rows(e.module, self.symbol, tile, self.lanes, self.fetches_ahead)
        return self.site.fill(
            e,
            scope,
            self._range,
            [self.site.stored(e, tile.a.slot), self.site.stored(e, tile.b.slot)],
            units=-(-tile.lanes // self.lanes),
            # What moves the matrix through the processor is as much work as the arithmetic.
            operations=4 * tile.steps,
        )

    def _range(
        self, e: Emitter, _: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        vector, matrix = values
        assert isinstance(vector, Memory)
        assert isinstance(matrix, Memory)
        e.w.line(
            f"call void {self.symbol}(ptr {made.pointer}, ptr {vector.pointer}, "
            f"ptr {matrix.pointer}, i64 {low}, i64 {high})"
        )


def _add_rows(
    module: ModuleBuilder, symbol: str, tile: TileSite, lanes: int, fetches_ahead: bool
) -> None:
    """Adds `void symbol(ptr result, ptr vector, ptr matrix, i64 low, i64 high)`, which computes
    the blocks of `lanes` rows from `low` up to but not with `high`."""
    w = FunctionWriter()
    _Rows(module, w, tile, lanes, fetches_ahead).write()
    parameters = (
        "ptr noalias %result, ptr noalias readonly %vector, ptr noalias readonly %matrix, "
        "i64 %low, i64 %high"
    )
    module.add_function(
        f"define internal void {symbol}({parameters}) noinline "
        f"{function_attributes(module)} {{\n{w.text()}\n}}"
    )


class _Rows:
    """Writes the function of a range of blocks."""

    def __init__(
        self,
        module: ModuleBuilder,
        w: FunctionWriter,
        tile: TileSite,
        lanes: int,
        fetches_ahead: bool,
    ) -> None:
        self.module = module
        self.w = w
        self.tile = tile
        self.lanes = lanes
        self.fetches_ahead = fetches_ahead
        self.v = Vectors(module, w, tile.element)
        self.type = vector_type(tile.element, lanes)

    def write(self) -> None:
        w, tile, lanes = self.w, self.tile, self.lanes
        whole, rest = divmod(tile.lanes, lanes)
        fits = w.value(f"icmp ult i64 %high, {whole}")
        end = w.value(f"select i1 {fits}, i64 %high, i64 {whole}")
        metadata = self.module.not_unrolled()
        with guarded_loop(w, ("%low", end, 1), "block", metadata) as block:
            self._block(block, lanes)
        if rest:
            is_last = w.value(f"icmp ugt i64 %high, {whole}")
            with only_if(w, is_last, "rest"):
                self._block(str(whole), rest)
        w.line("ret void")

    def _block(self, block: str, live: int) -> None:
        """The first `live` rows of a block."""
        v, tile, lanes = self.v, self.tile, self.lanes
        row = v.product(block, lanes)
        matrix = v.address("%matrix", v.sum(v.product(row, tile.b.lane), tile.b.base))
        vector = v.address("%vector", tile.a.base)
        seed = v.splat(literal(tile.seed, tile.element), lanes)
        whole = tile.steps // lanes * lanes
        metadata = self.module.not_unrolled()
        bounds = (0, whole, lanes)
        with carrying_loop(self.w, bounds, [(self.type, seed)], "tile", metadata) as loop:
            rows = [
                v.load(v.address(matrix, v.sum(loop.index, number * tile.b.lane)), lanes)
                for number in range(live)
            ]
            if self.fetches_ahead:
                self._fetch(v.address(matrix, loop.index), loop.index, live)
            rows += ["zeroinitializer"] * (lanes - live)
            accumulator = loop.values[0]
            start = v.address(vector, v.product(loop.index, tile.a.step))
            for step, column in enumerate(transposed(v, rows, lanes)):
                accumulator = self._step(start, step, column, accumulator)
            loop.values = [accumulator]
        accumulator = loop.values[0]
        for step in range(whole, tile.steps):
            column = self._gathered(matrix, step, live)
            accumulator = self._step(vector, step, column, accumulator)
        v.store(accumulator, v.address("%result", row), lanes, live=live)

    def _fetch(self, start: str, index: str, live: int) -> None:
        """Asks for the lines ahead of a tile: where several tiles share lines, for as many of the
        rows in each."""
        v, w = self.v, self.w
        tiles = max(1, _LINE_BYTES // (self.lanes * self.tile.element.bytes))
        share = live // tiles
        if tiles > 1:
            turn = w.value(f"and i64 {w.value(f'udiv i64 {index}, {self.lanes}')}, {tiles - 1}")
            start = v.address(start, v.product(turn, share * self.tile.b.lane))
        for number in range(share):
            v.fetch(v.address(start, number * self.tile.b.lane), _BYTES_AHEAD)

    def _step(self, vector: str, step: int, column: str, accumulator: str) -> str:
        v, tile = self.v, self.tile
        factor = v.splat(v.load_element(v.address(vector, step * tile.a.step)), self.lanes)
        return v.multiply_add(factor, column, accumulator, self.lanes, is_fused=tile.is_fused)

    def _gathered(self, matrix: str, step: int, live: int) -> str:
        """One step of the rows of a block, element by element."""
        v = self.v
        gathered = "zeroinitializer"
        for number in range(live):
            element = v.load_element(v.address(matrix, number * self.tile.b.lane + step))
            gathered = self.w.value(
                f"insertelement {self.type} {gathered}, {v.element} {element}, i64 {number}"
            )
        return gathered
