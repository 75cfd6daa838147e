"""Clock reads among folds, maps and calls, in every order: programs end, as on the interpreter, and
whatever stands between two reads runs between them."""

from __future__ import annotations

import itertools
import re

import pytest

from mapal.codegen import emit
from mapal.rewrite import rewrite
from mapal.sweep.battery import BUDGET, interpreted_endings
from mapal.sweep.native import Case, run_at
from mapal.sweep.program import Program
from mapal.target import load_profile
from tests.codegen.native_runs import graph_of

THREADS = (1, 2)
LONGEST = 5
ORDERS = [
    order
    for length in range(2, LONGEST + 1)
    for order in itertools.product(("time", "fold", "map"), repeat=length)
    if order.count("time") >= 2
]
STATEMENTS = {
    "time": "() -> time -> v{0};",
    "fold": "({0}.5, data) -> fold {{ s, x -> s * 0.5 + x }} -> v{0};",
    "map": "data -> map {{ x -> x * {0}.25 }} -> m{0}; m{0}[{0}] -> v{0};",
}
PRINTS = {"time": "v{0} -> println;", "fold": "v{0} -> println;", "map": "v{0} -> println;"}


CUTS = (0, 64)
"""Operations from which on something runs by itself: everything in every second program."""


def source_of(order: tuple[str, ...]) -> str:
    """The statements in their order, then what they made, from the last to the first."""
    body = [STATEMENTS[kind].format(number) for number, kind in enumerate(order)]
    body += [PRINTS[kind].format(number) for number, kind in enumerate(order)][::-1]
    data = "40 -> iota -> map { i -> i -> to_f64 -> / 3.0 } -> data;"
    return f"fn main() {{ {data} {' '.join(body)} }}"


def test_every_order_ends() -> None:
    profile = load_profile("native")
    graphs = [rewrite(graph_of(source_of(order))).graph for order in ORDERS]
    cases = [Case(graph, ({},)) for graph in graphs]
    wanted = [
        interpreted_endings(graph, Program(graph, ({},), {}), BUDGET, None) for graph in graphs
    ]
    for threads, results in zip(THREADS, run_at(cases, profile, THREADS, CUTS), strict=True):
        for order, expected, found in zip(ORDERS, wanted, results, strict=True):
            assert isinstance(found, dict), found
            for level, endings in found.items():
                assert endings == expected, f"{order}, level {level}, {threads} threads"


@pytest.mark.parametrize("length", range(2, LONGEST + 1))
def test_no_run_goes_on_while_the_clock_is_read(length: int) -> None:
    profile = load_profile("native")
    runs = 0
    for order in ORDERS:
        if len(order) != length:
            continue
        text = emit(graph_of(source_of(order)), profile, name="p", cuts_from=0).ll
        main = text[text.index("@mapal_main(") :]
        calls = re.findall(r"@mapal_(run_start|run_finish|run_plan|time_ms)\(", main)
        assert calls.count("time_ms") == order.count("time")
        going = 0
        for call in calls:
            going += {"run_start": 1, "run_finish": -1}.get(call, 0)
            assert call != "time_ms" or going == 0, order
        runs += calls.count("run_start")
    assert runs or length < 4
