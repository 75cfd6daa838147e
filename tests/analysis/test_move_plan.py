"""Moving maps: what is found moves what the program moves, and one step away nothing is found."""

from __future__ import annotations

import pytest

from mapal.analysis.move_plan import MoveSite, move_plan
from mapal.interpreter import run
from mapal.ir.graph import Graph
from mapal.ir.types import I32
from mapal.rewrite import rewrite
from tests.rewrite.programs import graph_of

TRANSPOSE = """\
fn main(a: [i32; 12]) -> [i32; 12] {
    12 -> iota -> map { t -> a[t % 3 * 4 + t / 3] } -> ret;
}
"""


def moves(graph: Graph) -> list[MoveSite]:
    return [site for f in graph.functions for site in move_plan(graph, f.id).values()]


def test_a_transpose() -> None:
    graph = graph_of(TRANSPOSE)
    (site,) = moves(graph)
    assert site == MoveSite(3, 4, 1, 4, 0, I32, 12)
    assert moves(rewrite(graph).graph) == [site]
    data = [place * place for place in range(12)]
    moved = [
        data[row * site.row_step + column * site.column_step]
        for row in range(site.rows)
        for column in range(site.width)
    ]
    assert run(graph, {"a": data}, budget=10**5).result == moved
    assert move_plan(graph, graph.entry) is move_plan(graph, graph.entry)


NEAR_MISSES = {
    "a width of one": TRANSPOSE.replace("% 3", "% 1").replace("/ 3", "/ 1").replace("* 4", "* 1"),
    "one row": TRANSPOSE.replace("% 3 * 4", "% 12").replace("/ 3", "/ 12"),
    "two widths": TRANSPOSE.replace("/ 3", "/ 4").replace("* 4", "* 3"),
    "no whole rows": TRANSPOSE.replace("12 -> iota", "11 -> iota").replace(
        "-> [i32; 12]", "-> [i32; 11]"
    ),
    "the number itself": TRANSPOSE.replace("t % 3 * 4 + t / 3", "t"),
    "an offset": TRANSPOSE.replace("t / 3]", "t / 3 + 1]").replace("a: [i32; 12]", "a: [i32; 13]"),
    "a computed element": TRANSPOSE.replace("t / 3]", "t / 3] + 1"),
    "an index that is not proved": TRANSPOSE.replace("a: [i32; 12]", "a: [i32; 11]"),
    "an address that is not affine": TRANSPOSE.replace("t / 3]", "t / 3 * (t / 3) / 9]"),
    "an array that is no capture": TRANSPOSE.replace("a[", "[t, t, t, t, t, t, t, t, t, t, t, t]["),
    "no range": TRANSPOSE.replace("12 -> iota", "a").replace("t -> a[t", "u -> (u - u) -> t; a[t"),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_one_step_away_nothing_is_found(name: str) -> None:
    assert moves(graph_of(NEAR_MISSES[name])) == []
