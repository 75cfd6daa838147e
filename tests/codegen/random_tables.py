"""Random reads of tables where data say, without guards: all in range, or one index that is not."""

from __future__ import annotations

from random import Random

import numpy as np

from mapal.sweep.endings import dtype_of
from tests.codegen.kernel_runs import Array, Case
from tests.codegen.random_bodies import NUMBERS
from tests.codegen.random_inputs import random_literal, random_numbers

_COUNTS = (1, 7, 511, 512, 513, 519, 520, 600, 1023, 1024, 1030, 1537, 2048, 2055)
_LENGTHS = (1, 2, 7, 16, 100, 127, 128, 200, 255, 256, 300, 1000, 5000)


def tables(random: Random) -> Case:
    """A map that reads one to three elements for each of its own."""
    ty, count = random.choice((*NUMBERS, "bool")), random.choice(_COUNTS)
    index, other = random.choice(("i32", "i32", "i64", "u8")), random.choice(("i32", "i64"))
    length = random.choice(_LENGTHS)
    reads = [_read(random, index, length) for _ in range(random.choice((1, 1, 2, 3)))]
    lines = " ".join(f"{read} -> n{at}: {ty};" for at, read in enumerate(reads))
    names = [f"n{at}" for at in range(len(reads))]
    value = " != ".join(names[:2]) if ty == "bool" else f" {random.choice('+-*')} ".join(names)
    if ty != "bool" and random.random() < 0.4:
        value += f" + {random_literal(random, ty)}"
    heads = (
        "places -> map { j ->",
        "places -> enumerate -> map { e -> e.1 -> j;",
        "(places, others) -> zip -> map { e -> e.0 -> j; e.1 -> o;",
        f"{count} -> iota -> map {{ i -> places[i] -> j;",
    )
    head = random.choice(heads)
    if head is heads[2] and random.random() < 0.5:
        lines += f" b[o] -> second: {ty};"
        value = "second" if ty == "bool" else f"{value} + second"
    if ty == "bool":
        value = f"!{value}" if len(names) == 1 or value == "second" else value
    source = (
        f"fn main(places: [{index}; {count}], others: [{other}; {count}], a: [{ty}; {length}], "
        f"b: [{ty}; {length}]) -> [{ty}; {count}] {{ {head} {lines} {value} }} -> ret; }}"
    )
    inputs = {
        "places": _indices(random, index, count, length),
        "others": _indices(random, other, count, length),
        "a": random_numbers(random, ty, length),
        "b": random_numbers(random, ty, length),
    }
    return Case(source=source, inputs=inputs)


def _read(random: Random, index: str, length: int) -> str:
    """An element of a table at the index that is read, or at one made of it."""
    table = random.choice("ab")
    forms = ["j", "j", "j", "j"]
    if index != "u8":
        forms += [f"{length - 1} - j", "j / 2", f"j % {length}", "j * 3 / 3"]
    return f"{table}[{random.choice(forms)}]"


def _indices(random: Random, ty: str, count: int, length: int) -> Array:
    """Indices in range, and in some cases a few that are not, early, late, or in the middle."""
    source = np.random.default_rng(random.randrange(1 << 30))
    found = source.integers(0, min(length, 256 if ty == "u8" else length), count)
    if random.random() < 0.3:
        bad = (length, 255) if ty == "u8" else (length, -1, -(2**31), 2**31 - 1)
        for _ in range(random.choice((1, 1, 2))):
            place = random.choice((0, count - 1, random.randrange(count), min(512, count - 1)))
            found[place] = random.choice(bad) % 256 if ty == "u8" else random.choice(bad)
    return found.astype(dtype_of(ty))
