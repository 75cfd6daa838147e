"""The evaluation order: what a region runs, and in which order.

`schedule` gives the items of one region. An item is one operation with its operands, one
product being assembled, one guard with its arms, or one loop. The order is that of the
language: token items (prints, clock reads, calls and loops with effects) cut the region into
segments by source position; within a segment the ready item with the least key runs first, and
a loop only when nothing else is ready. Interpreters, replay and code generation all walk these
schedules and never derive an order of their own.
"""

from __future__ import annotations

import bisect
import heapq
from dataclasses import dataclass

from mapal.ir import ops
from mapal.ir.graph import Graph, Guard, Key, Loop, Morphism, RegionKind
from mapal.ir.ops import FunctionId, GuardId, LoopId, ObjectId, RegionId


@dataclass(frozen=True, slots=True)
class OperationItem:
    """An operation. `operands` are what it reads, in slot order; `target` is what it defines
    (the Return object, where the operation is the function's last)."""

    morphism: Morphism
    operands: tuple[ObjectId, ...]
    target: ObjectId


@dataclass(frozen=True, slots=True)
class PackItem:
    """A tuple, struct or array assembled from its components."""

    target: ObjectId
    feeders: tuple[ObjectId, ...]
    key: Key


@dataclass(frozen=True, slots=True)
class ReturnSlotItem:
    """One component of the function's result."""

    slot: int
    source: ObjectId
    target: ObjectId
    key: Key


@dataclass(frozen=True, slots=True)
class GuardItem:
    """A guard. `when_true` and `when_false` are the values of its arms; `target` is its value."""

    guard: Guard
    when_true: ObjectId
    when_false: ObjectId
    target: ObjectId


@dataclass(frozen=True, slots=True)
class LoopItem:
    """A loop. `init` becomes the merge's first value, `next_state` the following ones;
    `payload` is the value of `target`, the exit object."""

    loop: Loop
    init: ObjectId
    next_state: ObjectId
    payload: ObjectId
    target: ObjectId


Item = OperationItem | PackItem | ReturnSlotItem | GuardItem | LoopItem


def item_key(item: Item) -> Key:
    """The order key of an item."""
    match item:
        case OperationItem(morphism=morphism):
            return morphism.key
        case PackItem(key=key) | ReturnSlotItem(key=key):
            return key
        case GuardItem(guard=guard):
            return guard.key
        case LoopItem(loop=loop):
            return loop.key


def schedule(graph: Graph, region: RegionId) -> tuple[Item, ...]:
    """The items of a region in evaluation order."""
    function = graph.regions[region].function
    return _function_schedules(graph, function)[region]


def guard_item(graph: Graph, guard: GuardId) -> GuardItem:
    """The item of a guard."""
    record = graph.guards[guard]
    phi = graph.morphisms[record.phi]
    when_true, when_false, _ = graph.operands(phi)
    return GuardItem(record, when_true, when_false, phi.target)


def loop_item(graph: Graph, loop: LoopId) -> LoopItem:
    """The item of a loop."""
    record = graph.loops[loop]
    leave = graph.morphisms[record.leave]
    next_state = graph.operands(graph.morphisms[record.back])[0]
    payload = graph.operands(leave)[0]
    init = graph.morphisms[record.enter].source
    return LoopItem(record, init, next_state, payload, leave.target)


def _function_schedules(graph: Graph, function: FunctionId) -> dict[RegionId, tuple[Item, ...]]:
    return graph.remembered(("schedules", function), lambda: _schedule_function(graph, function))


@dataclass(slots=True)
class _Entry:
    """An item while its region is being ordered."""

    item: Item
    index: int
    reads: set[ObjectId]
    is_effect: bool
    is_late: bool
    is_token_plumbing: bool


def _schedule_function(graph: Graph, function: FunctionId) -> dict[RegionId, tuple[Item, ...]]:
    """Orders every region of a function, innermost first, so that the reads of a guard or loop
    are known when the region around it is ordered. Region ids ascend from parent to child."""
    record = graph.functions[function]
    members: dict[RegionId, list[Morphism]] = {region: [] for region in record.regions}
    for morphism_id in record.morphisms:
        morphism = graph.morphisms[morphism_id]
        members[morphism.region].append(morphism)
    outside_reads: dict[RegionId, set[ObjectId]] = {}
    schedules: dict[RegionId, tuple[Item, ...]] = {}
    for region in reversed(record.regions):
        entries = _entries(graph, members[region], outside_reads)
        defined = {entry.item.target for entry in entries}
        reads = {obj for entry in entries for obj in entry.reads}
        reads |= _closing_reads(graph, region)
        merge = _merge_of_body(graph, region)
        if merge is not None:
            defined.add(merge)
        outside_reads[region] = reads - defined
        schedules[region] = _order(graph, entries)
    return schedules


def _merge_of_body(graph: Graph, region: RegionId) -> ObjectId | None:
    record = graph.regions[region]
    if record.kind is not RegionKind.LOOP_BODY or record.owner is None:
        return None
    return graph.loops[LoopId(record.owner)].merge


def _closing_reads(graph: Graph, region: RegionId) -> set[ObjectId]:
    """What a region hands to its guard or loop when it ends."""
    record = graph.regions[region]
    if record.owner is None:
        return set()
    match record.kind:
        case RegionKind.ARM_TRUE:
            return {guard_item(graph, GuardId(record.owner)).when_true}
        case RegionKind.ARM_FALSE:
            return {guard_item(graph, GuardId(record.owner)).when_false}
        case RegionKind.JUMP:
            return {loop_item(graph, LoopId(record.owner)).next_state}
        case RegionKind.EXIT:
            return {loop_item(graph, LoopId(record.owner)).payload}
        case _:
            return {graph.loops[LoopId(record.owner)].cond}


def _entries(
    graph: Graph,
    morphisms: list[Morphism],
    outside_reads: dict[RegionId, set[ObjectId]],
) -> list[_Entry]:
    entries: list[_Entry] = []
    seen_packs: set[ObjectId] = set()
    for morphism in morphisms:
        item = _item_of(graph, morphism, seen_packs)
        if item is None:
            continue
        entries.append(
            _Entry(
                item,
                morphism.id,
                _reads(graph, item, outside_reads),
                _is_effect(graph, item),
                isinstance(item, LoopItem),
                graph.is_token_bearing(item.target),
            )
        )
    return entries


def _item_of(graph: Graph, morphism: Morphism, seen_packs: set[ObjectId]) -> Item | None:
    """The item that a morphism stands for; None for those that belong to another's."""
    match morphism.op:
        case ops.LoopBack() | ops.LoopExit():
            return None
        case ops.Phi(guard=guard):
            return guard_item(graph, guard)
        case ops.LoopEnter(loop=loop):
            return loop_item(graph, loop)
        case ops.Pair(slot=slot):
            target = morphism.target
            if graph.functions[morphism.function].output == target:
                return ReturnSlotItem(slot, morphism.source, target, morphism.key)
            if target in seen_packs or graph.is_internal_pack(target):
                return None
            seen_packs.add(target)
            return PackItem(target, graph.feeders(target), morphism.key)
        case _:
            return OperationItem(morphism, graph.operands(morphism), morphism.target)


def _reads(graph: Graph, item: Item, outside_reads: dict[RegionId, set[ObjectId]]) -> set[ObjectId]:
    match item:
        case OperationItem(operands=operands):
            return set(operands)
        case PackItem(feeders=feeders):
            return set(feeders)
        case ReturnSlotItem(source=source):
            return {source}
        case GuardItem(guard=guard):
            return {guard.cond} | outside_reads[guard.arm_true] | outside_reads[guard.arm_false]
        case LoopItem(loop=loop, init=init):
            inside = outside_reads[loop.jump] | outside_reads[loop.exit]
            owned = _defined_in(graph, loop.body)
            return {init} | outside_reads[loop.body] | (inside - owned)


def _defined_in(graph: Graph, body: RegionId) -> set[ObjectId]:
    """Objects of a LoopBody region, which its arms may read: the merge among them."""
    function = graph.functions[graph.regions[body].function]
    table = graph.remembered(
        ("objects by region", function.id), lambda: _objects_by_region(graph, function.id)
    )
    return table.get(body, set())


def _objects_by_region(graph: Graph, function: FunctionId) -> dict[RegionId, set[ObjectId]]:
    table: dict[RegionId, set[ObjectId]] = {}
    for obj in graph.functions[function].objects:
        table.setdefault(graph.region_of(obj), set()).add(obj)
    return table


def _is_effect(graph: Graph, item: Item) -> bool:
    match item:
        case OperationItem(morphism=morphism):
            bearing = graph.is_token_bearing(item.target)
            return bearing and isinstance(morphism.op, ops.Print | ops.TimeMs | ops.Call)
        case LoopItem(loop=loop):
            return graph.is_token_bearing(loop.merge)
        case _:
            return False


def _order(graph: Graph, entries: list[_Entry]) -> tuple[Item, ...]:
    effects = [entry for entry in entries if entry.is_effect]
    effects.sort(key=lambda entry: (item_key(entry.item), entry.index))
    effect_keys = [item_key(entry.item) for entry in effects]
    segments = {entry.index: number for number, entry in enumerate(effects)}
    for entry in entries:
        if not entry.is_effect:
            segments[entry.index] = _segment(entry, effect_keys)
    queue = _ReadyQueue(entries, segments)
    for number, effect in enumerate(effects):
        queue.run_segment(number)
        queue.run(effect)
    queue.run_segment(len(effects))
    if len(queue.ordered) != len(entries):
        left = [item_key(entry.item) for entry in entries if not queue.is_done(entry)]
        raise AssertionError(f"items that never become ready: {left}")
    return tuple(queue.ordered)


def _segment(entry: _Entry, effect_keys: list[Key]) -> int:
    """The number of effects that come before an item. Packs and projections that carry the
    token along are no effects and go wherever their operands allow."""
    if entry.is_token_plumbing:
        return 0
    return bisect.bisect_right(effect_keys, item_key(entry.item))


class _ReadyQueue:
    """List scheduling of one region: dependency counts and one heap of ready items."""

    def __init__(self, entries: list[_Entry], segments: dict[int, int]) -> None:
        self.ordered: list[Item] = []
        self._done: set[int] = set()
        self._segments = segments
        self._waiting: dict[int, int] = {}
        self._readers: dict[ObjectId, list[_Entry]] = {}
        self._ready: list[tuple[bool, Key, int, _Entry]] = []
        self._later: list[list[_Entry]] = []
        self._limit = 0
        defined: dict[ObjectId, int] = {}
        for entry in entries:
            target = entry.item.target
            defined[target] = defined.get(target, 0) + 1
        self._unwritten = defined
        self._later = [[] for _ in range(max(segments.values(), default=0) + 2)]
        for entry in entries:
            needs = [obj for obj in sorted(entry.reads) if obj in defined]
            self._waiting[entry.index] = len(needs)
            for obj in needs:
                self._readers.setdefault(obj, []).append(entry)
            if not needs:
                self._release(entry)

    def is_done(self, entry: _Entry) -> bool:
        return entry.index in self._done

    def _release(self, entry: _Entry) -> None:
        if entry.is_effect:
            return
        segment = self._segments[entry.index]
        if segment > self._limit:
            self._later[segment].append(entry)
        else:
            heapq.heappush(self._ready, (entry.is_late, item_key(entry.item), entry.index, entry))

    def run(self, entry: _Entry) -> None:
        if self._waiting[entry.index]:
            raise AssertionError(f"an effect waits for what is written after it: {entry.item}")
        self._finish(entry)

    def run_segment(self, number: int) -> None:
        self._limit = number
        for entry in self._later[number]:
            self._release(entry)
        self._later[number] = []
        while self._ready:
            self._finish(heapq.heappop(self._ready)[3])

    def _finish(self, entry: _Entry) -> None:
        self.ordered.append(entry.item)
        self._done.add(entry.index)
        target = entry.item.target
        self._unwritten[target] -= 1
        if self._unwritten[target]:
            return
        for reader in self._readers.get(target, ()):
            self._waiting[reader.index] -= 1
            if not self._waiting[reader.index]:
                self._release(reader)
