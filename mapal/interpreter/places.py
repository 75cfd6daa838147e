"""Where the values of one function live during an activation.

An activation is a flat list of slots. A place is what a value occupies: a slot for the value as
a whole, slots for some of its components, or both. Products are taken apart where they are made,
so that packing the state of a loop and projecting it again costs nothing:

* a *stored* value is written whole by its operation; components that are read on their own are
  copied out right after;
* a *packed* value is a product whose components have places already; the product itself is built
  only if something reads it whole;
* a *joined* value (loop state, exit value, value of a guard, accumulator of a fold) is copied
  from one of several sources when control arrives, component by component as far as read;
* the *input* is bound by whoever activates the function.

`Proj` and `Output` make no place of their own. Only what is read gets a slot: `use` says what is
read, `settle` follows that back through joins and packs and hands out the slots.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.graph import Function, FunctionKind, Graph, ObjectKind
from mapal.ir.ops import ObjectId
from mapal.ir.order import (
    GuardItem,
    Item,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    schedule,
)
from mapal.ir.types import Struct, Tuple

Path = tuple[int, ...]
"""Component numbers from the outside in."""

Copy = tuple[int, int]
"""(target slot, source slot)."""


class PlaceKind(Enum):
    STORED = "stored"
    PACKED = "packed"
    JOINED = "joined"
    INPUT = "input"


class Place:
    """A value of the function, or a component of one."""

    __slots__ = ("kind", "parts", "path", "slot", "sources", "used")

    def __init__(
        self,
        kind: PlaceKind,
        sources: tuple[ObjectId, ...] = (),
        path: Path = (),
    ) -> None:
        self.kind = kind
        self.sources = sources
        """The components of a packed value; the objects that a joined one is copied from."""
        self.path = path
        """Where in its sources a component of a joined value lies."""
        self.parts: dict[int, Place] = {}
        self.used = False
        """Whether something reads the value as a whole."""
        self.slot = -1


class FunctionPlaces:
    """The places of one function."""

    def __init__(self, graph: Graph, function: Function) -> None:
        self.graph = graph
        self.function = function
        self.size = 0
        self.input = Place(PlaceKind.INPUT)
        ty = graph.ty(function.input)
        self.arity = len(ty.items) if isinstance(ty, Tuple | Struct) else 0
        self._places: dict[ObjectId, Place] = {function.input: self.input}
        self._aliases: dict[ObjectId, tuple[ObjectId, Path]] = {}
        self._resolved: dict[ObjectId, Place] = {}
        self._pending: list[Place] = []
        self._joined: list[Place] = []
        self._others: list[Place] = []
        self._define_all()

    # Definitions --------------------------------------------------------------------

    def _define_all(self) -> None:
        returned: dict[int, ObjectId] = {}
        for obj in self.function.objects:
            if self.graph.objects[obj].kind is ObjectKind.CONSTANT:
                self._places[obj] = Place(PlaceKind.STORED)
        for region in self.function.regions:  # a region comes after the one around it
            for item in schedule(self.graph, region):
                if isinstance(item, ReturnSlotItem):
                    returned[item.slot] = item.source
                else:
                    self._define(item)
        if returned:
            sources = tuple(returned[slot] for slot in range(len(returned)))
            self._places[self.function.output] = Place(PlaceKind.PACKED, sources)
        elif self.function.output not in self._aliases:
            self._places.setdefault(self.function.output, Place(PlaceKind.STORED))

    def _define(self, item: Item) -> None:
        match item:
            case OperationItem(morphism=morphism, target=target):
                if isinstance(morphism.op, ops.Proj):
                    self._aliases[target] = (morphism.source, (morphism.op.index,))
                elif isinstance(morphism.op, ops.Output):
                    self._aliases[target] = (morphism.source, ())
                else:
                    self._places[target] = Place(PlaceKind.STORED)
            case PackItem(target=target, feeders=feeders):
                self._places[target] = Place(PlaceKind.PACKED, feeders)
            case GuardItem():
                self._define_guard(item)
            case LoopItem(loop=loop, init=init, next_state=following):
                self._join(loop.merge, (init, following))
                self._join(item.target, (item.payload,))
            case ReturnSlotItem():
                raise CompilerBug("a component of the result has no place of its own")

    def _define_guard(self, item: GuardItem) -> None:
        """The links of an integer match write one place, that of the whole match."""
        place = self._places.get(item.target)
        if place is None:
            place = self._join(item.target, (item.when_true,))
        else:
            place.sources += (item.when_true,)
        link = rest_of(self.graph, item)
        if link is None:
            place.sources += (item.when_false,)
        else:
            self._places[link.target] = place

    def _join(self, target: ObjectId, sources: tuple[ObjectId, ...]) -> Place:
        place = Place(PlaceKind.JOINED, sources)
        self._places[target] = place
        self._joined.append(place)
        return place

    # Reading ------------------------------------------------------------------------

    def resolve(self, obj: ObjectId, path: Path = ()) -> Place:
        """The place of an object, or of a component of it, seen through projections and packs.
        Asking for a component makes it available."""
        if not path and obj in self._resolved:
            return self._resolved[obj]
        at, rest = obj, list(reversed(path))
        while True:
            if at in self._resolved:
                place = self._resolved[at]
                if place.kind is PlaceKind.PACKED and rest:
                    at = place.sources[rest.pop()]
                    continue
            elif at in self._aliases:
                at, more = self._aliases[at]
                rest.extend(reversed(more))
                continue
            else:
                place = self._places[at]
                self._resolved[at] = place
                continue
            while rest:
                place = self._part(place, rest.pop())
            if not path:
                self._resolved[obj] = place
            return place

    def _part(self, place: Place, index: int) -> Place:
        if index in place.parts:
            return place.parts[index]
        match place.kind:
            case PlaceKind.JOINED:
                part = Place(PlaceKind.JOINED, place.sources, (*place.path, index))
            case PlaceKind.INPUT if self._is_accumulator(index):
                part = Place(PlaceKind.JOINED, (self.function.output,))
                self._joined.append(part)
            case PlaceKind.INPUT:
                part = Place(PlaceKind.STORED)
            case PlaceKind.STORED:
                part = Place(PlaceKind.STORED)
                self.use_place(place)
            case PlaceKind.PACKED:
                raise CompilerBug("a component of a packed value has its own place")
        place.parts[index] = part
        return part

    def _is_accumulator(self, index: int) -> bool:
        is_fold = self.function.kind is FunctionKind.FOLD_BODY
        return is_fold and index == self.arity - 2

    def use(self, obj: ObjectId, path: Path = ()) -> None:
        """Something reads an object, or a component of it."""
        self.use_place(self.resolve(obj, path))

    def use_place(self, place: Place) -> None:
        if not place.used:
            place.used = True
            self._pending.append(place)

    def settle(self) -> None:
        """Follows what is read back to where it comes from, and hands out slots."""
        while self._pending:
            place = self._pending.pop()
            match place.kind:
                case PlaceKind.PACKED:
                    for source in place.sources:
                        self.use(source)
                case PlaceKind.JOINED:
                    for source in place.sources:
                        self.use(source, place.path)
                case PlaceKind.INPUT:
                    if self.function.kind is FunctionKind.FOLD_BODY:
                        self.use(self.function.input, (self.arity - 2,))
                case PlaceKind.STORED:
                    pass
        self._hand_out_slots()

    def _hand_out_slots(self) -> None:
        """The input comes first: slot 0 for the whole, then one for each component. The parts
        of a joined value get neighbouring slots, so that they are copied at one stroke."""
        self.input.slot = 0
        for index, part in self.input.parts.items():
            part.slot = 1 + index
        self.size = 1 + self.arity
        for root in self._joined:
            for place in parts_of(root):
                self._take_slot(place)
        for place in self._resolved.values():
            for part in parts_of(place):
                self._take_slot(part)

    def _take_slot(self, place: Place) -> None:
        if place.used and place.slot < 0:
            place.slot = self.size
            self.size += 1

    # Copies -------------------------------------------------------------------------

    def slot(self, obj: ObjectId) -> int:
        """The slot of an object that is read whole."""
        place = self.resolve(obj)
        if place.slot < 0:
            raise CompilerBug(f"object {obj} is read and has no slot")
        return place.slot

    def copies(self, target: Place, source: ObjectId) -> list[Copy]:
        """What to copy into a joined place when control comes from one of its sources."""
        found: list[Copy] = []
        for place in parts_of(target):
            if place.used:
                origin = self.resolve(source, place.path)
                found.append((place.slot, origin.slot))
        return found

    def place(self, obj: ObjectId) -> Place:
        """The place that an item defines, which is not seen through."""
        return self._places[obj]

    def place_or_none(self, obj: ObjectId) -> Place | None:
        """The same; None for the value of a projection or an output."""
        return self._places.get(obj)

    def is_component_used(self, index: int) -> bool:
        """Whether anything reads a component of the input, or a part of it."""
        part = self.input.parts.get(index)
        return part is not None and any(place.used for place in parts_of(part))

    def add_slot(self) -> int:
        """One more slot, after `settle`."""
        self.size += 1
        return self.size - 1


def parts_of(place: Place) -> Iterator[Place]:
    """A place, its components, theirs, and so on: outer before inner."""
    work = [place]
    while work:
        at = work.pop()
        yield at
        work.extend(reversed(at.parts.values()))


def rest_of(graph: Graph, item: GuardItem) -> GuardItem | None:
    """The next guard of an integer match, when the false arm ends in it and is its value."""
    if not item.guard.rest:
        return None
    items = schedule(graph, item.guard.arm_false)
    last = items[-1] if items else None
    if isinstance(last, GuardItem) and last.target == item.when_false:
        return last
    return None
