"""Reduce: the combining tree that the language fixes for a number of elements.

Blocks of 4096 elements; in each, 64 lanes that fold every 64th element; then the lanes
pairwise, then the blocks pairwise (`mapal.ir.reduction` states the tree once, for all). Loops
over the lanes of a block have no dependence, and `lanes` keeps them in vector registers. Blocks
do not depend on each other: they are bulk work, and the tree above them is a thousandth of it.

What comes from memory beyond the caches is read in several places at once, which one stream of
reads does not keep busy: that many blocks, far from each other, take turns row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mapal.analysis.work import work_of
from mapal.codegen.layout import Layout
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.arrays import record
from mapal.codegen.llvm.collections import RunFunction, apply_body
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.footprint import bytes_behind
from mapal.codegen.llvm.reduction_lanes import Lanes, holds_array, lanes_of
from mapal.codegen.llvm.reduction_vectors import Vectors, is_in_vectors, rows_in_turns
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.slices import Bulk, cut_of, execute
from mapal.codegen.llvm.values import Buffer, Memory, Value
from mapal.ir import ops
from mapal.ir.ops import FunctionId
from mapal.ir.order import OperationItem
from mapal.ir.reduction import BLOCK, LANES, lane_count
from mapal.ir.types import Array, Type, has_no_representation

Combine = Callable[[Value, Value], Value]

_STREAMS = 4
"""Blocks read at once. Two are less than the memory of a processor gives, eight gave no more and
need more registers than there are (docs/performance.md)."""

_LARGEST_BODY = 16
"""Operations of a combination that is still faster than memory."""

_USUAL_L3_BYTES = 16 << 20
_SHARE_OF_L3 = 2
"""Arrays that take half of the last cache are not found in it again."""


@dataclass(frozen=True, slots=True)
class _Reduction:
    """One site in one LLVM function: its elements, how to combine two, memory where a combination
    that holds arrays is completed, and how it goes in vectors if it does."""

    e: Emitter
    array: Value
    ty: Array
    combine: Combine
    staging: str | None
    vectors: Vectors | None

    @property
    def element(self) -> Type:
        return self.ty.element

    def at(self, base: str, index: str) -> str:
        return memory.element_pointer(self.e, base, self.element, index)

    def read(self, address: str) -> Value:
        return memory.load(self.e, self.element, address, (Buffer(writable=False),))

    def write(self, value: Value, address: str) -> None:
        """Stores a combination. One that holds arrays may be made of what it replaces, and is
        completed elsewhere first."""
        if self.staging is None:
            memory.store(self.e, self.element, value, address)
            return
        memory.store(self.e, self.element, value, self.staging)
        memory.copy_bytes(self.e, address, self.staging, self.element)

    def combine_into(self, target: str, left: str, right: Value) -> None:
        self.write(self.combine(self.read(left), right), target)


def reduce_elements(e: Emitter, scope: Scope, item: OperationItem, run: RunFunction) -> Value:
    """The value of a Reduce."""
    ty = e.graph.ty(item.operands[-1])
    assert isinstance(ty, Array)
    if has_no_representation(ty):
        record(e, scope, "reduce", item.morphism.key, ty.length, "tree", "the order is fixed")
        return None
    values = [scope.values.get(obj) for obj in item.operands]
    site = _Site.of(item, ty, run, _streams(e, item, ty, values[-1]))
    made = site.made(e)
    bulk = Bulk(
        units=site.blocks,
        operations=BLOCK * work_of(e.graph, site.body),
        captured=list(zip(map(e.graph.ty, item.operands), values, strict=True)),
        made=made,
        ty=Array(ty.element, site.blocks),
        body=site.emit_range,
    )
    cut = cut_of(e, bulk)
    more = f"; {site.streams} streams" if site.streams > 1 else ""
    _record(e, scope, item, ty, more if cut is None else f"{more}; {cut.reason}")
    scope.frames[-1].position -= 1
    execute(e, scope, bulk, cut)
    _block_tree(site.at(e, scope, values), made.pointer, site.blocks)
    scope.frames[-1].position += 1
    return memory.load(e, ty.element, made.pointer, (Buffer(writable=True),))


def reduce_in_turns(
    e: Emitter, scopes: Sequence[Scope], item: OperationItem, run: RunFunction
) -> list[Value]:
    """The values of a Reduce in several applications of a body, whose elements are taken in
    turns. None of them is cut for threads."""
    ty = e.graph.ty(item.operands[-1])
    assert isinstance(ty, Array)
    site = _Site.of(item, ty, run)
    _record(e, scopes[0], item, ty, f"; {len(scopes)} in turns")
    strands, made = [], [site.made(e) for _ in scopes]
    for scope in scopes:
        scope.frames[-1].position -= 1
        values = [scope.values.get(obj) for obj in item.operands]
        strands.append((site.at(e, scope, values), site.lanes(e)))
    site.all_blocks(strands, made)
    results: list[Value] = []
    for scope, (reduction, _), memory_of_blocks in zip(scopes, strands, made, strict=True):
        pointer = memory_of_blocks.pointer
        _block_tree(reduction, pointer, site.blocks)
        results.append(memory.load(e, ty.element, pointer, (Buffer(writable=True),)))
        scope.frames[-1].position += 1
    return results


def _record(e: Emitter, scope: Scope, item: OperationItem, ty: Array, more: str) -> None:
    where = "memory" if holds_array(ty.element) else "registers"
    reason = f"the order is fixed; {lane_count(ty.length)} lanes in {where}{more}"
    record(e, scope, "reduce", item.morphism.key, ty.length, "tree", reason)


def _streams(e: Emitter, item: OperationItem, ty: Array, array: Value) -> int:
    """How many blocks are read at once."""
    if not (e.uses_kernels and e.module.has_kernels) or holds_array(ty.element):
        return 1
    assert isinstance(item.morphism.op, ops.Reduce)
    if ty.length < _STREAMS * BLOCK or work_of(e.graph, item.morphism.op.body) > _LARGEST_BODY:
        return 1
    l3 = e.module.profile.l3
    cache = l3.bytes if l3 is not None else _USUAL_L3_BYTES
    return _STREAMS if bytes_behind(e, ty, array) * _SHARE_OF_L3 > cache else 1


_Strand = tuple[_Reduction, Lanes]
"""A reduction with the lanes of a block of it."""


@dataclass(frozen=True, slots=True)
class _Site:
    """What is combined where: the body, the array of all elements, and how many blocks are read
    at once."""

    body: FunctionId
    ty: Array
    run: RunFunction
    streams: int

    @staticmethod
    def of(item: OperationItem, ty: Array, run: RunFunction, streams: int = 1) -> _Site:
        """The site of a Reduce."""
        assert isinstance(item.morphism.op, ops.Reduce)
        return _Site(item.morphism.op.body, ty, run, streams)

    @property
    def blocks(self) -> int:
        return -(-self.ty.length // BLOCK)

    def made(self, e: Emitter) -> Memory:
        """Memory for the values of the blocks."""
        return Memory(e.slot(self.layout(e, self.blocks)), (Buffer(writable=True),))

    def layout(self, e: Emitter, count: int) -> Layout:
        """Memory for `count` values, which vectors may reach for."""
        one = e.layouts.of(self.ty.element)
        return Layout(one.size * count, max(one.alignment, 64))

    def at(self, e: Emitter, scope: Scope, values: Sequence[Value]) -> _Reduction:
        """The reduction in one LLVM function, which sees captures and array as `values`."""
        *captures, array = values

        def combine(left: Value, right: Value) -> Value:
            arguments = (*captures, left, right)
            return apply_body(e, scope, self.body, arguments, frozenset(), None, self.run)

        is_scalar = not holds_array(self.ty.element)
        staging = None if is_scalar else e.slot(e.layouts.of(self.ty.element))
        vectors = None
        if is_in_vectors(e, self.body, self.ty, captures, array):
            vectors = Vectors(e, self.body, self.ty, captures, array)
        return _Reduction(e, array, self.ty, combine, staging, vectors)

    def emit_range(
        self, e: Emitter, scope: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        """The blocks from `low` up to but not with `high`. Only the last of all may be short."""
        strands = [(self.at(e, scope, values), self.lanes(e))]
        full, rest = divmod(self.ty.length, BLOCK)
        if low == "0" and high == str(self.blocks):
            self.all_blocks(strands, [made])
            return
        if not rest:
            self.full_blocks(strands, [made], low, high)
            return
        with _branch(e, f"icmp ult i64 {low}, {full}", "reduce.full"):
            is_last = e.w.value(f"icmp ugt i64 {high}, {full}")
            end = e.w.value(f"select i1 {is_last}, i64 {full}, i64 {high}")
            self.full_blocks(strands, [made], low, end)
        with _branch(e, f"icmp ugt i64 {high}, {full}", "reduce.short"):
            _short_block(strands, [made], full, rest)

    def all_blocks(self, strands: Sequence[_Strand], made: Sequence[Memory]) -> None:
        """All blocks of each strand."""
        full, rest = divmod(self.ty.length, BLOCK)
        if full:
            self.full_blocks(strands, made, "0", str(full))
        if rest:
            _short_block(strands, made, full, rest)

    def full_blocks(
        self, strands: Sequence[_Strand], made: Sequence[Memory], low: str, high: str
    ) -> None:
        """Blocks of full length, at least one, of each strand; those of a single one in so many
        streams as there are, and what these leave over one by one."""
        e = strands[0][0].e
        if self.streams == 1:
            _blocks(strands, made, low, high)
            return
        ((r, lanes),) = strands
        w, pointer = e.w, made[0].pointer
        count = w.value(f"sub nuw nsw i64 {high}, {low}")
        share = w.value(f"udiv i64 {count}, {self.streams}")
        ends = [low]
        for _ in range(self.streams):
            ends.append(_sum(e, ends[-1], share))
        *starts, rest = ends
        several = [(r, lanes), *((r, self.lanes(e)) for _ in starts[1:])]
        with (
            _branch(e, f"icmp ne i64 {share}, 0", "reduce.streams"),
            memory.range_loop(e, "0", share, "reduce.stream") as number,
        ):
            blocks = [_sum(e, start, number) for start in starts]
            _block(several, blocks, BLOCK, [r.at(pointer, block) for block in blocks])
        with _branch(e, f"icmp ult i64 {rest}, {high}", "reduce.rest"):
            _blocks(strands, made, rest, high)

    def lanes(self, e: Emitter) -> Lanes:
        return lanes_of(e, self.ty.element, lane_count(self.ty.length))


@contextmanager
def _branch(e: Emitter, condition: str, purpose: str) -> Iterator[None]:
    """What is emitted inside runs only if the condition holds."""
    inside, after = e.w.new_label(purpose), e.w.new_label(f"{purpose}.end")
    e.w.branch_if(e.w.value(condition), inside, after)
    e.w.start(inside)
    yield
    e.w.branch(after)
    e.w.start(after)


def _blocks(strands: Sequence[_Strand], made: Sequence[Memory], low: str, high: str) -> None:
    """Blocks of full length, at least one."""
    with memory.range_loop(strands[0][0].e, low, high, "reduce.block") as block:
        targets = [r.at(m.pointer, block) for (r, _), m in _each(strands, made)]
        _block(strands, [block] * len(strands), BLOCK, targets)


def _short_block(
    strands: Sequence[_Strand], made: Sequence[Memory], number: int, count: int
) -> None:
    """The last block, of `count` elements."""
    targets = [r.at(m.pointer, str(number)) for (r, _), m in _each(strands, made)]
    _block(strands, [str(number)] * len(strands), count, targets)


def _each(strands: Sequence[_Strand], made: Sequence[Memory]) -> Iterator[tuple[_Strand, Memory]]:
    return zip(strands, made, strict=True)


def _block(
    strands: Sequence[_Strand], blocks: Sequence[str], count: int, targets: Sequence[str]
) -> None:
    """Reduces the first `count` elements of a block of each strand into the targets; rows of
    lanes are taken in turns."""
    e, width = strands[0][0].e, lane_count(count)
    starts = [_start(e, block) for block in blocks]
    vectors = [r.vectors for r, _ in strands if r.vectors is not None]
    if count >= LANES and len(vectors) == len(strands):
        met = [
            v.top(row)
            for v, row in zip(vectors, rows_in_turns(vectors, starts, count), strict=True)
        ]
        for (r, _), (left, right), target in zip(strands, met, targets, strict=True):
            r.write(r.combine(left, right), target)
        return
    for (r, lanes), start in zip(strands, starts, strict=True):
        with memory.counted_loop(e, width, "reduce.first") as lane:
            lanes.write(e, lane.index, _source(r, start, lane.index))
    rows, rest = divmod(count, LANES)
    if rows > 1:
        with memory.counted_loop(e, rows - 1, "reduce.row") as row:
            above = e.w.value(f"mul nuw nsw i64 {row.index}, {LANES}")
            offset = e.w.value(f"add nuw i64 {above}, {LANES}")
            for (r, lanes), start in zip(strands, starts, strict=True):
                _row(r, lanes, _sum(e, start, offset), LANES)
    for (r, lanes), start, target in zip(strands, starts, targets, strict=True):
        if rows and rest:
            _row(r, lanes, _sum(e, start, str(rows * LANES)), rest)
        apart = lanes.for_tree(e, width)
        _lane_tree(r, apart, width)
        r.write(apart.read(e, "0"), target)


def _start(e: Emitter, block: str) -> str:
    """The first element of a block."""
    if block.isdigit():
        return str(int(block) * BLOCK)
    return e.w.value(f"mul nuw nsw i64 {block}, {BLOCK}")


def _row(r: _Reduction, lanes: Lanes, start: str, width: int) -> None:
    """Folds the next element into each of the first `width` lanes."""
    with memory.counted_loop(r.e, width, "reduce.lane") as lane:
        left = lanes.read(r.e, lane.index)
        lanes.write(r.e, lane.index, r.combine(left, _source(r, start, lane.index)))


def _lane_tree(r: _Reduction, lanes: Lanes, width: int) -> None:
    """Combines the lanes into lane 0: each with the one half the width above it. Only the
    first width may be no power of two."""
    while width > 1:
        half = 1 << ((width - 1).bit_length() - 1)
        with memory.counted_loop(r.e, width - half, "reduce.pair") as pair:
            right = lanes.read(r.e, _sum(r.e, pair.index, str(half)))
            left = lanes.read(r.e, pair.index)
            lanes.write(r.e, pair.index, r.combine(left, right))
        width = half


def _block_tree(r: _Reduction, values: str, count: int) -> None:
    """Combines neighbouring blocks until one is left, in place: the results of a level lie
    below everything that it still has to read. An odd last one is moved down unchanged."""
    e = r.e
    if count == 1:
        return
    head, done = e.w.new_label("reduce.level"), e.w.new_label("reduce.done")
    before = e.w.label
    e.w.branch(head)
    e.w.start(head)
    left, following = e.w.fresh(), e.w.fresh()
    phis = e.w.reserve()
    pairs = e.w.value(f"lshr i64 {left}, 1")
    with memory.counted_loop(e, pairs, "reduce.neighbours") as pair:
        even = e.w.value(f"shl nuw i64 {pair.index}, 1")
        odd = e.w.value(f"or disjoint i64 {even}, 1")
        right = r.read(r.at(values, odd))
        r.combine_into(r.at(values, pair.index), r.at(values, even), right)
    odd_one, next_level = e.w.new_label("reduce.odd"), e.w.new_label("reduce.next")
    is_odd = e.w.value(f"trunc i64 {left} to i1")
    e.w.branch_if(is_odd, odd_one, next_level)
    e.w.start(odd_one)
    last = e.w.value(f"sub nuw i64 {left}, 1")
    r.write(r.read(r.at(values, last)), r.at(values, pairs))
    e.w.branch(next_level)
    e.w.start(next_level)
    half_up = e.w.value(f"add nuw i64 {left}, 1")
    e.w.line(f"{following} = lshr i64 {half_up}, 1")
    phis.lines.append(f"  {left} = phi i64 [ {count}, %{before} ], [ {following}, %{e.w.label} ]")
    more = e.w.value(f"icmp ugt i64 {following}, 1")
    e.w.branch_if(more, head, done)
    e.w.start(done)


def _source(r: _Reduction, start: str, lane: str) -> Value:
    return memory.element(r.e, r.array, r.ty, _sum(r.e, start, lane))


def _sum(e: Emitter, a: str, b: str) -> str:
    """Sum of two offsets that stays below the length of an array."""
    if a == "0":
        return b
    return e.w.value(f"add nuw nsw i64 {a}, {b}")
