"""Random loops over arrays against the interpreter: after the rewriter, and natively at two
levels.

What is left out or moved because of a proof about index maps shows here if the proof is wrong:
first values of loops, copies before updates, loops that become maps. Each program is compared with
the simple rules, too.

`./dev python -m tests.codegen.random_loops --count N --seed S` prints what it counted.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np

from mapal import interpreter
from mapal.analysis.legality import compared
from mapal.codegen import emit
from mapal.ir.graph import Graph
from mapal.rewrite import rewrite
from mapal.sweep.endings import Ending, canonical_bytes
from mapal.sweep.native import Case, run_natively
from mapal.target import load_profile
from tests.analysis.test_bounds import graph_of
from tests.codegen.random_command import run

BATCH = 40
LENGTH = 12
INPUTS = {"v": tuple(range(3, 15)), "start": tuple(range(100, 112))}
_COUNTERS = (
    ("i < 12", "0", "i + 1"),
    ("i != 12", "0", "i + 1"),
    ("i <= 10", "0", "i + 1"),
    ("i < 12", "0", "i + 2"),
    ("i >= 0", "11", "i - 1"),
    ("i > -1", "11", "i - 1"),
    ("i != -1", "11", "i - 1"),
)


def cell(random: Random) -> str:
    """An index of the counter that stays in range: shifted, backwards, permuted, folded."""
    shift, size = random.randrange(LENGTH), random.choice((2, 3, 4, 5, 6))
    forms = [
        "i",
        "11 - i",
        f"(i + {shift}) % 12",
        f"i % {size}",
        f"i / {size}",
        f"i % {size} + {shift % (13 - size)}",
        f"i / 2 * 2 + {shift % 2}",
        str(shift),
    ]
    if LENGTH % size == 0:
        forms += [f"i % {size} * {LENGTH // size} + i / {size}"] * 3
    return random.choice(forms)


def program(random: Random) -> str:
    """A loop that writes one array, one that also sums and gives arrays several names, or one over
    the rows of a matrix."""
    condition, first, following = random.choice(_COUNTERS)
    kind = random.random()
    if kind < 0.15:
        return _ROWS.format(
            condition=condition, first=first, following=following, body=_of_rows(random)
        )
    if kind < 0.55:
        body, init = _one_update(random), random.choice(("start", "blank"))
        result, tail, state = "a", "r -> ret;", ""
    else:
        body, init = _statements(random), random.choice(("start", "blank", "own"))
        result, state = "(a, s)", "mut s: i32 <- 0;"
        tail = random.choice(("r.0 -> ret;", _UPDATES_AFTER))
    return f"""{_FUNCTIONS}fn main(v: [i32; 12], start: [i32; 12]) -> [i32; 12] {{
        (7, 12) -> fill -> blank; start -> map {{ x -> x * 2 }} -> own;
        mut a: [i32; 12] <- {init}; mut i: i32 <- {first}; {state}
        loop {{ ({condition}) -> {{
            -true-> {{ {body} {following} -> i; -> loop; }}
            -false-> {result} -> r; }} }}
        {tail} }}"""


_UPDATES_AFTER = """r.0 -> q; q[3] + r.1 -> w; mut o: [i32; 12] <- q; o[1] <- w;
        q[2] -> y; o[5] <- y; o -> ret;"""


def _one_update(random: Random) -> str:
    values = ("v[i]", f"v[{cell(random)}] * i", "a[i] + v[i]", f"a[{cell(random)}]")
    value = random.choice((*values, "a[11 - i] * 3", "100 / (v[i] - 5)"))
    renaming = ""
    if random.random() < 0.2:
        renaming, name = _another_name(random, ["a", "a", "start"], 0)
        value = f"{name}[{cell(random)}]"
    return f"{renaming} a[{random.choice(('i', 'i', '11 - i', cell(random)))}] <- {value};"


def _statements(random: Random) -> str:
    """Updates, reads, zips and guards of versions of an array, one of which is handed on."""
    names, lines = ["a"], []
    for number in range(random.randint(1, 4)):
        one, other = random.choice(names), random.choice(names)
        kind = random.random()
        if kind < 0.6:
            values = (
                "v[i]",
                "i",
                "s",
                f"{other}[{cell(random)}]",
                f"v[{cell(random)}] + {other}[i]",
            )
            made = f"b{number}"
            lines.append(f"mut {made}: [i32; 12] <- {one}; {made}[{cell(random)}] <- ")
            lines[-1] += f"{random.choice(values)};"
            names.append(made)
        elif kind < 0.8:
            lines.append(f"s + {one}[{cell(random)}] -> s;")
        elif kind < 0.85:
            lines.append(f"({one}, {other}) -> zip -> map {{ p -> p.0 - p.1 }} -> z{number};")
            lines.append(f"s + z{number}[{cell(random)}] -> s;")
        else:
            renaming, name = _another_name(random, names, number)
            lines.append(f"{renaming} s + {name}[{cell(random)}] -> s;")
            names.append(name)
    return " ".join([*lines, f"{random.choice(names)} -> a;"])


_FUNCTIONS = """
fn same(a: [i32; 12]) -> [i32; 12] { a -> ret; }
fn crossed(a: [i32; 12], b: [i32; 12]) -> ([i32; 12], [i32; 12]) { (b, a) -> ret; }
"""

_NAMES = (
    "{one} -> g{n};",
    "(v[i] > 8) -> {{ -true-> {one}; -false-> {other}; }} -> g{n};",
    "(v[i] > 8) -> {{ -true-> {{ ({one}, {other}) }} -false-> {{ ({third}, {one}) }} }} -> p{n};"
    " p{n}.{part} -> g{n};",
    "(v[i] > 8) -> {{ -true-> {{ ({one}, {other}) }} -false-> {{ ({one}, {one}) }} }} -> p{n};"
    " p{n}.{part} -> g{n};",
    "{one} -> same -> g{n};",
    "({one}, {other}) -> crossed -> p{n}; p{n}.{part} -> g{n};",
    "(v, [1, 2]) -> fold {{ q, x -> {one} }} -> g{n};",
    "2 -> iota -> map {{ j -> ({one}, j, {other}) }} -> p{n}; p{n}[1].0 -> g{n};",
    "2 -> iota -> map {{ j -> {one} }} -> p{n}; p{n}[i % 2] -> g{n};",
    "({one}, 2) -> fill -> p{n}; p{n}[i % 2] -> g{n};",
    "[{one}, {other}] -> p{n}: [[i32; 12]; 2]; p{n}[i % 2] -> g{n};",
    "({one}, {other}) -> zip -> p{n}; p{n} -> map {{ x -> x.{part} }} -> g{n};",
    "mut w{n}: ([i32; 12], [i32; 12]) <- ({one}, {other}); mut c{n}: i32 <- 0;"
    " loop {{ (c{n} < 3) -> {{"
    " -true-> {{ (w{n}.1, w{n}.0) -> w{n}; c{n} + 1 -> c{n}; -> loop; }}"
    " -false-> w{n}.{part} -> g{n}; }} }}",
)


def _another_name(random: Random, names: list[str], number: int) -> tuple[str, str]:
    """Statements that lead from arrays to one of them, and its new name. Of several names that
    data choose, only some can be told where they lie."""
    one, other, third = (random.choice(names) for _ in range(3))
    # Half of the time by a choice between pairs.
    form = random.choice((random.choice(_NAMES), random.choice(_NAMES[2:4])))
    text = form.format(one=one, other=other, third=third, part=random.randrange(2), n=number)
    return text, f"g{number}"


_ROWS = """fn main(v: [i32; 12], start: [i32; 12]) -> [i32; 12] {{
        3 -> iota -> places;
        4 -> iota -> map {{ r -> places -> map {{ c -> start[r * 3 + c] }} }} -> m;
        mut a: [[i32; 3]; 4] <- m; mut i: i32 <- {first}; mut s: i32 <- 0;
        loop {{ ({condition}) -> {{
            -true-> {{ {body} {following} -> i; -> loop; }}
            -false-> (a, s) -> r; }} }}
        r.0 -> q; r.1 -> println;
        12 -> iota -> map {{ k -> q[k / 3][k % 3] + m[k % 4][k / 4] }} -> ret; }}"""


def _of_rows(random: Random) -> str:
    """Updates of rows and of matrices of them, one of which is handed on."""
    matrices, rows, lines = ["a"], ["places"], []
    for number in range(random.randint(1, 5)):
        one, row = random.choice(matrices), random.choice(rows)
        at = random.choice((f"({cell(random)}) / 3", "i / 3", "2"))
        column = random.choice((f"({cell(random)}) % 3", "1", "2"))
        kind = random.random()
        if kind < 0.3:
            lines.append(f"{one}[{at}] -> r{number};")
            rows.append(f"r{number}")
        elif kind < 0.5:
            lines.append(f"mut w{number} <- {row}; w{number}[{column}] <- {one}[{at}][i % 3] + 1;")
            rows.append(f"w{number}")
        elif kind < 0.85:
            lines.append(f"mut b{number} <- {one}; b{number}[{at}] <- {row};")
            matrices.append(f"b{number}")
            lines.append(f"s + {one}[{at}][{column}] -> s;" if random.random() < 0.5 else "")
        else:
            lines.append(f"s + {one}[{at}][{column}] - {row}[{column}] -> s;")
    return " ".join(
        [*lines, f"s * 3 + {rows[-1]}[i % 3] -> s;", f"{random.choice(matrices)} -> a;"]
    )


def ending(graph: Graph) -> Ending:
    """How the interpreter ends."""
    outcome = interpreter.run(graph, INPUTS, budget=100_000)
    trap = None if outcome.trap is None else (outcome.trap.kind, outcome.trap.token)
    if outcome.kind != "done":
        return Ending(outcome.kind, outcome.output, trap)
    result = canonical_bytes(np.array(outcome.result, dtype="<i4"))
    return Ending("done", outcome.output, None, (result,))


def faults(seed: int, first: int, count: int, counts: Counter[str]) -> Iterator[str]:
    """What differs, with the program."""
    profile = load_profile("native")
    for start in range(first, first + count, BATCH):
        cases: list[tuple[str, Graph, Ending]] = []
        for number in range(start, min(start + BATCH, first + count)):
            source = program(Random(f"loops/{seed}/{number}"))
            graph = graph_of(source)
            expected = ending(graph)
            with compared(True) as gains:
                rewritten = rewrite(graph).graph
            counts["programs"] += 1
            counts["without loops after the rewriter"] += not rewritten.loops
            counts["maps beyond the rule"] += any("loop as map" in gain for gain in gains)
            if ending(rewritten) != expected:
                yield f"rewritten: {source}"
            for form in (graph, rewritten):
                plan = emit(form, profile, name="loops", compares=True).plan
                for site in plan["sites"]:
                    if site["kind"] == "update":
                        counts[f"updates {site['shape']}: {site['reason']}"] += 1
                for answer in plan["legality"]:
                    if answer["question"] == "overwritten" and answer["answer"] == "yes":
                        counts["first values left out"] += 1
                cases.append((source, form, expected))
        results = run_natively([Case(form, (INPUTS,)) for _, form, _ in cases], profile)
        for (source, _, expected), result in zip(cases, results, strict=True):
            counts["native programs"] += 1
            if isinstance(result, str):
                yield f"{result}: {source}"
            elif any(endings != [expected] for endings in result.values()):
                yield f"native: {source}"


def main(arguments: list[str]) -> int:
    """0 if all programs end alike everywhere."""
    return run("tests.codegen.random_loops", 400, arguments, faults)


if __name__ == "__main__":
    # The counts say it all.
    logging.getLogger("mapal.affine.crosscheck").setLevel(logging.CRITICAL)
    sys.exit(main(sys.argv[1:]))
