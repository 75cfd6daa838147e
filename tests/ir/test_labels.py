"""The texts on nodes and arrows."""

from __future__ import annotations

import math

import pytest

from mapal.ir.function_builder import Fresh
from mapal.ir.graph import Value
from mapal.ir.labels import float_text, object_label
from mapal.ir.ops import UnaryCode
from mapal.ir.types import BOOL, F32, F64, I32, STR, UNIT, Scalar, Type
from tests.ir.back_door import built
from tests.ir.sample_graphs import at, one_function

K = at(5)


@pytest.mark.parametrize(
    ("value", "ty", "text"),
    [
        (1.0, F64, "1.0"),
        (-0.0, F64, "-0.0"),
        (0.0, F32, "0.0"),
        (1e16, F64, "1e16"),
        (1e15, F64, "1000000000000000.0"),
        (1e-4, F64, "0.0001"),
        (1e-5, F64, "1e-5"),
        (0.1, F64, "0.1"),
        (0.10000000149011612, F32, "0.1"),
        (-2.5, F32, "-2.5"),
        (16777216.0, F32, "16777216.0"),
        (math.nan, F32, "nan"),
        (-math.inf, F64, "-inf"),
    ],
)
def test_floats(value: float, ty: Scalar, text: str) -> None:
    assert float_text(value, ty) == text


@pytest.mark.parametrize(
    ("value", "ty", "text"),
    [
        (7, I32, "7: i32"),
        (True, BOOL, "true: bool"),
        (False, BOOL, "false: bool"),
        ("short", STR, '"short": str'),
        ("exactly twenty chars", STR, '"exactly twenty chars": str'),
        ("more than twenty chars", STR, '"more than twenty cha…": str'),
        ("a\nb\x00", STR, '"a\\nb\\x00": str'),
        (0.5, F32, "0.5: f32"),
    ],
)
def test_constants(value: Value, ty: Type, text: str) -> None:
    graph = built(I32, UNIT, lambda f: f.constant(value, ty, K))
    assert object_label(graph.objects[2]) == text


def test_names_and_roles() -> None:
    builder, main, f = one_function(I32, I32)
    f.output(f.unary(UnaryCode.NEG, f.input, K, Fresh("minus")), K)
    f.finish()
    graph = builder.seal(main)
    assert [object_label(obj) for obj in graph.objects] == ["i32", "ret: i32", "minus: i32"]
