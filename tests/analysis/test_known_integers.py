"""Integers that have one value: against running programs, and rule by rule."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from mapal.analysis.definitions import definition
from mapal.analysis.known_integers import known_integers
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.order import OperationItem
from mapal.rewrite.driver import RewritePass, apply_pass
from mapal.rewrite.plan import PlanMaker
from tests.rewrite.programs import graph_of, inputs_for, outcome_of
from tests.strategies import graphs


def values_of(text: str) -> set[int]:
    """The known values of the operands of all additions."""
    graph = graph_of(text)
    known = known_integers(graph)
    return {
        known[operand]
        for morphism in graph.morphisms
        if morphism.op == ops.Binary(ops.BinaryCode.ADD)
        for operand in graph.operands(morphism)
        if operand in known
    }


KNOWN = {
    "arithmetic": ("fn main(x: i32) -> i32 { 7 * 6 -> n; x + n -> ret; }", {42}),
    "wrapping": ("fn main(x: i32) -> i32 { 65536 * 65536 -> n; x + n -> ret; }", {0}),
    "conversion": ("fn main(x: u8) -> u8 { 300 - 1 -> to_u8 -> n; x + n -> ret; }", {43}),
    "components": ("fn main(x: i32) -> i32 { (x, 2 * 3) -> t; x + t.1 -> ret; }", {6}),
    "arms that agree": (
        "fn main(x: i32) -> i32 { (x > 2) -> { -true-> 2 * 3; -false-> 1 * 6; } -> n;"
        "x + n -> ret; }",
        {6},
    ),
    "arms that differ": (
        "fn main(x: i32) -> i32 { (x > 2) -> { -true-> 2 * 3; -false-> 1 * 5; } -> n;"
        "x + n -> ret; }",
        set(),
    ),
    "a division by zero": ("fn main(x: i32) -> i32 { 1 / 0 -> n; x + n -> ret; }", set()),
    "captures": (
        "fn main(x: i32) -> i32 { 2 * 3 -> n; [x, 1] -> map { e -> e + n } -> m; m[0] -> ret; }",
        {6},
    ),
    "all calls": (
        "fn f(x: i32, n: i32) -> i32 { x + n }"
        "fn main(x: i32) -> i32 { (x, 2 * 3) -> f -> a; (a, 6) -> f -> ret; }",
        {6},
    ),
    "calls that differ": (
        "fn f(x: i32, n: i32) -> i32 { x + n }"
        "fn main(x: i32) -> i32 { (x, 2 * 3) -> f -> a; (a, 7) -> f -> ret; }",
        set(),
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_rules(name: str) -> None:
    text, expected = KNOWN[name]
    assert values_of(text) == expected


def constants_for_known(maker: PlanMaker) -> None:
    for obj, value in known_integers(maker.graph).items():
        is_operation = isinstance(definition(maker.graph, obj), OperationItem)
        if is_operation and maker.may_replace(obj):
            maker.constify(obj, value)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(graph=graphs())
def test_programs_run_alike_with_constants_in_their_place(graph: Graph) -> None:
    step = RewritePass("known", "constants for known integers", constants_for_known)
    application = apply_pass(graph, step)
    if application.replayed is None:
        return
    for number in range(2):
        inputs = inputs_for(graph, number)
        expected = outcome_of(graph, inputs)
        assert outcome_of(application.replayed.graph, inputs) == expected
