"""Counters of loops: how often a comparison holds, against counting."""

from __future__ import annotations

import operator

import pytest

from mapal.analysis.trip_counts import MIRRORED, NEGATED, is_bounded, passes
from mapal.ir.ops import BinaryCode, LoopId
from tests.rewrite.programs import graph_of

HOLDS = {
    BinaryCode.LT: operator.lt,
    BinaryCode.LE: operator.le,
    BinaryCode.GT: operator.gt,
    BinaryCode.GE: operator.ge,
    BinaryCode.EQ: operator.eq,
    BinaryCode.NEQ: operator.ne,
}
FAR = 60
"""More passes than any that end below."""


def counted(start: int, step: int, code: BinaryCode, bound: int) -> int | None:
    for number in range(FAR):
        if not HOLDS[code](start + number * step, bound):
            return number
    return None


@pytest.mark.parametrize("code", HOLDS, ids=lambda code: code.value)
def test_passes(code: BinaryCode) -> None:
    for start in range(-9, 10):
        for bound in range(-9, 10):
            for step in (-4, -3, -1, 1, 2, 5):
                expected = counted(start, step, code, bound)
                assert passes(start, step, code, bound) == expected, (start, step, bound)


def test_comparisons_turned_around() -> None:
    for code, holds in HOLDS.items():
        for a in range(-2, 3):
            for b in range(-2, 3):
                assert HOLDS[MIRRORED[code]](b, a) == holds(a, b)
                assert HOLDS[NEGATED[code]](a, b) != holds(a, b)


LOOP = (
    "fn main(p0: i32) -> i32 {{ mut x: i32 <- p0; mut i: i32 <- {start};"
    "loop {{ ({cond}) -> {{ -true-> {{ x * 3 -> x; {step} -> i; -> loop; }}"
    "-false-> x -> ret; }} }} }}"
)


@pytest.mark.parametrize(
    ("start", "cond", "step", "expected"),
    [
        ("0", "i < 9", "i + 1", True),
        ("0", "9 > i", "1 + i", True),
        ("0", "i < 9 && x != 5", "i + 1", True),
        ("0", "x != 5 && (x > 3 && i < 9)", "i + 1", True),
        ("0", "!(i >= 9 || x == 5)", "i + 1", True),
        ("0", "i < 9 || x != 5", "i + 1", False),
        ("0", "!(i >= 9 && x == 5)", "i + 1", False),
        ("0", "i < x", "i + 1", False),
        ("p0", "i < 9", "i + 1", True),
        ("0", "i < p0", "i + 1", True),
        ("x", "p0 > i && x != 5", "1 + i", True),
        ("p0", "i > p0", "i - 1", True),
        ("p0", "i > x * 3", "i - 1", False),
        ("p0", "!(i >= p0)", "i + 1", True),
        ("p0", "i <= p0", "i + 1", False),
        ("0", "i < p0", "i + 2", False),
        ("0", "i > p0", "i + 1", False),
        ("0", "i < p0 || x != 5", "i + 1", False),
        ("p0", "i != 9", "i + 1", False),
        ("0", "i < 9", "i + x", False),
        ("0", "i < 9", "i - 1", False),
        ("0", "i < 9", "i * 2", False),
        ("0", "i == 0", "i + 0", False),
        ("0", "i != 9", "i + 0", False),
        ("0", "i != 9", "i + 2", False),
        ("0", "i != 8", "i + 2", True),
        ("0", "i <= 2147483647", "i + 1", False),
        ("0", "i < 2147483647", "i + 2", False),
        ("0", "i < 2147483647", "i + 1", True),
    ],
)
def test_bounded_loops(start: str, cond: str, step: str, expected: bool) -> None:
    graph = graph_of(LOOP.format(start=start, cond=cond, step=step))
    assert is_bounded(graph, LoopId(0)) == expected
