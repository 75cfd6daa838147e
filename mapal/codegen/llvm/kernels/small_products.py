"""Many small products: maps of folds whose reads repeat from period to period.

All cells of a period are computed side by side, in vectors along the cells. What a step reads is
loaded once in whole vectors and put in its places by shuffles whose patterns are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mapal.analysis.periodic_plan import PeriodicRead, PeriodicSite, periodic_plan
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.columns import machine_lanes
from mapal.codegen.llvm.kernels.site import Kernel, MapSite
from mapal.codegen.llvm.kernels.vectors import (
    Vectors,
    carrying_loop,
    function_attributes,
    only_if,
    vector_type,
)
from mapal.codegen.llvm.module import ModuleBuilder
from mapal.codegen.llvm.scalar_context import literal
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.slices import Cut
from mapal.codegen.llvm.values import Memory, Value
from mapal.codegen.llvm.writer import FunctionWriter

_MOST_WRITTEN_OUT = 256
"""Vector multiply-adds of a period."""


def small_products(e: Emitter, site: MapSite) -> Kernel | None:
    """The kernel of many small products."""
    found = periodic_plan(site.graph, site.scope.function.id).get(site.morphism.id)
    if found is None or (found.is_fused and not e.module.profile.fused_multiply_add):
        return None
    lanes = machine_lanes(e.module.profile, found.element)
    together = max(1, min(lanes // found.cells, found.periods))
    several = found.of_several(together)
    if not (_is_short(several, lanes) and _has_windows(several, lanes)):
        return None
    shape = f"small products, {several.cells} cells at once"
    reason = f"reads repeat every {found.cells} cells"
    return Kernel(shape, reason, _Emission(e, site, found, together).emit)


def _is_short(found: PeriodicSite, lanes: int) -> bool:
    return -(-found.cells // lanes) * found.steps <= _MOST_WRITTEN_OUT


class _Emission:
    """One map being emitted, `together` periods at once."""

    def __init__(self, e: Emitter, site: MapSite, found: PeriodicSite, together: int) -> None:
        self.site = site
        self.found = found
        self.together = together
        self.symbol = f"@products.{e.module.new_kernel()}"

    @property
    def whole(self) -> int:
        """Units of whole groups of periods; periods that are left are one more."""
        return self.found.periods // self.together

    def emit(self, e: Emitter, scope: Scope) -> Cut | None:
        """Groups of periods are the units."""
        found = self.found
        lanes = machine_lanes(e.module.profile, found.element)
        has_rest = found.periods % self.together > 0
        _add_function(e.module, self.symbol, found.of_several(self.together), lanes)
        if has_rest:
            _add_function(e.module, f"{self.symbol}.rest", found, lanes)
        return self.site.fill(
            e,
            scope,
            self._periods,
            [self.site.stored(e, read.slot) for read in (found.x, found.y)],
            units=self.whole + has_rest,
            operations=2 * found.cells * self.together * found.steps // lanes,
        )

    def _periods(
        self, e: Emitter, _: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        """The units from `low` up to but not with `high`; the last one may be the rest."""
        x, y = values
        assert isinstance(x, Memory)
        assert isinstance(y, Memory)
        w, pointers = e.w, f"ptr {x.pointer}, ptr {y.pointer}, ptr {made.pointer}"
        first = self.whole * self.together
        if first == self.found.periods:
            w.line(f"call void {self.symbol}({pointers}, i64 {low}, i64 {high})")
            return
        has_whole = w.value(f"icmp ult i64 {low}, {self.whole}")
        with only_if(w, has_whole, "whole"):
            fits = w.value(f"icmp ult i64 {high}, {self.whole}")
            end = w.value(f"select i1 {fits}, i64 {high}, i64 {self.whole}")
            w.line(f"call void {self.symbol}({pointers}, i64 {low}, i64 {end})")
        is_last = w.value(f"icmp ugt i64 {high}, {self.whole}")
        with only_if(w, is_last, "rest"):
            bounds = f"i64 {first}, i64 {self.found.periods}"
            w.line(f"call void {self.symbol}.rest({pointers}, {bounds})")


def _add_function(module: ModuleBuilder, symbol: str, site: PeriodicSite, lanes: int) -> None:
    """Adds `void symbol(ptr x, ptr y, ptr result, i64 low, i64 high)` to a module: the periods
    from `low` up to but not with `high`, at least one."""
    w = FunctionWriter()
    v = Vectors(module, w, site.element)
    with carrying_loop(w, ("%low", "%high", 1), [], "period", module.not_unrolled()) as loop:
        x = _Windows(v, v.address("%x", v.product(loop.index, site.x.stride)), site.x, lanes)
        y = _Windows(v, v.address("%y", v.product(loop.index, site.y.stride)), site.y, lanes)
        result = v.address("%result", v.product(loop.index, site.cells))
        for first in range(0, site.cells, lanes):
            width = min(lanes, site.cells - first)
            cells = v.splat(literal(site.seed, site.element), width)
            for step in range(site.steps):
                at = slice(first, first + width)
                cells = v.multiply_add(
                    x.placed(site.x.offsets[step][at]),
                    y.placed(site.y.offsets[step][at]),
                    cells,
                    width,
                    is_fused=site.is_fused,
                )
            v.store(cells, v.address(result, first), width)
    w.line("ret void")
    parameters = (
        "ptr noalias readonly %x, ptr noalias readonly %y, ptr noalias %result, i64 %low, i64 %high"
    )
    module.add_function(
        f"define internal void {symbol}({parameters}) noinline "
        f"{function_attributes(module)} {{\n{w.text()}\n}}"
    )


@dataclass(frozen=True, slots=True)
class _Window:
    """`length` elements from offset `first` on."""

    first: int
    length: int


def _window_of(offsets: Sequence[int], read: PeriodicRead, lanes: int) -> _Window | None:
    """What to load for a vector of elements: a few neighbours, if it consists of these, else
    one of the vectors that what the read touches is cut into; None if it takes more."""
    lowest, highest = min(offsets), max(offsets)
    span = highest - lowest + 1
    if len(set(offsets)) == span and span & (span - 1) == 0 and span <= lanes:
        return _Window(lowest, span)
    least = min(map(min, read.offsets))
    most = max(map(max, read.offsets))
    first = least + (lowest - least) // lanes * lanes
    if highest < first + lanes:
        return _Window(first, min(lanes, most + 1 - first))
    return _Window(lowest, span) if span <= 2 * lanes else None


def _has_windows(site: PeriodicSite, lanes: int) -> bool:
    return all(
        _window_of(row[first : first + lanes], read, lanes) is not None
        for read in (site.x, site.y)
        for row in read.offsets
        for first in range(0, site.cells, lanes)
    )


class _Windows:
    """What one factor reads in a period, each part loaded once."""

    def __init__(self, v: Vectors, base: str, read: PeriodicRead, lanes: int) -> None:
        self._v = v
        self._base = base
        self._read = read
        self._lanes = lanes
        self._loaded: dict[_Window, str] = {}

    def placed(self, offsets: Sequence[int]) -> str:
        """The elements at some offsets, as a vector in this order."""
        v, width = self._v, len(offsets)
        if len(set(offsets)) == 1:
            return v.splat(v.load_element(v.address(self._base, offsets[0])), width)
        window = _window_of(offsets, self._read, self._lanes)
        assert window is not None
        if window not in self._loaded:
            address = v.address(self._base, window.first)
            self._loaded[window] = v.load(address, window.length)
        loaded = self._loaded[window]
        places = [offset - window.first for offset in offsets]
        if places == list(range(window.length)):
            return loaded
        ty = vector_type(v.ty, window.length)
        mask = ", ".join(f"i32 {place}" for place in places)
        return v.w.value(f"shufflevector {ty} {loaded}, {ty} poison, <{width} x i32> <{mask}>")
