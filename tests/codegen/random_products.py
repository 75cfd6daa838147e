"""Random matrix products and products of a matrix and a vector, held to the interpreter.

Sizes, element types, bases, strides, layouts, seeds and the order of operands vary; `./dev python
-m tests.codegen.random_products --count N --seed S` prints what it counted and what differs.
"""

from __future__ import annotations

import sys
from random import Random

from mapal.lower import Arithmetic
from tests.codegen.kernel_runs import Case
from tests.codegen.random_command import faults_of, run
from tests.codegen.random_inputs import random_numbers

_TYPES = ("f32", "f32", "f64", "f64", "i32", "i64", "u8")
_SEEDS = {"f32": ("0.0", "-0.0", "1.5", "0.1"), "i32": ("0", "3", "-7"), "u8": ("0", "200")}


def _size(random: Random, most: int) -> int:
    """Often near what vectors and tiles hold."""
    near = random.choice((4, 6, 8, 12, 16, 24, 32, 48, 64)) + random.choice((-1, 0, 0, 1))
    return min(most, near if random.random() < 0.7 else random.randint(1, most))


def products(random: Random) -> Case:
    """Rows times columns, or rows times a vector."""
    ty = random.choice(_TYPES)
    is_vector = random.random() < 0.3
    rows = _size(random, 70)
    columns = 1 if is_vector else _size(random, 70)
    steps = _size(random, 80)
    if random.random() < 0.15:
        steps = random.choice((1024, 2048, random.randint(900, 2300)))
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
    if random.random() < 0.06:
        left = f"a[{left_size + base - 1} - ({left[2:-1]})]"
    if random.random() < 0.06:
        right = f"b[{right_size + other - 1} - ({right[2:-1]})]"
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
    made = {"a": random_numbers(random, ty, sizes[0]), "b": random_numbers(random, ty, sizes[1])}
    arithmetic: Arithmetic = "fused" if random.random() < 0.4 else "exact"
    return Case(source=source, inputs=made, arithmetic=arithmetic)


faults = faults_of("products", products)


def main(arguments: list[str]) -> int:
    """0 if all programs end as the interpreter says."""
    return run("tests.codegen.random_products", 240, arguments, faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
