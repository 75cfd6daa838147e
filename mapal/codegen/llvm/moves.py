"""Putting several arrays where they belong, when they may lie in each other's places.

The arrays of a result, of an element or of a loop's next state have one destination each. An
array often lies at its destination already, because it was offered to whoever computed it; but
it may also lie at another one's, through an alias. Before a destination is overwritten, what
else lies there is copied out of the way.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.codegen.llvm import memory
from mapal.codegen.llvm.emitter import Emitter
from mapal.codegen.llvm.scope import Destination, Wish
from mapal.codegen.llvm.values import Buffer, Memory, Value, buffers_of
from mapal.ir.types import Array, Struct, Tuple, Type


@dataclass(frozen=True, eq=False, slots=True)
class Move:
    """An array and where it has to lie."""

    ty: Array
    value: Value
    destination: Destination


def is_at(e: Emitter, value: Value, pointer: str) -> bool:
    """Whether an array lies at an address."""
    return isinstance(value, Memory) and e.canonical(value.pointer) == e.canonical(pointer)


def perform(e: Emitter, moves: list[Move]) -> None:
    """Copies each array to its destination."""
    overwritten = {
        move.destination.buffer.root(): move
        for move in moves
        if not is_at(e, move.value, move.destination.pointer)
    }
    for move in [_evacuated(e, move, overwritten) for move in moves]:
        memory.copy_array(e, move.ty, move.value, move.destination.pointer)


def _evacuated(e: Emitter, move: Move, overwritten: dict[Buffer, Move]) -> Move:
    """A move that stays right whatever the others overwrite."""
    owners = [overwritten[b] for b in buffers_of(move.value) if b in overwritten]
    # Memory that is partly its own destination is equal to it or apart from it.
    if not owners or (isinstance(move.value, Memory) and all(owner is move for owner in owners)):
        return move
    copy = e.fresh_memory(e.layouts.of(move.ty))
    memory.copy_array(e, move.ty, move.value, copy.pointer)
    return Move(move.ty, copy, move.destination)


def moves_of(ty: Type, value: Value, wish: Wish) -> list[Move]:
    """The moves that bring the arrays of a value to their destinations."""
    if isinstance(wish, Destination):
        assert isinstance(ty, Array)
        return [Move(ty, value, wish)]
    if isinstance(wish, tuple):
        assert isinstance(ty, Tuple | Struct)
        parts = value if isinstance(value, tuple) else (None,) * len(wish)
        triples = zip(ty.items, parts, wish, strict=True)
        return [move for item, part, w in triples for move in moves_of(item, part, w)]
    return []
