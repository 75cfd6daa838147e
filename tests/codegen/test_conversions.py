"""Floats become integers natively as `mapal.ir.scalars` says, in vectors and one by one, next to
every bound and for random bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from mapal.ir import scalars
from mapal.ir.entry import entry_ports
from mapal.ir.types import F32, F64, I32, I64, U8, Scalar
from mapal.project.arrays import flat_of, write_npy
from mapal.target import TargetProfile, load_profile
from tests.codegen.native_runs import graph_of, native, run_natively

PROFILES: dict[str, Callable[[], TargetProfile]] = {
    "native": native,
    "generic": lambda: load_profile("generic"),
}
BOUNDS = (0, 1, 127, 128, 255, 256, 2**31 - 1, 2**31, 2**32, 2**63, 2**64)
CLAMPS: dict[str, Callable[[float], float]] = {
    "x": lambda x: x,
    "(x, 300.0) -> min": lambda x: 300.0 if math.isnan(x) else min(x, 300.0),
    "x < 0.0 -> { -true-> 0.0; -_-> x; }": lambda x: 0.0 if x < 0.0 else x,
    "x * 0.5 -> h; h < 0.0 -> { -true-> 0.0; -_-> h; }": lambda x: 0.0 if x < 0.0 else x * 0.5,
}
"""Before the conversion; LLVM may join them with its own."""

COUNT = 1000
"""Not a multiple of any vector, so that some elements are converted one by one."""


def _values(ty: Scalar) -> list[float]:
    kind = np.float32 if ty == F32 else np.float64
    found = [math.nan, math.inf, -math.inf, -0.0, 0.5, -0.5, 254.99, 1e-40, -1e-40]
    for bound in BOUNDS:
        for at in (kind(bound), kind(-bound)):
            found += map(
                float, (at, np.nextafter(at, kind(-math.inf)), np.nextafter(at, kind(9e30)))
            )
    random = Random(f"conversions/{ty}")
    word: type[np.unsignedinteger] = np.uint32 if ty == F32 else np.uint64
    bits = [random.getrandbits(ty.bits) for _ in range((COUNT - len(found)) // 2)]
    some: NDArray[np.floating] = np.array(bits, dtype=word).view(kind)
    found += map(float, some)
    found += [float(kind(random.uniform(-300, 300))) for _ in range(COUNT - len(found))]
    return found


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("clamp", CLAMPS)
@pytest.mark.parametrize("ty", [F32, F64], ids=str)
def test_floats_become_integers(ty: Scalar, clamp: str, profile: str) -> None:
    values = _values(ty)
    targets = (U8, I32, I64)
    lines = [
        f"xs -> map {{ x -> {clamp} -> y; y -> to_{target} }} -> {target}s;" for target in targets
    ]
    results = ", ".join(f"[{target}; {COUNT}]" for target in targets)
    body = " ".join([*lines, "(u8s, i32s, i64s) -> ret;"])
    source = f"fn main(xs: [{ty}; {COUNT}]) -> ({results}) {{ {body} }}"
    graph = graph_of(source)
    for level in (0, 2):
        outputs = run_natively(graph, level, {"xs": values}, PROFILES[profile]()).outputs
        for port, target in zip(entry_ports(graph).outputs, targets, strict=True):
            convert = scalars.CONVERT[ty, target]
            expected = [convert(CLAMPS[clamp](x)) for x in values]
            assert outputs[port.name] == write_npy(flat_of(expected, port), port), (target, level)
