"""The generator makes what the tests that use it rely on."""

from __future__ import annotations

import dataclasses
from collections import Counter

from hypothesis import HealthCheck, given, settings

from mapal.interpreter import run
from mapal.ir.graph import FunctionKind, Graph, RegionKind
from mapal.ir.ops import Binary, BinaryCode, Op, Unary, UnaryCode
from mapal.ir.types import contains_token
from tests.graph_scripts import Script, build_graph
from tests.strategies import graphs, scripts


def shapes(graph: Graph) -> Counter[str]:
    """What there is in a graph, by name."""
    found = Counter(type(m.op).__name__ for m in graph.morphisms)
    found.update(m.op.code.value for m in graph.morphisms if isinstance(m.op, Binary | Unary))
    for loop in graph.loops:
        around = graph.regions[loop.region].kind
        found[f"loop in {around.value}"] += 1
        if contains_token(graph.ty(loop.merge)):
            found["loop with effects"] += 1
    for guard in graph.guards:
        found[f"guard in {graph.regions[guard.region].kind.value}"] += 1
    for m in graph.morphisms:
        in_arm = graph.regions[m.region].kind in (RegionKind.ARM_TRUE, RegionKind.ARM_FALSE)
        if in_arm and isinstance(m.op, Binary) and m.op.code is BinaryCode.DIV:
            found["division in an arm"] += 1
        if getattr(m.op, "captures", 0):
            found[f"{type(m.op).__name__} with captures"] += 1
    for function in graph.functions:
        if function.kind is not FunctionKind.NAMED and (function.guards or function.loops):
            found["body with regions"] += 1
    return found


def test_every_shape_occurs() -> None:
    census: Counter[str] = Counter()

    @settings(
        max_examples=250,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(graphs())
    def count(graph: Graph) -> None:
        census.update(shapes(graph))

    count()
    wanted = {op.__name__ for op in Op.__args__}
    wanted |= {code.value for code in (*BinaryCode, *UnaryCode)}
    wanted |= {f"loop in {kind.value}" for kind in RegionKind}
    wanted |= {f"guard in {kind.value}" for kind in RegionKind}
    wanted |= {"loop with effects", "division in an arm", "body with regions"}
    wanted |= {f"{name} with captures" for name in ("Map", "Fold", "Reduce")}
    wanted -= {"Binary", "Unary"}
    assert sorted(wanted - set(census)) == []


@settings(max_examples=80, deadline=None)
@given(scripts(traps=False))
def test_programs_without_traps_end(script: Script) -> None:
    closed = dataclasses.replace(script, inputs=())
    outcome = run(build_graph(closed), {}, budget=10**7, clock=lambda: 1.0)
    assert outcome.kind == "done"
