"""Random graphs end natively as on the interpreter."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, assume, given, settings

from mapal.interpreter import run
from mapal.ir import ops
from mapal.ir.entry import entry_ports
from mapal.ir.graph import Graph
from mapal.ir.types import BOOL, Array, Scalar, Type
from tests.codegen.native_runs import assert_equal_endings
from tests.strategies import graphs

INTEGERS = (0, 1, 2, 3, 7, 100)
FLOATS = (0.0, 1.5, -2.25, 1e30, -0.0, 3.0)


def _value(ty: Type, source: random.Random) -> object:
    if isinstance(ty, Array):
        return [_value(ty.element, source) for _ in range(ty.length)]
    assert isinstance(ty, Scalar)
    if ty == BOOL:
        return source.random() < 0.5
    return source.choice(FLOATS if ty.is_float else INTEGERS)


@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(graphs())
def test_random_graphs_end_as_on_the_interpreter(graph: Graph) -> None:
    assume(not any(isinstance(morphism.op, ops.TimeMs) for morphism in graph.morphisms))
    source = random.Random(1)
    inputs = {port.name: _value(port.ty, source) for port in entry_ports(graph).inputs}
    assume(run(graph, inputs, budget=1_000_000).kind != "diverged")
    assert_equal_endings(graph, inputs)
