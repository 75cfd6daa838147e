"""Random reads at places that are known of an element's number: rows, remainders, quotients, sums.

What lanes know of an index decides whether they load, shuffle or gather, so each program asks for
several such indices at once, in arms, folds and loops.
"""

from __future__ import annotations

from random import Random

from tests.codegen.kernel_runs import Case
from tests.codegen.random_bodies import NUMBERS
from tests.codegen.random_inputs import random_literal, random_numbers

_WIDTHS = (2, 4, 7, 8, 12, 16, 16, 20, 24, 31, 32, 32, 33, 40, 48, 64, 64, 96)


def indices(random: Random) -> Case:
    """A map over rows of numbers that reads an array of as many elements."""
    width, rows = random.choice(_WIDTHS), random.randint(1, 9)
    count, ty = width * rows, random.choice(NUMBERS)
    lines = [f"i / {width} -> q;", f"i % {width} -> r;"]
    reads = []
    for number in range(random.randint(1, 4)):
        if random.random() < 0.4:
            lines.append(f"x[{_inside(random, width)}] -> n{number}: {ty};")
        else:
            lines.append(f"{_place(random, width, count)} -> p{number};")
            lines.append(_read(random, ty, count, number))
        reads.append(f"n{number}")
    value = f" {random.choice('+-*')} ".join(reads)
    body = f"{' '.join(lines)} {_around(random, ty, value)}"
    source = (
        f"fn main(x: [{ty}; {count}], o: i32) -> [{ty}; {count}] "
        f"{{ {count} -> iota -> map {{ i -> {body} }} -> ret; }}"
    )
    inputs = {"x": random_numbers(random, ty, count), "o": random_numbers(random, "i32", 1, 4)}
    return Case(
        source=source, inputs=inputs, arithmetic="fused" if random.random() < 0.2 else "exact"
    )


def _place(random: Random, width: int, count: int) -> str:
    """An index: one part of the number, or a sum of two, and perhaps something that all have."""
    divisors = [d for d in range(1, width + 1) if width % d == 0] + [3, 5, 2 * width]
    d, e = random.choice(divisors), random.choice(divisors)
    parts = ["i", "q", "r", f"i % {d}", f"i / {d}", f"r / {d}", f"r % {d}", f"i / {d} * {d}"]
    parts += [f"q * {width}", f"r / {d} * {d}", f"r % {d} / {e}", f"r % {d} * {count // d or 1}"]
    parts += [f"r * {random.choice((2, 3, 1073741824))}", f"i % {d} * {e}"]
    text = random.choice(parts)
    if random.random() < 0.5:
        text += f" {random.choice('++-')} {random.choice(parts)}"
    form = random.random()
    if form < 0.2:
        return f"{random.choice((count - 1, width - 1, width))} - {text.replace(' - ', ' + ')}"
    if form < 0.6:
        text += f" {random.choice('+-')} {random.choice((1, 2, 3, d, width))}"
    return text + (" + o" if random.random() < 0.1 else "")


def _inside(random: Random, width: int) -> str:
    """An index that is in range: another place of the same row."""
    divisors = [d for d in range(1, width + 1) if width % d == 0]
    d = random.choice(divisors)
    e = random.choice([e for e in divisors if d % e == 0])
    places = [f"i / {d} * {d}", f"i / {d} * {d} + r % {e}", f"q * {width} + r % {d}"]
    places += [f"q * {width} + r / {d}", f"q * {width} + r / {d} * {d}", "i"]
    places += [f"q * {width} + {width - 1} - r", f"q * {width} + r % {d} / {e}"]
    return random.choice(places)


def _read(random: Random, ty: str, count: int, number: int) -> str:
    place, name = f"p{number}", f"n{number}: {ty}"
    if random.random() < 0.2:
        return f"({place} % {count} + {count}) % {count} -> f{number}; x[f{number}] -> {name};"
    other = random_literal(random, ty)
    guarded = f"({{at}} >= 0 && {{at}} < {count}) -> {{{{ -true-> x[{{at}}]; -false-> {other}; }}}}"
    if random.random() < 0.3:
        steps = random.choice((1, 2, 4, 5))
        read = guarded.format(at=f"j{number}")
        return (
            f"{steps} -> iota -> k{number}; ({other}, k{number}) -> fold {{ s, k -> "
            f"{place} + k * {random.choice((1, 1, 2))} -> j{number}; {read} -> e: {ty}; s + e }} "
            f"-> {name};"
        )
    return f"{guarded.format(at=place)} -> {name};"


def _around(random: Random, ty: str, value: str) -> str:
    """The value, perhaps after a loop that some lanes leave sooner."""
    if random.random() < 0.5:
        return f"{value} -> result: {ty}; result"
    return (
        f"{value} -> start: {ty}; mut s: {ty} <- start; mut k: i32 <- 0; "
        f"loop {{ (k < r % 5) -> {{ -true-> {{ s + start -> s; k + 1 -> k; -> loop; }} "
        f"-false-> s -> result: {ty}; }} }} result"
    )
