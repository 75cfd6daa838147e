"""Printed text: tables, and the definition checked against exact arithmetic."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapal.ir.formatting import format_float, format_value, shortest_digits
from mapal.ir.rounding import round_to_f32
from mapal.ir.scalars import parse_float
from mapal.ir.types import BOOL, F32, F64, I32, I64, STR, U8, Scalar

CASES = [
    (4080.0, F64, "4080"),
    (5.375, F64, "5.375"),
    (0.1 + 0.2, F64, "0.30000000000000004"),
    (0.1, F64, "0.1"),
    (round_to_f32(0.1), F32, "0.1"),
    (round_to_f32(0.1), F64, "0.10000000149011612"),
    (round_to_f32(1 / 3), F32, "0.33333334"),
    (0.000001 / 1000.0, F64, "0.0000000009999999999999999"),
    (2.0 / 3.0 * 1e20, F64, "66666666666666660000"),
    (1.0 / 3.0 / 1e8, F64, "0.000000003333333333333333"),
    (round_to_f32(123456789.0), F32, "123456790"),
    (-0.0, F64, "-0"),
    (0.0, F32, "0"),
    (-1.5, F32, "-1.5"),
    (1e20, F64, "100000000000000000000"),
    (1e-7, F64, "0.0000001"),
    (math.inf, F32, "inf"),
    (-math.inf, F64, "-inf"),
    (math.nan, F64, "NaN"),
    (-math.nan, F32, "NaN"),
    (0.330078125, F32, "0.33007813"),
    (562949953421312.25, F64, "562949953421312.3"),
    (562949953421312.75, F64, "562949953421312.8"),
    (5e-324, F64, "0." + "0" * 323 + "5"),
    (2.0**-149, F32, "0." + "0" * 44 + "1"),
    (2.0**-1022, F64, "0." + "0" * 307 + "22250738585072014"),
    (2.0**128 - 2.0**104, F32, "340282350000000000000000000000000000000"),
    (1.7976931348623157e308, F64, "17976931348623157" + "0" * 292),
    # Powers of two, whose lower neighbour is nearer than the upper one.
    (2.0**-44, F64, "0.00000000000005684341886080802"),
    (9007199254740992.0, F64, "9007199254740992"),
    (2.0**90, F32, "1237940100000000000000000000"),
    (2.0**87, F32, "154742510000000000000000000"),
]


@pytest.mark.parametrize(("x", "ty", "text"), CASES)
def test_float(x: float, ty: Scalar, text: str) -> None:
    assert format_float(x, ty) == text


def test_other_values() -> None:
    assert format_value(-5, I32) == "-5"
    assert format_value(2**63 - 1, I64) == "9223372036854775807"
    assert format_value(7, U8) == "7"
    assert format_value(True, BOOL) == "true"
    assert format_value(False, BOOL) == "false"
    assert format_value("a\tb", STR) == "a\tb"
    assert format_value(1.0, F32) == "1"


def digits_of(text: str) -> str:
    return text.replace(".", "").strip("0")


finite_f32 = st.floats(width=32, allow_nan=False, allow_infinity=False)
finite_f64 = st.floats(allow_nan=False, allow_infinity=False)
powers = st.integers(-1074, 1023).map(lambda exponent: math.ldexp(1.0, exponent))


@given(finite_f64 | powers)
def test_f64_reads_back_and_is_as_short_as_repr(x: float) -> None:
    text = format_float(x, F64)
    assert struct.pack("<d", float(text)) == struct.pack("<d", x)
    assert "e" not in text
    assert not text.endswith(".0")
    shortest = digits_of(repr(abs(x)).split("e")[0])
    assert len(digits_of(text.lstrip("-"))) == len(shortest)


@given(finite_f32)
def test_f32_reads_back_and_is_as_short_as_numpy(x: float) -> None:
    text = format_float(x, F32)
    assert struct.pack("<d", parse_float(text, F32)) == struct.pack("<d", x)
    shortest = digits_of(np.format_float_positional(np.float32(abs(x)), unique=True))
    assert len(digits_of(text.lstrip("-"))) == len(shortest)


@given(st.sampled_from([F32, F64]).flatmap(lambda ty: st.tuples(st.just(ty), finite_f32)))
def test_nearest_and_larger_of_the_shortest(case: tuple[Scalar, float]) -> None:
    """No other decimal of as many digits that reads back is nearer, or as near and larger."""
    ty, x = case
    x = abs(x)
    if x == 0.0:
        return
    digits, exponent = shortest_digits(x, ty)
    count = len(str(digits))
    exact, unit = Fraction(x), Fraction(10) ** exponent
    error = abs(digits * unit - exact)
    for other in (digits - 1, digits + 1):
        if other > 0 and len(str(other)) == count:
            text = format(other, "d") + f"e{exponent}"
            if parse_float(text, ty) == x:
                distance = abs(other * unit - exact)
                assert (distance, -other) > (error, -digits)


def test_every_tie_of_f32_below_one_takes_the_larger() -> None:
    """The values in [0.125, 1) of which two eight-digit neighbours are equally near."""
    ties = 0
    for exponent in (-2, -1, 0):
        for significand in range(2**23, 2**24, 2**14):
            x = math.ldexp(float(significand), exponent - 24)
            scaled = Fraction(x) * 10**8
            if scaled.denominator != 2:
                continue
            below, above = math.floor(scaled), math.ceil(scaled)
            texts = [f"0.{n:08d}" for n in (below, above)]
            if [parse_float(text, F32) == x for text in texts] == [True, True]:
                digits, power = shortest_digits(x, F32)
                if power == -8:
                    ties += 1
                    assert digits == above
    assert ties == 96
