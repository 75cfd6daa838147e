"""The software fused multiply-add against exact rounding and against the C library."""

import itertools
import random
import struct
from collections.abc import Callable

import pytest

from tests.runtime.exact_floats import F32, F64, Format, round_to_bits, value_of
from tests.runtime.native_build import Driver, RuntimeBuild

Triple = tuple[int, int, int]
Make = Callable[[random.Random, Format], Triple]
FORMATS = {"f32": F32, "f64": F64}
CODES = {"f32": "I", "f64": "Q"}
NAN = "nan"


@pytest.fixture(scope="module")
def multiply_add(runtime_build: RuntimeBuild) -> Driver:
    return runtime_build.driver("multiply_add")


def is_nan(bits: int, form: Format) -> bool:
    return bits & (form.sign_bit - 1) > form.infinity


def expected(triple: Triple, form: Format) -> int | str:
    """Bits of a * b + c rounded once, or NAN, from the definition in IEEE 754."""
    a, b, c = triple
    magnitude = form.sign_bit - 1
    infinite = [bits & magnitude == form.infinity for bits in triple]
    product_sign = (a ^ b) & form.sign_bit
    addend_sign = c & form.sign_bit
    product_infinite = infinite[0] or infinite[1]
    product_zero = a & magnitude == 0 or b & magnitude == 0
    if any(is_nan(bits, form) for bits in triple) or (product_infinite and product_zero):
        return NAN
    if product_infinite:
        return NAN if infinite[2] and product_sign != addend_sign else product_sign | form.infinity
    if infinite[2]:
        return c
    total = value_of(a, form) * value_of(b, form) + value_of(c, form)
    if total != 0:
        return round_to_bits(total, form)
    # Zeros of one sign keep it; otherwise an exact zero is positive.
    both_zero = product_zero and c & magnitude == 0
    return product_sign if both_zero and product_sign == addend_sign else 0


def check(driver: Driver, name: str, triples: list[Triple]) -> None:
    form, code = FORMATS[name], CODES[name]
    flat = [bits for triple in triples for bits in triple]
    run = driver.run(name, stdin=struct.pack(f"<{len(flat)}{code}", *flat))
    assert (run.status, run.errors) == (0, "")
    results = struct.unpack(f"<{len(triples)}{code}", run.output)
    for triple, result in zip(triples, results, strict=True):
        wanted = expected(triple, form)
        got = NAN if is_nan(result, form) else result
        assert got == wanted, f"{name} {[hex(bits) for bits in triple]}: {result:#x}"


def corners(form: Format) -> list[int]:
    """Zeros, ends of the ranges, halves of the smallest numbers, one and its neighbours, NaN."""
    one = form.bias << form.fraction_bits
    unit = 1 << form.fraction_bits
    positive = [0, 1, 2, 3, unit - 1, unit, unit + 1, one - unit, one - 1, one, one + 1]
    positive += [one + unit, one + unit // 2, (form.bias - form.bias // 2) << form.fraction_bits]
    positive += [form.infinity - 1, form.infinity, form.infinity + 1]
    return positive + [bits | form.sign_bit for bits in positive]


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_all_triples_of_corners(multiply_add: Driver, name: str) -> None:
    operands = corners(FORMATS[name])
    check(multiply_add, name, list(itertools.product(operands, operands, operands)))


def cancelling(generator: random.Random, form: Format) -> Triple:
    """Operands whose sum cancels down to a few units, or rounds near a tie."""
    a = generator.getrandbits(form.width - 1) % form.infinity
    b = generator.getrandbits(form.width - 1) % form.infinity
    product = value_of(a, form) * value_of(b, form)
    c = round_to_bits(-product, form) if product else form.sign_bit
    return a, b, (c + generator.randrange(-3, 4)) % (2 * form.sign_bit)


def tie(generator: random.Random, form: Format) -> Triple:
    """A product that is a small number of units added far above or below its last place."""
    places = form.fraction_bits
    a = ((form.bias - generator.randrange(0, 2 * places)) << places) | generator.choice(
        [0, 1, (1 << places) - 1, generator.getrandbits(places)]
    )
    b = (form.bias << places) | generator.choice([0, 1, 1 << (places - 1)])
    c = ((form.bias + generator.randrange(-2, 3)) << places) | generator.getrandbits(places)
    sign = form.sign_bit * generator.getrandbits(1)
    return a | sign, b, c


def subnormal(generator: random.Random, form: Format) -> Triple:
    """A result at the lower end of the range, where rounding drops more bits."""
    half = form.bias // 2 + generator.randrange(0, form.fraction_bits)
    a = ((half + 1) << form.fraction_bits) | generator.getrandbits(form.fraction_bits)
    b = (
        (form.bias - half - generator.randrange(0, form.fraction_bits + 4)) << form.fraction_bits
    ) | generator.getrandbits(form.fraction_bits)
    c = generator.getrandbits(form.fraction_bits - generator.randrange(0, form.fraction_bits))
    return a | form.sign_bit * generator.getrandbits(1), b % form.infinity, c


@pytest.mark.parametrize("make", [cancelling, tie, subnormal])
@pytest.mark.parametrize("name", ["f32", "f64"])
def test_hard_operands(multiply_add: Driver, name: str, make: Make) -> None:
    generator = random.Random(f"{name} {make.__name__}")
    check(multiply_add, name, [make(generator, FORMATS[name]) for _ in range(8000)])


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_random_operands(multiply_add: Driver, name: str) -> None:
    generator = random.Random(name)
    width = FORMATS[name].width
    triples = [
        (generator.getrandbits(width), generator.getrandbits(width), generator.getrandbits(width))
        for _ in range(8000)
    ]
    check(multiply_add, name, triples)


def test_against_the_c_library(multiply_add: Driver) -> None:
    for seed in ("1", "2"):
        run = multiply_add.run("libm", "400000", seed)
        assert (run.status, run.errors) == (0, "")
