"""How values lie in memory, and how wide they are in registers.

Memory follows the C rules: a number at its natural size and alignment, a `bool` in one byte,
tuples and structs field by field with padding, arrays contiguous in row-major order, nested
ones inline. Types without a representation (unit, token, text) take no space. Sizes are exact
Python integers; nothing here walks a type more than once, however often it names another.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.diagnostics import CompilerBug, Unsupported
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, has_no_representation

WIDEST_VALUE = 4096
"""A value with more scalars and arrays than this is not taken apart into registers."""

LARGEST_OBJECT = 2**62
"""Bytes; a larger object has no address arithmetic in 64 bits."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Size and alignment in bytes; `size` is a multiple of `alignment`."""

    size: int
    alignment: int


class Layouts:
    """Layouts and widths of types, each computed once."""

    def __init__(self) -> None:
        self._layouts: dict[Type, Layout] = {}
        self._offsets: dict[Type, tuple[int, ...]] = {}
        self._widths: dict[Type, int] = {}

    def of(self, ty: Type) -> Layout:
        """Size and alignment. Raises `Unsupported` for an object that no address space holds."""
        found = self._layouts.get(ty)
        if found is None:
            found = self._layouts[ty] = self._compute(ty)
            if found.size > LARGEST_OBJECT:
                raise Unsupported(f"a value of {found.size} bytes exceeds the address space")
        return found

    def offsets(self, ty: Tuple | Struct) -> tuple[int, ...]:
        """The offset of each component in bytes."""
        self.of(ty)
        return self._offsets[ty]

    def width(self, ty: Type) -> int:
        """Number of scalars and arrays that a value consists of in registers. An array counts
        as one, whatever its elements are."""
        if isinstance(ty, Tuple | Struct):
            found = self._widths.get(ty)
            if found is None:
                found = self._widths[ty] = sum(map(self.width, ty.items))
            return found
        return 0 if has_no_representation(ty) else 1

    def require_narrow(self, ty: Type) -> None:
        """Raises `Unsupported` for a value too wide for registers."""
        if self.width(ty) > WIDEST_VALUE:
            raise Unsupported(
                f"a value with {self.width(ty)} components; at most {WIDEST_VALUE} are taken apart"
            )

    def _compute(self, ty: Type) -> Layout:
        if has_no_representation(ty):
            if isinstance(ty, Tuple | Struct):
                self._offsets[ty] = (0,) * len(ty.items)
            return Layout(0, 1)
        match ty:
            case Scalar():
                return Layout(ty.bytes, ty.bytes)
            case Array(element=element, length=length):
                inner = self.of(element)
                return Layout(inner.size * length, inner.alignment)
            case Tuple() | Struct():
                return self._product(ty)
        raise CompilerBug(f"no layout for {ty}")

    def _product(self, ty: Tuple | Struct) -> Layout:
        offsets: list[int] = []
        end, alignment = 0, 1
        for item in ty.items:
            inner = self.of(item)
            start = -(-end // inner.alignment) * inner.alignment
            offsets.append(start)
            end = start + inner.size
            alignment = max(alignment, inner.alignment)
        self._offsets[ty] = tuple(offsets)
        return Layout(-(-end // alignment) * alignment, alignment)


def leaves(ty: Type) -> tuple[Scalar | Array, ...]:
    """The scalars and arrays of a value in register order; components without a representation
    are left out. The caller has checked the width."""
    if isinstance(ty, Tuple | Struct):
        return tuple(leaf for item in ty.items for leaf in leaves(item))
    if isinstance(ty, Scalar):
        return (ty,)
    if isinstance(ty, Array) and not has_no_representation(ty):
        return (ty,)
    return ()


REGISTER_TYPES = {
    "i32": "i32",
    "i64": "i64",
    "u8": "i8",
    "f32": "float",
    "f64": "double",
    "bool": "i1",
}
"""The LLVM type of a scalar in a register."""


def register_type(ty: Scalar | Array) -> str:
    """The LLVM type of a leaf in a register: arrays travel by address."""
    return REGISTER_TYPES[ty.name] if isinstance(ty, Scalar) else "ptr"


def memory_type(ty: Scalar) -> str:
    """The LLVM type of a scalar in memory."""
    return "i8" if ty.name == "bool" else REGISTER_TYPES[ty.name]
