"""Which Python values are literals of which type."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapal.ir.graph import Value
from mapal.ir.types import BOOL, F32, F64, I32, I64, IO, STR, U8, UNIT, Array, Scalar, Type
from mapal.ir.values import is_literal_of
from tests.strategies import scalar_types, values


@given(scalar_types.flatmap(lambda ty: st.tuples(st.just(ty), values(ty))))
def test_generated_literals_are_some(literal: tuple[Scalar, Value]) -> None:
    ty, value = literal
    assert is_literal_of(value, ty)


@pytest.mark.parametrize(
    ("value", "ty", "fits"),
    [
        (0, U8, True),
        (255, U8, True),
        (256, U8, False),
        (-1, U8, False),
        (2**31 - 1, I32, True),
        (-(2**31), I32, True),
        (2**31, I32, False),
        (-(2**63), I64, True),
        (2**63, I64, False),
        (True, I32, False),
        (1, BOOL, False),
        (True, BOOL, True),
        (1, F64, False),
        (1.0, I32, False),
        (0.1, F64, True),
        (0.1, F32, False),
        (0.5, F32, True),
        (-0.0, F32, True),
        (3.4028234663852886e38, F32, True),
        (3.4028235677973366e38, F32, False),
        (1e300, F32, False),
        (math.inf, F32, True),
        (math.nan, F32, True),
        (1.401298464324817e-45, F32, True),
        (1e-46, F32, False),
        ("text", STR, True),
        ("", STR, True),
        ("\udfff", STR, False),
        (1, STR, False),
        ("text", I32, False),
        (1, UNIT, False),
        (1, IO, False),
        (1, Array(I32, 1), False),
    ],
)
def test_literals(value: Value, ty: Type, fits: bool) -> None:
    assert is_literal_of(value, ty) == fits
