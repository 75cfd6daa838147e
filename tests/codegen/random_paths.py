"""Random rows of statements whose heavy ones become paths: natively as in the interpreter.

`./dev python -m tests.codegen.random_paths --count 2000 --seed 1` draws programs of calls and folds
with light work, updates, accesses that later ones rely on, traps, effects, the clock and calls that
may never end between them, cuts them for threads in several ways, and runs them at one and three
threads, with tasks in random order.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from mapal import interpreter
from mapal.codegen import emit
from mapal.ir.graph import Graph
from mapal.rewrite import rewrite
from mapal.sweep.endings import Ending
from mapal.sweep.native import Case, run_at
from mapal.target import load_profile
from tests.codegen.native_runs import graph_of
from tests.codegen.random_command import run

BATCH = 20
LENGTH = 400
BUDGET = 400_000
CUTS = (0, 1024, 1 << 14, 1 << 14)
"""A call of what goes over an array weighs some thousands; a loop by itself, some hundreds."""

COUNTS = (1, 3)

FUNCTIONS = f"""
fn mix(a: [i32; {LENGTH}], k: i32) -> i32 {{ (k, a) -> fold {{ s, x -> s * 3 + x }} -> ret; }}
fn sum(a: [i32; {LENGTH}], k: i32) -> i32 {{ (k, a) -> fold {{ s, x -> s + x * k }} -> ret; }}
fn share(a: [i32; {LENGTH}], k: i32) -> i32 {{
    (k, a) -> fold {{ s, x -> s * 5 + 9000 / (x - k) }} -> ret;
}}
fn scale(a: [i32; {LENGTH}], k: i32) -> [i32; {LENGTH}] {{ a -> map {{ x -> x * k + 1 }} -> ret; }}
fn both(a: [i32; {LENGTH}], k: i32) -> i32 {{
    (a, k) -> mix -> p; (a, k + 1) -> share -> q; p - q -> ret;
}}
fn say(a: [i32; {LENGTH}], k: i32) -> i32 {{ (a, k) -> sum -> p; p -> println; p -> ret; }}
fn down(k: i32) -> i32 {{
    mut x <- k;
    loop {{ (x % 4 == 0) -> {{ -true-> x -> ret; -false-> {{ x * 3 -> x; -> loop; }} }} }}
}}
"""
"""`down` ends for multiples of 4 only."""


def program(random: Random) -> str:
    """A program that takes an array and two indexes."""
    return FUNCTIONS + _Rows(random).main()


class _Rows:
    """The statements of one program, with the names that they may use."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.arrays = ["a"]
        self.changed: list[str] = []
        self.scalars = ["x", "y"]
        self.number = 0

    def main(self) -> str:
        lines = [self._statement() for _ in range(self.random.randint(5, 14))]
        total = " + ".join(self.scalars)
        lines.append(f"{total} -> total; total -> println;")
        lines += [f"({each}, total) -> mix -> println;" for each in self.arrays[-3:]]
        text = "\n    ".join(lines)
        return f"fn main(a: [i32; {LENGTH}], x: i32, y: i32) {{\n    {text}\n}}\n"

    def _statement(self) -> str:
        kinds = {
            self._call: 7,
            self._fold: 2,
            self._scaled: 2,
            self._light: 4,
            self._access: 4,
            self._update: 4,
            self._loop: 1,
            self._guarded: 1,
            self._effect: 2,
            self._endless: 1,
        }
        return self.random.choices(list(kinds), list(kinds.values()))[0]()

    def _new(self) -> str:
        self.number += 1
        return f"n{self.number}"

    def _array(self) -> str:
        return self.random.choice(self.arrays)

    def _scalar(self) -> str:
        return self.random.choice(self.scalars)

    def _made(self, expression: str) -> str:
        """A new scalar."""
        name = self._new()
        self.scalars.append(name)
        return f"{expression} -> {name};"

    def _index(self) -> str:
        return self.random.choice(("x", "x", "y", "7", f"{LENGTH - 1}", "x + 1"))

    def _call(self) -> str:
        function = self.random.choice(("mix", "mix", "sum", "share", "both"))
        return self._made(f"({self._array()}, {self._scalar()}) -> {function}")

    def _fold(self) -> str:
        of, index = self._array(), self._index()
        body = self.random.choice((f"s * 3 + e * {of}[{index}]", f"s + e / {self._scalar()}"))
        return self._made(f"({self._scalar()}, {self._array()}) -> fold {{ s, e -> {body} }}")

    def _scaled(self) -> str:
        name = self._new()
        line = f"({self._array()}, {self._scalar()}) -> scale -> {name};"
        self.arrays.append(name)
        return line

    def _light(self) -> str:
        operator = self.random.choice(("+", "-", "*", "/", "%") if self._rarely() else ("+", "*"))
        return self._made(f"{self._scalar()} {operator} {self._scalar()}")

    def _access(self) -> str:
        return self._made(f"{self._array()}[{self._index()}]")

    def _update(self) -> str:
        value = f"{self._array()}[3]" if self._rarely() else self._scalar()
        if self.changed and not self._rarely():
            return f"{self.random.choice(self.changed)}[{self._index()}] <- {value};"
        name, before = self._new(), self._array()
        line = f"mut {name}: [i32; {LENGTH}] <- {before}; {name}[{self._index()}] <- {value};"
        self.arrays.append(name)
        self.changed.append(name)
        return line

    def _loop(self) -> str:
        name, after, at = self._new(), self._new(), self._new()
        line = (
            f"mut {name}: [i32; {LENGTH}] <- {self._array()}; mut {at} <- 0;"
            f" loop {{ ({at} < 5) -> {{ -true-> {{"
            f" {name}[{at} * 3] <- {name}[{at} + 1] + {self._scalar()};"
            f" {at} + 1 -> {at}; -> loop; }} -false-> {name} -> {after}; }} }}"
        )
        self.arrays.append(after)
        return line

    def _guarded(self) -> str:
        access, otherwise = f"{self._array()}[y]", self._scalar()
        return self._made(
            f"(y >= 0 && y < {LENGTH}) -> {{ -true-> {access}; -false-> {otherwise}; }}"
        )

    def _effect(self) -> str:
        kind = self.random.random()
        if kind < 0.5:
            return f"{self._scalar()} -> println;"
        if kind < 0.8:
            return self._made(f"({self._array()}, {self._scalar()}) -> say")
        name = self._new()
        return f"() -> time -> {name}; {name} >= 0.0 -> println;"

    def _endless(self) -> str:
        return self._made(f"{self._scalar()} -> down")

    def _rarely(self) -> bool:
        return self.random.random() < 0.3


def inputs_of(random: Random) -> dict[str, object]:
    """An array and two indexes, at times far outside of it."""
    values = [random.randint(-9, 99) for _ in range(LENGTH)]
    far = random.random() < 0.3
    x = random.choice((LENGTH, 1_000_000_000, -1_000_000_000) if far else (0, 3, 8, LENGTH - 2))
    return {"a": values, "x": x, "y": random.choice((0, 4, 80, LENGTH - 1, LENGTH, -1))}


def ending(graph: Graph, inputs: dict[str, object]) -> Ending:
    """How the interpreter ends."""
    outcome = interpreter.run(graph, inputs, budget=BUDGET)
    trap = None if outcome.trap is None else (outcome.trap.kind, outcome.trap.token)
    return Ending(outcome.kind, outcome.output, trap)


def faults(seed: int, first: int, count: int, counts: Counter[str]) -> Iterator[str]:
    """What differs, with the program."""
    profile = load_profile("native")
    policy = replace(profile.policy, slice_operations=1, thread_operations=1)
    profile = replace(profile, policy=policy)
    for start in range(first, first + count, BATCH):
        cases: list[tuple[str, Case, Ending]] = []
        for number in range(start, min(start + BATCH, first + count)):
            random = Random(f"paths/{seed}/{number}")
            source, inputs = program(random), inputs_of(random)
            graph = graph_of(source)
            expected = ending(graph, inputs)
            counts["programs"] += 1
            counts[f"ended: {expected.kind}"] += 1
            if expected.kind not in ("done", "trapped"):
                continue
            form = rewrite(graph).graph if random.random() < 0.3 else graph
            sites = emit(form, profile, name="paths", cuts_from=1 << 14).plan["sites"]
            counts["sections"] += sum(site["shape"] == "paths" for site in sites)
            text = f"seed {seed}, program {number}, {inputs['x']}, {inputs['y']}: {source}"
            cases.append((text, Case(form, (inputs,)), expected))
        found = run_at([case for _, case, _ in cases], profile, COUNTS, CUTS)
        for threads, results in zip(COUNTS, found, strict=True):
            for (text, _, expected), result in zip(cases, results, strict=True):
                counts["runs"] += 1
                if isinstance(result, str):
                    yield f"{result}: {text}"
                    continue
                wrong = [each for each in result.values() if each != [expected]]
                if wrong:
                    shown = ", ".join(each.describe() for each in wrong[0])
                    yield f"{threads} threads: {expected.describe()}\nbut {shown}\n{text}"


def main(arguments: list[str]) -> int:
    """0 if all programs end alike everywhere."""
    return run("tests.codegen.random_paths", 400, arguments, faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
