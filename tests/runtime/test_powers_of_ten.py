"""The generated table, and a proof that its precision is enough for every float.

For a float c * 2^e, shortest.c computes q = x * 2^e / 10^k, with x = 4c and for the interval's
ends, as power * (x << shift) / 2^128 with a power that is rounded up by less than one unit. So the
computed quotient is too large by less than 2^-64; 64 bits of its fraction are kept, and a fraction
of 0 or 1 unit counts as none. All that is done with q is to compare it with even numbers. That is
right if every q that is not even lies at least 2 * 2^-64 above the even number below it, and at
least 2^-64 below the even number above it. In other words, half of q keeps distances of 2^-64 and
2^-65 from the whole numbers, which the Euclidean algorithm decides exactly for all floats of one
exponent at once.
"""

import runpy
from fractions import Fraction

import pytest

from tests.runtime.exact_floats import F32, F64, Format
from tests.runtime.native_build import RUNTIME

GENERATOR = runpy.run_path(str(RUNTIME / "generate_powers_of_ten.py"))


def test_committed_table_is_the_generated_one() -> None:
    assert (RUNTIME / "powers_of_ten.c").read_text() == GENERATOR["table_source"]()


def floor_log10(value: Fraction) -> int:
    """The largest k with 10^k <= value."""
    k = len(str(value.numerator)) - len(str(value.denominator))
    while Fraction(10) ** k > value:
        k -= 1
    while Fraction(10) ** (k + 1) <= value:
        k += 1
    return k


def floor_log2(value: Fraction) -> int:
    """The largest k with 2^k <= value."""
    k = value.numerator.bit_length() - value.denominator.bit_length()
    return k if Fraction(2) ** k <= value else k - 1


def exponents(form: Format) -> range:
    """Every exponent of the last place."""
    return range(form.smallest_exponent, form.smallest_exponent + 2**form.exponent_bits - 2)


def closest_fractions(step: Fraction, count: int) -> tuple[Fraction, Fraction]:
    """The smallest positive fractional part of x * step, and the smallest distance of one to the
    whole number above it, over 1 <= x <= count."""
    modulus = step.denominator
    above = step.numerator % modulus
    if above == 0:
        return Fraction(1), Fraction(1)
    below = modulus - above
    above_x = below_x = 1
    while above_x + below_x <= count:
        # Adding the two records gives the next one, on the side of the larger distance. It is taken
        # as often as that side stays the larger one and positive.
        if above > below:
            times = min((above - 1) // below, (count - above_x) // below_x)
            above, above_x = above - times * below, above_x + times * below_x
        elif below > above:
            times = min((below - 1) // above, (count - below_x) // above_x)
            below, below_x = below - times * above, below_x + times * above_x
        else:
            break
    return Fraction(above, modulus), Fraction(below, modulus)


def test_closest_fractions_against_enumeration() -> None:
    for numerator, denominator, count in [(7, 19, 40), (5, 8, 7), (355, 113, 90), (97, 1001, 60)]:
        step = Fraction(numerator, denominator)
        parts = [x * step % 1 for x in range(1, count + 1) if x * step % 1 != 0]
        assert closest_fractions(step, count) == (min(parts), min(1 - part for part in parts))


def check_scaling(exponent: int, k: int, largest_multiple: int) -> None:
    """What shortest.c computes about an exponent, and that it fits the widths used there."""
    log2 = floor_log2(Fraction(10) ** -k)
    assert log2 == (-k * 1741647) >> 19
    shift = exponent + log2 + 1
    assert 1 <= shift <= 4
    assert largest_multiple << shift < 2**64
    assert GENERATOR["FIRST"] <= -k <= GENERATOR["LAST"]
    power = GENERATOR["scaled_power"](-k)
    true_power = Fraction(10) ** -k * Fraction(2) ** (127 - log2)
    assert 0 <= power - true_power < 1
    assert 2**127 <= power < 2**128


def check_distances(above: Fraction, below: Fraction) -> None:
    """The distances of half of a quotient from the whole numbers below and above it."""
    assert above >= Fraction(1, 2**64)
    assert below >= Fraction(1, 2**65)


@pytest.mark.parametrize("form", [F32, F64], ids=["f32", "f64"])
def test_precision_is_enough_for_every_float(form: Format) -> None:
    # x is 4c - 2, 4c or 4c + 2, so half of it takes whole values up to this.
    largest_half = 2 ** (form.fraction_bits + 2) + 1
    for exponent in exponents(form):
        unit = Fraction(2) ** exponent
        k = floor_log10(unit)
        assert k == (exponent * 1262611) >> 22
        check_scaling(exponent, k, 2 * largest_half)
        check_distances(*closest_fractions(unit / Fraction(10) ** k, largest_half))


@pytest.mark.parametrize("form", [F32, F64], ids=["f32", "f64"])
def test_precision_is_enough_for_every_power_of_two(form: Format) -> None:
    significand = 2**form.fraction_bits
    for exponent in exponents(form)[1:]:
        k = floor_log10(Fraction(2) ** exponent * Fraction(3, 4))
        assert k == (exponent * 1262611 - 524031) >> 22
        check_scaling(exponent, k, 4 * significand + 2)
        for multiple in (4 * significand - 1, 4 * significand, 4 * significand + 2):
            part = Fraction(multiple, 2) * Fraction(2) ** exponent / Fraction(10) ** k % 1
            if part != 0:
                check_distances(part, 1 - part)
