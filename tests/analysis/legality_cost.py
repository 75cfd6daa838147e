"""What the extraction of accesses and all queries cost: per project, and as programs grow.

`./dev python -m tests.analysis.legality_cost` prints milliseconds of processor time, the least of
some runs on a graph that nobody has asked before.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable

from mapal.analysis.accesses import extract
from mapal.analysis.legality import legality
from mapal.ir.graph import Graph
from mapal.ir.order import schedule
from mapal.ir.text import parse_graph, print_graph
from mapal.lower import lower
from mapal.rewrite import rewrite
from mapal.syntax import parse
from tests.analysis.crosschecked import projects

RUNS = 3


def maps(count: int) -> str:
    """A chain of maps, each with two reads of the array before."""
    steps = [
        f"64 -> iota -> map {{ i -> a{n}[i / 8 * 8 + 7 - i % 8] + a{n}[63 - i] }} -> a{n + 1};"
        for n in range(count)
    ]
    return f"fn main(a0: [i32; 64]) -> [i32; 64] {{ {' '.join(steps)} a{count} -> ret; }}"


def reads(count: int) -> str:
    """One map with many reads of one array."""
    terms = " + ".join(f"a[(i + {n}) % 64]" for n in range(count))
    return f"fn main(a: [i32; 64]) -> [i32; 64] {{ 64 -> iota -> map {{ i -> {terms} }} -> ret; }}"


def updates(count: int) -> str:
    """A chain of updates in a counting loop."""
    steps = " ".join(f"a[(i + {n}) % 64] <- a[i] + {n};" for n in range(count))
    return (
        "fn main(v: [i32; 64]) -> [i32; 64] { mut a: [i32; 64] <- v; mut i: i32 <- 0;"
        f" loop {{ (i < 64) -> {{ -true-> {{ {steps} i + 1 -> i; -> loop; }} -false-> a -> r; }} }}"
        " r -> ret; }"
    )


def milliseconds(graph: Graph) -> tuple[int, float, float]:
    """How many records a graph has, and the time of the extraction and of the queries."""
    best = (float("inf"), float("inf"))
    records = 0
    for _ in range(RUNS):
        fresh = parse_graph(print_graph(graph))
        for region in fresh.regions:
            # Orders of evaluation are known before: lowering and rewriting ask for them.
            schedule(fresh, region.id)
        gc.collect()
        start = time.process_time()
        records = len(extract(fresh).table.records)
        middle = time.process_time()
        legality(fresh)
        end = time.process_time()
        best = min(best, (1000 * (middle - start), 1000 * (end - middle)), key=sum)
    return records, *best


def _graph(source: str) -> Graph:
    graph = lower(parse(source).program, "exact").graph
    assert graph is not None
    return graph


def _print(name: str, graph: Graph) -> None:
    records, extraction, queries = milliseconds(graph)
    print(f"{name:24} {records:6} records {extraction:8.1f} ms {queries:8.1f} ms")


def main() -> int:
    """Prints the table."""
    for name, graph in projects():
        _print(name, rewrite(graph).graph)
    families: tuple[tuple[str, Callable[[int], str]], ...] = (
        ("maps", maps),
        ("reads", reads),
        ("updates", updates),
    )
    for family, source in families:
        for count in (16, 32, 64, 128, 256):
            _print(f"{family} {count}", _graph(source(count)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
