"""The steps of the plain interpreter that hand a whole `map` or `reduce` to the lockstep one.

What they yield, and how they trap, is what the plain step yields and how it traps. A trap is
found here by its lowest element; the elements below it are evaluated again without those from
it on, since one of them may trap later in the body or never end, and the element itself by the
plain step, which raises. When the budget is spent, the plain step decides what comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mapal.diagnostics import CompilerBug
from mapal.interpreter.lockstep.collections import LONGEST_RUN
from mapal.interpreter.lockstep.lanes import Evaluator, LaneTrap
from mapal.interpreter.lockstep.leaves import (
    Lanes,
    Leaf,
    fixed_element,
    from_values,
    gathered,
    on_leaves,
    spread,
    to_values,
)
from mapal.interpreter.machine import Environment, Step
from mapal.interpreter.outcome import FuelExhausted
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId, ObjectId
from mapal.ir.reduction import BLOCK, LANES, block_tree, lane_tree, reduce_sequence
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type

_MAKES_ARRAYS = (ops.Pair, ops.Map, ops.Update, ops.Index, ops.Phi, ops.LoopExit, ops.LoopBack)
"""Operations that store an array anew; the others look at one that is there."""

LAST_SLOT = -1
"""Where the plain step of a `map` finds its array, in an environment that is longer by it: the
array's own slot may be that of a capture too."""

BYTES_AT_ONCE = 1 << 27
"""How much the arrays inside the bodies of one run may take."""


def mapping(
    graph: Graph,
    fuel: list[int],
    op: ops.Map,
    operands: Sequence[ObjectId],
    slots: Sequence[int],
    target: int,
    plain: Step,
) -> Step:
    """A `map`; `plain` is its plain step, which reads the array from `LAST_SLOT`."""
    array_ty = graph.ty(operands[-1])
    assert isinstance(array_ty, Array)
    capture_types = [graph.ty(operand) for operand in operands[:-1]]
    result_ty = graph.ty(graph.functions[op.body].output)
    *capture_slots, array_slot = slots
    evaluator = Evaluator(graph, fuel)
    longest = longest_run(graph, op.body)

    def in_slices(env: Environment) -> list[Any]:
        captures = [
            from_values(env[slot], ty)
            for slot, ty in zip(capture_slots, capture_types, strict=True)
        ]
        array = from_values(env[array_slot], array_ty)
        results: list[Any] = []
        for low in range(0, array_ty.length, longest):
            high = min(array_ty.length, low + longest)
            try:
                run = _map_run(evaluator, op, captures, array, low, high)
            except LaneTrap as trap:
                element = _first_trap(evaluator, op, captures, array, low, trap.element)
                plain([*env, [env[array_slot][element]]])
                raise CompilerBug(
                    f"element {element} traps in lockstep and not by itself"
                ) from trap
            results.extend(to_values(run, result_ty, high - low))
        return results

    def step(env: Environment) -> None:
        budget = fuel[0]
        try:
            env[target] = in_slices(env)
        except FuelExhausted:
            # Some element may never end; one below it may trap, which would come first.
            fuel[0] = budget
            alone = [*env, env[array_slot]]
            plain(alone)
            env[target] = alone[target]

    return step


def _map_run(
    evaluator: Evaluator, op: ops.Map, captures: list[Lanes], array: Lanes, low: int, high: int
) -> Lanes:
    positions = np.arange(low, high)
    element = gathered(array, Leaf(positions, True), positions)
    argument = (*captures, element) if captures else element
    with np.errstate(all="ignore"):
        return evaluator.apply(op.body, argument, positions)


def _first_trap(
    evaluator: Evaluator, op: ops.Map, captures: list[Lanes], array: Lanes, low: int, high: int
) -> int:
    """The lowest element that traps, given one that does."""
    while high > low:
        try:
            _map_run(evaluator, op, captures, array, low, high)
        except LaneTrap as lower:
            high = lower.element
        else:
            break
    return high


def reducing(
    graph: Graph,
    fuel: list[int],
    op: ops.Reduce,
    operands: Sequence[ObjectId],
    slots: Sequence[int],
    target: int,
) -> Step:
    """A `reduce`; its body is total."""
    array_ty = graph.ty(operands[-1])
    assert isinstance(array_ty, Array)
    capture_types = [graph.ty(operand) for operand in operands[:-1]]
    *capture_slots, array_slot = slots
    evaluator = Evaluator(graph, fuel)

    def step(env: Environment) -> None:
        captures = tuple(
            from_values(env[slot], ty)
            for slot, ty in zip(capture_slots, capture_types, strict=True)
        )
        array = from_values(env[array_slot], array_ty)

        def combine(a: Lanes, b: Lanes) -> Lanes:
            return evaluator.apply(op.body, (*captures, a, b), _roots(a, b))

        with np.errstate(all="ignore"):
            value = _reduce(array, array_ty.length, combine)
        (env[target],) = to_values(value, array_ty.element, 1)

    return step


def _roots(a: Lanes, b: Lanes) -> Any:
    return np.zeros(max(_width(a), _width(b)), dtype=np.int64)


def _width(value: Lanes) -> int:
    if isinstance(value, tuple):
        return max(map(_width, value))
    assert isinstance(value, Leaf)
    return value.data.shape[0] if value.varying else 1


def _reduce(array: Lanes, length: int, combine: Any) -> Lanes:
    """The tree of `mapal.ir.reduction`: the full blocks side by side, then the last one."""
    full = length // BLOCK
    values: list[Lanes] = []
    if full:
        starts = (np.arange(full)[:, np.newaxis] * BLOCK + np.arange(LANES)).reshape(-1)
        lanes = _elements(array, starts)
        for offset in range(LANES, BLOCK, LANES):
            lanes = combine(lanes, _elements(array, starts + offset))
        lanes = spread(lanes, starts.size)
        by_lane: list[Lanes] = [_every(lanes, lane) for lane in range(LANES)]
        for i, j in lane_tree(LANES):
            by_lane[i] = combine(by_lane[i], by_lane[j])
        blocks = spread(by_lane[0], full)
        values = [_one(blocks, number) for number in range(full)]
    if length % BLOCK:
        rest = [fixed_element(array, at) for at in range(full * BLOCK, length)]
        values.append(reduce_sequence(rest, combine))
    for i, j in block_tree(len(values)):
        values[i] = combine(values[i], values[j])
    return values[0]


def _elements(array: Lanes, positions: Any) -> Lanes:
    return gathered(array, Leaf(positions, True), positions)


def _every(value: Lanes, lane: int) -> Lanes:
    return on_leaves(value, lambda leaf: Leaf(leaf.data[lane::LANES], True))


def _one(value: Lanes, number: int) -> Lanes:
    return on_leaves(value, lambda leaf: Leaf(np.asarray(leaf.data[number]), False))


def longest_run(graph: Graph, body: FunctionId) -> int:
    """How many elements to evaluate together: fewer when the body makes arrays of its own."""
    scalars = graph.remembered(("array scalars", body), lambda: _array_scalars(graph, body))
    return max(1, min(LONGEST_RUN, BYTES_AT_ONCE // (8 * scalars + 1)))


def _array_scalars(graph: Graph, body: FunctionId) -> int:
    """The scalars of all arrays that one activation may make, of called functions too."""
    total = 0
    seen: set[FunctionId] = set()
    work = [body]
    while work:
        function = work.pop()
        if function in seen:
            continue
        seen.add(function)
        record = graph.functions[function]
        for edge in record.morphisms:
            morphism = graph.morphisms[edge]
            ty = graph.ty(morphism.target)
            if isinstance(ty, Array) and isinstance(morphism.op, _MAKES_ARRAYS):
                total += _scalars(ty)
            match morphism.op:
                case ops.Call(function=callee):
                    work.append(callee)
                case ops.Map(body=callee) | ops.Fold(body=callee) | ops.Reduce(body=callee):
                    work.append(callee)
                case _:
                    pass
    return total


def _scalars(ty: Type) -> int:
    match ty:
        case Scalar():
            return 1
        case Array(element=element, length=length):
            return length * _scalars(element)
        case Tuple() | Struct():
            return sum(map(_scalars, ty.items))
        case _:
            return 0
