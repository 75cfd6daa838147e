"""`min` and `max` of floats natively, for every kind of operand that LLVM treats apart: unknown
ones, those that are never NaN, and constants."""

from __future__ import annotations

import itertools
import math

import pytest

from mapal.interpreter import run
from mapal.ir.entry import entry_ports
from mapal.sweep.endings import ending_of
from mapal.sweep.native import LEVELS, Case, run_natively
from tests.codegen.native_runs import graph_of, native

VALUES = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 2.5)
OPERANDS = (
    "a, b",
    "a, whole",
    "whole, a",
    "a, 0.0",
    "a, -0.0",
    "0.0, a",
    "-0.0, a",
    "a, 1.0",
    "-2.5, a",
    "whole, 0.0",
)


@pytest.mark.parametrize("ty", ["f32", "f64"])
@pytest.mark.parametrize("stage", ["min", "max"])
def test_extremes(ty: str, stage: str) -> None:
    inputs = tuple(
        {"a": a, "b": b, "i": i} for a, b, i in itertools.product(VALUES, VALUES, (0, 1, -3))
    )
    head = f"fn main(a: {ty}, b: {ty}, i: i32) -> {ty} {{ i -> to_{ty} -> whole;"
    cases = [
        Case(graph_of(f"{head} ({operands}) -> {stage} -> ret; }}"), inputs)
        for operands in OPERANDS
    ]
    for case, found in zip(cases, run_natively(cases, native()), strict=True):
        ports = entry_ports(case.graph)
        expected = [ending_of(run(case.graph, given, budget=100), ports) for given in inputs]
        assert found == dict.fromkeys(LEVELS, expected)


def test_a_nan_loses_to_the_value_of_another_extreme() -> None:
    """The program in which a sweep found NaN to win."""
    text = """fn main(a: f64, b: f64) -> f64 {
        (a * 2.0, 0.5) -> max -> first;
        (first, b * 3.0) -> max -> ret;
    }"""
    (found,) = run_natively([Case(graph_of(text), ({"a": math.nan, "b": math.nan},))], native())
    assert isinstance(found, dict)
    for endings in found.values():
        assert endings[0].results == (b"\0\0\0\0\0\0\xe0\x3f",)
