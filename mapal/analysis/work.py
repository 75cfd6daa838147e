"""How much a function computes, as a number of scalar operations.

An estimate, for decisions that change speed and never results: bulk operations count once for
each element, both arms of a guard count, and a loop counts as often as it passes, or as a usual
loop where nothing tells. Divisions and square roots count several times, and so does what is in
loops and folds, whose passes wait for each other and fill no vectors.
"""

from __future__ import annotations

from collections.abc import Mapping

from mapal.analysis.totality import SLOW, callees_first
from mapal.analysis.trip_counts import Uncounted, counter_of
from mapal.ir import ops
from mapal.ir.graph import Graph, Loop, Morphism, ObjectKind, RegionKind
from mapal.ir.ops import BinaryCode, FunctionId, LoopId, RegionId, UnaryCode
from mapal.ir.order import GuardItem, Item, LoopItem, OperationItem, schedule
from mapal.ir.types import Array, Tuple, is_integer

USUAL_PASSES = 32
"""Of a loop that nothing counts."""

CHAIN = 4
"""What an operation of a pass counts that waits for the pass before it."""

MOST_WORK = 2**62
"""Where counting stops."""


def work_of(graph: Graph, function: FunctionId) -> int:
    """Operations of one application of a function, at least 1, at most `MOST_WORK`."""
    return _functions(graph)[function]


def work_of_item(graph: Graph, item: Item) -> int:
    """Operations of one execution of an item with all that is inside it, at most `MOST_WORK`."""
    match item:
        case OperationItem(morphism=morphism):
            function = morphism.function
        case GuardItem(guard=guard):
            function = guard.function
        case LoopItem(loop=loop):
            function = loop.function
        case _:
            return 0
    query = ("work of regions", function)
    return _work_of_item(graph, item, graph.remembered(query, lambda: _regions(graph, function)))


def _regions(graph: Graph, function: FunctionId) -> dict[RegionId, int]:
    """Innermost first: ids ascend from parent to child."""
    work: dict[RegionId, int] = {}
    for region in reversed(graph.functions[function].regions):
        items = schedule(graph, region)
        work[region] = min(sum(_work_of_item(graph, item, work) for item in items), MOST_WORK)
    return work


def _work_of_item(graph: Graph, item: Item, regions: Mapping[RegionId, int]) -> int:
    work = 0
    match item:
        case OperationItem(morphism=morphism):
            work = _work_of_operation(graph, morphism, _functions(graph))
        case GuardItem(guard=guard):
            work = regions[guard.arm_true] + regions[guard.arm_false] + 1
        case LoopItem(loop=loop):
            once = regions[loop.body] + regions[loop.jump] + 1
            work = once * _passes(graph, loop) + regions[loop.exit]
    return min(work, MOST_WORK)


def _functions(graph: Graph) -> dict[FunctionId, int]:
    return graph.remembered("work of functions", lambda: _all_work(graph))


def _all_work(graph: Graph) -> dict[FunctionId, int]:
    work: dict[FunctionId, int] = {}
    passes = {loop.id: _passes(graph, loop) for loop in graph.loops}
    for identity in callees_first(graph):
        total = 1
        for number in graph.functions[identity].morphisms:
            morphism = graph.morphisms[number]
            times = _times(graph, morphism.region, passes)
            total += times * _work_of_operation(graph, morphism, work)
        work[identity] = min(total, MOST_WORK)
    return work


def _work_of_operation(graph: Graph, morphism: Morphism, work: Mapping[FunctionId, int]) -> int:
    match morphism.op:
        case ops.Map(body=body) | ops.Reduce(body=body):
            return _length(graph, morphism) * work[body]
        case ops.Fold(body=body):
            return CHAIN * _length(graph, morphism) * work[body]
        case ops.Call(function=function):
            return work[function]
        case ops.Pair() | ops.Proj() | ops.Output() | ops.Phi():
            return 0
        case (
            ops.LoopEnter()
            | ops.LoopBack()
            | ops.LoopExit()
            | ops.Iota()
            | ops.Fill()
            | ops.Zip()
            | ops.Enumerate()
        ):
            return 0
        case ops.Binary(code=BinaryCode.DIV | BinaryCode.MOD):
            divisor = graph.objects[graph.operands(morphism)[1]]
            # An integer is divided by a literal with a multiplication.
            is_cheap = divisor.kind is ObjectKind.CONSTANT and is_integer(divisor.ty)
            return 1 if is_cheap else SLOW
        case ops.Unary(code=UnaryCode.SQRT):
            return SLOW
        case _:
            return 1


def _length(graph: Graph, morphism: Morphism) -> int:
    """Elements of the array that a bulk operation goes over."""
    ty = graph.ty(graph.operands(morphism)[-1])
    if isinstance(ty, Tuple):
        # A Fold without captures takes one pair of seed and array.
        ty = ty.items[-1]
    assert isinstance(ty, Array)
    return ty.length


def _passes(graph: Graph, loop: Loop) -> int:
    try:
        return CHAIN * max(1, counter_of(graph, loop.id).passes)
    except Uncounted:
        return CHAIN * USUAL_PASSES


def _times(graph: Graph, region: RegionId, passes: dict[LoopId, int]) -> int:
    """How often a region is executed in one application."""
    times = 1
    at = graph.regions[region]
    while at.parent is not None:
        if at.kind is RegionKind.LOOP_BODY and at.owner is not None:
            times = min(times * passes[LoopId(at.owner)], MOST_WORK)
        at = graph.regions[at.parent]
    return times
