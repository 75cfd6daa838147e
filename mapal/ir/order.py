"""The evaluation order: what a region runs, and in which order.

`schedule` gives the items of one region. An item is one operation with its operands, one
product being assembled, one guard with its arms, or one loop. The order is that of the
language: token items (prints, clock reads, calls and loops with effects) cut the region into
segments by source position; within a segment the ready item with the least key runs first, and
a loop, or an operation marked late because it replaced one, only when nothing else is ready.
Items whose keys begin alike stand together (`mapal.ir.ordering`). Interpreters, replay and code
generation all walk these schedules and never derive an order of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.ir import ops
from mapal.ir.graph import Graph, Guard, Key, Loop, Morphism, ObjectKind, RegionKind
from mapal.ir.ops import FunctionId, GuardId, LoopId, ObjectId, RegionId
from mapal.ir.ordering import Entry, in_order


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


_Entry = Entry[Item]


def _schedule_function(graph: Graph, function: FunctionId) -> dict[RegionId, tuple[Item, ...]]:
    entries = _entries_by_region(graph, function)
    _note_needs(graph, function, entries)
    return {region: in_order(members) for region, members in entries.items()}


def _entries_by_region(graph: Graph, function: FunctionId) -> dict[RegionId, list[_Entry]]:
    record = graph.functions[function]
    entries: dict[RegionId, list[_Entry]] = {region: [] for region in record.regions}
    seen_packs: set[ObjectId] = set()
    for identity in record.morphisms:
        morphism = graph.morphisms[identity]
        item = _item_of(graph, morphism, seen_packs)
        if item is not None:
            late = morphism.late or isinstance(item, LoopItem)
            effect = _is_effect(graph, item)
            targets = {item.target: None}
            entry = _Entry(item, item_key(item), identity, effect, late, targets)
            entries[morphism.region].append(entry)
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


def _is_effect(graph: Graph, item: Item) -> bool:
    match item:
        case OperationItem(morphism=morphism):
            bearing = graph.is_token_bearing(item.target)
            return bearing and isinstance(morphism.op, ops.Print | ops.TimeMs | ops.Call)
        case LoopItem(loop=loop):
            return graph.is_token_bearing(loop.merge)
        case _:
            return False


def _reads(item: Item) -> tuple[ObjectId, ...]:
    """What an item reads in its own region."""
    match item:
        case OperationItem(operands=operands):
            return operands
        case PackItem(feeders=feeders):
            return feeders
        case ReturnSlotItem(source=source):
            return (source,)
        case GuardItem(guard=guard):
            return (guard.cond,)
        case LoopItem(init=init):
            return (init,)


def _note_needs(graph: Graph, function: FunctionId, entries: dict[RegionId, list[_Entry]]) -> None:
    """Walks the region tree and charges every read to the item that must wait for it: the
    reader itself, or the guard or loop around it that stands where the value is made."""
    owners: dict[RegionId, _Entry] = {}
    for members in entries.values():
        for entry in members:
            match entry.item:
                case GuardItem(guard=guard):
                    owners[guard.arm_true] = owners[guard.arm_false] = entry
                case LoopItem(loop=loop):
                    owners[loop.body] = entry
    children: dict[RegionId, list[RegionId]] = {region: [] for region in entries}
    for region in entries:
        parent = graph.regions[region].parent
        if parent is not None:
            children[parent].append(region)
    depths: dict[RegionId, int] = {}
    path: list[RegionId] = []
    work = [(graph.functions[function].body, 0)]
    while work:
        region, level = work.pop()
        depths[region] = level
        path[level:] = [region]
        work.extend((child, level + 1) for child in children[region])
        for entry in entries[region]:
            assert entry.item is not None, "groups are formed later"
            for obj in _reads(entry.item):
                _charge(graph, obj, level, entry, depths, path, owners)
        closing = _closing_read(graph, region)
        if closing is not None:
            _charge(graph, closing, level, None, depths, path, owners)


def _charge(
    graph: Graph,
    obj: ObjectId,
    level: int,
    reader: _Entry | None,
    depths: dict[RegionId, int],
    path: list[RegionId],
    owners: dict[RegionId, _Entry],
) -> None:
    if graph.objects[obj].kind in (ObjectKind.PARAMETER, ObjectKind.CONSTANT):
        return
    made_at = depths[graph.region_of(obj)]
    # A jump or exit region has no owner here: its loop's body has run when it starts.
    waiting = reader if made_at == level else owners.get(path[made_at + 1])
    if waiting is not None:
        waiting.needs[obj] = None


def _closing_read(graph: Graph, region: RegionId) -> ObjectId | None:
    """What a region hands to its guard or loop when it ends."""
    record = graph.regions[region]
    if record.owner is None:
        return None
    match record.kind:
        case RegionKind.ARM_TRUE:
            return guard_item(graph, GuardId(record.owner)).when_true
        case RegionKind.ARM_FALSE:
            return guard_item(graph, GuardId(record.owner)).when_false
        case RegionKind.JUMP:
            return loop_item(graph, LoopId(record.owner)).next_state
        case RegionKind.EXIT:
            return loop_item(graph, LoopId(record.owner)).payload
        case _:
            return graph.loops[LoopId(record.owner)].cond
