"""Random matrix products and products of a matrix and a vector: the bits of the plain loops.

Sizes, element types, bases, strides, layouts, seeds and the order of operands vary; `./dev python
-m tests.codegen.random_products --count N --seed S` prints what it counted and what differs.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from random import Random

from mapal.lower import Arithmetic
from mapal.target import load_profile
from tests.codegen.kernel_runs import Case, profiles, rewritten, shapes_of
from tests.codegen.random_command import difference, run
from tests.codegen.test_window_kernels import numbers

BATCH = 12
_TYPES = ("f32", "f32", "f64", "f64", "i32", "i64", "u8")
_SEEDS = {"f32": ("0.0", "-0.0", "1.5", "0.1"), "i32": ("0", "3", "-7"), "u8": ("0", "200")}


def _size(random: Random, most: int) -> int:
    """Often near what vectors and tiles hold."""
    near = random.choice((4, 6, 8, 12, 16, 24, 32, 48, 64)) + random.choice((-1, 0, 0, 1))
    return min(most, near if random.random() < 0.7 else random.randint(1, most))


def product(random: Random, arithmetic: Arithmetic) -> Case:
    """Rows times columns, or rows times a vector."""
    ty = random.choice(_TYPES)
    is_vector = random.random() < 0.3
    rows = max(2, _size(random, 70))
    columns = 1 if is_vector else max(2, _size(random, 70))
    steps = _size(random, 80) if random.random() < 0.85 else random.randint(900, 2300)
    base, other = random.choice((0, 0, 1, 5)), random.choice((0, 0, 3, 16))
    room = random.choice((0, 0, 1, 7))
    left, left_size = random.choice(
        (
            (f"row * {steps + room} + k", rows * (steps + room)),
            (f"k * {rows + room} + row", steps * (rows + room)),
            (f"row * 2 + k * {random.choice((1, 2, 3))}", 2 * rows + 3 * steps),
        )
    )
    right, right_size = random.choice(
        (
            (f"k * {columns + room} + column", steps * (columns + room)),
            (f"column * {steps + room} + k", columns * (steps + room)),
            (f"column * 3 + k * {random.choice((1, 2, 5))}", 3 * columns + 5 * steps),
        )
    )
    if is_vector:
        stride = random.choice((1, 1, 1, 2))
        right, right_size = f"k * {stride}", steps * stride
    left, right = f"a[{left} + {base}]", f"b[{right} + {other}]"
    factors = random.choice((f"{left} * {right}", f"{right} * {left}"))
    sum_ = random.choice((f"sum + {factors}", f"{factors} + sum"))
    seed = random.choice(_SEEDS.get(ty, _SEEDS["f32"] if ty == "f64" else _SEEDS["i32"]))
    where = "cell -> row;" if is_vector else f"cell / {columns} -> row; cell % {columns} -> column;"
    sizes = left_size + base, right_size + other
    source = f"""
fn main(a: [{ty}; {sizes[0]}], b: [{ty}; {sizes[1]}]) -> [{ty}; {rows * columns}] {{
    {seed} -> seed: {ty};
    {steps} -> iota -> ks;
    {rows * columns} -> iota -> map {{ cell ->
        {where}
        (seed, ks) -> fold {{ sum, k -> {sum_} }}
    }} -> ret;
}}
"""
    made = {"a": numbers(sizes[0], ty, random.randrange(99)), "b": numbers(sizes[1], ty, 7)}
    return Case(source=source, inputs=made, arithmetic=arithmetic)


def faults(seed: int, first: int, count: int, counts: Counter[str]) -> Iterator[str]:
    """What differs, with the program."""
    names = profiles()
    for start in range(first, first + count, BATCH):
        name = names[start // BATCH % len(names)]
        profile = load_profile(name)
        cases: list[Case] = []
        for number in range(start, min(start + BATCH, first + count)):
            random = Random(f"products/{seed}/{number}")
            modes: tuple[Arithmetic, ...] = ("exact", "fused")
            mode = random.choice(modes) if profile.fused_multiply_add else "exact"
            cases.append(product(random, mode))
        for one in cases:
            counts["programs"] += 1
            for shape in shapes_of(rewritten(one.source, one.arithmetic), profile):
                if shape != "loop":
                    counts[f"{shape.split(',')[0]} on {name}"] += 1
        yield from _differing(cases, name)


def _differing(cases: list[Case], profile: str) -> Iterator[str]:
    """Each program that differs, if the batch does."""
    together = difference(cases, profile)
    if together is None:
        return
    alone = [(one, difference([one], profile)) for one in cases]
    if not any(text for _, text in alone):
        yield f"{profile}, only together: {together}"
    for one, text in alone:
        if text is not None:
            yield f"{profile}, {one.arithmetic}: {text}\n{one.source}"


def main(arguments: list[str]) -> int:
    """0 if all programs give the same bits."""
    return run("tests.codegen.random_products", 240, arguments, faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
