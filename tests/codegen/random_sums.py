"""Random folds, reductions and rows of both, and light maps that may go past the caches."""

from __future__ import annotations

from random import Random

from tests.codegen.kernel_runs import Array, Case
from tests.codegen.random_bodies import FLOATS, INTEGERS, NUMBERS
from tests.codegen.random_inputs import random_literal, random_numbers, random_size

_LENGTHS = (1, 2, 3, 63, 64, 65, 127, 128, 129, 191, 1000, 4095, 4096, 4097, 4160, 8191, 8193)


def sums(random: Random) -> Case:
    """A program around one reduction or fold."""
    draw = random.choice((_reduction, _reduction, *(_rows,) * 4, _fold, _picked))
    source, inputs = draw(random)
    return Case(
        source=source, inputs=inputs, arithmetic="fused" if random.random() < 0.3 else "exact"
    )


_LONG = (16384, 16385, 20479, 20480, 28673, 37000)
"""Several blocks for each stream of a reduction."""


def _length(random: Random) -> int:
    if random.random() < 0.12:
        return random.choice(_LONG)
    return random.choice(
        (random_size(random, 200), random.choice(_LENGTHS), random.randint(1, 5000))
    )


def _pair(random: Random, ty: str) -> str:
    """What combines `a` and `b`."""
    if ty == "bool":
        return random.choice(("a && b", "a || b", "a != b", "a == b", "!a || b"))
    forms = ["a + b", "a * b", "(a, b) -> min", "(a, b) -> max", "a - b", "a + b * a", "b"]
    forms.append("(a < b) -> { -true-> a; -false-> b; }")
    return random.choice(forms)


def _reduction(random: Random) -> tuple[str, dict[str, Array]]:
    """Of an array as it is, of what a map makes of it, of numbers, and of pairs of arrays."""
    ty, n = random.choice((*NUMBERS, "bool")), _length(random)
    combine = _pair(random, ty)
    head = "x"
    if ty != "bool":
        literal = random_literal(random, ty)
        heads = (
            "x",
            "x",
            f"x -> map {{ v -> v * v + {literal} }}",
            "(x, y) -> zip -> map { p -> p.0 * p.1 }",
        )
        head = random.choice(heads)
    source = f"""
fn main(x: [{ty}; {n}], y: [{ty}; {n}]) -> {ty} {{
    {head} -> reduce {{ a, b -> {combine} }} -> ret;
}}
"""
    return source, {"x": random_numbers(random, ty, n), "y": random_numbers(random, ty, n)}


def _rows(random: Random) -> tuple[str, dict[str, Array]]:
    """Each row reduced or folded, by itself or against a vector."""
    ty = random.choice(NUMBERS)
    rows, n = (
        random_size(random, 40),
        random.choice((random_size(random, 200), 600, 1025, 2049, 4097)),
    )
    if n > 500:
        rows = min(rows, 9)
    seed = random_literal(random, ty)
    forms = (
        f"row -> reduce {{ a, b -> {_pair(random, ty)} }}",
        f"row -> reduce {{ a, b -> {_pair(random, ty)} }}",
        "(seed, row) -> fold { s, v -> s + v }",
        "(seed, row) -> fold { s, v -> s + v * v }",
        "(row, x) -> zip -> ps; (seed, ps) -> fold { s, p -> s + p.0 * p.1 }",
        "(row, x) -> zip -> ps; (seed, ps) -> fold { s, p -> p.1 * p.0 + s }",
        "(row, x) -> zip -> map { p -> p.0 * p.1 } -> ps; ps -> reduce { a, b -> a + b }",
        "(row, x) -> zip -> map { p -> p.0 - p.1 -> d; d * d } -> reduce { a, b -> a + b }",
        f"row -> reduce {{ a, b -> {_pair(random, ty)} }} -> s; row[0] -> first; s * first",
        f"{n} -> iota -> ks; (seed, ks) -> fold {{ s, k -> s + row[k] * x[k] }}",
        "(seed, row) -> fold { s, v -> (v > s) -> { -true-> v; -false-> s; } }",
    )
    source = f"""
fn main(m: [[{ty}; {n}]; {rows}], x: [{ty}; {n}]) -> [{ty}; {rows}] {{
    {seed} -> seed: {ty};
    m -> map {{ row -> {random.choice(forms)} }} -> ret;
}}
"""
    return source, {"m": random_numbers(random, ty, rows * n), "x": random_numbers(random, ty, n)}


def _fold(random: Random) -> tuple[str, dict[str, Array]]:
    """Over a whole array: of one operation, of several, with another type, with a trap."""
    ty, n = random.choice((*NUMBERS, *INTEGERS)), _length(random)
    seed, given = random_literal(random, ty), random.choice(NUMBERS)
    forms = [
        "s + v",
        "s * v",
        "(s, v) -> min",
        "(s, v) -> max",
        "v - s",
        "s * 3 + v" if ty not in FLOATS else "s * 0.5 + v",
    ]
    forms.append("(v > s) -> { -true-> v; -false-> s; }")
    if ty in INTEGERS:
        forms += ["s + v * v", "s + 1", f"s + v / {random.choice((1, 2, 7))}"]
    if ty in INTEGERS and random.random() < 0.1:
        forms = ["s + 100 / v"]
    step, accumulator = random.choice(forms), ty
    if random.random() < 0.2:
        accumulator, step = (
            given,
            f"v -> to_{given} -> w: {given}; s + w" if given != ty else "s + v",
        )
        seed = random_literal(random, given)
    source = f"""
fn main(x: [{ty}; {n}]) -> {accumulator} {{
    {seed} -> seed: {accumulator};
    (seed, x) -> fold {{ s, v -> {step} }} -> ret;
}}
"""
    return source, {"x": random_numbers(random, ty, n)}


def _picked(random: Random) -> tuple[str, dict[str, Array]]:
    """The greatest element with its place, by a fold or a reduction of pairs."""
    ty, n = random.choice(NUMBERS), _length(random)
    better = random.choice(("b.1 > a.1", "b.1 <= a.1", "a.1 != b.1"))
    choose = f"({better}) -> {{ -true-> b; -false-> a; }}"
    forms = (
        f"p -> reduce {{ a, b -> {choose} }}",
        f"(p[0], p) -> fold {{ a, b -> {choose} }}",
        "p -> reduce { a, b -> (a.0 + b.0, a.1 * b.1) }",
    )
    source = f"""
fn main(x: [{ty}; {n}]) -> (i32, {ty}) {{
    x -> enumerate -> p;
    {random.choice(forms)} -> best;
    best.0 -> ret.0;
    best.1 -> ret.1;
}}
"""
    return source, {"x": random_numbers(random, ty, n)}


def streams(random: Random) -> Case:
    """Light maps of every type, some longer than small caches."""
    ty, given = random.choice((*NUMBERS, "bool")), random.choice((*NUMBERS, "bool"))
    n = random.choice(
        (random_size(random, 200), random.randint(1000, 9000), 1024, 1025, 4096, 8193)
    )
    value = _converted(random, ty, given)
    form = random.random()
    if form < 0.3:
        text = f"(x, y) -> zip -> map {{ p -> p.{random.randrange(2)} -> v; {value} }}"
    elif form < 0.5:
        text = f"x -> enumerate -> map {{ p -> p.1 -> v; {value} }}"
    elif form < 0.65:
        text = f"{n} -> iota -> map {{ i -> x[i] -> v; {value} }}"
    else:
        text = f"x -> map {{ v -> {value} }}"
    source = f"fn main(x: [{ty}; {n}], y: [{ty}; {n}]) -> [{given}; {n}] {{ {text} -> ret; }}"
    inputs = {"x": random_numbers(random, ty, n), "y": random_numbers(random, ty, n)}
    return Case(source=source, inputs=inputs)


def _converted(random: Random, ty: str, given: str) -> str:
    literal = random_literal(random, ty)
    if ty == "bool":
        yes, no = random_literal(random, given), random_literal(random, given)
        if given == "bool":
            return "!v"
        return f"v -> {{ -true-> {yes}; -false-> {no}; }} -> w: {given}; w"
    if given == "bool":
        return f"v {random.choice(('<', '>=', '==', '!='))} {literal}"
    forms = [
        f"v * v + {literal} -> w: {ty};",
        f"(v, {literal}) -> min -> w: {ty};",
        f"v -> abs -> w: {ty};",
    ]
    if ty in FLOATS:
        forms += [f"v -> {stage} -> w: {ty};" for stage in ("sqrt", "floor", "round")]
    else:
        forms.append(f"v / {random.choice((2, 3, 100))} -> w: {ty};")
    return random.choice(forms) + (" w" if given == ty else f" w -> to_{given}")
