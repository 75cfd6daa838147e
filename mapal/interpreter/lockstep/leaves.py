"""Values of many elements at once.

A scalar of `m` elements is one NumPy array of length m; one that is the same for all of them is
an array of no axes. A tuple or struct is a Python tuple of its components. An array adds an
axis to every scalar below it, behind the axis of the elements: an array of tuples is a tuple of
arrays. A `Leaf` is one such NumPy array with the knowledge whether its first axis is that of
the elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mapal.interpreter.lockstep.numbers import DTYPES
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type

Numbers = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Leaf:
    """The scalars of one place in a value. `varying` tells that axis 0 is the elements'."""

    data: Numbers
    varying: bool


@dataclass(frozen=True, slots=True)
class Range:
    """The array 0 … length-1, the same for all elements, not stored."""

    length: int


Lanes = Leaf | Range | tuple["Lanes", ...]
"""A value of all elements. (A `Range` stands for a one-axis leaf of i32.)"""


def stored(value: Leaf | Range) -> Leaf:
    """A leaf with its numbers in memory."""
    if isinstance(value, Range):
        return Leaf(np.arange(value.length, dtype=np.int32), False)
    return value


def on_leaves(value: Lanes, change: Callable[[Leaf], Lanes]) -> Lanes:
    """The value with a function applied to every leaf."""
    if isinstance(value, tuple):
        return tuple(on_leaves(part, change) for part in value)
    return change(stored(value))


def take(value: Lanes, chosen: Numbers) -> Lanes:
    """The value of some of the elements. What is the same for all stays as it is."""
    if isinstance(value, tuple):
        return tuple(take(part, chosen) for part in value)
    if isinstance(value, Range) or not value.varying:
        return value
    return Leaf(value.data[chosen], True)


def fixed_element(value: Lanes, at: int) -> Lanes:
    """Element `at` of an array, the same position for all."""
    if isinstance(value, Range):
        return Leaf(np.asarray(np.int32(at)), False)
    if isinstance(value, tuple):
        return tuple(fixed_element(part, at) for part in value)
    return Leaf(np.asarray(value.data[:, at] if value.varying else value.data[at]), value.varying)


def gathered(value: Lanes, index: Leaf, lanes: Numbers) -> Lanes:
    """An element of an array at an index of its own for each; `lanes` counts the elements."""
    if isinstance(value, tuple):
        return tuple(gathered(part, index, lanes) for part in value)
    if not index.varying:
        return fixed_element(value, int(index.data))
    if isinstance(value, Range):
        return Leaf(index.data.astype(np.int32), True)
    if value.varying:
        return Leaf(value.data[lanes, index.data], True)
    return Leaf(value.data[index.data], True)


def spread(value: Lanes, count: int) -> Lanes:
    """The value with the axis of the elements on every leaf, without copying."""

    def widen(leaf: Leaf) -> Leaf:
        if leaf.varying:
            return leaf
        return Leaf(np.broadcast_to(leaf.data, (count, *leaf.data.shape)), True)

    return on_leaves(value, widen)


def merged(count: int, parts: Sequence[tuple[Numbers, Lanes]]) -> Lanes:
    """One value from several over disjoint elements that together are all `count`."""
    first = parts[0][1]
    if isinstance(first, tuple):
        columns = zip(*(_components(value) for _, value in parts), strict=True)
        return tuple(
            merged(count, [(lanes, column[i]) for i, (lanes, _) in enumerate(parts)])
            for column in columns
        )
    leaves = [(lanes, stored(_leaf(value))) for lanes, value in parts]
    sample = leaves[0][1]
    shape = sample.data.shape[1:] if sample.varying else sample.data.shape
    result = np.empty((count, *shape), dtype=sample.data.dtype)
    for lanes, leaf in leaves:
        result[lanes] = leaf.data
    return Leaf(result, True)


def _components(value: Lanes) -> tuple[Lanes, ...]:
    assert isinstance(value, tuple)
    return value


def _leaf(value: Lanes) -> Leaf | Range:
    assert not isinstance(value, tuple)
    return value


def from_values(value: Any, ty: Type) -> Lanes:
    """A value of the plain interpreter, the same for all elements."""
    match ty:
        case Scalar():
            return Leaf(np.asarray(value, dtype=DTYPES[ty]), False)
        case Tuple(items=items):
            return tuple(from_values(part, item) for part, item in zip(value, items, strict=True))
        case Struct():
            return tuple(
                from_values(part, item) for part, item in zip(value, ty.items, strict=True)
            )
        case Array():
            return _from_sequence(value, ty)
        case _:
            return ()


def _from_sequence(value: Any, ty: Array) -> Lanes:
    if isinstance(value, range):
        return Range(ty.length)
    axes = 0
    element: Type = ty
    while isinstance(element, Array):
        element = element.element
        axes += 1
    if isinstance(element, Scalar):
        return Leaf(_numbers(value, DTYPES[element], axes), False)
    assert isinstance(element, Tuple | Struct)
    return tuple(
        _from_sequence(_component_of(value, slot, axes), _with_axes(ty, item))
        for slot, item in enumerate(element.items)
    )


def _numbers(value: Any, dtype: np.dtype[Any], axes: int) -> Numbers:
    if axes == 1:
        return np.fromiter(value, dtype=dtype, count=len(value))
    return np.stack([_numbers(row, dtype, axes - 1) for row in value])


def _component_of(value: Any, slot: int, axes: int) -> Any:
    if axes == 0:
        return value[slot]
    return [_component_of(part, slot, axes - 1) for part in value]


def _with_axes(ty: Type, innermost: Type) -> Array:
    assert isinstance(ty, Array)
    inner = _with_axes(ty.element, innermost) if isinstance(ty.element, Array) else innermost
    return Array(inner, ty.length)


def to_values(value: Lanes, ty: Type, count: int) -> list[Any]:
    """The values of the plain interpreter, one for each of `count` elements."""
    match ty:
        case Scalar():
            assert not isinstance(value, tuple)
            leaf = stored(value)
            if leaf.varying:
                return leaf.data.tolist()  # type: ignore[no-any-return]
            return [leaf.data.item()] * count
        case Tuple(items=items):
            assert isinstance(value, tuple)
            return _zipped(value, items, count)
        case Struct():
            assert isinstance(value, tuple)
            return _zipped(value, ty.items, count)
        case Array(element=element, length=length):
            return _rows(value, element, length, count)
        case _:
            return [None] * count


def _zipped(value: tuple[Lanes, ...], items: Sequence[Type], count: int) -> list[Any]:
    columns = (to_values(part, item, count) for part, item in zip(value, items, strict=True))
    return list(zip(*columns, strict=True))


def _rows(value: Lanes, element: Type, length: int, count: int) -> list[Any]:
    """Arrays: the elements of all of them as one long run, cut into pieces."""
    flat = on_leaves(
        spread(value, count),
        lambda leaf: Leaf(leaf.data.reshape(count * length, *leaf.data.shape[2:]), True),
    )
    run = to_values(flat, element, count * length)
    return [run[i * length : (i + 1) * length] for i in range(count)]
