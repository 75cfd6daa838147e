"""Maps that exchange rows and columns, in tiles that are turned round in registers.

A tile of the source is read row by row, transposed in registers, and written row by row, so that
both sides move whole vectors, and whole cache lines where a tile is made of several small ones.
Tiles are grouped in blocks, whose source stays in the second-level cache until its lines are used
up. A result that outgrows that cache is streamed past it where its rows begin at whole vectors.
"""

from __future__ import annotations

from collections.abc import Sequence

from mapal.analysis.move_plan import MoveSite, move_plan
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.columns import machine_lanes, power_below
from mapal.codegen.llvm.kernels.site import Kernel, MapSite
from mapal.codegen.llvm.kernels.streaming import choose_streaming
from mapal.codegen.llvm.kernels.transpose_nest import Transposition, add_transposition
from mapal.codegen.llvm.module import Processor
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.slices import Cut
from mapal.codegen.llvm.values import Memory, Value
from mapal.ir.types import Scalar

_MOST_LANES = 16
"""Of a register; more rounds of shuffles cost more than longer vectors save."""

_LEAST_SIDE = 4
"""Of a matrix; for less, a loop with strides is as good."""

_LINE_BYTES = 64
_MOST_SHUFFLES = 256
"""Of one tile."""

_BLOCK_COLUMNS = 64
"""Rows of the source in a block: so many streams of reads are followed by hardware."""

_USUAL_L2_BYTES = 256 * 1024
_SLICES = 4
"""Into how many slices a transposition is cut at least where there are bands enough."""


def transposition(e: Emitter, site: MapSite) -> Kernel | None:
    """The kernel of a transposition."""
    move = move_plan(site.graph, site.scope.function.id).get(site.morphism.id)
    if move is None or move.row_step != 1 or not isinstance(move.element, Scalar):
        return None
    plan = _plan(e.module.profile, move, move.element)
    if plan is None:
        return None
    shape = f"transposition, tile {plan.lanes}x{plan.lanes}"
    reason = f"blocks of {plan.block_bands * plan.side}x{plan.block_tiles * plan.side}"
    if plan.streams:
        shape += ", streamed"
        reason += "; the result exceeds the second-level cache"
    return Kernel(shape, reason, _Emission(e, site, move, plan).emit)


def _plan(profile: Processor, move: MoveSite, element: Scalar) -> Transposition | None:
    shorter = power_below(min(move.rows, move.width))
    lanes = min(_MOST_LANES, machine_lanes(profile, element), shorter)
    if lanes < 2 or shorter < _LEAST_SIDE:
        return None
    side = lanes
    while side < min(shorter, _LINE_BYTES // element.bytes):
        if (2 * side // lanes) ** 2 * lanes * (lanes.bit_length() - 1) > _MOST_SHUFFLES:
            break
        side *= 2
    l2 = profile.l2.bytes if profile.l2 is not None else _USUAL_L2_BYTES
    is_large = move.rows * move.width * element.bytes > l2
    is_even = move.rows % side == 0 and move.width % side == 0
    block_rows = max(side, l2 // 4 // (_BLOCK_COLUMNS * element.bytes))
    return Transposition(
        element=element,
        rows=move.rows,
        width=move.width,
        stride=move.column_step,
        lanes=lanes,
        side=side,
        block_bands=block_rows // side,
        block_tiles=max(1, _BLOCK_COLUMNS // side),
        streams=is_large and is_even,
    )


class _Emission:
    """One transposition being emitted."""

    def __init__(self, e: Emitter, site: MapSite, move: MoveSite, plan: Transposition) -> None:
        self.site = site
        self.move = move
        self.plan = plan
        self.symbol = f"@transposition.{e.module.new_kernel()}"

    def emit(self, e: Emitter, scope: Scope) -> Cut | None:
        """Bands of rows are the units."""
        plan = self.plan
        add_transposition(e.module, self.symbol, plan, streams=False)
        if plan.streams:
            add_transposition(e.module, f"{self.symbol}.streamed", plan, streams=True)
        return self.site.fill(
            e,
            scope,
            self._bands,
            [self.site.stored(e, self.move.slot)],
            units=plan.bands,
            operations=plan.side * plan.width,
            quantum=max(1, min(plan.block_bands, plan.bands // _SLICES)),
        )

    def _bands(
        self, e: Emitter, _: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        (source,) = values
        assert isinstance(source, Memory)
        symbol = self.symbol
        if self.plan.streams:
            alignment = self.plan.lanes * self.plan.element.bytes
            symbol = choose_streaming(e.w, made.pointer, alignment, symbol)
        e.w.line(
            f"call void {symbol}(ptr {source.pointer}, ptr {made.pointer}, i64 {low}, i64 {high})"
        )
