"""Random windows, convolutions and columns: odd taps, strides, bases, types and sizes."""

from __future__ import annotations

from random import Random

from tests.codegen.kernel_runs import Array, Case
from tests.codegen.random_bodies import NUMBERS
from tests.codegen.random_inputs import random_literal, random_numbers, random_size


def filters(random: Random) -> Case:
    """One map of folds of multiply-adds over neighbours."""
    draw = random.choice((_window, _window, _window, _convolution, _convolution, _columns, _nested))
    ty = random.choice(NUMBERS)
    source, inputs = draw(random, ty)
    return Case(
        source=source, inputs=inputs, arithmetic="fused" if random.random() < 0.4 else "exact"
    )


def _step(random: Random, left: str, right: str) -> str:
    """A multiply-add onto `sum`, in one of the ways to write it."""
    product = random.choice((f"{left} * {right}", f"{right} * {left}"))
    last = f"sum - {product}" if random.random() < 0.08 else f"{product} + sum"
    return random.choice((f"sum + {product}", f"sum + {product}", last))


def _window(random: Random, ty: str) -> tuple[str, dict[str, Array]]:
    taps = random.choice((1, 2, 3, 5, 7, 9, 15, 16, 17, 31, 33, 64, 65, 130, 300))
    outputs = random.choice((random_size(random, 200), random.randint(200, 3000), 517, 1025))
    move, tap, base = random.choice((*(1,) * 8, 2, 3)), random.choice((*(1,) * 8, 2)), 0
    room = random.choice((0, 0, 0, 1, 5))
    if random.random() < 0.3:
        base = random.randint(1, 9)
    length = (outputs - 1) * move + (taps - 1) * tap + base + 1 + room
    place = random.choice((f"t * {move} + j * {tap} + {base}", f"{base} + j * {tap} + t * {move}"))
    if move == tap == 1 and base == 0:
        place = random.choice(("t + j", "j + t"))
    if random.random() < 0.08:
        place = f"{length - 1} - ({place})"
    factors = (*("taps[j]",) * 6, f"taps[{taps - 1} - j]", f"taps[j * 2 + {base}]")
    factor = random.choice(factors)
    source = f"""
fn main(taps: [{ty}; {2 * taps + base}], signal: [{ty}; {length}]) -> [{ty}; {outputs}] {{
    {random_literal(random, ty)} -> seed: {ty};
    {taps} -> iota -> js;
    {outputs} -> iota -> map {{ t ->
        (seed, js) -> fold {{ sum, j -> {_step(random, factor, f"signal[{place}]")} }}
    }} -> ret;
}}
"""
    return source, {
        "taps": random_numbers(random, ty, 2 * taps + base),
        "signal": random_numbers(random, ty, length),
    }


def _convolution(random: Random, ty: str) -> tuple[str, dict[str, Array]]:
    high, wide = random.choice((1, 2, 3, 3, 5, 7)), random.choice((1, 2, 3, 3, 5, 11))
    rows, columns = random_size(random, 24), random_size(random, 90)
    down, along = random.choice((1, 1, 1, 2)), random.choice((1, 1, 1, 1, 2))
    width = (columns - 1) * along + wide + random.choice((0, 0, 1, 6))
    length = ((rows - 1) * down + high) * width
    place = f"(row * {down} + k / {wide}) * {width} + column * {along} + k % {wide}"
    source = f"""
fn main(kernel: [{ty}; {high * wide}], image: [{ty}; {length}]) -> [{ty}; {rows * columns}] {{
    {random_literal(random, ty)} -> seed: {ty};
    {high * wide} -> iota -> ks;
    {rows * columns} -> iota -> map {{ o ->
        o / {columns} -> row;
        o % {columns} -> column;
        (seed, ks) -> fold {{ sum, k -> {_step(random, "kernel[k]", f"image[{place}]")} }}
    }} -> ret;
}}
"""
    return source, {
        "kernel": random_numbers(random, ty, high * wide),
        "image": random_numbers(random, ty, length),
    }


def _columns(random: Random, ty: str) -> tuple[str, dict[str, Array]]:
    rows, columns = random_size(random, 90), random_size(random, 200)
    width = columns + random.choice((0, 0, 1, 9))
    source = f"""
fn main(x: [{ty}; {rows}], a: [{ty}; {rows * width}]) -> [{ty}; {columns}] {{
    {random_literal(random, ty)} -> seed: {ty};
    {rows} -> iota -> is;
    {columns} -> iota -> map {{ j ->
        (seed, is) -> fold {{ sum, i -> {_step(random, "x[i]", f"a[i * {width} + j]")} }}
    }} -> ret;
}}
"""
    return source, {
        "x": random_numbers(random, ty, rows),
        "a": random_numbers(random, ty, rows * width),
    }


def _nested(random: Random, ty: str) -> tuple[str, dict[str, Array]]:
    """A convolution over an array of arrays, by one fold or by a fold of folds."""
    high, wide = random.choice((1, 2, 3, 3, 5)), random.choice((1, 2, 3, 3, 7))
    rows, columns = random_size(random, 16), random_size(random, 70)
    height, width = rows + high - 1, columns + wide - 1
    seed = random_literal(random, ty)
    if random.random() < 0.6:
        step = _step(random, "kernel[k]", f"image[r + k / {wide}][c + k % {wide}]")
        sums = f"(seed, ks) -> fold {{ sum, k -> {step} }}"
    else:
        step = _step(random, f"kernel[a * {wide} + b]", "image[r + a][c + b]")
        inner = f"{wide} -> iota -> bs; (sum, bs) -> fold {{ sum, b -> {step} }}"
        sums = f"{high} -> iota -> as; (seed, as) -> fold {{ sum, a -> {inner} }}"
    source = f"""
fn main(
    kernel: [{ty}; {high * wide}], image: [[{ty}; {width}]; {height}]
) -> [[{ty}; {columns}]; {rows}] {{
    {seed} -> seed: {ty};
    {high * wide} -> iota -> ks;
    {columns} -> iota -> cs;
    {rows} -> iota -> map {{ r -> cs -> map {{ c -> {sums} }} }} -> ret;
}}
"""
    return source, {
        "kernel": random_numbers(random, ty, high * wide),
        "image": random_numbers(random, ty, width * height),
    }
