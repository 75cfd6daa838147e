"""Random maps with bodies of what lanes compute, held to the interpreter on every target that runs
here.

Bodies are nested guards and loops whose conditions differ between lanes or not, folds, inner maps
whose results are read in and out of range, calls, patterns of indices, and numbers of every type
with the values at which types end, alone and in records. Nothing in them can trap.

`./dev python -m tests.codegen.random_lanes --count N --seed S` prints what it counted and each
program that differs.
"""

from __future__ import annotations

import sys
from random import Random

from mapal.lower import Arithmetic
from tests.codegen.kernel_runs import Array, Case
from tests.codegen.random_bodies import NUMBERS, Body, element
from tests.codegen.random_command import faults_of, run
from tests.codegen.random_inputs import random_numbers

COUNTS = (1, 7, 8, 16, 17, 31, 32, 33, 40, 48, 60, 64, 75, 80, 96, 100)


def _helper(random: Random, name: str, count: int) -> tuple[str, tuple[list[str], str]]:
    """A function of two numbers."""
    taken, given = [random.choice(NUMBERS), random.choice(NUMBERS)], random.choice(NUMBERS)
    body = Body(random, count, {})
    for at, ty in enumerate(taken):
        body.names[ty].append("ab"[at])
    body.statements(1, 3)
    last = body.name(given)
    head = f"fn {name}(a: {taken[0]}, b: {taken[1]}) -> {given}"
    return f"{head} {{ {' '.join(body.lines)} {last} }}\n", (taken, given)


PARAMETERS = {
    "xf": "f32",
    "xd": "f64",
    "xi": "i32",
    "xl": "i64",
    "xb": "u8",
    "xt": "bool",
}


_COMPUTED = (
    ("(xf, xi) -> zip -> zipped;", {"zipped.0": "f32", "zipped.1": "i32"}),
    ("xl -> enumerate -> numbered;", {"numbered.0": "i32", "numbered.1": "i64"}),
    ("xd -> map { v -> v -> to_i32 -> w; (v, w, v > 0.5) } -> mixed;", {"mixed.1": "i32"}),
    ("xb -> map { v -> Small { wide: 3.5, byte: v, flag: v > 9 } } -> made;", {"made.byte": "u8"}),
)
"""Arrays of records of several types, as statements with their components."""


def program(random: Random, count: int) -> str:
    """A program whose one map is the random body; some give several results, some take arrays
    of arrays or of records."""
    helpers: dict[str, tuple[list[str], str]] = {}
    functions = "type Point { x: i32, y: i32, z: i32 }\n"
    functions += "type Small { wide: f64, byte: u8, flag: bool }\n"
    for name in ("help", "more"):
        text, helpers[name] = _helper(random, name, count)
        functions += text
    body = Body(random, count, helpers)
    body.index = "i"
    body.names["i32"] += ["si", "i"]
    body.names["f32"].append("sf")
    before = _arrays(random, body)
    head = _head(random, body, count)
    if random.random() < 0.3:
        body.lines.append("rows[i] -> row;")
        body.define("f32", f"row[{random.randrange(4)}]")
        body.guarded_read("f32", "row", 4)
    body.statements(2, 4)
    made = []
    for _ in range(random.choice((1, 1, 2, 3))):
        ways = (body.loop, body.loop, body.fold, body.inner_map, body.inner_records, body.guard)
        random.choice(ways)(2)
        made.append(body.newest())
    results, values = [ty for ty, _ in made], [name for _, name in made]
    parameters = ", ".join(f"{name}: [{ty}; {count}]" for name, ty in PARAMETERS.items())
    parameters += f", points: [Point; {count}], pairs: [(f64, f64); {count}]"
    taken = f"{parameters}, rows: [[f32; 4]; {count}], si: i32, sf: f32"
    text = f"{before} {head} {' '.join(body.lines)}"
    if len(set(results)) == 1 and random.random() < 0.5:
        value = values[0] if len(values) == 1 else f"({', '.join(values)})"
        given = results[0] if len(values) == 1 else f"({', '.join(results)})"
        return f"{functions}fn main({taken}) -> [{given}; {count}] {{ {text} {value} }} -> ret; }}"
    if len(results) == 1:
        given = f"[{results[0]}; {count}]"
        return f"{functions}fn main({taken}) -> {given} {{ {text} {values[0]} }} -> ret; }}"
    given = ", ".join(f"[{ty}; {count}]" for ty in results)
    returned = f"{text} ({', '.join(values)}) }} -> results; "
    returned += " ".join(
        f"results -> map {{ m -> m.{at} }} -> ret.{at};" for at in range(len(values))
    )
    return f"{functions}fn main({taken}) -> ({given}) {{ {returned} }}"


def _arrays(random: Random, body: Body) -> str:
    """Gives a body arrays to read, and the statements before the map that make some of them."""
    found = {name: ty for name, ty in PARAMETERS.items() if random.random() < 0.7}
    if random.random() < 0.4:
        found |= {"points.x": "i32", "points.z": "i32"}
    if random.random() < 0.4:
        found |= {"pairs.0": "f64", "pairs.1": "f64"}
    statements = []
    for statement, parts in _COMPUTED:
        if random.random() < 0.15:
            statements.append(statement)
            found |= parts
    for name, ty in found.items():
        body.arrays.setdefault(ty, []).append(name)
        body.define(ty, element(name, "i"))
    return " ".join(statements)


def _head(random: Random, body: Body, count: int) -> str:
    """The array that the map goes over, and the names of the parts of its element."""
    form = random.random()
    if form < 0.6:
        return f"{count} -> iota -> map {{ i ->"
    if form < 0.75:
        body.names["f32"].append("ef")
        return "xf -> enumerate -> map { e -> e.0 -> i; e.1 -> ef;"
    if form < 0.9:
        body.names["i32"] += ["ex", "ey"]
        return "points -> enumerate -> map { e -> e.0 -> i; e.1 -> p; p.x -> ex; p.y -> ey;"
    body.names["f64"].append("ed")
    body.names["u8"].append("eb")
    return (
        "(pairs, xb) -> zip -> enumerate -> map { e -> "
        "e.0 -> i; e.1 -> both; both.0 -> p; p.1 -> ed; both.1 -> eb;"
    )


def inputs(random: Random, count: int) -> dict[str, Array]:
    """Numbers small and large, with those at which types end."""

    def numbers(ty: str, size: int) -> Array:
        return random_numbers(random, ty, size, limit=count)

    made = {name: numbers(ty, count) for name, ty in PARAMETERS.items()}
    made["rows"] = numbers("f32", 4 * count)
    made["points"], made["pairs"] = numbers("i32", 3 * count), numbers("f64", 2 * count)
    made["si"], made["sf"] = numbers("i32", 1), numbers("f32", 1)
    return made


def lanes(random: Random) -> Case:
    """One program with inputs."""
    count = random.choice(COUNTS)
    source = program(random, count)
    arithmetic: Arithmetic = "fused" if random.random() < 0.3 else "exact"
    return Case(source=source, inputs=inputs(random, count), arithmetic=arithmetic)


faults = faults_of("lanes", lanes)


def main(arguments: list[str]) -> int:
    """0 if all programs end as the interpreter says."""
    return run("tests.codegen.random_lanes", 400, arguments, faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
