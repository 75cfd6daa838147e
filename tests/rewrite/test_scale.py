"""Long chains, wide grids and deep nests: no recursion, and work in proportion to size.

Proportion is measured by counting the calls of Python functions, not by a clock.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from mapal.ir.graph import Graph
from mapal.ir.ops import ObjectId
from mapal.ir.types import I32
from mapal.rewrite import rewrite
from tests.rewrite.build import ADD, EQ, MUL, Lines, Program
from tests.rewrite.outcomes import census, value
from tests.rewrite.programs import graph_of


def chain(length: int) -> Graph:
    """Additions one after the other, the first of them folding away."""

    def main(f: Lines) -> ObjectId:
        x, one = f.op(ADD, f.c(2), f.c(3)), f.c(1)
        for place in range(length):
            x = f.op(ADD, x, f.f.input if place else one)
        return x

    return Program().main(main, (I32,))


def grid(size: int) -> Graph:
    """Rows of sums and products of neighbours."""
    width = int(size**0.5)

    def main(f: Lines) -> ObjectId:
        row = [f.c(place) if place % 3 == 0 else f.f.input for place in range(width)]
        for line in range(width):
            row = [
                f.op(MUL if (line + place) % 2 else ADD, x, row[(place + 1) % width])
                for place, x in enumerate(row)
            ]
        total = row[0]
        for x in row[1:]:
            total = f.op(ADD, total, x)
        return total

    return Program().main(main, (I32,))


def calls(graph: Graph) -> int:
    """How many Python functions rewriting calls."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        rewrite(graph)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("make", [chain, grid])
def test_work_in_proportion_to_size(make: Callable[[int], Graph]) -> None:
    assert calls(make(2000)) <= 13 * calls(make(200))


@pytest.mark.parametrize(
    "length", [10_000, pytest.param(100_000, marks=pytest.mark.slow, id="slow-100000")]
)
def test_long_chains(length: int) -> None:
    graph = chain(length)
    result = rewrite(graph).graph
    assert census(result)["Add"] == length - 1
    assert len(result.morphisms) < len(graph.morphisms)


@pytest.mark.parametrize("number", [1, 900, 5000])
def test_a_long_match_with_a_known_number(number: int) -> None:
    """A chain of 1500 guards resolves to one arm."""
    length = 1500

    def main(f: Lines) -> ObjectId:
        x = f.c(number)
        tests = [f.op(EQ, x, f.c(place)) for place in range(length)]
        guards = []
        region = f.f.region
        for place, test in enumerate(tests):
            f.f.enter(region)
            guard = f.f.begin_guard(test, f.key(), place < length - 1)
            guards.append(guard)
            region = guard.arm_false
        result = f.c(-1)
        for place in reversed(range(length)):
            f.f.enter(guards[place].arm_true)
            found = f.op(MUL, f.f.input, f.c(place))
            result = f.f.phi(guards[place], found, result)
        f.f.enter(f.f.root)
        return result

    graph = Program().main(main, (I32,))
    result = rewrite(graph).graph
    assert census(result)["guards"] == 0
    assert value(result, 3) == str(3 * number if number < length else -1)


STAGES = {
    "maps": "m{0} -> map {{ x -> x * p + {0} }} -> m{1};",
    "maps of zips": "(m{0}, a) -> zip -> map {{ x -> x.0 + x.1 * {0} }} -> m{1};",
}


@pytest.mark.parametrize("name", STAGES)
def test_long_chains_of_stages_settle_in_few_rounds(name: str) -> None:
    """Maps are absorbed in pairs: the rounds grow like the logarithm of the length."""
    rounds = []
    for length in (12, 96):
        stages = "".join(STAGES[name].format(place, place + 1) for place in range(length))
        graph = graph_of(
            f"fn main(a: [i32; 4], p: i32) -> i32 {{ a -> m0; {stages}"
            f"(0, m{length}) -> fold {{ s, x -> s * 3 + x }} -> ret; }}"
        )
        result = rewrite(graph)
        rounds.append(result.report["rounds"])
        assert census(result.graph)["Map"] <= length // 8
    assert rounds[1] <= rounds[0] + 6
