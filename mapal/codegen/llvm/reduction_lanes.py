"""The lanes of a reduction's block: values side by side that are combined again and again.

Lanes of numbers are arrays on the stack, one for each number that a value consists of, read and
written at places that are known once loops over them are unrolled. LLVM vectorises those loops,
unrolls what is left of them, and keeps the whole arrays in vector registers. Values that hold
arrays lie in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from mapal.codegen.layout import Layout, leaves, memory_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.values import Buffer, Value
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, has_no_representation


class Lanes(Protocol):
    """So many values of one type."""

    def read(self, e: Emitter, lane: str) -> Value:
        """The value of a lane, an i64 in range."""
        ...

    def write(self, e: Emitter, lane: str, value: Value) -> None:
        """Gives a lane a value, which may be made of the one that it has."""
        ...

    def for_tree(self, e: Emitter, count: int) -> Lanes:
        """The first `count` values for a tree of combinations, in place or apart."""
        ...


def lanes_of(e: Emitter, ty: Type, count: int) -> Lanes:
    """Lanes for `count` values of a type with a representation."""
    if holds_array(ty):
        layout = e.layouts.of(ty)
        lanes = e.slot(Layout(layout.size * count, max(layout.alignment, 64)))
        return _InMemory(ty, lanes, e.slot(layout))
    numbers = [part for part in leaves(ty) if isinstance(part, Scalar)]
    return _OnStack(ty, tuple(e.stack_array(memory_type(part), count) for part in numbers))


def holds_array(ty: Type) -> bool:
    """Whether a value has arrays in it, which do not lie in registers."""
    return any(isinstance(part, Array) for part in leaves(ty))


@dataclass(frozen=True, slots=True)
class _OnStack:
    """Lanes of numbers, an array for each leaf."""

    ty: Type
    arrays: tuple[str, ...]

    def read(self, e: Emitter, lane: str) -> Value:
        return self._read(e, self.ty, lane, iter(self.arrays))

    def write(self, e: Emitter, lane: str, value: Value) -> None:
        self._write(e, self.ty, lane, value, iter(self.arrays))

    def for_tree(self, e: Emitter, count: int) -> Lanes:
        """A copy. A tree names so many places that LLVM would lose sight of who else reads and
        writes the array, which loops over whole rows of lanes depend on."""
        apart = lanes_of(e, self.ty, count)
        with memory.counted_loop(e, count, "lanes") as lane:
            apart.write(e, lane.index, self.read(e, lane.index))
        return apart

    def _read(self, e: Emitter, ty: Type, lane: str, arrays: Iterator[str]) -> Value:
        if has_no_representation(ty):
            return None
        if isinstance(ty, Scalar):
            return memory.load(e, ty, memory.element_pointer(e, next(arrays), ty, lane), ())
        assert isinstance(ty, Tuple | Struct)
        return tuple(self._read(e, item, lane, arrays) for item in ty.items)

    def _write(self, e: Emitter, ty: Type, lane: str, value: Value, arrays: Iterator[str]) -> None:
        if has_no_representation(ty):
            return
        if isinstance(ty, Scalar):
            memory.store(e, ty, value, memory.element_pointer(e, next(arrays), ty, lane))
            return
        assert isinstance(ty, Tuple | Struct)
        assert isinstance(value, tuple)
        for item, part in zip(ty.items, value, strict=True):
            self._write(e, item, lane, part, arrays)


@dataclass(frozen=True, slots=True)
class _InMemory:
    """Lanes of values that hold arrays. A new value is completed in `staging` first."""

    ty: Type
    lanes: str
    staging: str

    def read(self, e: Emitter, lane: str) -> Value:
        address = memory.element_pointer(e, self.lanes, self.ty, lane)
        return memory.load(e, self.ty, address, (Buffer(writable=False),))

    def write(self, e: Emitter, lane: str, value: Value) -> None:
        memory.store(e, self.ty, value, self.staging)
        address = memory.element_pointer(e, self.lanes, self.ty, lane)
        memory.copy_bytes(e, address, self.staging, self.ty)

    def for_tree(self, e: Emitter, count: int) -> Lanes:
        return self
