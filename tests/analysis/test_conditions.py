"""What conditions say of what they compare: held to what the interpreter computes."""

from __future__ import annotations

import itertools

import pytest

from mapal.analysis.conditions import comparisons
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import BinaryCode
from mapal.lower import lower
from mapal.syntax import parse


def graph_of(condition: str) -> Graph:
    guard = f"({condition}) -> {{ -true-> 1; -false-> 0; }} -> ret;"
    source = f"fn main(a: i32, b: i32) -> i32 {{ {guard} }}"
    lowered = lower(parse(source).program, "exact")
    assert lowered.graph is not None, lowered.diagnostics
    return lowered.graph


def said(condition: str, holds: bool) -> list[BinaryCode]:
    graph = graph_of(condition)
    return sorted(
        (code for code, _, _ in comparisons(graph, graph.guards[0].cond, holds)),
        key=lambda code: code.value,
    )


@pytest.mark.parametrize(
    ("condition", "if_true", "if_false"),
    [
        ("a < b", ["LT"], ["GE"]),
        ("a == b", ["EQ"], ["NEQ"]),
        ("!(a <= b)", ["GT"], ["LE"]),
        ("a < b && a > 3", ["GT", "LT"], []),
        ("a < b || a > 3", [], ["GE", "LE"]),
        ("!(a < b && a > 3) && b >= 0", ["GE"], []),
    ],
)
def test_comparisons(condition: str, if_true: list[str], if_false: list[str]) -> None:
    names = {True: if_true, False: if_false}
    for holds, expected in names.items():
        assert sorted(code.name for code in said(condition, holds)) == expected


def test_what_is_said_is_true() -> None:
    condition = "!(a < b || a == 3) && (b >= a || !(b > 1)) && a != 0"
    graph = graph_of(condition)
    tests = {"LT": int.__lt__, "LE": int.__le__, "GT": int.__gt__, "GE": int.__ge__}
    tests |= {"EQ": int.__eq__, "NEQ": int.__ne__}
    views = {
        morphism.target: morphism.op.index
        for morphism in graph.morphisms
        if isinstance(morphism.op, ops.Proj)
    }
    for a, b in itertools.product(range(-2, 5), repeat=2):
        holds = not (a < b or a == 3) and (b >= a or not b > 1) and a != 0

        def value(obj: ops.ObjectId, pair: tuple[int, int] = (a, b)) -> int:
            known = graph.objects[obj].value
            return pair[views[obj]] if known is None else int(known)

        for code, left, right in comparisons(graph, graph.guards[0].cond, holds):
            assert tests[code.name](value(left), value(right))
