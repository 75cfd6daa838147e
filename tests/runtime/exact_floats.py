"""Exact answers about binary floats, by whole numbers only: the oracle for printing and rounding.

Nothing here knows the algorithms of the runtime. Floats are given and returned as their bits.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction


@dataclass(frozen=True)
class Format:
    """A binary interchange format of IEEE 754: bits of the fraction and of the exponent."""

    fraction_bits: int
    exponent_bits: int

    @property
    def width(self) -> int:
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def sign_bit(self) -> int:
        return 1 << (self.width - 1)

    @property
    def smallest_exponent(self) -> int:
        """The exponent of the last place of subnormal numbers."""
        return 1 - self.bias - self.fraction_bits


F32 = Format(fraction_bits=23, exponent_bits=8)
F64 = Format(fraction_bits=52, exponent_bits=11)


def unpack(bits: int, form: Format) -> tuple[int, int]:
    """Significand and exponent of the last place of a finite magnitude."""
    fraction = bits & ((1 << form.fraction_bits) - 1)
    biased = (bits & (form.sign_bit - 1)) >> form.fraction_bits
    if biased == 0:
        return fraction, form.smallest_exponent
    return fraction | 1 << form.fraction_bits, biased - 1 + form.smallest_exponent


def value_of(bits: int, form: Format) -> Fraction:
    """The value of a finite float."""
    significand, exponent = unpack(bits, form)
    magnitude = significand * Fraction(2) ** exponent
    return -magnitude if bits & form.sign_bit else magnitude


def round_to_bits(value: Fraction, form: Format) -> int:
    """The float nearest to a value that is not zero, ties to even; overflow gives infinity."""
    sign = form.sign_bit if value < 0 else 0
    magnitude = abs(value)
    binade = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** binade:
        binade -= 1
    exponent = max(binade - form.fraction_bits, form.smallest_exponent)
    # Fraction rounds half to even; the hidden bit of the result adds 1 to the exponent field.
    significand = round(magnitude / Fraction(2) ** exponent)
    bits = ((exponent - form.smallest_exponent) << form.fraction_bits) + significand
    return sign | min(bits, form.infinity)


def _interval(bits: int, form: Format) -> tuple[int, int, int, int, bool]:
    """(lower, value, upper, scale, closed): the decimals d with lower <= d * scale <= upper, or <
    if not closed, read back to the float."""
    significand, exponent = unpack(bits, form)
    fraction = bits & ((1 << form.fraction_bits) - 1)
    narrow_below = fraction == 0 and (bits >> form.fraction_bits) > 1
    quarter = exponent - 2
    value = 4 * significand
    up = 1 << max(quarter, 0)
    lower, upper = (value - (1 if narrow_below else 2)) * up, (value + 2) * up
    return lower, value * up, upper, 1 << max(-quarter, 0), significand % 2 == 0


def shortest_decimal(bits: int, form: Format) -> tuple[int, int]:
    """(digits, exponent) of the shortest decimal that reads back to a positive finite float; of
    those the nearest; of two equally near the larger. By trying every length of digits."""
    lower, value, upper, scale, closed = _interval(bits, form)
    # value / scale lies in [10^(magnitude - 1), 10^magnitude).
    magnitude = len(str(value // scale)) if value >= scale else 1 - len(str((scale - 1) // value))
    while value * 10 ** max(-magnitude, 0) >= scale * 10 ** max(magnitude, 0):
        magnitude += 1
    for length in range(1, 20):
        exponent = magnitude - length
        unit = scale * 10 ** max(exponent, 0)
        grow = 10 ** max(-exponent, 0)
        below = value * grow // unit
        fitting = [
            digits
            for digits in (below, below + 1)
            if digits > 0
            and (
                lower * grow <= digits * unit <= upper * grow
                if closed
                else lower * grow < digits * unit < upper * grow
            )
        ]
        if fitting:
            return (
                min(fitting, key=lambda digits: (abs(digits * unit - value * grow), -digits)),
                exponent,
            )
    raise AssertionError(f"no decimal of up to 19 digits reads back to {bits:#x}")


def float_text(bits: int, form: Format) -> str:
    """The text that a program prints for a float of any kind."""
    magnitude = bits & (form.sign_bit - 1)
    if magnitude > form.infinity:
        return "NaN"
    sign = "-" if bits & form.sign_bit else ""
    if magnitude == form.infinity:
        return sign + "inf"
    if magnitude == 0:
        return sign + "0"
    digits, exponent = shortest_decimal(magnitude, form)
    text = format(Decimal((0, tuple(map(int, str(digits))), exponent)), "f")
    return sign + (text.rstrip("0").rstrip(".") if "." in text else text)
