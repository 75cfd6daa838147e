"""Random maps with bodies of what lanes compute: the bits of the plain loops, on every profile
that this machine runs.

Bodies are nested guards and loops whose conditions differ between lanes or not, folds, inner maps
whose results are read in and out of range, calls, patterns of indices, and numbers of every type
with the values at which types end. Nothing in them can trap.

`./dev python -m tests.codegen.random_lanes --count N --seed S` prints what it counted, and the
smallest program of each batch that differs.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np

from mapal.codegen import emit
from mapal.lower import Arithmetic
from mapal.sweep.endings import dtype_of
from mapal.target import load_profile
from tests.codegen.kernel_runs import NEVER, Array, Case, profiles, rewritten
from tests.codegen.random_bodies import FLOATS, NUMBERS, Body
from tests.codegen.random_command import difference, run

BATCH = 8
COUNTS = (1, 7, 8, 16, 17, 31, 32, 33, 40, 48, 60, 64, 75, 80, 96, 100)
_SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -1.5, 3e9, -3e9, 1e30, -1e-30, 255.7)


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


def program(random: Random, count: int) -> str:
    """A program whose one map is the random body; some give several results, some take an array
    of arrays."""
    helpers: dict[str, tuple[list[str], str]] = {}
    functions = ""
    for name in ("help", "more"):
        text, helpers[name] = _helper(random, name, count)
        functions += text
    body = Body(random, count, helpers)
    body.index = "i"
    body.names["i32"] += ["si", "i"]
    body.names["f32"].append("sf")
    for name, ty in PARAMETERS.items():
        if random.random() < 0.7:
            body.arrays.setdefault(ty, []).append(name)
            body.define(ty, f"{name}[i]")
    if random.random() < 0.3:
        body.lines.append("rows[i] -> row;")
        body.define("f32", f"row[{random.randrange(4)}]")
        body.guarded_read("f32", "row", 4)
    body.statements(2, 4)
    made = []
    for _ in range(random.choice((1, 1, 2, 3))):
        random.choice((body.loop, body.loop, body.fold, body.inner_map, body.guard))(2)
        made.append(body.newest())
    results, values = [ty for ty, _ in made], [name for _, name in made]
    parameters = ", ".join(f"{name}: [{ty}; {count}]" for name, ty in PARAMETERS.items())
    taken = f"{parameters}, rows: [[f32; 4]; {count}], si: i32, sf: f32"
    given = ", ".join(f"[{ty}; {count}]" for ty in results)
    text = " ".join(body.lines)
    if len(results) == 1:
        returned = f"{count} -> iota -> map {{ i -> {text} {values[0]} }} -> ret;"
        return f"{functions}fn main({taken}) -> {given} {{ {returned} }}"
    record = ", ".join(values)
    returned = f"{count} -> iota -> map {{ i -> {text} ({record}) }} -> made; "
    returned += " ".join(f"made -> map {{ m -> m.{at} }} -> ret.{at};" for at in range(len(values)))
    return f"{functions}fn main({taken}) -> ({given}) {{ {returned} }}"


def inputs(random: Random, count: int) -> dict[str, Array]:
    """Numbers small and large, with those at which types end."""
    source = np.random.default_rng(random.randrange(1 << 30))

    def numbers(ty: str, size: int) -> Array:
        if ty in FLOATS:
            special = np.array([*_SPECIAL, np.nan, np.inf, -np.inf])
            found = source.standard_normal(size) * 10.0 ** source.integers(-1, 3, size)
            picked = source.random(size) < 0.3
            found[picked] = source.choice(special, size)[picked]
            return found.astype(dtype_of(ty))
        if ty == "bool":
            return (source.random(size) < 0.5).astype(dtype_of(ty))
        found = source.integers(-3, max(8, count + 3), size)
        if ty in ("i32", "i64"):
            info = np.iinfo(ty.replace("i", "int"))
            picked = source.random(size) < 0.1
            found[picked] = source.choice([info.min, info.max], size)[picked]
        return found.astype(dtype_of(ty))

    made = {name: numbers(ty, count) for name, ty in PARAMETERS.items()}
    made["rows"] = numbers("f32", 4 * count)
    made["si"], made["sf"] = numbers("i32", 1), numbers("f32", 1)
    return made


def case(seed: int, number: int) -> Case:
    """One program with inputs."""
    random = Random(f"lanes/{seed}/{number}")
    count = random.choice(COUNTS)
    source = program(random, count)
    arithmetic: Arithmetic = "fused" if random.random() < 0.3 else "exact"
    return Case(source=source, inputs=inputs(random, count), arithmetic=arithmetic)


def faults(seed: int, first: int, count: int, counts: Counter[str]) -> Iterator[str]:
    """What differs, with the program."""
    names = profiles()
    for start in range(first, first + count, BATCH):
        cases = [case(seed, number) for number in range(start, min(start + BATCH, first + count))]
        for one in cases:
            counts["programs"] += 1
            graph = rewritten(one.source, one.arithmetic)
            plan = emit(graph, load_profile(names[-1]), name="p", cuts_from=NEVER).plan
            shapes = [site["shape"] for site in plan["sites"] if site["kind"] == "map"]
            counts["in lanes"] += any(shape.startswith("side by side") for shape in shapes)
        name = names[start // BATCH % len(names)]
        counts[f"runs on {name}"] += len(cases)
        if difference(cases, name) is not None:
            found = [(one, difference([one], name)) for one in cases]
            failed = [(len(one.source), one.source, text) for one, text in found if text]
            _, source, text = min(failed, default=(0, "", "only together"))
            yield f"{name}: {text}\n{source}"


def main(arguments: list[str]) -> int:
    """0 if all programs give the same bits."""
    return run("tests.codegen.random_lanes", 400, arguments, faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
