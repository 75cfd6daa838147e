"""Sliding windows: each output is a chain over taps of products with neighbouring elements.

Finite impulse responses and correlations in one dimension, in any element type and either
arithmetic mode. Long outputs are made by streams that read each element of the signal once for
all chains under way; short ones are left to tiles of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mapal.analysis.tile_plan import TileSite, tile_plan
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.cell_tile import CellTile, add_tile_function
from mapal.codegen.llvm.kernels.columns import cover, machine_lanes, rounded_up
from mapal.codegen.llvm.kernels.site import Kernel, MapSite
from mapal.codegen.llvm.kernels.vectors import Vectors, guarded_loop, only_if
from mapal.codegen.llvm.kernels.window_stream import WindowStream, add_stream_function
from mapal.codegen.llvm.module import Processor
from mapal.codegen.llvm.scalar_context import literal
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.slices import Cut
from mapal.codegen.llvm.values import Memory, Value
from mapal.ir.types import Scalar

_LINE_BYTES = 64
_SHARING_CHAINS = 4
"""A vector of a whole cache line straddles two of them wherever it is not aligned. Where a read
serves less chains than this, half vectors are better."""

_CHAINS = 8
"""Chains under way that hide the latency of a product and a sum in two pipelines."""

_LEAST_PASSES = 4
"""A stream has to be so many times as long as its start, which completes nothing."""

_USUAL_L2_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class _Plan:
    """How a window is computed: `pieces` are the taps of each pass over a block of outputs. A
    unit is a vector of each stream; the `rest` of the outputs is a tile of its own."""

    lanes: int
    streams: int
    pieces: tuple[int, ...]
    units: int
    rest: int
    block_units: int

    @property
    def unit(self) -> int:
        """Outputs of a unit."""
        return self.lanes * self.streams

    @property
    def under_way(self) -> int:
        """Chains of a stream that run at the same time."""
        return -(-self.pieces[0] // self.lanes)

    @property
    def shape(self) -> str:
        """For the emission plan."""
        streams = "a stream" if self.streams == 1 else f"{self.streams} streams"
        return f"window, {streams} of {self.lanes} lanes"

    @property
    def reason(self) -> str:
        """For the emission plan."""
        chains = f"{self.under_way * self.streams} chains under way share what is read"
        if len(self.pieces) == 1:
            return chains
        return f"{chains}; taps in {len(self.pieces)} pieces, as many as registers hold"


def window(e: Emitter, site: MapSite) -> Kernel | None:
    """The kernel of a sliding window."""
    tile = tile_plan(site.graph, site.scope.function.id).get(site.morphism.id)
    if tile is None or not _is_window(tile):
        return None
    if tile.is_fused and not e.module.profile.fused_multiply_add:
        return None
    plan = _plan(e.module.profile, tile.element, tile.lanes, tile.steps)
    if plan.units < _LEAST_PASSES * plan.under_way:
        return None
    return Kernel(plan.shape, plan.reason, _Emission(e, site, tile, plan).emit)


def _is_window(tile: TileSite) -> bool:
    """One row whose lanes read a signal at neighbouring places."""
    is_plain = tile.a.split is None and tile.b.split is None
    return is_plain and tile.rows == 1 and tile.b.step == 1 and tile.steps > 1


def _plan(profile: Processor, ty: Scalar, outputs: int, taps: int) -> _Plan:
    lanes = machine_lanes(profile, ty)
    if profile.vector_bytes >= _LINE_BYTES and taps < _SHARING_CHAINS * lanes:
        lanes //= 2
    pieces = _pieces(taps, lanes, profile.vector_registers // 2)
    under_way = -(-pieces[0] // lanes)
    streams = max(1, -(-_CHAINS // under_way))
    unit = lanes * streams
    # Whole vectors are read for the last taps: the signal has to go on behind the last unit.
    beyond = rounded_up(pieces[-1], lanes) - pieces[-1]
    units = max(0, outputs - beyond) // unit
    block_units = max(1, units)
    if len(pieces) > 1:
        l2 = profile.l2.bytes if profile.l2 is not None else _USUAL_L2_BYTES
        block_units = max(1, l2 // 4 // (unit * ty.bytes))
    return _Plan(lanes, streams, pieces, units, outputs - units * unit, block_units)


def _pieces(taps: int, lanes: int, chains: int) -> tuple[int, ...]:
    """Equal pieces of the taps that need at most so many chains, whole vectors but the last."""
    count = -(-taps // (chains * lanes))
    piece = rounded_up(-(-taps // count), lanes)
    whole, rest = divmod(taps, piece)
    return (piece,) * whole + ((rest,) if rest else ())


class _Emission:
    """One window being emitted."""

    def __init__(self, e: Emitter, site: MapSite, tile: TileSite, plan: _Plan) -> None:
        self.site = site
        self.tile = tile
        self.plan = plan
        self.symbol = f"@window.{e.module.new_kernel()}"
        self.seed = literal(tile.seed, tile.element)

    def emit(self, e: Emitter, scope: Scope) -> Cut | None:
        """Streams, cut into slices of whole units, and the rest."""
        self._add_functions(e)
        tile, plan = self.tile, self.plan
        return self.site.fill(
            e,
            scope,
            self._outputs,
            [self.site.stored(e, tile.a.slot), self.site.stored(e, tile.b.slot)],
            units=plan.units + bool(plan.rest),
            operations=2 * plan.streams * tile.steps,
            quantum=2 * _LEAST_PASSES * plan.under_way,
        )

    def _add_functions(self, e: Emitter) -> None:
        tile, plan = self.tile, self.plan
        for number, taps in self._functions().items():
            stream = WindowStream(
                element=tile.element,
                lanes=plan.lanes,
                taps=taps,
                tap_step=tile.a.step,
                streams=plan.streams,
                seed=self.seed if number == 0 else None,
                is_fused=tile.is_fused,
            )
            add_stream_function(e.module, f"{self.symbol}.{number}", stream)
        if plan.rest:
            lanes, starts = cover(plan.rest, machine_lanes(e.module.profile, tile.element))
            rest = CellTile(
                site=tile, rows=1, lanes=lanes, starts=starts, advance=0, seed=self.seed
            )
            add_tile_function(e.module, f"{self.symbol}.rest", rest)

    def _functions(self) -> dict[int, int]:
        """The taps of each stream function, by the number of the first piece that uses it."""
        found: dict[int, int] = {}
        for number, taps in enumerate(self.plan.pieces):
            if number < 2 or taps != self.plan.pieces[number - 1]:
                found[number] = taps
        return found

    def _outputs(
        self, e: Emitter, _: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        """The units from `low` up to but not with `high`; the last one is the rest."""
        taps, signal = values
        assert isinstance(taps, Memory)
        assert isinstance(signal, Memory)
        w, plan = e.w, self.plan
        v = Vectors(e.module, w, self.tile.element)
        end = high
        if plan.rest:
            fits = w.value(f"icmp ult i64 {high}, {plan.units}")
            end = w.value(f"select i1 {fits}, i64 {high}, i64 {plan.units}")
        with guarded_loop(w, (low, end, plan.block_units), "block") as block:
            left = w.value(f"sub nuw nsw i64 {end}, {block}")
            is_short = w.value(f"icmp ult i64 {left}, {plan.block_units}")
            count = w.value(f"select i1 {is_short}, i64 {left}, i64 {plan.block_units}")
            output = v.product(block, plan.unit)
            self._pieces(v, (taps.pointer, signal.pointer, made.pointer), output, count)
        if not plan.rest:
            return
        is_last = w.value(f"icmp ugt i64 {high}, {plan.units}")
        with only_if(w, is_last, "rest"):
            output = plan.units * plan.unit
            w.line(
                f"call void {self.symbol}.rest(ptr {taps.pointer}, "
                f"ptr {v.address(signal.pointer, output)}, "
                f"ptr {v.address(made.pointer, output)}, i64 1)"
            )

    def _pieces(
        self, v: Vectors, pointers: tuple[str, str, str], output: int | str, count: str
    ) -> None:
        """All taps of some outputs, one piece after the other."""
        taps, signal, made = pointers
        target = v.address(made, output)
        source = v.address(v.address(signal, self.tile.b.base), output)
        functions = self._functions()
        tap, number = 0, 0
        for at, piece in enumerate(self.plan.pieces):
            number = at if at in functions else number
            factor = v.address(taps, self.tile.a.base + tap * self.tile.a.step)
            v.w.line(
                f"call void {self.symbol}.{number}(ptr {factor}, ptr {v.address(source, tap)}, "
                f"ptr {target}, i64 {count})"
            )
            tap += piece
