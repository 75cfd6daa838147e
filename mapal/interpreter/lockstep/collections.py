"""Collection operations for many elements at once.

A `map` inside an element multiplies the elements: element e with inner position j becomes one
of a longer run. It works in slices, so that no run is longer than `LONGEST_RUN`. A `fold` takes
its inner positions one after the other, for all elements together. A `reduce` follows the fixed
tree, whole levels at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mapal.interpreter.lockstep.leaves import (
    Lanes,
    Leaf,
    Range,
    fixed_element,
    gathered,
    on_leaves,
    spread,
    stored,
    take,
)
from mapal.ir import ops
from mapal.ir.reduction import reduce_sequence

if TYPE_CHECKING:
    from mapal.interpreter.lockstep.lanes import Scope

Numbers = NDArray[Any]

LONGEST_RUN = 1 << 16
"""Elements evaluated together: enough to hide the cost of a step, few enough that the values of
a body stay in the cache or near it."""


def filled(value: Lanes, length: int) -> Lanes:
    """`length` times the same value, not copied."""

    def repeat(leaf: Leaf) -> Leaf:
        if leaf.varying:
            shape = (leaf.data.shape[0], length, *leaf.data.shape[1:])
            return Leaf(np.broadcast_to(leaf.data[:, np.newaxis], shape), True)
        return Leaf(np.broadcast_to(leaf.data, (length, *leaf.data.shape)), False)

    return on_leaves(value, repeat)


def stacked(parts: list[Lanes], count: int) -> Lanes:
    """An array of the given elements."""
    first = parts[0]
    if isinstance(first, tuple):
        columns = zip(*(_components(part) for part in parts), strict=True)
        return tuple(stacked(list(column), count) for column in columns)
    leaves = [stored(_single(part)) for part in parts]
    if not any(leaf.varying for leaf in leaves):
        return Leaf(np.stack([leaf.data for leaf in leaves]), False)
    wide = [stored(_single(spread(leaf, count))) for leaf in leaves]
    return Leaf(np.stack([leaf.data for leaf in wide], axis=1), True)


def updated(array: Lanes, index: Leaf, value: Lanes, count: int) -> Lanes:
    """The array with the element at `index` replaced, for every element its own."""
    if isinstance(array, tuple):
        assert isinstance(value, tuple)
        return tuple(
            updated(part, index, new, count) for part, new in zip(array, value, strict=True)
        )
    old, new = stored(array), stored(_single(value))
    if not (old.varying or index.varying or new.varying):
        data = old.data.copy()
        data[int(index.data)] = new.data
        return Leaf(data, False)
    wide = stored(_single(spread(old, count)))
    data = wide.data.copy()
    data[np.arange(count), index.data] = new.data
    return Leaf(data, True)


def collection(scope: Scope, op: ops.Collection, operands: list[Lanes], length: int) -> Lanes:
    """The value of a collection operation for the elements of a scope; `operands` are the
    captures, the seed of a fold, and the array."""
    captures = operands[: op.captures]
    array = operands[-1]
    match op:
        case ops.Map():
            return _map(scope, op, captures, array, length)
        case ops.Fold():
            return _fold(scope, op, captures, operands[-2], array, length)
        case ops.Reduce():
            return _reduce(scope, op, captures, array, length)


def _map(scope: Scope, op: ops.Map, captures: list[Lanes], array: Lanes, length: int) -> Lanes:
    if not any(_varies(value) for value in (*captures, array)):
        # The same for all elements: evaluated once, in the name of the first of them.
        return _map_once(scope, op, captures, array, length)
    total = scope.count * length
    pieces: list[Lanes] = []
    for low in range(0, total, LONGEST_RUN):
        run = np.arange(low, min(total, low + LONGEST_RUN))
        lanes, positions = run // length, run % length
        here = [take(capture, lanes) for capture in captures]
        element = gathered(take(array, lanes), Leaf(positions, True), np.arange(run.size))
        argument = (*here, element) if here else element
        result = scope.evaluator.apply(op.body, argument, scope.roots[lanes])
        pieces.append(spread(result, run.size))
    return _reshaped(joined(pieces), scope.count, length)


def _map_once(scope: Scope, op: ops.Map, captures: list[Lanes], array: Lanes, length: int) -> Lanes:
    first = int(scope.roots.min())
    pieces: list[Lanes] = []
    for low in range(0, length, LONGEST_RUN):
        positions = np.arange(low, min(length, low + LONGEST_RUN))
        element = gathered(array, Leaf(positions, True), positions)
        argument = (*captures, element) if captures else element
        roots = np.full(positions.size, first)
        result = scope.evaluator.apply(op.body, argument, roots)
        pieces.append(spread(result, positions.size))
    return on_leaves(joined(pieces), lambda leaf: Leaf(leaf.data, False))


def _fold(
    scope: Scope,
    op: ops.Fold,
    captures: list[Lanes],
    seed: Lanes,
    array: Lanes,
    length: int,
) -> Lanes:
    accumulator = seed
    for position in range(length):
        element = fixed_element(array, position)
        argument = (*captures, accumulator, element)
        accumulator = scope.evaluator.apply(op.body, argument, scope.roots)
    return accumulator


def _reduce(
    scope: Scope, op: ops.Reduce, captures: list[Lanes], array: Lanes, length: int
) -> Lanes:
    def combine(a: Lanes, b: Lanes) -> Lanes:
        return scope.evaluator.apply(op.body, (*captures, a, b), scope.roots)

    elements = [fixed_element(array, position) for position in range(length)]
    return reduce_sequence(elements, combine)


def joined(pieces: list[Lanes]) -> Lanes:
    """Runs of elements, one after the other."""
    if len(pieces) == 1:
        return pieces[0]
    first = pieces[0]
    if isinstance(first, tuple):
        columns = zip(*(_components(piece) for piece in pieces), strict=True)
        return tuple(joined(list(column)) for column in columns)
    return Leaf(np.concatenate([stored(_single(piece)).data for piece in pieces]), True)


def _reshaped(value: Lanes, count: int, length: int) -> Lanes:
    return on_leaves(
        value,
        lambda leaf: Leaf(leaf.data.reshape(count, length, *leaf.data.shape[1:]), True),
    )


def _varies(value: Lanes) -> bool:
    if isinstance(value, tuple):
        return any(_varies(part) for part in value)
    return not isinstance(value, Range) and value.varying


def _components(value: Lanes) -> tuple[Lanes, ...]:
    assert isinstance(value, tuple)
    return value


def _single(value: Lanes) -> Leaf | Range:
    assert not isinstance(value, tuple)
    return value
