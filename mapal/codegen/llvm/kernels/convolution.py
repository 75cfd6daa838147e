"""Maps of folds in tiles of cells: convolutions, and whatever else has independent chains.

Takes every site of the tile plan that no other shape wants. Vectors go along the lanes; where
neighbouring rows read overlapping rows of the picture, a tile has several rows, which share what
they load. The ends of rows are covered by vectors that overlap the ones before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mapal.analysis.tile_plan import TileSite, tile_plan
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.cell_tile import CellTile, add_tile_function, fits
from mapal.codegen.llvm.kernels.columns import cover, machine_lanes, power_below
from mapal.codegen.llvm.kernels.site import Kernel, MapSite
from mapal.codegen.llvm.kernels.vectors import Vectors, guarded_loop, only_if
from mapal.codegen.llvm.module import Processor
from mapal.codegen.llvm.scalar_context import literal
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.slices import Cut
from mapal.codegen.llvm.values import Memory, Value

_SHARING_ROWS = 4
"""Rows of a tile that share what they load."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """`rows` rows of `vectors` vectors make a tile. A row has `tiles` of them and then `rest`
    columns."""

    rows: int
    lanes: int
    vectors: int
    tiles: int
    rest: int

    @property
    def width(self) -> int:
        return self.vectors * self.lanes


def convolution(e: Emitter, site: MapSite) -> Kernel | None:
    """The kernel of a map of folds with independent chains."""
    tile = tile_plan(site.graph, site.scope.function.id).get(site.morphism.id)
    if tile is None or not fits(tile) or tile.lanes == 1:
        return None
    if tile.is_fused and not e.module.profile.fused_multiply_add:
        return None
    plan = _plan(e.module.profile, tile)
    name = "columns" if tile.b.split is None else "convolution"
    shape = f"{name}, tile {plan.rows}x{plan.vectors}x{plan.lanes}"
    reason = "cells are independent chains"
    if plan.rows > 1:
        reason += "; the rows of a tile share what they load"
    return Kernel(shape, reason, _Emission(e, site, tile, plan).emit)


def _plan(profile: Processor, tile: TileSite) -> _Plan:
    lanes = min(machine_lanes(profile, tile.element), power_below(tile.lanes))
    accumulators = profile.vector_registers // 4
    rows = min(_SHARING_ROWS, tile.rows) if _shares(tile) else 1
    vectors = max(1, min(tile.lanes // lanes, accumulators // rows))
    tiles, rest = divmod(tile.lanes, vectors * lanes)
    return _Plan(rows, lanes, vectors, tiles, rest)


def _shares(tile: TileSite) -> bool:
    """Whether neighbouring rows read the same vectors."""
    split = tile.b.split
    if split is None:
        return tile.b.row == 0
    last = split.quotient * (tile.steps // split.divisor - 1)
    return tile.b.row <= last and (split.quotient == 0 or tile.b.row % split.quotient == 0)


class _Emission:
    """One convolution being emitted."""

    def __init__(self, e: Emitter, site: MapSite, tile: TileSite, plan: _Plan) -> None:
        self.site = site
        self.tile = tile
        self.plan = plan
        self.symbol = f"@cells.{e.module.new_kernel()}"
        self.seed = literal(tile.seed, tile.element)

    def emit(self, e: Emitter, scope: Scope) -> Cut | None:
        """Bands of rows are the units; of a single row, tiles are."""
        tile, plan = self.tile, self.plan
        bands = -(-tile.rows // plan.rows)
        cells = tile.lanes * plan.rows if tile.rows > 1 else plan.width
        units = bands if tile.rows > 1 else plan.tiles + bool(plan.rest)
        for rows in dict.fromkeys((plan.rows, tile.rows % plan.rows)):
            if rows:
                self._add_functions(e, rows)
        return self.site.fill(
            e,
            scope,
            self._bands if tile.rows > 1 else self._tiles,
            [self.site.stored(e, tile.a.slot), self.site.stored(e, tile.b.slot)],
            units=units,
            operations=2 * tile.steps * cells // plan.lanes,
        )

    def _add_functions(self, e: Emitter, rows: int) -> None:
        """The tile of whole vectors and the one of the rest, for so many rows."""
        plan = self.plan
        whole = (plan.lanes, tuple(at * plan.lanes for at in range(plan.vectors)))
        forms = {"whole": whole} if plan.tiles else {}
        if plan.rest:
            forms["rest"] = cover(plan.rest, plan.lanes)
        for name, (lanes, starts) in forms.items():
            tile = CellTile(
                site=self.tile,
                rows=rows,
                lanes=lanes,
                starts=starts,
                advance=plan.width,
                seed=self.seed,
            )
            add_tile_function(e.module, f"{self.symbol}.{name}{rows}", tile)

    def _tiles(
        self, e: Emitter, _: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        """The tiles of the only row from `low` up to but not with `high`; the last is the
        rest."""
        w, plan = e.w, self.plan
        v = Vectors(e.module, w, self.tile.element)
        pointers = _pointers(values, made)
        end = self._clamped(e, high, plan.tiles) if plan.rest else high
        if plan.tiles:
            count = w.value(f"sub nsw i64 {end}, {low}")
            has_whole = w.value(f"icmp sgt i64 {count}, 0")
            with only_if(w, has_whole, "whole"):
                self._call(v, pointers, "whole1", 0, v.product(low, plan.width), count)
        if plan.rest:
            is_last = w.value(f"icmp ugt i64 {high}, {plan.tiles}")
            with only_if(w, is_last, "rest"):
                self._call(v, pointers, "rest1", 0, plan.tiles * plan.width, "1")

    def _bands(
        self, e: Emitter, _: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        """The bands of rows from `low` up to but not with `high`; the last may have less rows."""
        w, plan = e.w, self.plan
        v = Vectors(e.module, w, self.tile.element)
        pointers = _pointers(values, made)
        whole, rest = divmod(self.tile.rows, plan.rows)
        end = self._clamped(e, high, whole) if rest else high
        with guarded_loop(w, (low, end, 1), "band") as band:
            self._row(v, pointers, plan.rows, v.product(band, plan.rows))
        if rest:
            is_last = w.value(f"icmp ugt i64 {high}, {whole}")
            with only_if(w, is_last, "rest"):
                self._row(v, pointers, rest, whole * plan.rows)

    def _clamped(self, e: Emitter, value: str, most: int) -> str:
        fits = e.w.value(f"icmp ult i64 {value}, {most}")
        return e.w.value(f"select i1 {fits}, i64 {value}, i64 {most}")

    def _row(self, v: Vectors, pointers: tuple[str, str, str], rows: int, row: int | str) -> None:
        plan = self.plan
        if plan.tiles:
            self._call(v, pointers, f"whole{rows}", row, 0, str(plan.tiles))
        if plan.rest:
            self._call(v, pointers, f"rest{rows}", row, plan.tiles * plan.width, "1")

    def _call(
        self,
        v: Vectors,
        pointers: tuple[str, str, str],
        name: str,
        row: int | str,
        column: int | str,
        tiles: str,
    ) -> None:
        """Tiles side by side from a cell on."""
        left, right, made = pointers
        tile = self.tile
        factor = v.address(left, v.product(row, tile.a.row))
        source = v.address(v.address(right, v.product(row, tile.b.row)), column)
        target = v.address(v.address(made, v.product(row, tile.lanes)), column)
        v.w.line(
            f"call void {self.symbol}.{name}(ptr {factor}, ptr {source}, ptr {target}, i64 {tiles})"
        )


def _pointers(values: Sequence[Value], made: Memory) -> tuple[str, str, str]:
    left, right = values
    assert isinstance(left, Memory)
    assert isinstance(right, Memory)
    return left.pointer, right.pointer, made.pointer
