"""Single steps on an environment."""

from __future__ import annotations

import pytest

from mapal.interpreter.machine import Environment, Machine
from mapal.interpreter.outcome import TrapSignal
from mapal.interpreter.places import Copy
from mapal.interpreter.steps import (
    binary,
    clock_reading,
    copying,
    descent,
    division,
    extraction,
    index,
    packing,
    unary,
)
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.scalars import RAW_BINARY, RAW_UNARY
from mapal.ir.types import F32, I32, U8


@pytest.mark.parametrize(
    "copies",
    [
        [(0, 3)],
        [(0, 1), (1, 0)],
        [(0, 1), (1, 2), (2, 0)],
        [(0, 0), (1, 2), (2, 1)],
        [(2, 0), (0, 1), (1, 2)],
        [(0, 1), (2, 3), (4, 5), (1, 4)],
        [(3, 5), (4, 5), (5, 3)],
    ],
)
def test_copies_happen_all_at_once(copies: list[Copy]) -> None:
    env = list("abcdef")
    expected = env.copy()
    for target, source in copies:
        expected[target] = env[source]
    step = copying(copies)
    assert step is not None
    step(env)
    assert env == expected


def test_copying_nothing_takes_no_step() -> None:
    assert copying([]) is None
    assert copying([(3, 3), (4, 4), (5, 5)]) is None


def test_packing_makes_tuples_and_lists() -> None:
    for slots in ((1,), (1, 2), (3, 1, 2)):
        env: Environment = [None, "a", "b", "c"]
        packing(slots, 0, False)(env)
        assert env[0] == tuple(env[slot] for slot in slots)
        packing(slots, 0, True)(env)
        assert env[0] == [env[slot] for slot in slots]


def test_taking_products_apart() -> None:
    env: Environment = [("a", ("b", "c")), None, None, None]
    extraction(0, [(0, 1)])(env)
    extraction(0, [(1, 2), (0, 3)])(env)
    assert env[1:] == ["a", ("b", "c"), "a"]
    descent(0, (1, 0), 1)(env)
    assert env[1] == "b"


def test_integer_results_wrap_and_single_results_round() -> None:
    env: Environment = [250, 10, None]
    binary(RAW_BINARY[BinaryCode.ADD, U8], U8, 0, 1, 2)(env)
    assert env[2] == 4
    env = [-(2**31), -1, None]
    unary(RAW_UNARY[UnaryCode.NEG, I32], I32, 0, 2)(env)
    assert env[2] == -(2**31)
    division(RAW_BINARY[BinaryCode.DIV, I32], I32, 0, 1, 2, ((5, 6),))(env)
    assert env[2] == -(2**31)
    floats = [1.0, 3.0, 0.0]
    binary(RAW_BINARY[BinaryCode.DIV, F32], F32, 0, 1, 2)(floats)
    assert floats[2] == 0.3333333432674408
    unary(RAW_UNARY[UnaryCode.SQRT, F32], F32, 1, 2)(floats)
    assert floats[2] == 1.7320507764816284


def test_traps_carry_kind_token_and_key() -> None:
    key = ((3, 9), (5, 6))
    with pytest.raises(TrapSignal) as division_trap:
        division(RAW_BINARY[BinaryCode.MOD, I32], I32, 0, 1, 2, key)([7, 0, None])
    assert (division_trap.value.trap.kind, division_trap.value.trap.token) == ("div_zero", 5)
    with pytest.raises(TrapSignal) as index_trap:
        index(0, 1, 2, 3, key)([[1, 2, 3], 3, None])
    assert index_trap.value.trap.kind == "index_oob"
    assert index_trap.value.trap.key == key


def test_the_clock_gives_a_token_and_milliseconds() -> None:
    env: Environment = [None]
    clock_reading(Machine([1], lambda: 2.5), 0)(env)
    assert env == [(None, 2.5)]
