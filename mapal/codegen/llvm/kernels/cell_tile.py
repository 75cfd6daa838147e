"""A tile of cells of a map of folds: each cell a chain of multiply-adds, the steps ascending.

A tile is `rows` rows of vectors. What it reads of the factor that moves with the lane is loaded
once and serves every row that needs it, as in a convolution, where neighbouring rows of the
result read overlapping rows of the picture. Few steps are written out; many become a loop that
keeps the accumulators in registers.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.analysis.tile_plan import TileRead, TileSite
from mapal.codegen.llvm.kernels.vectors import (
    Vectors,
    carrying_loop,
    function_attributes,
    vector_type,
)
from mapal.codegen.llvm.module import ModuleBuilder
from mapal.codegen.llvm.writer import FunctionWriter

MOST_WRITTEN_OUT = 512
"""Vector multiply-adds in one pass of a loop."""

LARGEST_DIVISOR = 64
"""Steps of a row of taps that are written out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTile:
    """The shape of a tile: `rows` rows, in each vectors of `lanes` elements that begin at the
    columns `starts`, which may overlap. Tiles follow each other at `advance` columns. `seed` is
    the literal that cells start with."""

    site: TileSite
    rows: int
    lanes: int
    starts: tuple[int, ...]
    advance: int
    seed: str


@dataclass(frozen=True, slots=True)
class _Steps:
    """Steps in passes: `passes` of `length` steps, between which the factors move by `left` and
    `right` elements, from step `first` on."""

    first: int
    passes: int
    length: int
    left: int
    right: int


def add_tile_function(module: ModuleBuilder, symbol: str, tile: CellTile) -> None:
    """Adds `void symbol(ptr left, ptr right, ptr result, i64 tiles)` to a module: so many tiles
    side by side, at least one. The pointers are those of the first cell."""
    w = FunctionWriter()
    _Tile(module, w, tile).write()
    parameters = (
        "ptr noalias readonly %left, ptr noalias readonly %right, ptr noalias %result, i64 %tiles"
    )
    module.add_function(
        f"define internal void {symbol}({parameters}) noinline "
        f"{function_attributes(module)} {{\n{w.text()}\n}}"
    )


def fits(site: TileSite) -> bool:
    """Whether the steps of a site can be written as passes of a loop: reads take the step apart
    by the same literal, and not by a large one."""
    divisors = {read.split.divisor for read in (site.a, site.b) if read.split is not None}
    return not divisors or (len(divisors) == 1 and max(divisors) <= LARGEST_DIVISOR)


def _split_of(site: TileSite) -> int | None:
    """The literal by which the reads take the step apart."""
    for read in (site.a, site.b):
        if read.split is not None:
            return read.split.divisor
    return None


class _Tile:
    """Writes one tile function."""

    def __init__(self, module: ModuleBuilder, w: FunctionWriter, tile: CellTile) -> None:
        self.module = module
        self.w = w
        self.tile = tile
        self.site = tile.site
        self.v = Vectors(module, w, tile.site.element)
        self.vector = vector_type(tile.site.element, tile.lanes)

    def write(self) -> None:
        w, tile = self.w, self.tile
        metadata = self.module.not_unrolled()
        with carrying_loop(w, (0, "%tiles", 1), [], "tile", metadata) as loop:
            moved = self.v.product(loop.index, tile.advance)
            right = self.v.address("%right", moved)
            result = self.v.address("%result", moved)
            seed = self.v.splat(tile.seed, tile.lanes)
            cells = [seed] * (tile.rows * len(tile.starts))
            for steps in self._plan():
                cells = self._passes(steps, cells, right)
            for number, cell in enumerate(cells):
                row, at = divmod(number, len(tile.starts))
                offset = row * self.site.lanes + tile.starts[at]
                self.v.store(cell, self.v.address(result, offset), tile.lanes)
        w.line("ret void")

    def _plan(self) -> list[_Steps]:
        """How the steps are cut into passes."""
        site, width = self.site, self.tile.rows * len(self.tile.starts)
        if site.steps * width <= MOST_WRITTEN_OUT:
            return [_Steps(0, 1, site.steps, 0, 0)]
        divisor = _split_of(site)
        if divisor is not None:
            left, right = (_moved(read, divisor) for read in (site.a, site.b))
            return [_Steps(0, site.steps // divisor, divisor, left, right)]
        length = max(1, min(16, MOST_WRITTEN_OUT // width))
        passes, rest = divmod(site.steps, length)
        plan = [_Steps(0, passes, length, site.a.step * length, site.b.step * length)]
        return [*plan, _Steps(passes * length, 1, rest, 0, 0)] if rest else plan

    def _passes(self, steps: _Steps, cells: list[str], right: str) -> list[str]:
        left = "%left"
        if steps.passes == 1:
            return self._written_out(steps, cells, left, right)
        carried = [(self.vector, cell) for cell in cells]
        bounds = (0, steps.passes, 1)
        metadata = self.module.not_unrolled()
        with carrying_loop(self.w, bounds, carried, "steps", metadata) as loop:
            left = self.v.address(left, self.v.product(loop.index, steps.left))
            right = self.v.address(right, self.v.product(loop.index, steps.right))
            loop.values = self._written_out(steps, list(loop.values), left, right)
        return loop.values

    def _written_out(self, steps: _Steps, cells: list[str], left: str, right: str) -> list[str]:
        """One pass. Work is ordered by the row of memory that the right factor comes from, and
        in it by step: then steps ascend in each cell, and what is loaded is soon used up."""
        tile, site = self.tile, self.site
        cells, factors, reads = list(cells), dict[int, str](), dict[int, str]()
        work = [
            (site.b.row * row + _row_offset(site.b, step), step, row)
            for row in range(tile.rows)
            for step in range(steps.first, steps.first + steps.length)
        ]
        for _, step, row in sorted(work):
            at_left = site.a.base + site.a.row * row + _offset(site.a, step)
            if at_left not in factors:
                scalar = self.v.load_element(self.v.address(left, at_left))
                factors[at_left] = self.v.splat(scalar, tile.lanes)
            for number, start in enumerate(tile.starts):
                at_right = site.b.base + site.b.row * row + _offset(site.b, step) + start
                if at_right not in reads:
                    reads[at_right] = self.v.load(self.v.address(right, at_right), tile.lanes)
                cell = row * len(tile.starts) + number
                cells[cell] = self.v.multiply_add(
                    factors[at_left],
                    reads[at_right],
                    cells[cell],
                    tile.lanes,
                    is_fused=site.is_fused,
                )
        return cells


def _offset(read: TileRead, step: int) -> int:
    """How far a step moves a read."""
    if read.split is None:
        return read.step * step
    return _row_offset(read, step) + read.split.remainder * (step % read.split.divisor)


def _row_offset(read: TileRead, step: int) -> int:
    """The part of the offset that belongs to the quotient of the step."""
    return 0 if read.split is None else read.split.quotient * (step // read.split.divisor)


def _moved(read: TileRead, divisor: int) -> int:
    """How far a read moves with the quotient of the step."""
    if read.split is None:
        return read.step * divisor
    assert read.split.divisor == divisor
    return read.split.quotient
