"""Maps whose bodies hold loops, collections or guarded reads: elements side by side in lanes.

LLVM vectorises straight bodies by itself; these it leaves alone. Elements stand in the lanes of
vectors, and every lane does what the program says of its element, in that order.

Where the body divides the number of its element by a literal that divides the number of all, the
elements are rows of a grid: no block crosses the end of a row, so the quotient is the same in all
lanes and the remainder rises from lane to lane, and neither is ever divided for. Where the body
asks whether an element is near the ends of its row, the first and the last block of a row are
emitted apart, and the answer for all blocks between them is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mapal.analysis.work import work_of
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.site import Kernel, MapSite
from mapal.codegen.llvm.kernels.vectors import only_if
from mapal.codegen.llvm.lanes import arrays
from mapal.codegen.llvm.lanes.context import Lanes
from mapal.codegen.llvm.lanes.records import store_records
from mapal.codegen.llvm.lanes.suitability import Traits, is_flat, is_small, traits_of
from mapal.codegen.llvm.lanes.values import Exact, LaneValue, Linear, Split
from mapal.codegen.llvm.lanes.walk import Walker
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.slices import Cut
from mapal.codegen.llvm.values import Memory, Range, Value, is_computed
from mapal.ir import ops
from mapal.ir.ops import FunctionId
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type

_MASKED_BYTES = 32
"""Vectors of so many bytes and more can be loaded and stored under a mask."""

_LEAST_BLOCKS = 4
"""In a row whose ends are emitted apart."""

_CHAINS = 2
"""Vectors side by side where one would wait for its own last result."""


def side_by_side(e: Emitter, site: MapSite) -> Kernel | None:
    """The kernel of a Map with a body that LLVM does not vectorise."""
    op, ty = site.morphism.op, site.ty
    assert isinstance(op, ops.Map)
    if not is_flat(ty.element) or not is_small(e.graph, op.body):
        return None
    if any(is_computed(value) for _, value in site.operands):
        return None
    has_fma = e.module.profile.fused_multiply_add
    traits = traits_of(e.graph, op.body, e.module.total | e.module.in_range, has_fma=has_fma)
    if traits is None or not _is_worth_it(e, traits):
        return None
    plan = _plan(e, site, traits)
    if plan is None:
        return None
    return Kernel(plan.shape, plan.reason, _Emission(site, op.body, plan).emit)


def _is_worth_it(e: Emitter, traits: Traits) -> bool:
    """Whether LLVM leaves the body alone, and lanes do better: guarded reads want loads under a
    mask, which only wide vectors have."""
    if traits.has_loop or traits.has_collection:
        return True
    return traits.reads_in_arm and e.module.profile.vector_bytes >= _MASKED_BYTES


@dataclass(frozen=True, slots=True)
class _Plan:
    """`count` elements in blocks of `width` lanes; with `row`, in rows of so many, whose ends are
    apart where `has_border`."""

    count: int
    width: int
    row: int | None
    has_border: bool

    @property
    def shape(self) -> str:
        return f"side by side, {self.width} lanes"

    @property
    def reason(self) -> str:
        rows = "" if self.row is None else f", in rows of {self.row}"
        rows += " with their ends apart" if self.has_border else ""
        return f"the body holds loops, collections or guarded reads{rows}"

    @property
    def units(self) -> int:
        """Rows, or blocks."""
        return -(-self.count // (self.row or self.width))

    @property
    def elements(self) -> int:
        """Elements of a unit."""
        return self.row or self.width


def _plan(e: Emitter, site: MapSite, traits: Traits) -> _Plan | None:
    count = site.ty.length
    native = e.module.profile.vector_bytes // traits.widest
    width = native * (_CHAINS if traits.has_loop or traits.has_collection else 1)
    _, array = site.operands[-1]
    row = None
    if isinstance(array, Range):
        fitting = [d for d in traits.divisors if d >= native and count % d == 0]
        row = max(fitting, default=None)
    while width > (row or count):
        width //= 2
    if width < 2 or 2 * width < native:
        return None
    has_border = row in traits.bordered and row >= _LEAST_BLOCKS * width
    return _Plan(count, width, row, has_border)


class _Emission:
    """One Map being emitted."""

    def __init__(self, site: MapSite, body: FunctionId, plan: _Plan) -> None:
        self.site = site
        self.body = body
        self.plan = plan
        source, _ = site.operands[-1]
        assert isinstance(source, Array)
        self.source = source

    def emit(self, e: Emitter, scope: Scope) -> Cut | None:
        """All blocks, in slices where that pays."""
        site, plan = self.site, self.plan
        return site.fill(
            e,
            scope,
            self._range,
            site.operands,
            units=plan.units,
            operations=work_of(e.graph, self.body) * plan.elements // plan.width,
        )

    def _range(
        self, e: Emitter, _: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        if self.plan.row is not None:
            self._rows(e, values, made, low, high, self.plan.row)
        else:
            self._blocks(e, values, made, low, high)

    def _rows(
        self, e: Emitter, values: Sequence[Value], made: Memory, low: str, high: str, length: int
    ) -> None:
        """Whole rows. The last block of a row starts early enough to be whole."""
        with memory.range_loop(e, low, high, "row") as row:
            first = e.w.value(f"mul nuw nsw i64 {row}, {length}")
            quotient = memory.narrow_index(e, row)
            for column in self._columns(e, length):
                at = column.base
                start = first if at == "0" else e.w.value(f"add nuw nsw i64 {first}, {at}")
                split = Split(length, quotient, memory.narrow_index(e, at), column)
                exact = Exact(0, self.plan.count - 1, start)
                self._block(e, values, made, Linear(start, 1, split, exact))

    def _columns(self, e: Emitter, length: int) -> Iterator[Exact]:
        """The columns of each block of a row, in a loop unless there is one block. The ends of
        rows with a border come by themselves."""
        width = self.plan.width
        last = length - width
        if length == width:
            yield Exact(0, width - 1, "0")
            return
        if not self.plan.has_border:
            with memory.counted_loop(e, -(-length // width), "block") as block:
                column = e.w.value(f"mul nuw nsw i64 {block.index}, {width}")
                if length % width:
                    fits = e.w.value(f"icmp ult i64 {column}, {last}")
                    column = e.w.value(f"select i1 {fits}, i64 {column}, i64 {last}")
                yield Exact(0, length - 1, column)
            return
        yield Exact(0, width - 1, "0")
        between = -(-length // width) - 2
        with memory.counted_loop(e, between, "block") as block:
            above = e.w.value(f"mul nuw nsw i64 {block.index}, {width}")
            column = e.w.value(f"add nuw nsw i64 {above}, {width}")
            yield Exact(width, (between + 1) * width - 1, column)
        yield Exact(last, length - 1, str(last))

    def _blocks(
        self, e: Emitter, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        """Whole blocks, then the rest under a mask."""
        width = self.plan.width
        whole, rest = divmod(self.plan.count, width)
        w = e.w
        if whole:
            end = high
            if rest:
                fits = w.value(f"icmp ult i64 {high}, {whole}")
                end = w.value(f"select i1 {fits}, i64 {high}, i64 {whole}")
            is_any = w.value(f"icmp ult i64 {low}, {end}")
            with (
                only_if(w, is_any, "blocks"),
                memory.range_loop(e, low, end, "block") as block,
            ):
                start = w.value(f"mul nuw nsw i64 {block}, {width}")
                exact = Exact(0, whole * width - 1, start)
                self._block(e, values, made, Linear(start, 1, exact=exact))
        if rest:
            is_last = w.value(f"icmp ugt i64 {high}, {whole}")
            with only_if(w, is_last, "rest"):
                self._block(e, values, made, Linear(str(whole * width), 1), live=rest)

    def _block(
        self,
        e: Emitter,
        values: Sequence[Value],
        made: Memory,
        index: Linear,
        live: int | None = None,
    ) -> None:
        """The elements of one block: of as many lanes as the plan says, or of the first `live`
        of as few as hold them."""
        e.check_size()
        width, mask = self.plan.width, None
        if live is not None:
            width = max(2, 1 << (live - 1).bit_length())
        lanes = Lanes(e, width)
        if live is not None and live < width:
            bits = ", ".join(f"i1 {'true' if lane < live else 'false'}" for lane in range(width))
            mask = f"<{bits}>"
        walker = Walker(lanes)
        *captures, array = values
        with lanes.under(mask):
            element = arrays.element(lanes, array, self.source, index)
            result = walker.apply_body(self.body, (*captures, element))
            address = memory.element_pointer(e, made.pointer, self.site.ty.element, index.base)
            size = e.layouts.of(self.site.ty.element).size
            if not store_records(lanes, self.site.ty.element, result, address):
                _store(lanes, self.site.ty.element, result, address, size)


def _store(lanes: Lanes, ty: Type, value: LaneValue, address: str, size: int) -> None:
    """Stores the elements of all lanes that count; they lie `size` bytes apart."""
    match ty:
        case Scalar():
            vector = lanes.vector(ty, value)
            if size == ty.bytes:
                arrays.store(lanes, ty, vector, address, lanes.mask)
            else:
                arrays.scatter(lanes, ty, vector, address, size, lanes.mask)
        case Tuple() | Struct() if isinstance(value, tuple):
            for item, part, start in zip(ty.items, value, lanes.e.layouts.offsets(ty), strict=True):
                place = memory.offset_pointer(lanes.e, address, start)
                _store(lanes, item, part, place, size)
