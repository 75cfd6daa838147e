"""The blocks of a reduction in vectors, where elements are numbers that lie side by side or are
computed from such.

Lanes are whole vectors from the first row of a block to the last, and so is the tree: a level
combines vectors as long as there are several, then the halves of the last one. Written lane by
lane, LLVM would have to find these vectors in loops and in a tree of sixty combinations, slowly and
not always.
"""

from __future__ import annotations

from collections.abc import Sequence

from mapal.codegen.layout import leaves, register_type
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.kernels.vectors import carrying_loop
from mapal.codegen.llvm.lanes import arrays
from mapal.codegen.llvm.lanes.context import Lanes
from mapal.codegen.llvm.lanes.suitability import is_flat, is_small, traits_of
from mapal.codegen.llvm.lanes.values import Exact, LaneValue, Linear, Varying
from mapal.codegen.llvm.lanes.walk import Walker
from mapal.codegen.llvm.values import Enumerated, Mapped, Memory, Range, Value, Zipped, is_computed
from mapal.ir.ops import FunctionId
from mapal.ir.reduction import LANES
from mapal.ir.types import Array, Scalar, Tuple

_MANY = 2048
"""Elements from which on no loop over them is written out, so that what one pass reads is neither a
constant nor what another pass made."""

Row = list[LaneValue]
"""The values of `LANES` lanes, a vector of each number for so many lanes."""


def is_in_vectors(
    e: Emitter, body: FunctionId, ty: Array, captures: Sequence[Value], array: Value
) -> bool:
    """Whether blocks of the elements of `array`, combined by a body, are emitted here."""
    if not (e.uses_kernels and e.module.has_kernels) or ty.length < LANES:
        return False
    return is_flat(ty.element) and _is_applicable(e, body, captures) and _is_source(e, ty, array)


def _is_applicable(e: Emitter, body: FunctionId, captures: Sequence[Value]) -> bool:
    """Whether a body can be applied in lanes, in a straight line."""
    if not is_small(e.graph, body) or any(map(is_computed, captures)):
        return False
    has_fma = e.module.profile.fused_multiply_add
    traits = traits_of(e.graph, body, e.module.total | e.module.in_range, has_fma=has_fma)
    return traits is not None and not traits.has_loop


def _is_source(e: Emitter, ty: Array, array: Value) -> bool:
    """Whether neighbouring elements are vectors."""
    match array:
        case Memory():
            return isinstance(ty.element, Scalar)
        case Range():
            return True
        case Zipped(left=left, right=right) if isinstance(ty.element, Tuple):
            first, second = ty.element.items
            is_left = _is_source(e, Array(first, ty.length), left)
            return is_left and _is_source(e, Array(second, ty.length), right)
        case Enumerated(array=inner) if isinstance(ty.element, Tuple):
            return _is_source(e, Array(ty.element.items[1], ty.length), inner)
        case Mapped(body=body, operands=(*captured, (Array() as inner_ty, inner))):
            captures = [value for _, value in captured]
            return _is_applicable(e, body, captures) and _is_source(e, inner_ty, inner)
        case _:
            return False


class Vectors:
    """The reduction of `array` by a body with its captures."""

    def __init__(
        self, e: Emitter, body: FunctionId, ty: Array, captures: Sequence[Value], array: Value
    ) -> None:
        self.e = e
        self.body = body
        self.ty = ty
        self.captures = tuple(captures)
        self.array = array
        widest = max(part.bytes for part in leaves(ty.element) if isinstance(part, Scalar))
        width = min(LANES, e.module.profile.vector_bytes // widest)
        self.lanes = Lanes(e, max(2, width))

    def row(self, start: str) -> Row:
        """The row of elements that begins with element `start`."""
        return [self._loaded(start, first) for first in range(0, LANES, self.lanes.width)]

    def with_row(self, row: Row, start: str) -> Row:
        """The row with the elements of another one folded into it."""
        return [self._combined(self.lanes, a, b) for a, b in zip(row, self.row(start), strict=True)]

    def with_part(self, row: Row, start: str, count: int) -> Row:
        """The row with the next `count` elements folded into its first lanes, less than all."""
        lanes, results = self.lanes, list(row)
        for number, first in enumerate(range(0, count, lanes.width)):
            live = min(lanes.width, count - first)
            bits = ", ".join(f"i1 {'true' if at < live else 'false'}" for at in range(lanes.width))
            mask = None if live == lanes.width else f"<{bits}>"
            with lanes.under(mask):
                more = self._combined(lanes, row[number], self._loaded(start, first))
            results[number] = more if mask is None else self._chosen(mask, more, row[number])
        return results

    def top(self, row: Row) -> tuple[Value, Value]:
        """The last two values of the tree over a row, which are still to be combined."""
        lanes, vectors = self.lanes, row
        while len(vectors) > 1:
            half = len(vectors) // 2
            pairs = zip(vectors[:half], vectors[half:], strict=True)
            vectors = [self._combined(lanes, left, right) for left, right in pairs]
        (value,) = vectors
        while lanes.width > 2:
            left, right = self._halves(lanes, value)
            lanes = Lanes(self.e, lanes.width // 2)
            value = self._combined(lanes, left, right)
        return self._single(lanes, value, 0), self._single(lanes, value, 1)

    def parts(self, row: Row) -> list[tuple[str, str]]:
        """Types and registers of the vectors of a row."""
        lanes = self.lanes
        return [
            (lanes.type_of(leaf), lanes.vector(leaf, part))
            for value in row
            for leaf, part in lanes.leaves(self.ty.element, value)
        ]

    def of_parts(self, registers: Sequence[str]) -> Row:
        """The row of vectors in the order of `parts`."""
        values = iter([Varying(register) for register in registers])
        count = LANES // self.lanes.width
        return [self.lanes.rebuilt(self.ty.element, values) for _ in range(count)]

    def _loaded(self, start: str, first: int) -> LaneValue:
        """As many elements as a vector holds, from `first` after `start` on."""
        base = start
        if start.isdigit():
            base = str(int(start) + first)
        elif first:
            base = self.e.w.value(f"add nuw nsw i64 {start}, {first}")
        exact = Exact(0, self.ty.length - 1, base) if self.lanes.mask is None else None
        value = self._elements(self.ty, self.array, Linear(base, 1, exact=exact))
        if isinstance(value, Varying) and not start.isdigit() and self._is_given():
            self.e.floats.note_given(value.register)
        return value

    def _is_given(self) -> bool:
        """Whether the elements lie in memory of which LLVM knows nothing."""
        is_stored = isinstance(self.array, Memory) and not self.array.pointer.startswith("@")
        return is_stored and self.ty.length >= _MANY

    def _elements(self, ty: Array, array: Value, index: Linear) -> LaneValue:
        match array:
            case Mapped(body=body, operands=(*captured, (Array() as inner_ty, inner))):
                element = self._elements(inner_ty, inner, index)
                captures = (value for _, value in captured)
                return Walker(self.lanes).apply_body(body, (*captures, element))
            case Zipped(left=left, right=right) if isinstance(ty.element, Tuple):
                first, second = ty.element.items
                return (
                    self._elements(Array(first, ty.length), left, index),
                    self._elements(Array(second, ty.length), right, index),
                )
            case Enumerated(array=inner) if isinstance(ty.element, Tuple):
                number = arrays.element(self.lanes, Range(array.place, None), ty, index)
                return number, self._elements(Array(ty.element.items[1], ty.length), inner, index)
        return arrays.element(self.lanes, array, ty, index)

    def _combined(self, lanes: Lanes, left: LaneValue, right: LaneValue) -> LaneValue:
        return Walker(lanes).apply_body(self.body, (*self.captures, left, right))

    def _chosen(self, mask: str, yes: LaneValue, no: LaneValue) -> LaneValue:
        lanes, ty = self.lanes, self.ty.element
        pairs = zip(lanes.leaves(ty, yes), lanes.leaves(ty, no), strict=True)
        chosen = [
            Varying(lanes.select(leaf, mask, lanes.vector(leaf, a), lanes.vector(leaf, b)))
            for (leaf, a), (_, b) in pairs
        ]
        return lanes.rebuilt(ty, iter(chosen))

    def _halves(self, lanes: Lanes, value: LaneValue) -> tuple[LaneValue, LaneValue]:
        """The lower and the upper lanes of a vector."""
        half = lanes.width // 2
        return self._part(lanes, value, range(half)), self._part(
            lanes, value, range(half, lanes.width)
        )

    def _part(self, lanes: Lanes, value: LaneValue, kept: range) -> LaneValue:
        order = ", ".join(f"i32 {lane}" for lane in kept)
        mask = f"<{len(kept)} x i32> <{order}>"
        parts: list[LaneValue] = []
        for leaf, part in lanes.leaves(self.ty.element, value):
            vector, ty = lanes.vector(leaf, part), lanes.type_of(leaf)
            shuffle = f"shufflevector {ty} {vector}, {ty} poison, {mask}"
            parts.append(Varying(lanes.value(shuffle)))
        return lanes.rebuilt(self.ty.element, iter(parts))

    def _single(self, lanes: Lanes, value: LaneValue, lane: int) -> Value:
        """The value of one lane."""
        singles: list[LaneValue] = []
        for leaf, part in lanes.leaves(self.ty.element, value):
            vector = f"<{lanes.width} x {register_type(leaf)}> {lanes.vector(leaf, part)}"
            singles.append(lanes.value(f"extractelement {vector}, i64 {lane}"))
        single: Value = lanes.rebuilt(self.ty.element, iter(singles))
        return single


def rows_in_turns(strands: Sequence[Vectors], starts: Sequence[str], count: int) -> list[Row]:
    """The lanes of a block of each strand, of `count` elements from its start on, at least a row;
    rows are taken in turns."""
    w = strands[0].e.w
    rows = [strand.row(start) for strand, start in zip(strands, starts, strict=True)]
    whole, rest = divmod(count, LANES)
    if whole > 1:
        parts = [strand.parts(row) for strand, row in zip(strands, rows, strict=True)]
        carried = [part for of_strand in parts for part in of_strand]
        bounds, metadata = (LANES, whole * LANES, LANES), strands[0].e.module.not_unrolled()
        with carrying_loop(w, bounds, carried, "reduce.row", metadata) as loop:
            registers, after = iter(list(loop.values)), []
            for strand, start, of_strand in zip(strands, starts, parts, strict=True):
                row = strand.of_parts([next(registers) for _ in of_strand])
                after.append(strand.with_row(row, _sum(strand.e, start, loop.index)))
            pairs = zip(strands, after, strict=True)
            loop.values = [part for strand, row in pairs for _, part in strand.parts(row)]
        registers = iter(loop.values)
        rows = [
            strand.of_parts([next(registers) for _ in of_strand])
            for strand, of_strand in zip(strands, parts, strict=True)
        ]
    if rest:
        rows = [
            strand.with_part(row, _sum(strand.e, start, str(whole * LANES)), rest)
            for strand, row, start in zip(strands, rows, starts, strict=True)
        ]
    return rows


def _sum(e: Emitter, a: str, b: str) -> str:
    if a.isdigit() and b.isdigit():
        return str(int(a) + int(b))
    return b if a == "0" else e.w.value(f"add nuw nsw i64 {a}, {b}")
