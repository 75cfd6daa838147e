"""The order of `reduce`, against an independent transcription by recursion."""

from __future__ import annotations

from itertools import pairwise

import pytest

from mapal.ir.reduction import (
    BLOCK,
    block_tree,
    blocks,
    lane_count,
    lane_folds,
    lane_tree,
    reduce_sequence,
)


def combine(a: str, b: str) -> str:
    return f"({a}{b})"


def expected_block(elements: list[str]) -> str:
    lanes: list[str] = []
    for lane in range(min(64, len(elements))):
        column = elements[lane::64]
        value = column[0]
        for element in column[1:]:
            value = combine(value, element)
        lanes.append(value)
    while len(lanes) > 1:
        half = max(power for power in (1, 2, 4, 8, 16, 32) if power < len(lanes))
        upper = lanes[half:]
        lanes = [
            combine(lane, upper[i]) if i < len(upper) else lane
            for i, lane in enumerate(lanes[:half])
        ]
    return lanes[0]


def expected(elements: list[str]) -> str:
    level = [
        expected_block(elements[start : start + 4096]) for start in range(0, len(elements), 4096)
    ]
    while len(level) > 1:
        paired = [combine(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = paired + ([level[-1]] if len(level) % 2 else [])
    return level[0]


@pytest.mark.parametrize(
    "count",
    [1, 2, 3, 5, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097, 4160, 8192, 8193, 12300, 20481],
)
def test_order(count: int) -> None:
    elements = [f"[{i}]" for i in range(count)]
    assert reduce_sequence(iter(elements), combine) == expected(elements)


def test_small_orders_by_hand() -> None:
    def text(count: int) -> str:
        return reduce_sequence("abcdefgh"[:count], combine)

    assert text(1) == "a"
    assert text(2) == "(ab)"
    assert text(3) == "((ac)b)"
    assert text(5) == "(((ae)c)(bd))"
    assert text(8) == "(((ae)(cg))((bf)(dh)))"


def test_blocks_cover_the_elements() -> None:
    found = list(blocks(2 * BLOCK + 5))
    assert found == [(0, BLOCK), (BLOCK, BLOCK), (2 * BLOCK, 5)]


def test_each_element_is_combined_once() -> None:
    for length in (1, 5, 64, 65, 200, 4096):
        folded = [element for _, element in lane_folds(length)]
        assert folded == list(range(lane_count(length), length))
        assert len(list(lane_tree(lane_count(length)))) == lane_count(length) - 1


def test_lanes_meet_upper_half_into_lower_half() -> None:
    assert list(lane_tree(6)) == [(0, 4), (1, 5), (0, 2), (1, 3), (0, 1)]
    assert list(lane_tree(1)) == []


@pytest.mark.parametrize("count", range(1, 40))
def test_block_tree_keeps_the_order_of_blocks(count: int) -> None:
    spans = {i: (i, i + 1) for i in range(count)}
    for i, j in block_tree(count):
        left, right = spans[i], spans.pop(j)
        assert left[1] == right[0]
        spans[i] = (left[0], right[1])
    assert spans == {0: (0, count)}


def test_odd_block_waits_for_the_next_level() -> None:
    assert list(block_tree(5)) == [(0, 1), (2, 3), (0, 2), (0, 4)]
    steps = [j - i for i, j in block_tree(37)]
    assert all(a <= b for a, b in pairwise(steps))
