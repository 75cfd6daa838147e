"""Random small matrix products, many at once: flat and nested, plain and transposed."""

from __future__ import annotations

from random import Random

from tests.codegen.kernel_runs import Array, Case
from tests.codegen.random_bodies import NUMBERS
from tests.codegen.random_inputs import random_literal, random_numbers, random_size


def batches(random: Random) -> Case:
    """`count` products of small matrices."""
    ty = random.choice(NUMBERS)
    sizes = [random.choice((1, 2, 2, 3, 4, 4, 4, 5, 8)) for _ in range(3)]
    if random.random() < 0.4:
        sizes = [sizes[0]] * 3
    count = random_size(random, 70)
    draw = _nested if random.random() < 0.3 else _flat
    source, inputs = draw(random, ty, count, sizes)
    return Case(
        source=source, inputs=inputs, arithmetic="fused" if random.random() < 0.4 else "exact"
    )


def _flat(random: Random, ty: str, count: int, sizes: list[int]) -> tuple[str, dict[str, Array]]:
    rows, steps, columns = sizes
    cells, left, right = rows * columns, rows * steps, steps * columns
    a = random.choice((f"row * {steps} + k", f"k * {rows} + row"))
    b = random.choice((f"k * {columns} + column", f"column * {steps} + k"))
    whole = random.choice((f"matrix * {right} + ", f"matrix * {right} + ", ""))
    product = random.choice(("x * y", "y * x"))
    source = f"""
fn main(a: [{ty}; {count * left}], b: [{ty}; {count * right}]) -> [{ty}; {count * cells}] {{
    {random_literal(random, ty)} -> seed: {ty};
    {steps} -> iota -> ks;
    {count * cells} -> iota -> map {{ cell ->
        cell / {cells} -> matrix;
        cell % {cells} / {columns} -> row;
        cell % {columns} -> column;
        (seed, ks) -> fold {{ sum, k ->
            a[matrix * {left} + {a}] -> x;
            b[{whole}{b}] -> y;
            {random.choice((f"sum + {product}", f"{product} + sum"))}
        }}
    }} -> ret;
}}
"""
    return source, {
        "a": random_numbers(random, ty, count * left),
        "b": random_numbers(random, ty, count * right),
    }


def _nested(random: Random, ty: str, count: int, sizes: list[int]) -> tuple[str, dict[str, Array]]:
    rows, steps, columns = sizes
    source = f"""
fn main(
    a: [[[{ty}; {steps}]; {rows}]; {count}], b: [[[{ty}; {columns}]; {steps}]; {count}]
) -> [[[{ty}; {columns}]; {rows}]; {count}] {{
    {random_literal(random, ty)} -> seed: {ty};
    {rows} -> iota -> rs;
    {columns} -> iota -> cs;
    {steps} -> iota -> ks;
    (a, b) -> zip -> map {{ p ->
        p.0 -> x;
        p.1 -> y;
        rs -> map {{ r -> cs -> map {{ c ->
            (seed, ks) -> fold {{ sum, k -> sum + x[r][k] * y[k][c] }}
        }} }}
    }} -> ret;
}}
"""
    return source, {
        "a": random_numbers(random, ty, count * rows * steps),
        "b": random_numbers(random, ty, count * steps * columns),
    }
