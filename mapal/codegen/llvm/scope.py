"""Values of the objects of one activation, and which of them are still needed.

A scope is one emission of a graph function's body: of a named function, or of a collection
body at one of its sites. It knows where in the function's region tree emission stands, and so
answers whether an object will be read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mapal.analysis.liveness import WHOLE, Read
from mapal.codegen.layout import Layout
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
    """A region being emitted, or (without `is_region`) what stays needed around regions. A read
    is still to come if it is in `always` or its last position lies behind `position`. With
    `is_concurrent`, other threads perform those in `always`, at any moment."""

    is_region: bool = False
    is_concurrent: bool = False
    last: Mapping[Read, int] = field(default_factory=dict)
    always: frozenset[Read] = frozenset()
    position: int = -1

    def will_read(self, read: Read, now: bool) -> bool:
        """Whether a read is still to come; with `now`, the current item's count too."""
        if read in self.always:
            return True
        last = self.last.get(read)
        if last is None:
            return False
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

    def is_read_elsewhere(self, obj: ObjectId, part: int) -> bool:
        """Whether other threads may be reading an object, or this component of it."""
        return any(
            frame.is_concurrent and not frame.always.isdisjoint({(obj, part), (obj, WHOLE)})
            for frame in self.frames
        )

    def _hold(self, obj: ObjectId, part: int, value: Value) -> None:
        for buffer in dict.fromkeys(buffers_of(value)):
            buffer.holders.append(Holder(self, obj, part, self.frames[-1]))


@dataclass(frozen=True, eq=False, slots=True)
class Temporary:
    """A slot that operations of the region `frame` may use one after the other."""

    layout: Layout
    pointer: str
    buffer: Buffer
    frame: Frame


@dataclass(frozen=True, eq=False, slots=True)
class Holder:
    """An object, or one component of it, whose value lies in a buffer; `frame` is where it got
    its value."""

    scope: Scope
    obj: ObjectId
    part: int
    frame: Frame

    def is_needed(self, now: bool) -> bool:
        return self.scope.needs(self.obj, self.part, now)

    def is_read_elsewhere(self) -> bool:
        """Whether other threads may be reading it."""
        return not self.scope.is_finished and self.scope.is_read_elsewhere(self.obj, self.part)

    def is_gone(self) -> bool:
        """Whether the object will never be read again. Certain while its own region is the
        innermost one: all reads are in there or in regions inside it."""
        scope, frame = self.scope, self.frame
        if scope.is_finished:
            return True
        if not frame.is_region or scope.frames[-1] is not frame:
            return False
        return not self.is_needed(now=True)


def is_free(buffer: Buffer, now: bool) -> bool:
    """Whether no value that lies in a buffer is needed any more. With `now`, the operands of
    the current item count as needed."""
    return not needed_holders(buffer, now)


def needed_holders(buffer: Buffer, now: bool) -> list[Holder]:
    """The holders of a buffer that are needed still, with `now` as in `is_free`."""
    root = buffer.root()
    root.holders = [holder for holder in root.holders if not holder.is_gone()]
    return [holder for holder in root.holders if holder.is_needed(now)]
