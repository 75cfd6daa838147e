"""Random programs about indexes against the interpreter: an access that is proved to be in range
never traps, and the engine proves whatever intervals alone prove.

`./dev python -m tests.analysis.random_bounds --count N --seed S` prints what it counted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from random import Random

from mapal.analysis.accesses import extract
from mapal.analysis.interval_bounds import in_range_by_intervals
from mapal.interpreter import run
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.lower import lower
from mapal.rewrite import rewrite
from mapal.syntax import parse
from tests.analysis.index_programs import LENGTH, Writer

BUDGET = 20_000
INPUTS = ((0, 0), (3, 11), (11, 4), (-1, 12), (24, 7), (2147483647, -2147483648))


class UnsoundError(AssertionError):
    """A proved access trapped, or the engine declined what intervals prove."""


def examine(seed: int, number: int) -> Counter[str]:
    """Counts of one program: accesses, proofs, proofs that intervals do not find, runs."""
    source = Writer(Random(f"{seed}/{number}")).program()
    graph = lower(parse(source).program, "exact").graph
    assert graph is not None, source
    counts: Counter[str] = Counter(programs=1)
    for form in (graph, rewrite(graph).graph):
        counts += _examine_graph(source, form)
    return counts


def _examine_graph(source: str, graph: Graph) -> Counter[str]:
    proved = extract(graph).in_range
    simple = in_range_by_intervals(graph, trusts_guards=True)
    accesses = [m for m in graph.morphisms if isinstance(m.op, ops.Index | ops.Update)]
    counts = Counter(accesses=len(accesses), proved=len(proved), by_intervals=len(simple & proved))
    if not simple <= proved:
        raise UnsoundError(f"intervals prove more:\n{source}")
    keys = {access.key for access in accesses}
    open_keys = {access.key for access in accesses if access.id not in proved}
    for k, n in INPUTS:
        inputs = {"v": tuple(range(LENGTH)), "w": tuple(range(2 * LENGTH)), "k": k, "n": n}
        outcome = run(graph, inputs, budget=BUDGET)
        counts[outcome.kind] += 1
        trap = outcome.trap
        if trap is None or trap.kind != "index_oob" or trap.key not in keys:
            continue
        if trap.key not in open_keys:
            raise UnsoundError(f"a proved access traps with k = {k}, n = {n}:\n{source}")
    return counts


def main(arguments: list[str]) -> int:
    """0 if no proof was untrue and none was missed that intervals find."""
    parser = argparse.ArgumentParser(prog="python -m tests.analysis.random_bounds")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    total: Counter[str] = Counter()
    for number in range(options.count):
        try:
            total += examine(options.seed, number)
        except UnsoundError as error:
            print(f"program {number} of seed {options.seed}: {error}")
            return 1
    print(", ".join(f"{count:,} {name}" for name, count in total.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
