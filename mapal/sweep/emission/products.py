"""Steps on tuples, structs and arrays."""

from __future__ import annotations

from mapal.ir.types import I32, I64, U8, Array, Scalar, Struct, Tuple, Type, depth
from mapal.sweep.catalogue import LENGTHS, SCALARS, TYPES, struct_of
from mapal.sweep.emission.emitter import Emitter, Numbers, holds_data
from mapal.sweep.script import Block

LARGEST_VALUE = 400
"""Scalars in one value."""

DEEPEST = 5
"""Levels of products in one value."""


def scalars_in(ty: Type) -> int:
    """Number of scalars in a value of a type."""
    match ty:
        case Array(element=element, length=length):
            return length * scalars_in(element)
        case Tuple(items=items) | Struct(items=items):
            return sum(map(scalars_in, items))
        case _:
            return 1


def is_modest(ty: Type) -> bool:
    return holds_data(ty) and scalars_in(ty) <= LARGEST_VALUE and depth(ty) <= DEEPEST


def _is_product(ty: Type) -> bool:
    return isinstance(ty, Tuple | Struct)


def pack(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A tuple or struct of known values, products among them."""
    as_struct, count = n.chance(3), 2 + n.below(3)
    parts = []
    for _ in range(count):
        part = e.pick(is_modest, n.next())
        parts.append(part if part is not None else e.number(n.below(4)))
    types = tuple(map(e.b.ty, parts))
    ty = struct_of(types) if as_struct else Tuple(types)
    if not is_modest(ty) or not e.afford():
        return
    if isinstance(ty, Struct):
        e.know(e.b.pack_struct(ty, parts, e.key()))
        e.note("struct")
    else:
        e.know(e.b.pack(parts, e.key()))
        e.note("tuple")
    if any(_is_product(part) for part in types):
        e.note("nested product")


def projection(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A component of a known tuple or struct."""
    product = e.pick(lambda ty: _is_product(ty) and holds_data(ty), n.next())
    if product is None or not e.afford():
        return
    ty = e.b.ty(product)
    assert isinstance(ty, Tuple | Struct)
    e.know(e.b.proj(product, n.below(len(ty.items)), e.key()))
    e.note("projection of a struct" if isinstance(ty, Struct) else "projection of a tuple")


def composite(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """A value of any type of the catalogue, made of known parts."""
    ty = TYPES[n.below(len(TYPES))]
    if e.afford(4):
        e.know(e.make(ty, n.next()))


def array(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    """An array literal."""
    wanted = SCALARS[n.below(len(SCALARS))]
    first = e.pick(is_modest, n.next()) if n.chance(4) else e.demand(wanted, n.next())
    if first is None:
        return
    element = e.b.ty(first)
    count = 1 + n.below(6)
    if scalars_in(element) * count > LARGEST_VALUE or depth(element) >= DEEPEST:
        return
    if e.afford():
        parts = [first, *(e.demand(element, n.next()) for _ in range(count - 1))]
        e.know(e.b.pack_array(parts, e.key()))
        e.note("array literal" if isinstance(element, Scalar) else "array literal of products")


def index(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    found = e.pick_array(n.next())
    if found is None or not e.afford():
        return
    source, ty = found
    e.know(e.b.index(source, e.position(ty.length, n), e.key()))
    e.note("index")


def update(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    found = e.pick_array(n.next())
    if found is None or not e.afford(2):
        return
    source, ty = found
    position = e.position(ty.length, n)
    value = e.demand(ty.element, n.next())
    e.know(e.b.update(source, position, value, e.key()))
    if n.chance(3):
        e.know(e.b.index(source, e.number(n.below(ty.length)), e.key()))
        e.note("read of an array that was updated")
    e.note("update")


def iota(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    length = LENGTHS[n.below(len(LENGTHS))]
    count = e.number(length, (I32, I64, U8)[n.below(3)])
    if e.afford():
        e.know(e.b.iota(count, e.key()))
        e.note("iota")


def fill(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    length = LENGTHS[n.below(len(LENGTHS))]
    value = e.pick(lambda ty: is_modest(ty) and depth(ty) < DEEPEST, n.next())
    if value is None or scalars_in(e.b.ty(value)) * length > LARGEST_VALUE or not e.afford():
        return
    count = e.number(length, (I32, I64, U8)[n.below(3)])
    e.know(e.b.fill(value, count, e.key()))
    e.note("fill")


def zipped(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    found = e.pick_array(n.next())
    if found is None:
        return
    left, ty = found

    def fits(other: Type) -> bool:
        return isinstance(other, Array) and other.length == ty.length

    right = e.pick(fits, n.next())
    assert right is not None, "the left array fits itself"
    other = e.b.ty(right)
    assert isinstance(other, Array)
    result = Array(Tuple((ty.element, other.element)), ty.length)
    if not is_modest(result) or not e.afford():
        return
    e.know(e.b.zip(left, right, e.key()))
    e.note("zip")


def enumerated(e: Emitter, n: Numbers, blocks: tuple[Block, ...]) -> None:
    found = e.pick_array(n.next())
    if found is None:
        return
    source, ty = found
    if is_modest(Array(Tuple((I32, ty.element)), ty.length)) and e.afford():
        e.know(e.b.enumerate(source, e.key()))
        e.note("enumerate")
