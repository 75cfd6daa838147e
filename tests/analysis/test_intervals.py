"""Interval arithmetic contains every exact result, checked against all values of `u8`."""

from __future__ import annotations

from itertools import product

import pytest

from mapal.analysis.intervals import (
    OPPOSITE,
    Elements,
    Fact,
    Interval,
    binary,
    converted,
    implies,
    join,
    narrowed,
    range_of,
    unary,
)
from mapal.ir import scalars
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.types import I32, I64, U8, Scalar

ARITHMETIC = (
    BinaryCode.ADD,
    BinaryCode.SUB,
    BinaryCode.MUL,
    BinaryCode.DIV,
    BinaryCode.MOD,
    BinaryCode.MIN,
    BinaryCode.MAX,
)
SAMPLES = {
    U8: [(0, 0), (0, 3), (1, 4), (7, 7), (250, 255), (100, 130), (0, 255)],
    I32: [(0, 0), (-3, 2), (1, 5), (-6, -1), (2**31 - 2, 2**31 - 1), (-(2**31), -(2**31) + 1)],
}


@pytest.mark.parametrize("ty", SAMPLES, ids=str)
@pytest.mark.parametrize("code", ARITHMETIC)
def test_results_lie_inside(ty: Scalar, code: BinaryCode) -> None:
    apply = scalars.BINARY[code, ty]
    for (al, ah), (bl, bh) in product(SAMPLES[ty], repeat=2):
        found = binary(code, ty, Interval(al, ah), Interval(bl, bh))
        for x, y in product((al, (al + ah) // 2, ah), (bl, (bl + bh) // 2, bh)):
            if y != 0 or code not in (BinaryCode.DIV, BinaryCode.MOD):
                assert found.low <= apply(x, y) <= found.high, (code, x, y)


@pytest.mark.parametrize("ty", SAMPLES, ids=str)
@pytest.mark.parametrize("code", [UnaryCode.NEG, UnaryCode.ABS])
def test_unary_results_lie_inside(ty: Scalar, code: UnaryCode) -> None:
    for low, high in SAMPLES[ty]:
        found = unary(code, ty, Interval(low, high))
        for x in {low, high, (low + high) // 2}:
            assert found.low <= scalars.UNARY[code, ty](x) <= found.high


def test_useful_results_are_narrow() -> None:
    row = binary(BinaryCode.DIV, I32, Interval(0, 999), Interval(10, 10))
    column = binary(BinaryCode.MOD, I32, Interval(0, 999), Interval(10, 10))
    assert (row, column) == (Interval(0, 99), Interval(0, 9))
    back = binary(BinaryCode.MUL, I32, row, Interval(10, 10))
    assert binary(BinaryCode.ADD, I32, back, column) == Interval(0, 999)
    assert binary(BinaryCode.EQ, I32, row, row) == range_of(I32)
    assert unary(UnaryCode.TRUNC, I32, row) == range_of(I32)


def test_conversions_keep_what_fits() -> None:
    assert converted(Interval(0, 255), U8) == Interval(0, 255)
    assert converted(Interval(-1, 5), U8) == range_of(U8)
    assert converted(Interval(-5, 5), I64) == Interval(-5, 5)


@pytest.mark.parametrize("code", OPPOSITE)
def test_narrowing_keeps_every_pair_that_satisfies_the_comparison(code: BinaryCode) -> None:
    holds = scalars.BINARY[code, I32]
    ranges = [(0, 3), (2, 5), (4, 4), (-2, 0), (6, 9)]
    for (al, ah), (bl, bh) in product(ranges, repeat=2):
        found = narrowed(code, Interval(al, ah), Interval(bl, bh))
        pairs = [(x, y) for x in range(al, ah + 1) for y in range(bl, bh + 1) if holds(x, y)]
        if found is None:
            assert pairs == []
            continue
        for x, y in pairs:
            assert found[0].low <= x <= found[0].high
            assert found[1].low <= y <= found[1].high
        opposite = scalars.BINARY[OPPOSITE[code], I32]
        assert all(opposite(x, y) != holds(x, y) for x in range(3) for y in range(3))


def test_join_and_implication_agree() -> None:
    facts: list[Fact] = [
        None,
        Interval(0, 4),
        Interval(2, 9),
        Elements(Interval(0, 1)),
        Elements(None),
        (Interval(0, 0), None),
        (Interval(1, 1), Elements(None)),
    ]
    for a, b in product(facts, repeat=2):
        both = join(a, b)
        assert implies(a, both)
        assert implies(b, both)
    assert not implies(Interval(0, 5), Interval(1, 5))
    assert not implies(None, Interval(0, 5))
    assert join((Interval(0, 0), None), (Interval(3, 3), None)) == (Interval(0, 3), None)
