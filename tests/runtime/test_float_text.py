"""Printed floats against an exact oracle, and f64 digits against Python's own."""

import random
import struct
from collections.abc import Iterable
from decimal import Decimal

import pytest

from tests.runtime.exact_floats import F32, F64, float_text, shortest_decimal, value_of
from tests.runtime.native_build import Driver, RuntimeBuild

FORMATS = {"f32": F32, "f64": F64}
CODES = {"f32": "I", "f64": "Q"}


@pytest.fixture(scope="module")
def floats(runtime_build: RuntimeBuild) -> Driver:
    return runtime_build.driver("floats")


def printed(driver: Driver, name: str, patterns: list[int]) -> list[str]:
    """One line for each bit pattern, all by one process."""
    run = driver.run(name, stdin=struct.pack(f"<{len(patterns)}{CODES[name]}", *patterns))
    assert (run.status, run.errors) == (0, "")
    lines = run.output.decode().split("\n")
    assert len(lines) == len(patterns) + 1
    return lines[:-1]


def check_exactly(driver: Driver, name: str, patterns: Iterable[int]) -> None:
    chosen = list(patterns)
    form = FORMATS[name]
    for bits, text in zip(chosen, printed(driver, name, chosen), strict=True):
        assert text == float_text(bits, form), f"{name} {bits:#x}"


def bits_of(value: float, name: str) -> int:
    packed = struct.pack("<f" if name == "f32" else "<d", value)
    bits: int = struct.unpack(f"<{CODES[name]}", packed)[0]
    return bits


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("f64", 4080.0, "4080"),
        ("f64", 5.375, "5.375"),
        ("f64", 0.1 + 0.2, "0.30000000000000004"),
        ("f32", 0.1, "0.1"),
        ("f64", 0.10000000149011612, "0.10000000149011612"),
        ("f32", 1.0 / 3.0, "0.33333334"),
        ("f64", 0.000001 / 1000.0, "0.0000000009999999999999999"),
        ("f64", 2.0 / 3.0 * 1e20, "66666666666666660000"),
        ("f64", 1.0 / 3.0 / 1e8, "0.000000003333333333333333"),
        ("f32", 123456789.0, "123456790"),
        ("f64", -0.0, "-0"),
        ("f32", 0.0, "0"),
        ("f64", float("inf"), "inf"),
        ("f32", float("-inf"), "-inf"),
        ("f64", 5e-324, "0." + "0" * 323 + "5"),
        ("f64", -2.2250738585072014e-308, "-0." + "0" * 307 + "22250738585072014"),
        ("f64", 1.7976931348623157e308, "17976931348623157" + "0" * 292),
        ("f32", 3.4028234663852886e38, "34028235" + "0" * 31),
        ("f32", 1e-45, "0." + "0" * 44 + "1"),
        ("f32", 0.330078125, "0.33007813"),
        # A tie between two 16-digit decimals at the other width.
        ("f64", 70368744177664.125, "70368744177664.13"),
        # A power of ten whose 17-digit form is not the shortest one.
        ("f64", 9007199254740993.0, "9007199254740992"),
    ],
)
def test_known_texts(floats: Driver, name: str, value: float, text: str) -> None:
    assert printed(floats, name, [bits_of(value, name)]) == [text]


def test_every_nan_prints_alike(floats: Driver) -> None:
    f32 = [0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF]
    f64 = [0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF]
    assert printed(floats, "f32", f32) == ["NaN"] * 4
    assert printed(floats, "f64", f64) == ["NaN"] * 4


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_every_power_of_two_and_its_neighbours(floats: Driver, name: str) -> None:
    form = FORMATS[name]
    normal = [biased << form.fraction_bits for biased in range(1, 2**form.exponent_bits - 1)]
    subnormal = [1 << place for place in range(form.fraction_bits)]
    near = {bits + step for bits in normal + subnormal for step in (-1, 0, 1)} - {0}
    check_exactly(floats, name, sorted(near))


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_boundaries(floats: Driver, name: str) -> None:
    form = FORMATS[name]
    smallest_normal = 1 << form.fraction_bits
    whole = (form.bias + form.fraction_bits) << form.fraction_bits
    around = [1, smallest_normal, form.infinity - 1, whole, whole + smallest_normal]
    patterns = {centre + step for centre in around for step in range(-40, 41)}
    patterns = {bits for bits in patterns if 0 <= bits <= form.infinity}
    check_exactly(floats, name, sorted(patterns | {bits | form.sign_bit for bits in patterns}))


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_powers_of_ten_and_short_decimals(floats: Driver, name: str) -> None:
    values = [
        digits * 10.0**exponent
        for digits in (1, 2, 5, 9, 12, 99, 125, 4503599627370497)
        for exponent in range(-320, 300)
    ]
    if name == "f32":
        values = [value for value in values if value < 3e38]
    check_exactly(floats, name, (bits_of(value, name) for value in values))


def test_all_ties_of_f32_between_an_eighth_and_one_take_the_larger(floats: Driver) -> None:
    """Exactly 96 f32 values of [1/8, 1) lie halfway between two shortest decimals."""
    # With 7 digits after the point such neighbours are too far apart to read back. With 8, the
    # value is an odd multiple of 5 / 10^9 = 1 / (5^8 * 2^9), and being a binary float, an odd one
    # of 1 / 2^9.
    ties = {}
    for numerator in range(65, 512, 2):
        bits = bits_of(numerator / 512, "f32")
        below, remainder = divmod(numerator * 10**8, 512)
        assert 2 * remainder == 512
        if shortest_decimal(bits, F32)[1] == -8:
            ties[bits] = f"0.{below + 1:08d}"
    assert len(ties) == 96
    assert printed(floats, "f32", list(ties)) == list(ties.values())
    negative = [bits | F32.sign_bit for bits in ties]
    assert printed(floats, "f32", negative) == ["-" + text for text in ties.values()]


def test_ties_of_f64_take_the_larger(floats: Driver) -> None:
    """Odd multiples of 1/8 just below 2^47 lie halfway between texts with two decimals."""
    numerators = range(2**49 + 1, 2**49 + 400, 2)
    hundredths = [n * 100 // 8 + 1 for n in numerators]
    texts = [f"{number // 100}.{number % 100:02d}" for number in hundredths]
    assert all(number % 10 != 0 for number in hundredths)
    assert printed(floats, "f64", [bits_of(n / 8, "f64") for n in numerators]) == texts


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_random_patterns_exactly(floats: Driver, name: str) -> None:
    form = FORMATS[name]
    generator = random.Random(20240229)
    count = 20_000 if floats.sanitized else 100_000
    check_exactly(floats, name, [generator.getrandbits(form.width) for _ in range(count)])


def test_many_random_f64_against_python(floats: Driver) -> None:
    """repr gives the shortest digits too, but the even one of two equally near."""
    generator = random.Random(8675309)
    count = 100_000 if floats.sanitized else 400_000
    patterns = [generator.getrandbits(64) for _ in range(count)]
    values = struct.unpack(f"<{count}d", struct.pack(f"<{count}Q", *patterns))
    for bits, value, text in zip(patterns, values, printed(floats, "f64", patterns), strict=True):
        if value != value:
            assert text == "NaN"
            continue
        assert float(text) == value
        if text != positional(repr(value)):
            assert text == float_text(bits, F64)


def positional(text: str) -> str:
    """A repr of a float without exponent and without a fraction of zero."""
    if text in ("inf", "-inf"):
        return text
    return format(Decimal(text), "f").removesuffix(".0")


def test_oracle_reads_back(floats: Driver) -> None:
    """The oracle itself: its f64 texts read back by Python, which shares no code with it."""
    generator = random.Random(1)
    for _ in range(2000):
        bits = generator.getrandbits(63)
        if bits < F64.infinity:
            assert bits_of(float(float_text(bits, F64)), "f64") == bits
            assert value_of(bits, F64) == struct.unpack("<d", struct.pack("<Q", bits))[0]
