"""The verifier finds each kind of corruption under its own name, and nothing in sealed graphs."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings

from mapal.ir import ops
from mapal.ir import verify as verifier
from mapal.ir.graph import (
    Graph,
)
from mapal.ir.ops import UnaryCode
from mapal.ir.types import (
    F32,
    F64,
    I64,
    Struct,
    Tuple,
    Type,
)
from mapal.ir.verify import verify
from tests.ir import sample_graphs
from tests.ir.back_door import built, rebuilt
from tests.ir.corruptions import CORRUPTIONS, negation
from tests.ir.sample_graphs import at
from tests.strategies import graphs

K = at(5)


@pytest.mark.parametrize(
    ("code", "corrupt"), CORRUPTIONS, ids=[f"{n}-{code}" for n, (code, _) in enumerate(CORRUPTIONS)]
)
def test_each_corruption_is_found_by_name(code: str, corrupt: Callable[[], Graph]) -> None:
    assert code in {violation.code for violation in verify(corrupt())}


def test_every_code_of_the_header_has_a_corruption() -> None:
    assert verifier.__doc__ is not None
    listed = {
        code
        for line in verifier.__doc__.splitlines()
        if line.startswith("| `")
        for code in re.findall(r"`(\w+)`", line.split(" | ")[0])
    }
    assert listed == {code for code, _ in CORRUPTIONS}


def test_all_violations_are_collected() -> None:
    graph = negation()
    broken = rebuilt(
        graph,
        objects={0: {"value": 1}, 1: {"value": 2}},
        morphisms={0: {"op": ops.Unary(UnaryCode.SQRT)}},
    )
    found = verify(broken)
    assert [violation.code for violation in found] == ["BadConstant", "BadConstant", "BadEdgeType"]
    assert found[0].objects == (0,)
    assert found[2].morphisms == (0,)
    assert str(found[0]).startswith("BadConstant: object 0")


@pytest.mark.parametrize("make", sample_graphs.ALL)
def test_the_back_door_alone_changes_nothing(make: Callable[[], Graph]) -> None:
    graph = make()
    assert rebuilt(graph) == graph
    assert verify(rebuilt(graph)) == []


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_what_seals_verifies(graph: Graph) -> None:
    assert verify(graph) == []


def test_verification_of_deep_and_wide_types_is_instant() -> None:
    ty: Type = F32
    for level in range(60):
        ty = Struct(f"T{level}", (("a", ty), ("b", ty)))
    graph = built(ty, ty, lambda f: f.output(f.input, K))
    assert verify(graph) == []
    wide = Tuple((I64,) * 2000)
    assert verify(built(wide, F64, lambda f: f.output(f.constant(0.5, F64, K), K))) == []
