"""Operations on single arrays: literals, laws, indexing, updating.

An update writes into its operand's memory when that memory is ours and nobody needs the old
array any more, or needs other cells of it; otherwise it copies. The decision is sound: it looks at
every object whose value may lie in the same memory and is still to be read, and wants a proof by
the engine of index maps that other cells are.
"""

from __future__ import annotations

from mapal.analysis.legality import may_write
from mapal.codegen.layout import memory_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.hidden_places import hidden_place
from mapal.codegen.llvm.module import quoted_bytes
from mapal.codegen.llvm.scalars import INDEX_OOB, as_index
from mapal.codegen.llvm.scope import (
    Destination,
    Holder,
    Scope,
    Temporary,
    is_free,
    needed_holders,
)
from mapal.codegen.llvm.values import (
    Broadcast,
    Buffer,
    Enumerated,
    Memory,
    Range,
    Value,
    Zipped,
    buffers_of,
    is_constant,
)
from mapal.codegen.plan import Site
from mapal.ir import ops
from mapal.ir.graph import Key
from mapal.ir.ops import ObjectId
from mapal.ir.order import OperationItem, PackItem
from mapal.ir.types import (
    U8,
    Array,
    Scalar,
    Struct,
    Tuple,
    Type,
    has_no_representation,
)


def destination(e: Emitter, scope: Scope, target: ObjectId, ty: Array) -> Memory:
    """Where to compute an array: where it is wanted, if that memory is free now, else a slot."""
    wish = scope.wishes.get(target)
    if isinstance(wish, Destination) and is_free(wish.buffer, now=True):
        wish.uses.append(None)
        return Memory(wish.pointer, (wish.buffer,))
    return temporary(e, scope, ty)


def temporary(e: Emitter, scope: Scope, ty: Array) -> Memory:
    """A slot for an array that is computed here and now: one that an earlier operation of the
    same region used for an array that nobody needs any more, or a new one. Within one region
    the operations run in the order in which they are emitted; a slot whose code is written
    late, or stands in another region, is not shared."""
    layout, frame = e.layouts.of(ty), scope.frames[-1]
    for shared in e.temporaries:
        if shared.layout == layout and shared.frame is frame and is_free(shared.buffer, now=True):
            return Memory(shared.pointer, (shared.buffer,))
    made = e.fresh_memory(layout)
    e.temporaries.append(Temporary(layout, made.pointer, made.buffers[0], frame))
    return made


def record(
    e: Emitter, scope: Scope, kind: str, key: Key, elements: int, shape: str, reason: str
) -> Site:
    """Adds a site to the plan."""
    return e.module.plan.add(scope.name, kind, key[-1][0], elements, shape, reason)


# Laws -------------------------------------------------------------------------------


def law(e: Emitter, scope: Scope, item: OperationItem) -> Value:
    """Iota, Fill, Zip, Enumerate: arrays whose elements are computed on demand."""
    ty = e.graph.ty(item.target)
    assert isinstance(ty, Array)
    if has_no_representation(ty):
        return None
    op = item.morphism.op
    kind = type(op).__name__.lower()
    key = item.morphism.key
    site = e.module.plan.add(
        scope.name, kind, key[-1][0], ty.length, "lazy", "its elements are computed where used"
    )
    place = memory.law_place(e)
    operands = [scope.values.get(obj) for obj in item.operands]
    match op:
        case ops.Iota():
            return Range(place, site)
        case ops.Fill():
            return Broadcast(place, site, element=operands[0])
        case ops.Zip():
            return Zipped(place, site, left=operands[0], right=operands[1])
        case _:
            return Enumerated(place, site, array=operands[0])


# Literals ---------------------------------------------------------------------------


def literal(e: Emitter, scope: Scope, item: PackItem) -> Value:
    """An array of given elements: a constant of the module if all of them are."""
    ty = e.graph.ty(item.target)
    assert isinstance(ty, Array)
    values = [scope.values.get(obj) for obj in item.feeders]
    return from_elements(e, scope, item.target, ty, values, item.key)


def from_elements(
    e: Emitter, scope: Scope, target: ObjectId, ty: Array, values: list[Value], key: Key
) -> Value:
    """An array of given values."""
    if has_no_representation(ty):
        return None
    shape, reason = "constant", "all elements are literals"
    made = constant_array(e, ty, values)
    if made is None:
        shape, reason = "stored", "its elements are computed"
        made = destination(e, scope, target, ty)
        for index, value in enumerate(values):
            address = memory.element_pointer(e, made.pointer, ty.element, str(index))
            memory.store(e, ty.element, value, address)
    record(e, scope, "literal", key, ty.length, shape, reason)
    return made


def constant_array(e: Emitter, ty: Array, values: list[Value]) -> Memory | None:
    """An array of literals as a constant of the module; None if an element is computed."""
    found = [constant_content(e, ty.element, value) for value in values]
    contents = [content for content in found if content is not None]
    if len(contents) < len(found):
        return None
    element_type = contents[0][0]
    if ty.element == U8:
        content = quoted_bytes(bytes(int(text) for _, text in contents))
    else:
        content = "[" + ", ".join(f"{kind} {text}" for kind, text in contents) + "]"
    whole = f"[{ty.length} x {element_type}]"
    symbol = e.module.constant(whole, content, 64)
    e.module.constant_contents[symbol] = (whole, content)
    return Memory(symbol, (Buffer(writable=False),))


def constant_content(e: Emitter, ty: Type, value: Value) -> tuple[str, str] | None:
    """LLVM type and text of a value that is known now; None if it is not. LLVM lays structs
    out as `layout` does."""
    match ty:
        case Scalar():
            if not is_constant(value):
                return None
            assert isinstance(value, str)
            text = {"true": "1", "false": "0"}.get(value, value)
            return memory_type(ty), text
        case Array():
            if isinstance(value, Memory):
                return e.module.constant_contents.get(value.pointer)
            return None
        case Tuple() | Struct() if isinstance(value, tuple):
            parts = [
                constant_content(e, item, part)
                for item, part in zip(ty.items, value, strict=True)
                if not has_no_representation(item)
            ]
            if any(part is None for part in parts):
                return None
            known = [part for part in parts if part is not None]
            kinds = ", ".join(kind for kind, _ in known)
            texts = ", ".join(f"{kind} {text}" for kind, text in known)
            return f"{{ {kinds} }}", f"{{ {texts} }}"
        case _:
            return None


# Index and update -------------------------------------------------------------------


def checked_index(e: Emitter, scope: Scope, item: OperationItem, ty: Array) -> str:
    """The index operand as an i64 in range; emits the check unless none is needed."""
    key, kind = item.morphism.key, "access"
    index_ty = e.graph.ty(item.operands[1])
    value = scope.values[item.operands[1]]
    assert isinstance(index_ty, Scalar)
    assert isinstance(value, str)
    index = as_index(e, index_ty, value)
    if is_constant(value) and 0 <= int(value) < ty.length:
        record(e, scope, kind, key, ty.length, "unguarded", "the index is a literal in range")
        return index
    if index_ty == U8 and ty.length > 255:
        record(e, scope, kind, key, ty.length, "unguarded", "a u8 is always in range")
        return index
    if item.morphism.id in e.module.in_range:
        record(e, scope, kind, key, ty.length, "unguarded", "the index is proved to be in range")
        return index
    if item.morphism.id in e.module.hoisted:
        record(
            e, scope, kind, key, ty.length, "hoisted", "the indices of a block are checked before"
        )
        if e.module.assumes_hoisted:
            return index
    else:
        reason = "nothing proves the index to be in range"
        record(e, scope, kind, key, ty.length, "guarded", reason)
    if ty.length < 2**63:
        inside = e.w.value(f"icmp ult i64 {index}, {ty.length}")
    else:
        inside = e.w.value(f"icmp sge i64 {index}, 0")
    e.require(inside, INDEX_OOB, key)
    # A literal that got here is out of range, and nothing runs after its trap. An address that
    # far from a constant array may be one that no linker can write down.
    return "0" if is_constant(value) else index


def index(e: Emitter, scope: Scope, item: OperationItem) -> Value:
    """Element of an array. An element that is an array is not copied."""
    ty = e.graph.ty(item.operands[0])
    assert isinstance(ty, Array)
    position = checked_index(e, scope, item, ty)
    if has_no_representation(ty):
        return None
    if e.uses_kernels:
        position = hidden_place(e, item, ty, position)
    return memory.element(e, scope.values[item.operands[0]], ty, position)


def update(e: Emitter, scope: Scope, item: OperationItem) -> Value:
    """An array with one element replaced."""
    ty = e.graph.ty(item.operands[0])
    assert isinstance(ty, Array)
    position = checked_index(e, scope, item, ty)
    if has_no_representation(ty):
        return None
    array, value = scope.values[item.operands[0]], scope.values.get(item.operands[2])
    needed = [holder for b in buffers_of(array) for holder in needed_holders(b, now=False)]
    obstacle = _obstacle_in_place(e, item, array, needed)
    key = item.morphism.key
    if obstacle is None:
        assert isinstance(array, Memory)
        for buffer in buffers_of(array):
            buffer.written = True
        made = array
        reason = "nobody needs the old array"
        if needed:
            reason = "what is still read of the old array are other cells"
        record(e, scope, "update", key, ty.length, "in-place", reason)
    else:
        made = destination(e, scope, item.target, ty)
        memory.copy_array(e, ty, array, made.pointer)
        record(e, scope, "update", key, ty.length, "copied", obstacle)
    address = memory.element_pointer(e, made.pointer, ty.element, position)
    if set(buffers_of(value)).isdisjoint(buffers_of(made)):
        memory.store(e, ty.element, value, address)
    else:
        _store_overlapping(e, ty.element, value, address)
    return made


def _obstacle_in_place(
    e: Emitter, item: OperationItem, array: Value, needed: list[Holder]
) -> str | None:
    """Why an array cannot be updated where it lies; None if it can. `needed` is what lies in its
    memory and is still to be read."""
    if not isinstance(array, Memory):
        return "the old array has no memory"
    if not all(buffer.writable for buffer in buffers_of(array)):
        return "the old array is a parameter or constant"
    # Of an order of the reads and this there is nothing to know then.
    if any(holder.is_read_elsewhere() for holder in needed):
        return "paths that run at the same time may read the old array"
    if not may_write(e.graph, item.morphism.id, [(each.obj, each.part) for each in needed]):
        return "the old array is needed later"
    return None


def _store_overlapping(e: Emitter, ty: Type, value: Value, address: str) -> None:
    """Stores an element that is made of parts of the array that it is stored into."""
    if isinstance(ty, Array) and isinstance(value, Memory):
        # Elements of one array either coincide or do not overlap.
        memory.copy_bytes(e, address, value.pointer, ty)
        return
    staged = e.slot(e.layouts.of(ty))
    memory.store(e, ty, value, staged)
    memory.copy_bytes(e, address, staged, ty)
