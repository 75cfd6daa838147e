"""Every scalar operation gives natively what `mapal.ir.scalars` defines, on corner values.

Each program maps one type's operations over all pairs of corner values, which arrive as
inputs, so that nothing is folded at compile time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from mapal.ir import scalars
from mapal.ir.entry import entry_ports
from mapal.ir.ops import BinaryCode, UnaryCode
from mapal.ir.types import F32, F64, I32, I64, NUMERIC, U8, Scalar
from mapal.project.arrays import flat_of, write_npy
from mapal.target import TargetProfile, load_profile
from tests.codegen.native_runs import graph_of, native, run_natively

PROFILES: dict[str, Callable[[], TargetProfile]] = {
    "native": native,
    "generic": lambda: load_profile("generic"),
}

SINGLE = [2.0**-149, 1.1754943508222875e-38, 3.4028234663852886e38, 16777217.0, 8388609.5]
DOUBLE = [5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 2.0**53 + 1, 4503599627370497.5]
FLOATS = [0.0, 0.5, 1.0, 1.5, 2.5, 3.7, 255.6, 256.0, 2147483648.0, 9.3e18, math.inf]
CORNERS: dict[Scalar, list[int] | list[float]] = {
    I32: [0, 1, -1, 2, -2, 7, -7, 2147483647, -2147483648, 65537],
    I64: [0, 1, -1, 3, -3, 2**63 - 1, -(2**63), 2**31, 2**53 + 1, -(2**40)],
    U8: [0, 1, 2, 7, 127, 128, 200, 255],
    F32: [sign * float(np.float32(x)) for x in FLOATS + SINGLE for sign in (1, -1)] + [math.nan],
    F64: [sign * x for x in FLOATS + DOUBLE for sign in (1, -1)] + [math.nan],
}
SYMBOLS = {
    BinaryCode.ADD: "a + b",
    BinaryCode.SUB: "a - b",
    BinaryCode.MUL: "a * b",
    BinaryCode.DIV: "a / b",
    BinaryCode.MOD: "a % b",
    BinaryCode.MIN: "p -> min",
    BinaryCode.MAX: "p -> max",
    BinaryCode.EQ: "a == b",
    BinaryCode.NEQ: "a != b",
    BinaryCode.LT: "a < b",
    BinaryCode.GT: "a > b",
    BinaryCode.LE: "a <= b",
    BinaryCode.GE: "a >= b",
}
COMPARISONS = {"a == b", "a != b", "a < b", "a > b", "a <= b", "a >= b"}
UNARY = {
    UnaryCode.NEG: "-a",
    UnaryCode.ABS: "a -> abs",
    UnaryCode.SQRT: "a -> sqrt",
    UnaryCode.FLOOR: "a -> floor",
    UnaryCode.CEIL: "a -> ceil",
    UnaryCode.ROUND: "a -> round",
    UnaryCode.TRUNC: "a -> trunc",
}


def _check(
    maps: list[tuple[str, Scalar, list[object]]],
    ty: Scalar,
    pairs: list[tuple[Any, Any]],
    profile: TargetProfile,
) -> None:
    """Runs one program with a result for each (body, result type, expected values)."""
    count = len(pairs)
    lines = [
        f"    (a, b) -> zip -> map {{ p -> p.0 -> a; p.1 -> b; {body} }} -> r{number};"
        for number, (body, _, _) in enumerate(maps)
    ]
    results = ", ".join(f"[{result}; {count}]" for _, result, _ in maps)
    names = ", ".join(f"r{number}" for number in range(len(maps)))
    source = (
        f"fn main(a: [{ty}; {count}], b: [{ty}; {count}]) -> ({results}) {{\n"
        + "\n".join(lines)
        + f"\n    ({names}) -> ret;\n}}\n"
    )
    graph = graph_of(source)
    inputs: dict[str, object] = {"a": [x for x, _ in pairs], "b": [y for _, y in pairs]}
    expected = {
        port.name: write_npy(flat_of(values, port), port)
        for port, (_, _, values) in zip(entry_ports(graph).outputs, maps, strict=True)
    }
    for level in (0, 2):
        outputs = run_natively(graph, level, inputs, profile).outputs
        for number, (body, _, _) in enumerate(maps):
            name = f"result.{number}"
            assert outputs[name] == expected[name], (body, ty, level)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("ty", NUMERIC, ids=str)
def test_binary_operations(ty: Scalar, profile: str) -> None:
    pairs: list[tuple[Any, Any]] = [(x, y) for x in CORNERS[ty] for y in CORNERS[ty]]
    if ty.is_integer:
        pairs = [(x, y) for x, y in pairs if y != 0]
    maps = []
    for code, body in SYMBOLS.items():
        apply = scalars.BINARY[code, ty]
        result = Scalar("bool", 1) if body in COMPARISONS else ty
        maps.append((body, result, [apply(x, y) for x, y in pairs]))
    _check(maps, ty, pairs, PROFILES[profile]())


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("ty", NUMERIC, ids=str)
def test_unary_operations_and_conversions(ty: Scalar, profile: str) -> None:
    values = CORNERS[ty]
    maps: list[tuple[str, Scalar, list[object]]] = []
    for code, body in UNARY.items():
        if (code, ty) in scalars.UNARY:
            unary = scalars.UNARY[code, ty]
            maps.append((body, ty, [unary(x) for x in values]))
    for target in NUMERIC:
        if target != ty:
            convert = scalars.CONVERT[ty, target]
            maps.append((f"a -> to_{target}", target, [convert(x) for x in values]))
    _check(maps, ty, [(x, x) for x in values], PROFILES[profile]())


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("ty", [F32, F64], ids=str)
def test_fused_multiply_add(ty: Scalar, profile: str) -> None:
    pairs = list(product(CORNERS[ty], repeat=2))
    bodies = {"a * b + c": (False, False), "a * b - c": (False, True), "c - a * b": (True, False)}
    count = len(pairs)
    lines = [
        f"    (a, b) -> zip -> map {{ p -> p.0 -> a; p.1 -> b; {body} }} -> r{number};"
        for number, body in enumerate(bodies)
    ]
    result = f"[{ty}; {count}]"
    source = (
        f"fn main(a: {result}, b: {result}, c: {ty}) -> ({result}, {result}, {result}) {{\n"
        + "\n".join(lines)
        + "\n    (r0, r1, r2) -> ret;\n}\n"
    )
    graph = graph_of(source, "fused")
    addend = -1.0000001192092896
    inputs: dict[str, object] = {"a": [x for x, _ in pairs], "b": [y for _, y in pairs]}
    inputs["c"] = addend
    for level in (0, 2):
        outputs = run_natively(graph, level, inputs, PROFILES[profile]()).outputs
        for port, signs in zip(entry_ports(graph).outputs, bodies.values(), strict=True):
            fma = scalars.FMA[ty, signs[0], signs[1]]
            expected = [fma(x, y, addend) for x, y in pairs]
            assert outputs[port.name] == write_npy(flat_of(expected, port), port)
