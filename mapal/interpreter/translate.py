"""Translation of functions to steps.

Each function is translated once per run, callees before callers, and within a function the
inner regions before the outer ones, so that no recursion follows the size of the program. What
a step does is in `steps`, `control` and `applications`; which slots it uses is in `places`; the
order of steps is that of `mapal.ir.order`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mapal.interpreter import control, steps
from mapal.interpreter.applications import Code
from mapal.interpreter.control import Block, Link, LoopParts
from mapal.interpreter.machine import Environment, Machine, Step
from mapal.interpreter.operations import OperationTranslation
from mapal.interpreter.places import FunctionPlaces, Place, PlaceKind, parts_of, rest_of
from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph, ObjectKind
from mapal.ir.ops import FunctionId, ObjectId, RegionId
from mapal.ir.order import (
    GuardItem,
    Item,
    LoopItem,
    OperationItem,
    PackItem,
    ReturnSlotItem,
    schedule,
)
from mapal.ir.types import Array

EMPTY = Block((), 0, 0)


def translate(graph: Graph, machine: Machine) -> Code:
    """The code of the entry function."""
    codes: dict[FunctionId, Code] = {}
    for function in callees_first(graph, graph.entry):
        codes[function] = _Translation(graph, machine, codes, function).translate()
    return codes[graph.entry]


def callees_first(graph: Graph, entry: FunctionId) -> list[FunctionId]:
    """The functions that `entry` reaches, each after those that it applies."""
    ordered: list[FunctionId] = []
    seen: set[FunctionId] = set()
    work = [(entry, False)]
    while work:
        function, is_done = work.pop()
        if is_done:
            ordered.append(function)
        elif function not in seen:
            seen.add(function)
            work.append((function, True))
            work.extend((callee, False) for callee in _applied(graph, function))
    return ordered


def _applied(graph: Graph, function: FunctionId) -> list[FunctionId]:
    found: list[FunctionId] = []
    for morphism in graph.functions[function].morphisms:
        match graph.morphisms[morphism].op:
            case ops.Call(function=callee):
                found.append(callee)
            case ops.Map(body=body) | ops.Fold(body=body) | ops.Reduce(body=body):
                found.append(body)
            case _:
                pass
    return found


class _Translation:
    """Translates one function."""

    def __init__(
        self, graph: Graph, machine: Machine, codes: dict[FunctionId, Code], function: FunctionId
    ) -> None:
        self.graph = graph
        self.codes = codes
        self.function = graph.functions[function]
        self.places = FunctionPlaces(graph, self.function)
        self.operations = OperationTranslation(graph, machine, codes, self.places)
        self.machine = machine
        self.blocks: dict[RegionId, Block] = {}
        self.result = self.places.resolve(self.function.output)

    def translate(self) -> Code:
        remainders: set[RegionId] = set()
        for region in self.function.regions:
            for item in schedule(self.graph, region):
                self._read(item)
                if isinstance(item, GuardItem) and rest_of(self.graph, item) is not None:
                    remainders.add(item.guard.arm_false)
        self._read_result()
        self.places.settle()
        for region in reversed(self.function.regions):
            if region not in remainders:
                self.blocks[region] = self._block(schedule(self.graph, region))
        return self._code(self.blocks[self.function.body])

    # What is read -------------------------------------------------------------------

    def _read(self, item: Item) -> None:
        match item:
            case GuardItem(guard=guard):
                self.places.use(guard.cond)
            case LoopItem(loop=loop):
                self.places.use(loop.cond)
            case OperationItem():
                self.operations.read(item)
            case PackItem() | ReturnSlotItem():
                pass

    def _read_result(self) -> None:
        """The result is read whole at the end. A fold whose result is packed needs it whole
        after the last element only, unless the pack takes components of the accumulator over,
        which `again` would change before."""
        if self.function.kind is FunctionKind.FOLD_BODY and self.result.kind is PlaceKind.PACKED:
            parts = [self.places.resolve(source) for source in self.result.sources]
            accumulated = set(map(id, parts_of(self._accumulator())))
            if not any(id(part) in accumulated for part in parts):
                for source in self.result.sources:
                    self.places.use(source)
                return
        self.places.use_place(self.result)

    def _accumulator(self) -> Place:
        return self.places.resolve(self.function.input, (self.places.arity - 2,))

    # Regions ------------------------------------------------------------------------

    def _block(self, items: Sequence[Item]) -> Block:
        translated: list[Step] = []
        depth = 0
        for item in items:
            depth = max(depth, self._translate_item(item, translated))
        return Block(tuple(translated), len(items), depth)

    def _translate_item(self, item: Item, into: list[Step]) -> int:
        """Appends the steps of an item; how deeply they nest."""
        match item:
            case OperationItem():
                return self.operations.translate(item, into)
            case PackItem(target=target):
                place = self.places.place(target)
                if place.used:
                    into.append(self._packing(place, target))
                return 1
            case GuardItem():
                return self._guard(item, into)
            case LoopItem():
                return self._loop(item, into)
            case ReturnSlotItem():
                return 0

    def _packing(self, place: Place, product: ObjectId) -> Step:
        slots = tuple(self.places.slot(source) for source in place.sources)
        return steps.packing(slots, place.slot, isinstance(self.graph.ty(product), Array))

    def _guard(self, item: GuardItem, into: list[Step]) -> int:
        place = self.places.place(item.target)
        links: list[Link] = []
        before = EMPTY
        while True:
            arm = self._arm(item.guard.arm_true, place, item.when_true)
            links.append(Link(before, self.places.slot(item.guard.cond), arm))
            rest = rest_of(self.graph, item)
            if rest is None:
                break
            before = self._block(schedule(self.graph, item.guard.arm_false)[:-1])
            item = rest
        default = self._arm(item.guard.arm_false, place, item.when_false)
        if len(links) > 1:
            into.append(control.integer_match(self.machine, tuple(links), default))
        elif not self._is_choice(place, links[0].arm, default):
            into.append(control.guard(self.machine, links[0].cond, links[0].arm, default))
        elif place.used:
            when_true = self.places.slot(item.when_true)
            when_false = self.places.slot(item.when_false)
            into.append(control.selection(links[0].cond, when_true, when_false, place.slot))
        depths = [max(link.arm.depth, link.before.depth) for link in links]
        return 1 + max(default.depth, *depths)

    def _arm(self, region: RegionId, place: Place, value: ObjectId) -> Block:
        block = self.blocks[region]
        copy = steps.copying(self.places.copies(place, value))
        arm = block.steps if copy is None else (*block.steps, copy)
        return Block(arm, block.cost, block.depth)

    def _is_choice(self, place: Place, when_true: Block, when_false: Block) -> bool:
        """Whether a guard has nothing to run and at most one slot to set."""
        return when_true.cost == when_false.cost == 0 and not place.parts

    def _loop(self, item: LoopItem, into: list[Step]) -> int:
        merge, target = self.places.place(item.loop.merge), self.places.place(item.target)
        body, jump, leave = (
            self.blocks[region] for region in (item.loop.body, item.loop.jump, item.loop.exit)
        )
        parts = LoopParts(
            cond=self.places.slot(item.loop.cond),
            body=body,
            jump=jump,
            exit=leave,
            enter=steps.copying(self.places.copies(merge, item.init)),
            back=steps.copying(self.places.copies(merge, item.next_state)),
            leave=steps.copying(self.places.copies(target, item.payload)),
        )
        into.append(control.loop(self.machine, parts))
        return 1 + max(body.depth, jump.depth, leave.depth, 1)

    # The whole ----------------------------------------------------------------------

    def _code(self, body: Block) -> Code:
        late: tuple[Step, ...] = ()
        is_slots = self.places.place_or_none(self.function.output) is self.result
        if not self.result.used:
            self.result.slot = self.places.add_slot()
            late = (self._packing(self.result, self.function.output),)
        elif self.result.kind is PlaceKind.PACKED and is_slots:
            packing = self._packing(self.result, self.function.output)
            body = Block((*body.steps, packing), body.cost, body.depth)
        components = range(self.places.arity)
        used = [k for k in components if self.places.is_component_used(k)]
        begin, again = self._accumulation()
        whole = self.places.input.used
        return Code(
            template=self._template(),
            reads_whole=whole,
            components=tuple(used),
            unpack=tuple(self.operations.unpacking_of_component(k) for k in components),
            split=(steps.extraction(0, [(k, 1 + k) for k in used]),) if used else (),
            assemble=(steps.packing(tuple(range(1, 1 + len(components))), 0, False),)
            if whole and components
            else (),
            steps=body.steps,
            result=self.result.slot,
            cost=body.cost,
            depth=1 + body.depth,
            begin=begin,
            again=again,
            finish=late,
        )

    def _accumulation(self) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
        """How a fold takes its first accumulator apart, and renews it."""
        if self.function.kind is not FunctionKind.FOLD_BODY:
            return (), ()
        accumulator = self._accumulator()
        begin = tuple(
            steps.descent(accumulator.slot, part.path, part.slot)
            for part in parts_of(accumulator)
            if part.used and part.path
        )
        again = steps.copying(self.places.copies(accumulator, self.function.output))
        return begin, () if again is None else (again,)

    def _template(self) -> Environment:
        template: Environment = [None] * self.places.size
        for obj in self.function.objects:
            record = self.graph.objects[obj]
            if record.kind is ObjectKind.CONSTANT:
                slot = self.places.place(obj).slot
                if slot >= 0:
                    template[slot] = record.value
        return template
