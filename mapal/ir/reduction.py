"""The order in which `reduce` combines elements, as a description that depends on their number
only.

Elements are cut into blocks of `BLOCK`. A block of m elements is folded in `min(LANES, m)`
lanes: lane l is the left fold of elements l, l + LANES, l + 2 * LANES, …. The lanes then meet
in a tree, and so do the values of the blocks. The left operand of a combination always stands
for the lower indices of its tree. Everything that evaluates or emits a reduction reads these
functions: `reduce_sequence` is their meaning in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

BLOCK = 4096
LANES = 64

Element = TypeVar("Element")


def blocks(count: int) -> Iterator[tuple[int, int]]:
    """Start and length of each block of `count >= 1` elements."""
    for start in range(0, count, BLOCK):
        yield start, min(BLOCK, count - start)


def lane_count(length: int) -> int:
    """The number of lanes of a block."""
    return min(LANES, length)


def lane_folds(length: int) -> Iterator[tuple[int, int]]:
    """(lane, element within the block) of each combination that fills the lanes; lane l begins
    as element l."""
    for element in range(lane_count(length), length):
        yield element % LANES, element


def lane_tree(width: int) -> Iterator[tuple[int, int]]:
    """(i, j) of each combination `lane[i] = lane[i] ⊕ lane[j]` until lane 0 holds the block."""
    while width > 1:
        half = 1 << ((width - 1).bit_length() - 1)
        for i in range(width - half):
            yield i, i + half
        width = half


def block_tree(count: int) -> Iterator[tuple[int, int]]:
    """(i, j) of each combination `value[i] = value[i] ⊕ value[j]` of the values of `count`
    blocks, in place, until value 0 holds the result. Neighbours meet; an odd last one waits
    for the next level."""
    step = 1
    while step < count:
        for i in range(0, count - step, 2 * step):
            yield i, i + step
        step *= 2


def reduce_block(
    elements: Sequence[Element], combine: Callable[[Element, Element], Element]
) -> Element:
    """The value of one block."""
    lanes = list(elements[: lane_count(len(elements))])
    for lane, element in lane_folds(len(elements)):
        lanes[lane] = combine(lanes[lane], elements[element])
    for i, j in lane_tree(len(lanes)):
        lanes[i] = combine(lanes[i], lanes[j])
    return lanes[0]


def reduce_sequence(
    elements: Iterable[Element], combine: Callable[[Element, Element], Element]
) -> Element:
    """The value of a whole reduction; `elements` has at least one."""
    remaining = iter(elements)
    values = []
    while block := list(islice(remaining, BLOCK)):
        values.append(reduce_block(block, combine))
    for i, j in block_tree(len(values)):
        values[i] = combine(values[i], values[j])
    return values[0]
