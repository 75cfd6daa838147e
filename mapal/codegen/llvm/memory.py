"""Arrays and products in memory: elements, loads, stores, copies, and giving laws an address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from mapal.codegen.layout import memory_type
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.values import (
    Broadcast,
    Buffer,
    Enumerated,
    Law,
    Mapped,
    Memory,
    Range,
    Value,
    Zipped,
)
from mapal.codegen.llvm.writer import Place
from mapal.diagnostics import CompilerBug
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, has_no_representation


@dataclass(slots=True)
class CountedLoop:
    """A loop over 0 … n-1, n at least 1. `index` is the i64 counter; `phis` is where the head
    takes further phis, with `before` as the block that leads in."""

    index: str
    phis: Place
    before: str
    head: str


@contextmanager
def counted_loop(e: Emitter, count: int | str, purpose: str) -> Iterator[CountedLoop]:
    """Emits the loop around what the caller emits inside; afterwards emission stands behind
    the loop. `count` is a number of elements or a register that holds one, at least 1."""
    head, after = e.w.new_label(purpose), e.w.new_label(f"{purpose}.end")
    before = e.w.label
    e.w.branch(head)
    e.w.start(head)
    phis = e.w.reserve()
    index, following = e.w.fresh(), e.w.fresh()
    yield CountedLoop(index, phis, before, head)
    e.w.line(f"{following} = add nuw i64 {index}, 1")
    more = e.w.value(f"icmp ult i64 {following}, {unsigned(count)}")
    phis.lines.insert(0, f"  {index} = phi i64 [ 0, %{before} ], [ {following}, %{e.w.label} ]")
    e.w.branch_if(more, head, after)
    e.w.start(after)


@contextmanager
def range_loop(e: Emitter, low: str, high: str, purpose: str) -> Iterator[str]:
    """A loop over the numbers from `low` up to but not with `high`, at least one; gives the
    current one. It is the loop's own counter: LLVM narrows that where it would not narrow a sum."""
    if low == "0":
        with counted_loop(e, high, purpose) as loop:
            yield loop.index
        return
    head, after = e.w.new_label(purpose), e.w.new_label(f"{purpose}.end")
    before = e.w.label
    e.w.branch(head)
    e.w.start(head)
    phis = e.w.reserve()
    index, following = e.w.fresh(), e.w.fresh()
    yield index
    e.w.line(f"{following} = add nuw nsw i64 {index}, 1")
    more = e.w.value(f"icmp ult i64 {following}, {high}")
    phis.lines.append(f"  {index} = phi i64 [ {low}, %{before} ], [ {following}, %{e.w.label} ]")
    e.w.branch_if(more, head, after)
    e.w.start(after)


def unsigned(count: int | str) -> str:
    """A 64-bit count as LLVM writes it: two's complement."""
    if isinstance(count, str):
        return count
    return str(count if count < 2**63 else count - 2**64)


# Addresses --------------------------------------------------------------------------


def offset_pointer(e: Emitter, pointer: str, offset: int) -> str:
    """The address `offset` bytes behind another in the same object."""
    if offset == 0:
        return pointer
    return e.w.value(f"getelementptr inbounds i8, ptr {pointer}, i64 {offset}")


def element_pointer(e: Emitter, pointer: str, element: Type, index: str) -> str:
    """The address of element `index`, an i64, of an array at `pointer`."""
    if index == "0":
        return pointer
    if isinstance(element, Scalar):
        stride = memory_type(element)
    else:
        stride = f"[{e.layouts.of(element).size} x i8]"
    return e.w.value(f"getelementptr inbounds {stride}, ptr {pointer}, i64 {index}")


# Elements ---------------------------------------------------------------------------


def element(e: Emitter, array: Value, ty: Array, index: str) -> Value:
    """Element `index`, an i64 in range."""
    if has_no_representation(ty.element):
        return None
    match array:
        case Memory(pointer=pointer, buffers=buffers):
            address = element_pointer(e, pointer, ty.element, index)
            return load(e, ty.element, address, buffers)
        case Range():
            return narrow_index(e, index)
        case Broadcast(element=value):
            return value
        case Zipped(left=left, right=right):
            first, second = _pair_of(ty.element)
            return (
                element(e, left, Array(first, ty.length), index),
                element(e, right, Array(second, ty.length), index),
            )
        case Enumerated(array=inner):
            _, second = _pair_of(ty.element)
            return narrow_index(e, index), element(e, inner, Array(second, ty.length), index)
        case Mapped(operands=operands, compute=compute) if compute is not None:
            return compute(e, [value for _, value in operands], index)
    raise CompilerBug(f"no element of {array!r}")


def narrow_index(e: Emitter, index: str) -> str:
    """An index below 2^31 as an i32."""
    return e.w.value(f"trunc i64 {index} to i32") if index.startswith("%") else index


def _pair_of(ty: Type) -> tuple[Type, Type]:
    assert isinstance(ty, Tuple)
    first, second = ty.items
    return first, second


# Loads and stores -------------------------------------------------------------------


def load(e: Emitter, ty: Type, pointer: str, buffers: tuple[Buffer, ...]) -> Value:
    """The value at an address. An array stays where it is."""
    if has_no_representation(ty):
        return None
    match ty:
        case Scalar(name="bool"):
            byte = e.w.value(f"load i8, ptr {pointer}, align 1")
            return e.w.value(f"icmp ne i8 {byte}, 0")
        case Scalar():
            loaded = e.w.value(f"load {memory_type(ty)}, ptr {pointer}, align {ty.bytes}")
            e.floats.note_loaded(loaded)
            return loaded
        case Array():
            return Memory(pointer, buffers)
        case Tuple() | Struct():
            return tuple(
                None
                if has_no_representation(item)
                else load(e, item, offset_pointer(e, pointer, offset), buffers)
                for item, offset in zip(ty.items, e.layouts.offsets(ty), strict=True)
            )
    raise CompilerBug(f"no load of {ty}")


def store(e: Emitter, ty: Type, value: Value, pointer: str) -> None:
    """Writes a value to memory that overlaps nothing that the value refers to."""
    if has_no_representation(ty):
        return
    match ty:
        case Scalar(name="bool"):
            byte = value
            if value in ("true", "false"):
                byte = "1" if value == "true" else "0"
            else:
                byte = e.w.value(f"zext i1 {value} to i8")
            e.w.line(f"store i8 {byte}, ptr {pointer}, align 1")
        case Scalar():
            e.w.line(f"store {memory_type(ty)} {value}, ptr {pointer}, align {ty.bytes}")
        case Array():
            copy_array(e, ty, value, pointer)
        case Tuple() | Struct():
            assert isinstance(value, tuple)
            for item, part, offset in zip(ty.items, value, e.layouts.offsets(ty), strict=True):
                if not has_no_representation(item):
                    store(e, item, part, offset_pointer(e, pointer, offset))


def store_scalars(e: Emitter, ty: Type, value: Value, pointer: str) -> None:
    """As `store`, but leaves out the arrays of the value: they are in place already."""
    if isinstance(ty, Scalar):
        store(e, ty, value, pointer)
    elif isinstance(ty, Tuple | Struct) and isinstance(value, tuple):
        for item, part, offset in zip(ty.items, value, e.layouts.offsets(ty), strict=True):
            if _holds_scalar(item):
                store_scalars(e, item, part, offset_pointer(e, pointer, offset))


def _holds_scalar(ty: Type) -> bool:
    if isinstance(ty, Tuple | Struct):
        return any(map(_holds_scalar, ty.items))
    return isinstance(ty, Scalar)


def copy_array(e: Emitter, ty: Array, value: Value, pointer: str) -> None:
    """Writes all elements of an array to memory that is the array's own or overlaps nothing."""
    if isinstance(value, Memory):
        if e.canonical(value.pointer) != e.canonical(pointer):
            copy_bytes(e, pointer, value.pointer, ty)
        return
    with counted_loop(e, ty.length, "store") as loop:
        item = element(e, value, ty, loop.index)
        store(e, ty.element, item, element_pointer(e, pointer, ty.element, loop.index))


def copy_bytes(e: Emitter, target: str, source: str, ty: Type) -> None:
    """Copies a value in memory. The two addresses are equal or the places do not overlap."""
    layout = e.layouts.of(ty)
    symbol = e.module.intrinsic("llvm.memcpy.p0.p0.i64", "void", "ptr, ptr, i64, i1 immarg")
    align = f"align {layout.alignment}"
    e.w.line(
        f"call void {symbol}(ptr {align} {target}, ptr {align} {source}, "
        f"i64 {layout.size}, i1 false)"
    )


def clear(e: Emitter, ty: Type, pointer: str) -> None:
    """Fills a value in memory with zeros: memory of the arena is as it comes."""
    layout = e.layouts.of(ty)
    symbol = e.module.intrinsic("llvm.memset.p0.i64", "void", "ptr, i8, i64, i1 immarg")
    place = f"ptr align {layout.alignment} {pointer}"
    e.w.line(f"call void {symbol}({place}, i8 0, i64 {layout.size}, i1 false)")


# Laws -------------------------------------------------------------------------------


def law_place(e: Emitter) -> Place:
    """Where a law that is defined here would be stored: its own end of a block."""
    place = e.w.reserve()
    after = e.w.new_label("law")
    e.w.branch(after)
    e.w.start(after)
    return place


def addressed(e: Emitter, ty: Array, value: Value, reason: str) -> Memory:
    """An array in memory. A law is stored where it was defined, once, with the reason for the
    plan; so a law from outside a loop is not stored again on each pass."""
    if isinstance(value, Memory):
        return value
    if not isinstance(value, Law):
        raise CompilerBug(f"{value!r} is no array")
    if value.stored is None:
        # Not writable: the law's own object does not count as a holder of this memory.
        memory = Memory(e.slot(e.layouts.of(ty)), (Buffer(writable=False),))
        with e.w.inside(value.place):
            copy_array(e, ty, value, memory.pointer)
        value.stored = memory
        if value.site is not None:
            value.site.shape = "materialised"
            value.site.reason = reason
    return value.stored


def in_registers(e: Emitter, ty: Type, value: Value, reason: str) -> tuple[str, ...]:
    """The leaves of a value for a call: scalars, and addresses of arrays."""
    match ty:
        case Scalar():
            assert isinstance(value, str)
            return (value,)
        case Array() if not has_no_representation(ty):
            return (addressed(e, ty, value, reason).pointer,)
        case Tuple() | Struct() if not has_no_representation(ty):
            assert isinstance(value, tuple)
            return tuple(
                leaf
                for item, part in zip(ty.items, value, strict=True)
                for leaf in in_registers(e, item, part, reason)
            )
        case _:
            return ()
