"""Elements of arrays in lanes: one for all lanes, neighbours in one load, or gathered.

The masks of the context keep lanes that do not count from touching memory. An address that is the
same in all lanes is read as it is: some lane counts, and in that one it is in range.
"""

from __future__ import annotations

from dataclasses import replace

from mapal.codegen.layout import Layout, memory_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.lanes.context import ALL, Lanes
from mapal.codegen.llvm.lanes.records import load_records
from mapal.codegen.llvm.lanes.values import (
    Counting,
    Exact,
    Filled,
    Interleaved,
    LaneValue,
    Linear,
    Numbered,
    Paired,
    Pattern,
    Rows,
    Varying,
    is_uniform,
)
from mapal.codegen.llvm.scalars import SUFFIXES, as_index
from mapal.codegen.llvm.values import Broadcast, Enumerated, Memory, Range, Value, Zipped
from mapal.diagnostics import CompilerBug
from mapal.ir.types import (
    BOOL,
    I32,
    I64,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
    has_no_representation,
)


def index_of(lanes: Lanes, ty: Scalar, value: LaneValue, length: int) -> LaneValue:
    """An integer as an index of 64 bits into an array of `length` elements, in range in all lanes
    that count."""
    match value:
        case str():
            return as_index(lanes.e, ty, value)
        case Linear(stride=stride, exact=Exact() as exact) if _is_reached(exact, ty, length):
            return Linear(exact.base, stride)
        case Linear(base=base, stride=stride) if _is_exact(lanes.rises(stride), ty, length):
            return Linear(as_index(lanes.e, ty, base), stride)
        case Pattern(base=base, offsets=offsets) if _is_exact(offsets, ty, length):
            return Pattern(as_index(lanes.e, ty, base), offsets)
        case _:
            return Varying(as_index(lanes, ty, lanes.vector(ty, value)))


def _is_reached(exact: Exact, ty: Scalar, length: int) -> bool:
    """Whether numbers of a type that are an index in range are what they would be without wrapping:
    every other number that wraps to the same is out of reach."""
    wrap = 1 << ty.bits
    return length - wrap <= exact.least and exact.greatest < wrap


def _is_exact(offsets: tuple[int, ...], ty: Scalar, length: int) -> bool:
    """Whether offsets may be added to a base of 64 bits although integers of the type wrap. What
    the base should be, an index in range minus an offset, must be a number of the type."""
    half = 1 << (ty.bits - 1)
    least, most = min(offsets), max(offsets)
    return ty.is_signed and -half <= -most and length - least <= half


def element(lanes: Lanes, array: LaneValue, ty: Array, index: LaneValue) -> LaneValue:
    """The elements at an index of 64 bits, which is in range in all lanes that count."""
    if has_no_representation(ty.element):
        return None
    match array:
        case Memory(pointer=pointer):
            return _of_memory(lanes, array, ty, pointer, index)
        case Rows(pointer=pointer, offsets=offsets):
            return _of_rows(lanes, ty, pointer, offsets, index)
        case Interleaved(places=places):
            return _interleaved(lanes, ty.element, places, index)
        case Range() | Counting():
            return _narrow(lanes, index)
        case Broadcast(element=value) | Filled(element=value):
            return value
        case Zipped(left=left, right=right) | Paired(left=left, right=right):
            assert isinstance(ty.element, Tuple)
            first, second = ty.element.items
            return (
                element(lanes, left, Array(first, ty.length), index),
                element(lanes, right, Array(second, ty.length), index),
            )
        case Enumerated(array=inner) | Numbered(array=inner):
            assert isinstance(ty.element, Tuple)
            _, second = ty.element.items
            return (
                _narrow(lanes, index),
                element(lanes, inner, Array(second, ty.length), index),
            )
    raise CompilerBug(f"no element of {array!r} in lanes")


def _narrow(lanes: Lanes, index: LaneValue) -> LaneValue:
    """An index below 2^31 as i32."""
    match index:
        case str():
            return memory.narrow_index(lanes.e, index)
        case Linear(base=base):
            return replace(index, base=memory.narrow_index(lanes.e, base))
        case Pattern(base=base, offsets=offsets):
            return Pattern(memory.narrow_index(lanes.e, base), offsets)
        case Varying(register=register):
            wide, narrow = lanes.type_of(I64), lanes.type_of(I32)
            return Varying(lanes.value(f"trunc {wide} {register} to {narrow}"))
    raise CompilerBug(f"{index!r} is no index")


# Memory that all lanes share ----------------------------------------------------------


def _of_memory(lanes: Lanes, array: Memory, ty: Array, pointer: str, index: LaneValue) -> LaneValue:
    if is_uniform(index):
        shared: Value = memory.element(lanes.e, array, ty, index)
        return shared
    size = lanes.e.layouts.of(ty.element).size
    is_dense = isinstance(ty.element, Scalar)
    if isinstance(index, Linear) and index.stride == 1 and is_dense:
        assert isinstance(ty.element, Scalar)
        address = _place(lanes, pointer, size, index.base)
        return Varying(_load(lanes, ty.element, address))
    if isinstance(index, Linear):
        start = _place(lanes, pointer, size, index.base)
        if index.stride == 1:
            whole = load_records(lanes, ty.element, start)
            if whole is not None:
                return whole
        return _at_offsets(lanes, ty.element, start, lanes.steps("i64", index.stride * size))
    if isinstance(index, Pattern):
        offsets = index.offsets
        if isinstance(ty.element, Scalar) and _is_window(lanes, offsets):
            return Varying(_shuffled(lanes, ty.element, pointer, index))
        start = _place(lanes, pointer, size, index.base)
        scaled = lanes.numbers("i64", tuple(offset * size for offset in offsets))
        return _at_offsets(lanes, ty.element, start, scaled)
    assert isinstance(index, Varying)
    return _at_offsets(lanes, ty.element, pointer, _scaled(lanes, index.register, size))


def _place(lanes: Lanes, pointer: str, size: int, index: str) -> str:
    """The address of an element that need not exist: only those of lanes that count do."""
    if index == "0":
        return pointer
    return lanes.value(f"getelementptr [{size} x i8], ptr {pointer}, i64 {index}")


def _is_window(lanes: Lanes, offsets: tuple[int, ...]) -> bool:
    """Whether all lanes read from as many neighbours as there are lanes."""
    return lanes.mask is None and max(offsets) - min(offsets) < lanes.width


def _shuffled(lanes: Lanes, ty: Scalar, pointer: str, index: Pattern) -> str:
    """Elements of a window of neighbours, in the order in which lanes want them. First and last
    are in range, so all are."""
    first, last = min(index.offsets), max(index.offsets)
    base = lanes.value(f"add i64 {index.base}, {first}") if first else index.base
    address = memory.element_pointer(lanes.e, pointer, ty, base)
    count = last - first + 1
    size = 1 << (count - 1).bit_length()
    kept = memory_type(ty)
    window = f"<{size} x {kept}>"
    if size == count:
        loaded = lanes.value(f"load {window}, ptr {address}, align {ty.bytes}")
    else:
        live = ", ".join(f"i1 {'true' if at < count else 'false'}" for at in range(size))
        name = lanes.intrinsic(
            f"llvm.masked.load.v{size}{SUFFIXES[kept]}.p0", window, f"ptr, <{size} x i1>, {window}"
        )
        loaded = lanes.value(
            f"call {window} {name}(ptr align {ty.bytes} {address}, "
            f"<{size} x i1> <{live}>, {window} poison)"
        )
    order = lanes.numbers("i32", tuple(offset - first for offset in index.offsets))
    shuffled = lanes.value(
        f"shufflevector {window} {loaded}, {window} poison, <{lanes.width} x i32> {order}"
    )
    return _as_register(lanes, ty, shuffled)


def _of_rows(lanes: Lanes, ty: Array, pointer: str, offsets: str, index: LaneValue) -> LaneValue:
    size = lanes.e.layouts.of(ty.element).size
    if is_uniform(index):
        start = memory.element_pointer(lanes.e, pointer, ty.element, index)
        return _at_offsets(lanes, ty.element, start, offsets)
    inner = _scaled(lanes, lanes.vector(I64, index), size)
    vector = lanes.type_of(I64)
    whole = lanes.value(f"add {vector} {offsets}, {inner}")
    return _at_offsets(lanes, ty.element, pointer, whole)


def _scaled(lanes: Lanes, register: str, size: int) -> str:
    vector = lanes.type_of(I64)
    return lanes.value(f"mul {vector} {register}, {lanes.constant('i64', str(size))}")


def _at_offsets(lanes: Lanes, ty: Type, pointer: str, offsets: str) -> LaneValue:
    """The values at a pointer plus the bytes of each lane."""
    if has_no_representation(ty):
        return None
    match ty:
        case Array():
            return Rows(pointer, offsets)
        case Tuple() | Struct():
            starts = lanes.e.layouts.offsets(ty)
            return tuple(
                _at_offsets(lanes, item, memory.offset_pointer(lanes.e, pointer, start), offsets)
                for item, start in zip(ty.items, starts, strict=True)
            )
        case Scalar():
            return Varying(_gather(lanes, ty, pointer, offsets))
    raise CompilerBug(f"no values of {ty} in lanes")


def _gather(lanes: Lanes, ty: Scalar, pointer: str, offsets: str) -> str:
    vector = lanes.lanes(memory_type(ty))
    pointers = lanes.value(f"getelementptr i8, ptr {pointer}, {lanes.type_of(I64)} {offsets}")
    name = lanes.intrinsic(
        f"llvm.masked.gather.{lanes.suffix(memory_type(ty))}.v{lanes.width}p0",
        vector,
        f"{lanes.lanes('ptr')}, {lanes.lanes('i1')}, {vector}",
    )
    loaded = lanes.value(
        f"call {vector} {name}({lanes.lanes('ptr')} align {ty.bytes} {pointers}, "
        f"{lanes.lanes('i1')} {lanes.mask or ALL}, {vector} zeroinitializer)"
    )
    return _as_register(lanes, ty, loaded)


def _load(lanes: Lanes, ty: Scalar, address: str) -> str:
    """Neighbouring elements from an address on, those of lanes that count."""
    vector = lanes.lanes(memory_type(ty))
    if lanes.mask is None:
        loaded = lanes.value(f"load {vector}, ptr {address}, align {ty.bytes}")
    else:
        name = lanes.intrinsic(
            f"llvm.masked.load.{lanes.suffix(memory_type(ty))}.p0",
            vector,
            f"ptr, {lanes.lanes('i1')}, {vector}",
        )
        loaded = lanes.value(
            f"call {vector} {name}(ptr align {ty.bytes} {address}, "
            f"{lanes.lanes('i1')} {lanes.mask}, {vector} zeroinitializer)"
        )
    return _as_register(lanes, ty, loaded)


def _as_register(lanes: Lanes, ty: Scalar, loaded: str) -> str:
    if ty != BOOL:
        lanes.floats.note_loaded(loaded)
        return loaded
    return lanes.value(f"icmp ne {lanes.lanes('i8')} {loaded}, zeroinitializer")


# Arrays that lanes computed -----------------------------------------------------------


def interleaved_bytes(ty: Array, width: int) -> int:
    """The memory of an array that lanes compute, for an element without arrays."""
    return ty.length * width * sum(leaf.bytes for leaf in _scalars(ty.element))


def _scalars(ty: Type) -> list[Scalar]:
    if isinstance(ty, Tuple | Struct):
        return [leaf for item in ty.items for leaf in _scalars(item)]
    return [ty] if isinstance(ty, Scalar) else []


def new_interleaved(lanes: Lanes, ty: Array) -> Interleaved:
    """Memory for an array that lanes compute."""

    def place(item: Type) -> LaneValue:
        if isinstance(item, Tuple | Struct):
            return tuple(place(part) for part in item.items)
        if not isinstance(item, Scalar):
            return None
        return lanes.e.slot(Layout(ty.length * lanes.width * item.bytes, 64))

    return Interleaved(place(ty.element))


def set_interleaved(
    lanes: Lanes, array: Interleaved, ty: Array, index: str, value: LaneValue
) -> None:
    """Stores the elements of all lanes at an index that is the same in all of them."""

    def put(item: Type, place: LaneValue, part: LaneValue) -> None:
        if isinstance(item, Tuple | Struct):
            for inner, at, of in zip(item.items, place, part or (), strict=False):
                put(inner, at, of)
        elif isinstance(item, Scalar):
            store(lanes, item, lanes.vector(item, part), _position(lanes, item, place, index))

    put(ty.element, array.places, value)


def set_shared(lanes: Lanes, array: Memory, ty: Array, index: str, value: Value) -> None:
    """Stores an element that is the same in all lanes."""
    address = memory.element_pointer(lanes.e, array.pointer, ty.element, index)
    memory.store(lanes.e, ty.element, value, address)


def _position(lanes: Lanes, ty: Scalar, place: str, index: str) -> str:
    first = lanes.value(f"mul nuw nsw i64 {index}, {lanes.width}") if index != "0" else "0"
    return memory.element_pointer(lanes.e, place, ty, first)


def store(lanes: Lanes, ty: Scalar, vector: str, address: str, mask: str | None = None) -> None:
    """Stores neighbouring elements, those of lanes in a mask."""
    kept = lanes.lanes(memory_type(ty))
    if ty == BOOL:
        vector = lanes.value(f"zext {lanes.type_of(BOOL)} {vector} to {kept}")
    if mask is None:
        lanes.w.line(f"store {kept} {vector}, ptr {address}, align {ty.bytes}")
        return
    name = lanes.intrinsic(
        f"llvm.masked.store.{lanes.suffix(memory_type(ty))}.p0",
        "void",
        f"{kept}, ptr, {lanes.lanes('i1')}",
    )
    lanes.w.line(
        f"call void {name}({kept} {vector}, ptr align {ty.bytes} {address}, "
        f"{lanes.lanes('i1')} {mask})"
    )


def scatter(
    lanes: Lanes, ty: Scalar, vector: str, address: str, stride: int, mask: str | None
) -> None:
    """Stores elements that lie `stride` bytes apart, those of lanes in a mask."""
    kept = lanes.lanes(memory_type(ty))
    if ty == BOOL:
        vector = lanes.value(f"zext {lanes.type_of(BOOL)} {vector} to {kept}")
    pointers = lanes.value(
        f"getelementptr i8, ptr {address}, {lanes.type_of(I64)} {lanes.steps('i64', stride)}"
    )
    name = lanes.intrinsic(
        f"llvm.masked.scatter.{lanes.suffix(memory_type(ty))}.v{lanes.width}p0",
        "void",
        f"{kept}, {lanes.lanes('ptr')}, {lanes.lanes('i1')}",
    )
    lanes.w.line(
        f"call void {name}({kept} {vector}, {lanes.lanes('ptr')} align {ty.bytes} {pointers}, "
        f"{lanes.lanes('i1')} {mask or ALL})"
    )


def _interleaved(lanes: Lanes, ty: Type, places: LaneValue, index: LaneValue) -> LaneValue:
    if isinstance(ty, Tuple | Struct):
        return tuple(
            _interleaved(lanes, item, place, index)
            for item, place in zip(ty.items, places, strict=True)
        )
    if not isinstance(ty, Scalar):
        return None
    if is_uniform(index):
        address = _position(lanes, ty, places, index)
        vector = lanes.lanes(memory_type(ty))
        loaded = lanes.value(f"load {vector}, ptr {address}, align {ty.bytes}")
        return Varying(_as_register(lanes, ty, loaded))
    # Element after element, lane after lane.
    wide = lanes.type_of(I64)
    row = _scaled(lanes, lanes.vector(I64, index), lanes.width * ty.bytes)
    offsets = lanes.value(f"add {wide} {row}, {lanes.steps('i64', ty.bytes)}")
    return Varying(_gather(lanes, ty, places, offsets))
