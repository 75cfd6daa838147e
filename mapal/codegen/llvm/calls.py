"""The form in which values cross a function's border.

Parameters arrive as their leaves: scalars in registers, arrays by address. Scalars of the
result come back in registers; each array of the result is written to memory that the caller
names in a leading parameter. So nothing that an activation allocates outlives it, and no
array ever moves through a register.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mapal.codegen.layout import leaves, register_type
from mapal.codegen.llvm import memory
from mapal.codegen.llvm.arrays import temporary
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.module import function_symbol
from mapal.codegen.llvm.moves import moves_of, perform
from mapal.codegen.llvm.scope import Destination, Scope, Wish, is_free
from mapal.codegen.llvm.values import Buffer, Memory, Value
from mapal.ir import ops
from mapal.ir.ops import FunctionId
from mapal.ir.order import OperationItem
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, has_no_representation


@dataclass(frozen=True, slots=True)
class Signature:
    """A function as LLVM sees it: arrays of the result, leaves of the parameter, scalars of
    the result."""

    destinations: tuple[Array, ...]
    parameters: tuple[Scalar | Array, ...]
    scalars: tuple[Scalar, ...]

    @property
    def returned(self) -> str:
        """The LLVM type that comes back."""
        if not self.scalars:
            return "void"
        if len(self.scalars) == 1:
            return register_type(self.scalars[0])
        return "{ " + ", ".join(map(register_type, self.scalars)) + " }"


def signature(taken: Type, given: Type) -> Signature:
    """The signature of a function from its input and output types."""
    result = leaves(given)
    return Signature(
        tuple(leaf for leaf in result if isinstance(leaf, Array)),
        leaves(taken),
        tuple(leaf for leaf in result if isinstance(leaf, Scalar)),
    )


def typed(leaf: Scalar | Array, value: str) -> str:
    """A parameter or argument: the type with its extension, and the value."""
    extension = " zeroext" if isinstance(leaf, Scalar) and leaf.bits < 32 else ""
    return f"{register_type(leaf)}{extension} {value}"


def call(e: Emitter, scope: Scope, item: OperationItem) -> Value:
    """The result of a call."""
    op = item.morphism.op
    assert isinstance(op, ops.Call)
    argument = scope.values.get(item.operands[0])
    return invoke(e, scope, op.function, argument, scope.wishes.get(item.target))


def invoke(e: Emitter, scope: Scope, callee: FunctionId, argument: Value, wish: Wish) -> Value:
    """The result of a function on an argument; `wish` is where its arrays should lie."""
    function = e.graph.functions[callee]
    taken, given = e.graph.ty(function.input), e.graph.ty(function.output)
    found = signature(taken, given)
    registers = memory.in_registers(e, taken, argument, "a call takes its address")
    offered = offers(given, wish)
    results = result_memories(e, scope, found.destinations, offered)
    arguments = [f"ptr {result.pointer}" for result in results]
    arguments += [typed(leaf, part) for leaf, part in zip(found.parameters, registers, strict=True)]
    text = f"call {found.returned} {function_symbol(e.graph, function)}({', '.join(arguments)})"
    scalars: list[str] = []
    if not found.scalars:
        e.w.line(text)
    else:
        returned = e.w.value(text)
        scalars = _taken_apart(e, found, returned)
    return assembled(given, iter(scalars), iter(results))


def _taken_apart(e: Emitter, found: Signature, returned: str) -> list[str]:
    if len(found.scalars) == 1:
        return [returned]
    return [
        e.w.value(f"extractvalue {found.returned} {returned}, {number}")
        for number in range(len(found.scalars))
    ]


def result_memories(
    e: Emitter, scope: Scope, types: Sequence[Array], offered: Iterator[Destination | None]
) -> list[Memory]:
    """Memory for each array of a result: as offered, or of this activation."""
    results: list[Memory] = []
    taken: list[Destination] = []
    for ty, offer in zip(types, offered, strict=True):
        if offer is not None and offer not in taken and is_free(offer.buffer, now=True):
            taken.append(offer)
            offer.uses.append(None)
            results.append(Memory(offer.pointer, (offer.buffer,)))
        elif len(types) == 1:
            results.append(temporary(e, scope, ty))
        else:
            # Arrays of one result live at once, before any of them has a holder.
            results.append(e.fresh_memory(e.layouts.of(ty)))
    return results


def offers(ty: Type, wish: Wish) -> Iterator[Destination | None]:
    """The offered destination of each array of a result."""
    if isinstance(ty, Tuple | Struct):
        wishes = wish if isinstance(wish, tuple) else (None,) * len(ty.items)
        for item, part in zip(ty.items, wishes, strict=True):
            yield from offers(item, part)
    elif isinstance(ty, Array) and not has_no_representation(ty):
        yield wish if isinstance(wish, Destination) else None


def assembled(ty: Type, scalars: Iterator[str], arrays: Iterator[Memory]) -> Value:
    """A value from its leaves."""
    if has_no_representation(ty):
        return None
    if isinstance(ty, Tuple | Struct):
        return tuple(assembled(item, scalars, arrays) for item in ty.items)
    return next(arrays) if isinstance(ty, Array) else next(scalars)


# The callee's side ------------------------------------------------------------------


def parameters(e: Emitter, ty: Type) -> tuple[list[str], Value]:
    """The parameters of a function and the value that they make. Arrays are only lent."""
    texts: list[str] = []
    values: list[Value] = []
    for number, leaf in enumerate(leaves(ty)):
        name = f"%p{number}"
        if isinstance(leaf, Array):
            texts.append(f"ptr readonly {array_attributes(e, leaf)} {name}")
            values.append(Memory(name, (Buffer(writable=False),)))
        else:
            texts.append(typed(leaf, name))
            values.append(name)
    return texts, _rebuilt(ty, iter(values))


def array_attributes(e: Emitter, ty: Array) -> str:
    """What is true of every array that crosses a function's border: its memory is all there,
    and the callee keeps no address."""
    layout = e.layouts.of(ty)
    extent = f"align {layout.alignment} dereferenceable({layout.size})"
    return f"noundef nonnull captures(none) {extent}"


def destinations(e: Emitter, ty: Type) -> tuple[list[str], Wish]:
    """The destination parameters of a function, and the same as a wish for its result. A
    caller names memory that nothing else in the call refers to."""
    found = [leaf for leaf in leaves(ty) if isinstance(leaf, Array)]
    made = [Destination(f"%result{n}", Buffer(writable=True)) for n in range(len(found))]
    texts = [
        f"ptr noalias {array_attributes(e, leaf)} {place.pointer}"
        for leaf, place in zip(found, made, strict=True)
    ]
    return texts, wish_of(ty, iter(made))


def give_back(e: Emitter, ty: Type, result: Value, wish: Wish) -> list[str]:
    """Puts the arrays of a result where the caller wants them; its scalars."""
    perform(e, moves_of(ty, result, wish))
    return _scalars(ty, result)


def _scalars(ty: Type, value: Value) -> list[str]:
    if isinstance(ty, Scalar):
        assert isinstance(value, str)
        return [value]
    if isinstance(ty, Tuple | Struct) and isinstance(value, tuple):
        pairs = zip(ty.items, value, strict=True)
        return [register for item, part in pairs for register in _scalars(item, part)]
    return []


def returned_text(e: Emitter, found: Signature, registers: list[str]) -> str:
    """The operand of `ret`."""
    if not registers:
        return "void"
    if len(registers) == 1:
        return f"{found.returned} {registers[0]}"
    whole = "poison"
    for number, (leaf, register) in enumerate(zip(found.scalars, registers, strict=True)):
        part = f"{register_type(leaf)} {register}"
        whole = e.w.value(f"insertvalue {found.returned} {whole}, {part}, {number}")
    return f"{found.returned} {whole}"


def _rebuilt(ty: Type, parts: Iterator[Value]) -> Value:
    if has_no_representation(ty):
        return None
    if isinstance(ty, Tuple | Struct):
        return tuple(_rebuilt(item, parts) for item in ty.items)
    return next(parts)


def wish_of(ty: Type, places: Iterator[Destination]) -> Wish:
    """The wish that the arrays of a value lie in these places."""
    if isinstance(ty, Tuple | Struct):
        return tuple(wish_of(item, places) for item in ty.items)
    if isinstance(ty, Array) and not has_no_representation(ty):
        return next(places)
    return None
