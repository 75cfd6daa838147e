"""Random transpositions and other moves, of every type of element, and reads at computed places."""

from __future__ import annotations

from random import Random

from tests.codegen.kernel_runs import Array, Case
from tests.codegen.random_bodies import NUMBERS
from tests.codegen.random_inputs import random_literal, random_numbers, random_size

_TYPES = (*NUMBERS, "bool")


def moves(random: Random) -> Case:
    """One map that moves elements; a few go out of range."""
    draw = random.choice((_flat, _flat, _flat, _nested, _nested, _records))
    source, inputs = draw(random, random.choice(_TYPES))
    return Case(source=source, inputs=inputs)


def _flat(random: Random, ty: str) -> tuple[str, dict[str, Array]]:
    rows, width = random_size(random, 130), random_size(random, 130)
    if random.random() < 0.3:
        # Whole lines, which streams want.
        rows, width = (random.choice((16, 32, 64, 128)) for _ in range(2))
    if random.random() < 0.5:
        row_step, column_step = 1, rows + random.choice((0, 0, 0, 1, 5))
    else:
        row_step, column_step = random.choice((1, 2, 3, 7, 40)), random.choice((0, 1, 1, 2, 5))
    base = random.choice((0, 0, 0, 0, 0, 0, 1, 3))
    length = row_step * (rows - 1) + column_step * (width - 1) + 1 + base
    if random.random() < 0.06:
        length = max(1, length - 1)
    row, column = f"t / {width} * {row_step}", f"t % {width} * {column_step}"
    place = random.choice((f"{row} + {column}", f"{column} + {row}"))
    place += f" + {base}" if base else ""
    if random.random() < 0.15:
        place = f"{length - 1} - ({place})"
    elif random.random() < 0.05:
        place += f" + t / {width} * 65536 * 65536"
    source = f"""
fn main(source: [{ty}; {length}]) -> [{ty}; {rows * width}] {{
    {rows * width} -> iota -> map {{ t -> source[{place}] }} -> ret;
}}
"""
    return source, {"source": random_numbers(random, ty, length)}


def _nested(random: Random, ty: str) -> tuple[str, dict[str, Array]]:
    rows, width = random_size(random, 100), random_size(random, 100)
    forms = (
        ("m[j][i]", rows, width),
        ("m[j][i]", rows + random.choice((1, 7)), width),
        ("m[j * 2][i]", rows, 2 * width),
        ("m[i][j]", width, rows),
        ("m[j + 1][i]", rows, width + 1),
        (f"m[{width - 1} - j][i]", rows, width),
        ("m[j][i]", rows, max(1, width - 1)),
    )
    place, across, down = random.choice(forms[:-1] if random.random() < 0.95 else forms)
    source = f"""
fn main(m: [[{ty}; {across}]; {down}]) -> [[{ty}; {width}]; {rows}] {{
    {width} -> iota -> js;
    {rows} -> iota -> map {{ i -> js -> map {{ j -> {place} }} }} -> ret;
}}
"""
    return source, {"m": random_numbers(random, ty, across * down)}


def _records(random: Random, ty: str) -> tuple[str, dict[str, Array]]:
    """A transposition of pairs, whole or one component of them."""
    rows, width = random_size(random, 60), random_size(random, 60)
    element = f"m[t % {width} * {rows} + t / {width}]"
    given, value = random.choice(
        (
            (f"({ty}, {ty})", element),
            (ty, f"{element}.1"),
            (f"({ty}, {ty})", f"{element} -> e; (e.1, e.0)"),
        )
    )
    source = f"""
fn main(m: [({ty}, {ty}); {rows * width}]) -> [{given}; {rows * width}] {{
    {rows * width} -> iota -> map {{ t -> {value} }} -> ret;
}}
"""
    return source, {"m": random_numbers(random, ty, 2 * rows * width)}


def gathers(random: Random) -> Case:
    """Reads at places that come from memory: guarded, folded into range, or by bytes."""
    ty, index = random.choice(_TYPES), random.choice(("i32", "i32", "i64", "u8"))
    count, length = random_size(random, 300), random_size(random, 300)
    other = random_literal(random, ty)
    if index == "u8" and random.random() < 0.6:
        length = 256
    forms = [f"(j >= 0 && j < {length}) -> {{ -true-> table[j]; -false-> {other}; }}"] * 2
    if index == "u8" and length >= 256:
        forms = ["table[j]"]
    elif index != "u8":
        forms.append(f"(j, 0) -> max -> k; (k, {length - 1}) -> min -> p; table[p]")
        forms.append(f"(j % {length} + {length}) % {length} -> p; table[p]")
    if random.random() < 0.05:
        forms = ["table[j]"]
    body = random.choice(forms)
    form = random.random()
    if form < 0.3 and ty != "bool":
        head, text = "places", f"map {{ j -> {body} -> found: {ty}; found + found * found }}"
    elif form < 0.5:
        head, text = "places -> enumerate", f"map {{ e -> e.1 -> j; {body} }}"
    elif form < 0.7:
        head, text = f"{count} -> iota", f"map {{ i -> places[i] -> j; {body} }}"
    else:
        head, text = "places", f"map {{ j -> {body} }}"
    source = f"""
fn main(places: [{index}; {count}], table: [{ty}; {length}]) -> [{ty}; {count}] {{
    {head} -> {text} -> ret;
}}
"""
    inputs = {
        "places": random_numbers(random, index, count, limit=length),
        "table": random_numbers(random, ty, length),
    }
    return Case(source=source, inputs=inputs)
