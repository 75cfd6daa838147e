"""LLVM vectors in text: types, loads, stores, splats, arithmetic, and loops that carry them.

`lanes` is a number of elements; a vector may be longer or shorter than the machine's registers,
LLVM makes it fit. Addresses need the alignment of the element only, unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mapal.codegen.layout import memory_type
from mapal.codegen.llvm.module import ModuleBuilder
from mapal.codegen.llvm.writer import FunctionWriter
from mapal.ir.types import Scalar


def vector_type(ty: Scalar, lanes: int) -> str:
    """The LLVM type of `lanes` elements, such as `<16 x float>`."""
    return f"<{lanes} x {memory_type(ty)}>"


def function_attributes(module: ModuleBuilder) -> str:
    """Attributes of a function that uses vectors of the machine's full length."""
    bits = module.profile.vector_bytes * 8
    return f'nounwind "prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}"'


class Vectors:
    """Writes vector code of one element type to a function."""

    def __init__(self, module: ModuleBuilder, writer: FunctionWriter, ty: Scalar) -> None:
        self.module = module
        self.w = writer
        self.ty = ty
        self.element = memory_type(ty)

    # Addresses ------------------------------------------------------------------------

    def address(self, pointer: str, elements: int | str) -> str:
        """The address `elements` elements behind another of the same object."""
        if elements in (0, "0"):
            return pointer
        return self.w.value(f"getelementptr inbounds {self.element}, ptr {pointer}, i64 {elements}")

    def sum(self, a: int | str, b: int | str) -> int | str:
        """Sum of two offsets in i64, each a number or a register."""
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0:
            return b
        if b == 0:
            return a
        return self.w.value(f"add nuw nsw i64 {a}, {b}")

    def product(self, a: int | str, b: int | str) -> int | str:
        """Product of two offsets in i64, each a number or a register."""
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if a == 0 or b == 0:
            return 0
        if a == 1:
            return b
        if b == 1:
            return a
        return self.w.value(f"mul nuw nsw i64 {a}, {b}")

    # Memory ---------------------------------------------------------------------------

    def load(
        self, pointer: str, lanes: int, *, live: int | None = None, alignment: int | None = None
    ) -> str:
        """A vector from memory. Only its first `live` elements are read, the others are
        zero; by default all."""
        ty, align = vector_type(self.ty, lanes), alignment or self.ty.bytes
        if live is None or live == lanes:
            return self.w.value(f"load {ty}, ptr {pointer}, align {align}")
        name = self.module.intrinsic(
            f"llvm.masked.load.{self._suffix(lanes)}.p0", ty, f"ptr, <{lanes} x i1>, {ty}"
        )
        mask = _mask(lanes, live)
        return self.w.value(
            f"call {ty} {name}(ptr align {align} {pointer}, {mask}, {ty} zeroinitializer)"
        )

    def store(
        self,
        vector: str,
        pointer: str,
        lanes: int,
        *,
        live: int | None = None,
        alignment: int | None = None,
        streaming: bool = False,
    ) -> None:
        """A vector, or its first `live` elements, to memory. `streaming` stores go past the
        caches; they want the alignment of a whole vector."""
        ty, align = vector_type(self.ty, lanes), alignment or self.ty.bytes
        if live is None or live == lanes:
            hint = f", !nontemporal {self.module.nontemporal()}" if streaming else ""
            self.w.line(f"store {ty} {vector}, ptr {pointer}, align {align}{hint}")
            return
        name = self.module.intrinsic(
            f"llvm.masked.store.{self._suffix(lanes)}.p0", "void", f"{ty}, ptr, <{lanes} x i1>"
        )
        mask = _mask(lanes, live)
        self.w.line(f"call void {name}({ty} {vector}, ptr align {align} {pointer}, {mask})")

    def load_element(self, pointer: str) -> str:
        """One element from memory."""
        return self.w.value(f"load {self.element}, ptr {pointer}, align {self.ty.bytes}")

    def store_element(self, value: str, pointer: str) -> None:
        """One element to memory."""
        self.w.line(f"store {self.element} {value}, ptr {pointer}, align {self.ty.bytes}")

    def fetch(self, pointer: str, ahead: int | str) -> None:
        """Asks for the line that lies so many bytes behind an address, and need not exist, for the
        second-level cache."""
        name = self.module.intrinsic("llvm.prefetch.p0", "void", "ptr, i32, i32, i32")
        reads, second_level, data = 0, 2, 1
        line = self.w.value(f"getelementptr i8, ptr {pointer}, i64 {ahead}")
        self.w.line(f"call void {name}(ptr {line}, i32 {reads}, i32 {second_level}, i32 {data})")

    def splat(self, scalar: str, lanes: int) -> str:
        """A vector of equal elements; `scalar` is a register or a literal."""
        ty = vector_type(self.ty, lanes)
        if not scalar.startswith("%"):
            return f"splat ({self.element} {scalar})"
        single = self.w.value(f"insertelement {ty} poison, {self.element} {scalar}, i64 0")
        return self.w.value(
            f"shufflevector {ty} {single}, {ty} poison, <{lanes} x i32> zeroinitializer"
        )

    # Arithmetic -----------------------------------------------------------------------

    def multiply_add(self, x: str, y: str, z: str, lanes: int, *, is_fused: bool) -> str:
        """`x * y + z` in each lane: one rounding if fused, else two; integers wrap."""
        ty = vector_type(self.ty, lanes)
        if is_fused:
            name = self.module.intrinsic(f"llvm.fma.{self._suffix(lanes)}", ty, f"{ty}, {ty}, {ty}")
            return self.w.value(f"call {ty} {name}({ty} {x}, {ty} {y}, {ty} {z})")
        times, plus = ("fmul", "fadd") if self.ty.is_float else ("mul", "add")
        product = self.w.value(f"{times} {ty} {x}, {y}")
        return self.w.value(f"{plus} {ty} {z}, {product}")

    def _suffix(self, lanes: int) -> str:
        """How names of intrinsics write a vector type."""
        letter = "f" if self.ty.is_float else "i"
        return f"v{lanes}{letter}{self.ty.bits}"


def _mask(lanes: int, live: int) -> str:
    bits = ", ".join(f"i1 {'true' if lane < live else 'false'}" for lane in range(lanes))
    return f"<{lanes} x i1> <{bits}>"


# Loops --------------------------------------------------------------------------------


@dataclass(slots=True)
class CarryingLoop:
    """A loop from `start` in steps. In its body, `index` is the counter and `values` the carried
    values; the body replaces `values` by the next ones. After the loop, `values` are the last."""

    index: str
    values: list[str]


@contextmanager
def carrying_loop(
    w: FunctionWriter,
    bounds: tuple[int | str, int | str, int],
    carried: Sequence[tuple[str, str]],
    purpose: str,
    metadata: str = "",
) -> Iterator[CarryingLoop]:
    """A loop over start, start + step, … below end, for bounds (start, end, step), of i64 that is
    executed at least once. `carried` are type and first value of what it carries; `metadata` is
    appended to its branch."""
    start, end, step = bounds
    head, after = w.new_label(purpose), w.new_label(f"{purpose}.end")
    before = w.label
    w.branch(head)
    w.start(head)
    phis = w.reserve()
    index, following = w.fresh(), w.fresh()
    names = [w.fresh() for _ in carried]
    loop = CarryingLoop(index, list(names))
    yield loop
    w.line(f"{following} = add nuw nsw i64 {index}, {step}")
    more = w.value(f"icmp ult i64 {following}, {end}")
    phis.lines.append(f"  {index} = phi i64 [ {start}, %{before} ], [ {following}, %{w.label} ]")
    for name, (ty, first), last in zip(names, carried, loop.values, strict=True):
        phis.lines.append(f"  {name} = phi {ty} [ {first}, %{before} ], [ {last}, %{w.label} ]")
    w.line(f"br i1 {more}, label %{head}, label %{after}{metadata}")
    w.start(after)


@contextmanager
def guarded_loop(
    w: FunctionWriter, bounds: tuple[int | str, int | str, int], purpose: str, metadata: str = ""
) -> Iterator[str]:
    """A loop over start, start + step, … below end that may be empty; gives the counter."""
    start, end, _ = bounds
    run, skip = w.new_label(purpose), w.new_label(f"{purpose}.skip")
    is_any = w.value(f"icmp ult i64 {start}, {end}")
    w.branch_if(is_any, run, skip)
    w.start(run)
    with carrying_loop(w, bounds, [], purpose, metadata) as loop:
        yield loop.index
    w.branch(skip)
    w.start(skip)


@contextmanager
def only_if(w: FunctionWriter, condition: str, purpose: str) -> Iterator[None]:
    """Code that runs only if a condition, an i1, holds."""
    run, skip = w.new_label(purpose), w.new_label(f"{purpose}.skip")
    w.branch_if(condition, run, skip)
    w.start(run)
    yield
    w.branch(skip)
    w.start(skip)
