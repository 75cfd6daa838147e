"""Arrays of tuples and structs in lanes: neighbours read and stored whole, and turned round.

A vector for each component takes what lies apart in memory. Where all components are of one type,
square tiles of records are loaded row by row and transposed in registers, which is several times
faster than to gather each component.
"""

from __future__ import annotations

from collections.abc import Sequence

from mapal.codegen.llvm.kernels.transpose_tile import transposed
from mapal.codegen.llvm.kernels.vectors import Vectors, vector_type
from mapal.codegen.llvm.lanes.context import Lanes
from mapal.codegen.llvm.lanes.values import LaneValue, Varying
from mapal.ir.types import BOOL, Scalar, Struct, Tuple, Type

_MASKED_BYTES = 32
"""Vectors of so many bytes and more can be loaded and stored under a mask."""

_MOST_COMPONENTS = 16


def load_records(lanes: Lanes, ty: Type, address: str) -> LaneValue:
    """The records of all lanes, one after the other from an address on; None if they have to be
    gathered."""
    element = _element(lanes, ty)
    if element is None:
        return None
    count = _count(lanes, ty, element)
    side = _side(count)
    v = Vectors(lanes.e.module, lanes.w, element)
    tiles: list[list[str]] = []
    for first in range(0, lanes.width, side):
        rows = [
            v.load(v.address(address, (first + row) * count), side, live=count)
            for row in range(side)
        ]
        tiles.append(transposed(v, rows, side)[:count])
    columns = [Varying(_joined(v, parts, side)) for parts in zip(*tiles, strict=True)]
    return lanes.rebuilt(ty, iter(columns))


def store_records(lanes: Lanes, ty: Type, value: LaneValue, address: str) -> bool:
    """Stores the records of all lanes, one after the other; False if they have to be scattered."""
    element = _element(lanes, ty)
    if element is None:
        return False
    count = _count(lanes, ty, element)
    side = _side(count)
    v = Vectors(lanes.e.module, lanes.w, element)
    columns = [lanes.vector(leaf, part) for leaf, part in lanes.leaves(ty, value)]
    for first in range(0, lanes.width, side):
        parts = [_part(v, column, lanes.width, first, side) for column in columns]
        parts += ["poison"] * (side - count)
        for row, vector in enumerate(transposed(v, parts, side)):
            v.store(vector, v.address(address, (first + row) * count), side, live=count)
    return True


def _element(lanes: Lanes, ty: Type) -> Scalar | None:
    """The one type of all components of records that can be turned round."""
    if not isinstance(ty, Tuple | Struct) or lanes.mask is not None:
        return None
    if lanes.e.module.profile.vector_bytes < _MASKED_BYTES:
        return None
    kinds = set(_kinds(ty))
    if len(kinds) != 1:
        return None
    (element,) = kinds
    if element is None or element == BOOL or element.bytes < 4:
        return None
    count = _count(lanes, ty, element)
    is_usual = 2 <= count <= min(_MOST_COMPONENTS, lanes.width)
    return element if is_usual and lanes.width % _side(count) == 0 else None


def _kinds(ty: Type) -> Sequence[Scalar | None]:
    """The types of the scalars of a type; None for what is not one."""
    if isinstance(ty, Tuple | Struct):
        return [kind for item in ty.items for kind in _kinds(item)]
    return [ty if isinstance(ty, Scalar) else None]


def _count(lanes: Lanes, ty: Type, element: Scalar) -> int:
    """Components of a record. Between equal numbers there is no padding."""
    return lanes.e.layouts.of(ty).size // element.bytes


def _side(count: int) -> int:
    """The side of the square tiles."""
    return 1 << (count - 1).bit_length()


def _joined(v: Vectors, parts: Sequence[str], side: int) -> str:
    """Vectors one behind the other; their number is a power of two."""
    found, length = list(parts), side
    while len(found) > 1:
        order = ", ".join(f"i32 {at}" for at in range(2 * length))
        ty = vector_type(v.ty, length)
        found = [
            v.w.value(f"shufflevector {ty} {a}, {ty} {b}, <{2 * length} x i32> <{order}>")
            for a, b in zip(found[::2], found[1::2], strict=True)
        ]
        length *= 2
    return found[0]


def _part(v: Vectors, vector: str, width: int, first: int, side: int) -> str:
    """Some neighbouring elements of a vector."""
    if side == width:
        return vector
    ty = vector_type(v.ty, width)
    order = ", ".join(f"i32 {at}" for at in range(first, first + side))
    return v.w.value(f"shufflevector {ty} {vector}, {ty} poison, <{side} x i32> <{order}>")
