"""Values of the objects of one activation, and which of them are still needed.

A scope is one emission of a graph function's body: of a named function, or of a collection
body at one of its sites. It knows where in the function's region tree emission stands, and so
answers whether an object will be read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mapal.analysis.liveness import WHOLE, Read
from mapal.codegen.llvm.values import Buffer, Value, buffers_of
from mapal.ir.graph import Function
from mapal.ir.ops import ObjectId


@dataclass(frozen=True, eq=False, slots=True)
class Destination:
    """Memory that a value will have to lie in at last, offered to whoever computes it.
    `uses` records that the offer was taken."""

    pointer: str
    buffer: Buffer
    uses: list[None] = field(default_factory=list)


Wish = Destination | tuple["Wish", ...] | None
"""A destination for an array, or one for each component of a product, or none."""


@dataclass(eq=False, slots=True)
class Frame:
    """A region being emitted. A read is still to come if it is in `always` or its last
    position lies behind `position`."""

    last: Mapping[Read, int] = field(default_factory=dict)
    always: frozenset[Read] = frozenset()
    position: int = -1

    def will_read(self, read: Read, now: bool) -> bool:
        """Whether a read is still to come; with `now`, the current item's count too."""
        if read in self.always:
            return True
        last = self.last.get(read, -1)
        return last > self.position or (now and last == self.position)


class Scope:
    """The values of one activation. `name` is the surface function that it belongs to."""

    def __init__(self, function: Function, name: str, pinned: frozenset[Read]) -> None:
        self.function = function
        self.name = name
        self.values: dict[ObjectId, Value] = {}
        self.returned: dict[int, Value] = {}
        self.wishes: dict[ObjectId, Wish] = {}
        self.frames: list[Frame] = [Frame(always=pinned)]
        self.is_finished = False

    def bind(self, obj: ObjectId, value: Value) -> None:
        """Gives an object its value."""
        self.values[obj] = value
        if isinstance(value, tuple):
            for part, component in enumerate(value):
                self._hold(obj, part, component)
        else:
            self._hold(obj, WHOLE, value)

    def bind_return_slot(self, slot: int, value: Value) -> None:
        """Gives the function's result one component."""
        self.returned[slot] = value
        self._hold(self.function.output, slot, value)

    def needs(self, obj: ObjectId, part: int, now: bool) -> bool:
        """Whether an object, or this component of it, will be read again; with `now`, whether
        the current item or a later one reads it. The result of the function always is."""
        if self.is_finished:
            return False
        if obj == self.function.output:
            return True
        return any(
            frame.will_read((obj, part), now) or frame.will_read((obj, WHOLE), now)
            for frame in self.frames
        )

    def _hold(self, obj: ObjectId, part: int, value: Value) -> None:
        for buffer in dict.fromkeys(buffers_of(value)):
            buffer.holders.append((self, obj, part))


def is_free(buffer: Buffer, now: bool) -> bool:
    """Whether no value that lies in a buffer is needed any more. With `now`, the operands of
    the current item count as needed."""
    root = buffer.root()
    root.holders = [holder for holder in root.holders if not holder[0].is_finished]
    return not any(scope.needs(obj, part, now) for scope, obj, part in root.holders)
