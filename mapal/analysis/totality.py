"""What a region can do: whether it is total, whether it is heavy, how much it costs.

Total means: it cannot trap, cannot run forever and has no effect. Only total work may be run
where the program would not run it. Heavy work goes over arrays, calls or loops. Cost counts
operations, slow ones more than once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mapal.analysis.trip_counts import is_bounded
from mapal.ir import ops
from mapal.ir.graph import FunctionKind, Graph, Loop, Morphism, ObjectKind
from mapal.ir.ops import BinaryCode, FunctionId, MorphismId, ObjectId, RegionId, UnaryCode
from mapal.ir.order import GuardItem, Item, LoopItem, OperationItem, schedule
from mapal.ir.types import Array, Scalar

SLOW = 8
"""Cost of a division, remainder or square root, in additions."""

_HEAVY = (
    ops.Map,
    ops.Fold,
    ops.Reduce,
    ops.Zip,
    ops.Enumerate,
    ops.Iota,
    ops.Fill,
    ops.Call,
    ops.Update,
)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a region, nested ones included, can do."""

    is_total: bool
    is_heavy: bool
    cost: int


_NOTHING = Summary(True, False, 0)


def region_summary(
    graph: Graph, region: RegionId, proved: frozenset[MorphismId] = frozenset()
) -> Summary:
    """The summary of a region. `proved` are index and update operations that cannot trap
    (`bounds.total_accesses`)."""
    function = graph.regions[region].function
    return _function_summaries(graph, function, proved)[region]


def item_summary(graph: Graph, item: Item, proved: frozenset[MorphismId] = frozenset()) -> Summary:
    """The summary of one item of a region, with everything inside it."""
    match item:
        case OperationItem(morphism=morphism):
            function = morphism.function
        case GuardItem(guard=guard):
            function = guard.function
        case LoopItem(loop=loop):
            function = loop.function
        case _:
            return _NOTHING
    functions = _all_summaries(graph, proved)
    return _item_summary(graph, item, functions[function], functions, proved)


def is_total_function(
    graph: Graph, function: FunctionId, proved: frozenset[MorphismId] = frozenset()
) -> bool:
    """Whether a function, with all that it calls, cannot trap, diverge or have an effect."""
    return region_summary(graph, graph.functions[function].body, proved).is_total


def is_total_morphism(
    graph: Graph, identity: MorphismId, proved: frozenset[MorphismId] = frozenset()
) -> bool:
    """Whether what a morphism stands for is total: of a `Phi` the whole guard, of a loop's
    `LoopEnter` or `LoopExit` the whole loop."""
    morphism = graph.morphisms[identity]
    match morphism.op:
        case ops.Phi(guard=guard):
            record = graph.guards[guard]
            regions = _function_summaries(graph, morphism.function, proved)
            return regions[record.arm_true].is_total and regions[record.arm_false].is_total
        case ops.LoopEnter(loop=loop) | ops.LoopBack(loop=loop) | ops.LoopExit(loop=loop):
            regions = _function_summaries(graph, morphism.function, proved)
            return _is_total_loop(graph, graph.loops[loop], regions)
        case ops.Pair():
            return True
        case _:
            functions = _all_summaries(graph, proved)
            return _operation_summary(graph, morphism, functions, proved).is_total


def is_total_definition(
    graph: Graph, obj: ObjectId, proved: frozenset[MorphismId] = frozenset()
) -> bool:
    """Whether what computes a value is total."""
    return all(is_total_morphism(graph, edge, proved) for edge in graph.in_edges[obj])


def may_run_forever(graph: Graph, function: FunctionId) -> bool:
    """Whether a function, or one that it calls or uses as a body, has a loop that no counter
    ends."""
    return function in graph.remembered("looping functions", lambda: _looping(graph))


def _looping(graph: Graph) -> frozenset[FunctionId]:
    found: set[FunctionId] = set()
    for function in callees_first(graph):
        loops = graph.functions[function].loops
        if not all(is_bounded(graph, loop) for loop in loops) or not found.isdisjoint(
            referenced(graph, function)
        ):
            found.add(function)
    return frozenset(found)


def may_trap(
    graph: Graph, function: FunctionId, proved: frozenset[MorphismId] = frozenset()
) -> bool:
    """Whether a function, or one that it calls or uses as a body, has an operation that traps
    for some operands."""
    query = ("trapping functions", proved)
    return function in graph.remembered(query, lambda: _trapping(graph, proved))


def _trapping(graph: Graph, proved: frozenset[MorphismId]) -> frozenset[FunctionId]:
    found: set[FunctionId] = set()
    for function in callees_first(graph):
        operations = graph.functions[function].morphisms
        if not found.isdisjoint(referenced(graph, function)) or any(
            isinstance(graph.morphisms[operation].op, ops.Index | ops.Update | ops.Binary)
            and not is_total_morphism(graph, operation, proved)
            for operation in operations
        ):
            found.add(function)
    return frozenset(found)


def callees_first(graph: Graph) -> tuple[FunctionId, ...]:
    """All functions, each after those that it calls or uses as bodies."""
    return graph.remembered("callees first", lambda: _callees_first(graph))


def referenced(graph: Graph, function: FunctionId) -> tuple[FunctionId, ...]:
    """The functions that one calls or uses as bodies, in the order of its morphisms."""
    found: dict[FunctionId, None] = {}
    for morphism in graph.functions[function].morphisms:
        match graph.morphisms[morphism].op:
            case ops.Call(function=callee):
                found[callee] = None
            case ops.Map(body=body) | ops.Fold(body=body) | ops.Reduce(body=body):
                found[body] = None
    return tuple(found)


def reachable_functions(graph: Graph) -> tuple[FunctionId, ...]:
    """The named functions that the entry calls, directly or not, itself included, in id
    order."""
    seen = {graph.entry}
    work = [graph.entry]
    while work:
        for callee in referenced(graph, work.pop()):
            if callee not in seen:
                seen.add(callee)
                work.append(callee)
    named = FunctionKind.NAMED
    return tuple(function for function in sorted(seen) if graph.functions[function].kind is named)


def _callees_first(graph: Graph) -> tuple[FunctionId, ...]:
    done: dict[FunctionId, None] = {}
    for root in graph.functions:
        work = [(root.id, False)]
        while work:
            function, is_ready = work.pop()
            if function in done:
                continue
            if is_ready:
                done[function] = None
                continue
            work.append((function, True))
            work.extend((callee, False) for callee in referenced(graph, function))
    return tuple(done)


def _function_summaries(
    graph: Graph, function: FunctionId, proved: frozenset[MorphismId]
) -> dict[RegionId, Summary]:
    """Computed for all functions at once, callees first, so that depth of calls is no depth of
    recursion here."""
    return _all_summaries(graph, proved)[function]


def _all_summaries(
    graph: Graph, proved: frozenset[MorphismId]
) -> dict[FunctionId, dict[RegionId, Summary]]:
    return graph.remembered(("summaries", proved), lambda: _summarise(graph, proved))


def _summarise(
    graph: Graph, proved: frozenset[MorphismId]
) -> dict[FunctionId, dict[RegionId, Summary]]:
    functions: dict[FunctionId, dict[RegionId, Summary]] = {}
    for function in callees_first(graph):
        regions: dict[RegionId, Summary] = {}
        for region in reversed(graph.functions[function].regions):
            items = schedule(graph, region)
            parts = (_item_summary(graph, item, regions, functions, proved) for item in items)
            regions[region] = _joined(parts)
        functions[function] = regions
    return functions


def _joined(parts: Iterable[Summary]) -> Summary:
    total, heavy, cost = True, False, 0
    for part in parts:
        total = total and part.is_total
        heavy = heavy or part.is_heavy
        cost += part.cost
    return Summary(total, heavy, cost)


def _item_summary(
    graph: Graph,
    item: Item,
    regions: dict[RegionId, Summary],
    functions: dict[FunctionId, dict[RegionId, Summary]],
    proved: frozenset[MorphismId],
) -> Summary:
    match item:
        case GuardItem(guard=guard):
            arms = _joined((regions[guard.arm_true], regions[guard.arm_false]))
            return Summary(arms.is_total, arms.is_heavy, arms.cost + 1)
        case LoopItem(loop=loop):
            inner = _joined((regions[loop.body], regions[loop.jump], regions[loop.exit]))
            return Summary(_is_total_loop(graph, loop, regions), True, inner.cost + 1)
        case OperationItem(morphism=morphism):
            return _operation_summary(graph, morphism, functions, proved)
        case _:
            return _NOTHING


def _is_total_loop(graph: Graph, loop: Loop, regions: Mapping[RegionId, Summary]) -> bool:
    """Whether a counter ends a loop, and all that its passes do is total."""
    inside = (loop.body, loop.jump, loop.exit)
    return all(regions[region].is_total for region in inside) and is_bounded(graph, loop.id)


def _operation_summary(
    graph: Graph,
    morphism: Morphism,
    functions: dict[FunctionId, dict[RegionId, Summary]],
    proved: frozenset[MorphismId],
) -> Summary:
    op = morphism.op
    match op:
        case ops.Call(function=callee):
            return Summary(_total_body(graph, callee, functions), True, 1)
        case ops.Map(body=body) | ops.Fold(body=body) | ops.Reduce(body=body):
            return Summary(_total_body(graph, body, functions), True, 1)
        case ops.Print() | ops.TimeMs():
            return Summary(False, True, 1)
        case ops.Index() | ops.Update():
            is_total = morphism.id in proved or _is_literal_in_range(graph, morphism)
            return Summary(is_total, isinstance(op, _HEAVY), 1)
        case ops.Binary(code=BinaryCode.DIV | BinaryCode.MOD):
            return Summary(_is_total_division(graph, morphism), False, SLOW)
        case ops.Unary(code=UnaryCode.SQRT):
            return Summary(True, False, SLOW)
        case ops.Proj() | ops.Output():
            return _NOTHING
        case _:
            return Summary(True, isinstance(op, _HEAVY), 1)


def _total_body(
    graph: Graph, function: FunctionId, functions: dict[FunctionId, dict[RegionId, Summary]]
) -> bool:
    return functions[function][graph.functions[function].body].is_total


def _is_literal_in_range(graph: Graph, morphism: Morphism) -> bool:
    array, index = graph.operands(morphism)[:2]
    found, ty = graph.objects[index], graph.ty(array)
    assert isinstance(ty, Array)
    return (
        found.kind is ObjectKind.CONSTANT
        and isinstance(found.value, int)
        and 0 <= found.value < ty.length
    )


def _is_total_division(graph: Graph, morphism: Morphism) -> bool:
    """Float division never traps, and neither does division by a literal other than 0."""
    divisor = graph.objects[graph.operands(morphism)[1]]
    if isinstance(divisor.ty, Scalar) and divisor.ty.is_float:
        return True
    return divisor.kind is ObjectKind.CONSTANT and divisor.value != 0
