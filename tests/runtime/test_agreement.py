"""The runtime against the interpreter's own arithmetic: two implementations, one language."""

import random
import struct

import pytest

from mapal.ir.formatting import format_float
from mapal.ir.scalars import FMA
from mapal.ir.types import F32, F64, Scalar
from tests.runtime.native_build import RuntimeBuild

SCALARS: dict[str, tuple[Scalar, str, int]] = {"f32": (F32, "f", 32), "f64": (F64, "d", 64)}


def random_floats(name: str, count: int) -> bytes:
    """Bit patterns of every class: half of them anywhere, half near 1, where sums do not vanish."""
    generator = random.Random(f"agreement {name}")
    _, code, width = SCALARS[name]
    one = struct.pack(f"<{code}", 1.0)
    near = int.from_bytes(one, "little") >> (width // 2) << (width // 2)
    patterns = [
        generator.getrandbits(width) if i % 2 else near ^ generator.getrandbits(width * 3 // 4)
        for i in range(count)
    ]
    return b"".join(bits.to_bytes(width // 8, "little") for bits in patterns)


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_printed_floats(runtime_build: RuntimeBuild, name: str) -> None:
    ty, code, _ = SCALARS[name]
    packed = random_floats(name, 20_000)
    run = runtime_build.driver("floats").run(name, stdin=packed)
    values = struct.unpack(f"<20000{code}", packed)
    assert run.output.decode().splitlines() == [format_float(value, ty) for value in values]


@pytest.mark.parametrize("name", ["f32", "f64"])
def test_fused_multiply_add(runtime_build: RuntimeBuild, name: str) -> None:
    ty, code, _ = SCALARS[name]
    packed = random_floats(name, 30_000)
    run = runtime_build.driver("multiply_add").run(name, stdin=packed)
    results = struct.unpack(f"<10000{code}", run.output)
    fma = FMA[ty, False, False]
    operands = struct.iter_unpack(f"<3{code}", packed)
    for (a, b, c), result in zip(operands, results, strict=True):
        wanted = fma(a, b, c)
        assert struct.pack("<d", wanted) == struct.pack("<d", result) or (
            wanted != wanted and result != result
        ), (a, b, c)
