"""Random maps over 0, 1, 2, … that choose by the remainder of their number."""

from __future__ import annotations

from random import Random

from tests.codegen.kernel_runs import Case
from tests.codegen.random_inputs import random_literal, random_numbers

_TYPES = ("u8", "i32", "i64", "f32", "f64")


def periods(random: Random) -> Case:
    """One map; its reads stand before the choice, or in an arm, and a few arms divide."""
    ty = random.choice(_TYPES)
    length = random.choice((2, 3, 3, 4, 4, 5))
    count = length * random.randint(1, 70) + random.choice((0, 0, 0, 0, 1))
    number = random.choice(("i", "i", "i", "i", "i + 1"))
    reads = ["a[i]", *(f"a[i - place + {offset}]" for offset in range(length))]
    random.shuffle(reads)
    names = [f"r{at}" for at in range(random.randint(1, len(reads)))]
    lines = [f"{read} -> {name};" for name, read in zip(names, reads, strict=False)]
    arms = [f"-{at}-> {_sum(random, ty, names)};" for at in range(length - 1)]
    source = f"""
fn main(a: [{ty}; {count + length}], b: {ty}) -> [{ty}; {count}] {{
    {count} -> iota -> map {{ i ->
        ({number}) % {length} -> place;
        {" ".join(lines)}
        place -> {{ {" ".join(arms)} -_-> {_sum(random, ty, names)}; }} -> chosen;
        chosen + {random.choice(names)}
    }} -> ret;
}}
"""
    inputs = {
        "a": random_numbers(random, ty, count + length),
        "b": random_numbers(random, ty, 1).reshape(()),
    }
    return Case(source=source, inputs=inputs)


def _sum(random: Random, ty: str, names: list[str]) -> str:
    """An expression of everything that was read before, or of some of it."""
    some = names if random.random() < 0.7 else random.sample(names, random.randint(1, len(names)))
    terms = [
        random.choice((name, f"{name} * b", f"{name} * {random_literal(random, ty)}"))
        for name in some
    ]
    found = random.choice((" + ", " - ")).join(terms)
    return f"({found}) / b" if random.random() < 0.05 else found
