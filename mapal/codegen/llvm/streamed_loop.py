"""Large maps whose results go past the caches, a chunk at a time.

Stores that bypass the caches want whole aligned vectors, which a loop over single elements does
not have. So the body's results go to a small buffer, which stays in the first-level cache, and
from there in whole lines to memory. This saves reading each line of the result before it is
written over, and it evicts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mapal.codegen.layout import memory_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.footprint import bytes_behind
from mapal.codegen.llvm.kernels.streaming import end_streaming
from mapal.codegen.llvm.kernels.vectors import Vectors, carrying_loop
from mapal.codegen.llvm.scope import Scope
from mapal.codegen.llvm.values import Memory, Value
from mapal.codegen.llvm.writer import phi_text
from mapal.ir.types import Array, Scalar, Type

_CHUNK_BYTES = 4096
_LINE_BYTES = 64
_LINES = 4
"""Moved in one pass of a loop."""

_LARGEST_SHARE = 8
"""How many times its result a map may read."""

ElementBody = Callable[[Emitter, Scope, Sequence[Value], str, str], None]
"""Emits one element: captures and the mapped array, its number, and where its value goes."""


def outgrows_caches(e: Emitter, operands: Sequence[tuple[Type, Value]], made: Array) -> bool:
    """Whether what a map to numbers reads and writes exceeds the last cache that is known to be
    there: nothing of the result would be found in it later. A result that is small beside what
    is read does no harm."""
    l3 = e.module.profile.l3
    if l3 is None or not isinstance(made.element, Scalar):
        return False
    size = e.layouts.of(made).size
    footprint = size + sum(bytes_behind(e, ty, value) for ty, value in operands)
    return l3.bytes < footprint <= _LARGEST_SHARE * size


@dataclass(frozen=True, slots=True)
class StreamedLoop:
    """A loop over the elements of a map whose results are of type `element`."""

    element: Scalar
    emit: ElementBody

    def emit_range(
        self, e: Emitter, scope: Scope, values: Sequence[Value], made: Memory, low: str, high: str
    ) -> None:
        """The elements from `low` up to but not with `high`, at least one."""
        w = e.w
        chunk = _CHUNK_BYTES // self.element.bytes
        buffer = e.stack_array(memory_type(self.element), chunk)
        first = self._first_chunk(e, made.pointer, low, chunk)
        head, after, before = w.new_label("chunk"), w.new_label("chunk.end"), w.label
        w.branch(head)
        w.start(head)
        phis = w.reserve()
        start, most = w.fresh(), w.fresh()
        left = w.value(f"sub nuw nsw i64 {high}, {start}")
        smaller = e.module.intrinsic("llvm.umin.i64", "i64", "i64, i64")
        count = w.value(f"call i64 {smaller}(i64 {left}, i64 {most})")
        with memory.counted_loop(e, count, "map") as loop:
            index = w.value(f"add nuw nsw i64 {start}, {loop.index}")
            place = memory.element_pointer(e, buffer, self.element, loop.index)
            self.emit(e, scope, values, index, place)
        target = memory.element_pointer(e, made.pointer, self.element, start)
        self._move(e, buffer, target, count, chunk)
        following = w.value(f"add nuw nsw i64 {start}, {count}")
        more = w.value(f"icmp ult i64 {following}, {high}")
        for name, at_first, later in ((start, low, following), (most, first, str(chunk))):
            incoming = [(at_first, before), (later, w.label)]
            phis.lines.append(f"  {name} = {phi_text('i64', incoming)}")
        w.branch_if(more, head, after)
        w.start(after)
        end_streaming(e.module, w)

    def _first_chunk(self, e: Emitter, pointer: str, low: str, chunk: int) -> str:
        """Elements of the first chunk: after them, and from then on, chunks begin at a line."""
        w, size = e.w, self.element.bytes
        address = w.value(
            f"ptrtoint ptr {memory.element_pointer(e, pointer, self.element, low)} to i64"
        )
        beyond = w.value(f"and i64 {address}, {_LINE_BYTES - 1}")
        elements = w.value(f"lshr i64 {beyond}, {size.bit_length() - 1}")
        return w.value(f"sub nuw nsw i64 {chunk}, {elements}")

    def _move(self, e: Emitter, buffer: str, target: str, count: str, chunk: int) -> None:
        """Moves a chunk from the buffer to its place: past the caches if it is a whole one,
        which begins at a line."""
        w, v = e.w, Vectors(e.module, e.w, self.element)
        lanes = _LINE_BYTES // self.element.bytes
        whole, part, done = w.new_label("whole"), w.new_label("part"), w.new_label("moved")
        w.branch_if(w.value(f"icmp eq i64 {count}, {chunk}"), whole, part)
        w.start(whole)
        with carrying_loop(w, (0, chunk, _LINES * lanes), [], "line") as line:
            for number in range(_LINES):
                at = v.sum(line.index, number * lanes)
                vector = v.load(v.address(buffer, at), lanes, alignment=_LINE_BYTES)
                place = v.address(target, at)
                v.store(vector, place, lanes, alignment=_LINE_BYTES, streaming=True)
        w.branch(done)
        w.start(part)
        copy = e.module.intrinsic("llvm.memcpy.p0.p0.i64", "void", "ptr, ptr, i64, i1 immarg")
        size = w.value(f"mul nuw nsw i64 {count}, {self.element.bytes}")
        w.line(
            f"call void {copy}(ptr align {self.element.bytes} {target}, "
            f"ptr align {_LINE_BYTES} {buffer}, i64 {size}, i1 false)"
        )
        w.branch(done)
        w.start(done)
