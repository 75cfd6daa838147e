"""Verifier: the records of guards and loops, where morphisms stand, and what they may read."""

from __future__ import annotations

from collections.abc import Iterator

from mapal.ir import ops
from mapal.ir.graph import Graph, Guard, Loop, Morphism, ObjectKind, RegionKind
from mapal.ir.ops import MorphismId, ObjectId, RegionId
from mapal.ir.region_spans import RegionSpans, home_regions
from mapal.ir.types import contains_token
from mapal.ir.violation import Violation


def record_violations(graph: Graph) -> Iterator[Violation]:
    """Guards, loops, the regions they own, and the morphisms that name them."""
    owned: dict[int, int] = {}
    for guard in graph.guards:
        yield from _guard_violations(graph, guard)
        for arm in (guard.arm_true, guard.arm_false):
            owned[arm] = owned.get(arm, 0) + 1
    for loop in graph.loops:
        yield from _loop_record_violations(graph, loop)
        for part in (loop.body, loop.jump, loop.exit):
            owned[part] = owned.get(part, 0) + 1
    for region in graph.regions:
        if region.parent is not None and owned.get(region.id) != 1:
            yield Violation("BadRegion", f"region {region.id} is not owned by exactly one record")
    for morphism in graph.morphisms:
        yield from _naming_violations(graph, morphism)
        if isinstance(morphism.op, ops.Pair):
            yield from _pair_violations(graph, morphism)


def _guard_violations(graph: Graph, guard: Guard) -> Iterator[Violation]:
    arms = ((guard.arm_true, RegionKind.ARM_TRUE), (guard.arm_false, RegionKind.ARM_FALSE))
    for arm, kind in arms:
        region = graph.regions[arm]
        if (region.kind, region.parent, region.owner) != (kind, guard.region, guard.id):
            yield Violation("BadRegion", f"region {arm} is not the {kind.value} of its guard")
    phi = graph.morphisms[guard.phi]
    if phi.op != ops.Phi(guard.id) or phi.region != guard.region:
        message = f"the value of guard {guard.id} is not that of its Phi"
        yield Violation("BadRegion", message, (), (phi.id,))
        return
    places = {0: guard.arm_true, 1: guard.arm_false, 2: guard.region}
    for pair in _pairs(graph, phi.source):
        if pair.region != places.get(_slot(pair)):
            message = f"component {_slot(pair)} of guard {guard.id} stands in region {pair.region}"
            yield Violation("BadRegion", message, (pair.source,), (pair.id,))
        if _slot(pair) == 2 and pair.source != guard.cond:
            message = f"guard {guard.id} has two conditions"
            yield Violation("BadRegion", message, (pair.source, guard.cond), (pair.id,))


def _loop_record_violations(graph: Graph, loop: Loop) -> Iterator[Violation]:
    tree = (
        (loop.body, RegionKind.LOOP_BODY, loop.region),
        (loop.jump, RegionKind.JUMP, loop.body),
        (loop.exit, RegionKind.EXIT, loop.body),
    )
    for part, kind, parent in tree:
        region = graph.regions[part]
        if (region.kind, region.parent, region.owner) != (kind, parent, loop.id):
            yield Violation("BadRegion", f"region {part} is not the {kind.value} of its loop")
    enter, back, leave = (graph.morphisms[m] for m in (loop.enter, loop.back, loop.leave))
    if (enter.op, back.op, leave.op) != (
        ops.LoopEnter(loop.id),
        ops.LoopBack(loop.id),
        ops.LoopExit(loop.id),
    ):
        message = f"loop {loop.id} does not have one enter, one back and one exit of its own"
        yield Violation("BadLoop", message, (), (enter.id, back.id, leave.id))
        return
    if not enter.target == back.target == loop.merge:
        message = f"loop {loop.id} does not enter and continue at its merge"
        yield Violation("BadLoop", message, (loop.merge, enter.target, back.target))
    for edge, place in ((enter, loop.region), (back, loop.body), (leave, loop.region)):
        if edge.region != place:
            message = f"{type(edge.op).__name__} of loop {loop.id} stands in region {edge.region}"
            yield Violation("BadRegion", message, (), (edge.id,))
    for route, arm in ((back.source, loop.jump), (leave.source, loop.exit)):
        for pair in _pairs(graph, route):
            if pair.region != (arm if _slot(pair) == 0 else loop.body):
                message = f"a component of a route of loop {loop.id} stands in {pair.region}"
                yield Violation("BadRegion", message, (pair.source,), (pair.id,))
            if _slot(pair) == 1 and pair.source != loop.cond:
                message = f"loop {loop.id} has two conditions"
                yield Violation("BadLoop", message, (pair.source, loop.cond), (pair.id,))


def _naming_violations(graph: Graph, morphism: Morphism) -> Iterator[Violation]:
    """A morphism that names a guard or loop is the one that the record names."""
    named: MorphismId | None = morphism.id
    code = "BadLoop"
    match morphism.op:
        case ops.Phi(guard=guard):
            named, code = graph.guards[guard].phi, "BadRegion"
        case ops.LoopEnter(loop=loop):
            named = graph.loops[loop].enter
        case ops.LoopBack(loop=loop):
            named = graph.loops[loop].back
        case ops.LoopExit(loop=loop):
            named = graph.loops[loop].leave
        case _:
            pass
    if named != morphism.id:
        message = f"{type(morphism.op).__name__} names a record that names another"
        yield Violation(code, message, (), (morphism.id,))


def _pair_violations(graph: Graph, pair: Morphism) -> Iterator[Violation]:
    """A product is assembled in one region, that of the operation that packs it for itself.
    The packs of guards and routes of loops are the exceptions, checked with their records."""
    if graph.objects[pair.target].kind is ObjectKind.RETURN:
        return
    readers = graph.out_edges[pair.target]
    expected = graph.morphisms[graph.in_edges[pair.target][0]].region
    if len(readers) == 1:
        reader = graph.morphisms[readers[0]]
        match reader.op:
            case ops.Phi() | ops.LoopBack() | ops.LoopExit():
                return
            case ops.Binary() | ops.Fma() | ops.Index() | ops.Update() | ops.Zip():
                expected = reader.region
            case ops.Fill() | ops.Print():
                expected = reader.region
            case ops.Map(captures=count) | ops.Fold(captures=count) | ops.Reduce(captures=count):
                expected = reader.region if count else expected
            case _:
                pass
    if pair.region != expected:
        message = f"a component of object {pair.target} stands in another region than the rest"
        yield Violation("BadRegion", message, (pair.target,), (pair.id,))


def read_violations(graph: Graph) -> Iterator[Violation]:
    """Values are read where they exist; effects stand in no arm; nothing waits for itself."""
    spans = RegionSpans(graph)
    homes = home_regions(graph)
    for m in graph.morphisms:
        function = graph.functions[m.function]
        if not isinstance(m.op, ops.LoopExit) and not spans.covers(homes[m.source], m.region):
            message = f"object {m.source} of region {homes[m.source]} is read in {m.region}"
            yield Violation("ReadOutsideRegion", message, (m.source,), (m.id,))
        if m.target == function.output and m.region != function.regions[0]:
            message = f"the result of {function.name} is written in region {m.region}"
            yield Violation("ReadOutsideRegion", message, (m.target,), (m.id,))
        if spans.under_guard(m.region) and contains_token(graph.objects[m.target].ty):
            message = f"an effect stands in region {m.region}, which a guard may skip"
            yield Violation("BadRegion", message, (m.target,), (m.id,))
    yield from _waiting_violations(graph, homes)


def _waiting_violations(graph: Graph, homes: list[RegionId]) -> Iterator[Violation]:
    """Every value comes after what it is computed from, and the value of a guard or loop after
    everything inside it. Back edges aside, that must leave an order."""
    before: list[int] = [0] * len(graph.objects)
    after: list[list[ObjectId]] = [[] for _ in graph.objects]

    def precede(first: ObjectId, then: ObjectId) -> None:
        after[first].append(then)
        before[then] += 1

    for m in graph.morphisms:
        if not isinstance(m.op, ops.LoopBack):
            precede(m.source, m.target)
    results = _results_of_owners(graph)
    for obj in graph.objects:
        result = results[homes[obj.id]]
        if result is not None:
            precede(obj.id, result)
    settled = [obj.id for obj in graph.objects if not before[obj.id]]
    for obj_id in settled:
        for then in after[obj_id]:
            before[then] -= 1
            if not before[then]:
                settled.append(then)
    if len(settled) < len(graph.objects):
        stuck = tuple(obj.id for obj in graph.objects if before[obj.id])
        yield Violation("BadRegion", f"objects wait for each other: {stuck[:8]}", stuck)


def _results_of_owners(graph: Graph) -> list[ObjectId | None]:
    """For each region, the value of the guard or loop that owns it."""
    results: list[ObjectId | None] = [None] * len(graph.regions)
    for guard in graph.guards:
        value = graph.morphisms[guard.phi].target
        results[guard.arm_true] = results[guard.arm_false] = value
    for loop in graph.loops:
        value = graph.morphisms[loop.leave].target
        results[loop.body] = results[loop.jump] = results[loop.exit] = value
    return results


def _pairs(graph: Graph, product: ObjectId) -> list[Morphism]:
    edges = (graph.morphisms[m] for m in graph.in_edges[product])
    return [edge for edge in edges if isinstance(edge.op, ops.Pair)]


def _slot(pair: Morphism) -> int:
    assert isinstance(pair.op, ops.Pair)
    return pair.op.slot
