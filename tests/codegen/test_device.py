"""Device modules: kernels where the body needs only registers, and reasons where not."""

from __future__ import annotations

import json
import math
import random
import struct
import subprocess
import sys

import pytest

from mapal.codegen import emit
from mapal.codegen.device.remainder import remainder_function, remainder_name
from mapal.ir.types import F32, F64, Scalar
from mapal.native.llvm_worker import compile_device
from mapal.native.ptxas import find_ptxas, resources
from mapal.target import load_profile
from tests.codegen.native_runs import graph_of
from tests.codegen.programs import PROGRAMS

TARGETS = ("cuda-ampere", "cuda-ada", "cuda-hopper")

ARITHMETIC = """
fn steps(n: i32) -> i32 {
    mut i: i32 <- n + 1;
    mut c: i32 <- 0;
    loop {
        (i != 1) -> {
            -true-> {
                (i % 2 == 0) -> { -true-> i / 2; -false-> 3 * i + 1; } -> i;
                c + 1 -> c;
                -> loop;
            }
            -false-> c -> r;
        }
    }
    r -> ret;
}
fn main(x: [f32; 100], y: [f64; 100], flag: bool, d: i64) -> ([f32; 100], [f64; 100], [bool; 100]) {
    [3, 1, 4, 1, 5] -> table: [i32; 5];
    5 -> iota -> fives;
    (x, y) -> zip -> enumerate -> map { p ->
        p.1 -> pair;
        pair.0 -> a;
        a -> sqrt -> s; a -> round -> r; a % 3.5 -> m; (a, s) -> min -> least;
        p.0 -> steps -> n;
        n -> to_f32 -> nf;
        s / r + m * least + nf
    } -> first;
    y -> map { a -> a -> sqrt -> s; a % 0.7 -> m; s * m - a / s } -> second;
    100 -> iota -> map { i ->
        (0, fives) -> fold { sum, k -> sum + table[k] * i } -> t;
        t -> to_i64 -> wide;
        wide / d -> q;
        q > 3 && flag
    } -> third;
    (first, second, third) -> ret;
}
"""


@pytest.mark.parametrize("target", TARGETS)
def test_kernels_become_ptx_with_exact_arithmetic(target: str) -> None:
    profile = load_profile(target)
    emission = emit(graph_of(ARITHMETIC), profile, name="program")
    assert emission.device_ll is not None
    kernels = emission.plan["kernels"]
    assert [site["kernel"] for site in kernels] == ["mapal_map_0", "mapal_map_1", "mapal_map_2"]
    assert [site["traps"] for site in kernels] == [False, False, True]
    assert "frem" not in emission.device_ll
    ptx = compile_device(emission.device_ll, profile)
    assert ptx.count(".visible .entry") == 3
    for exact in ("sqrt.rn.f32", "sqrt.rn.f64", "div.rn.f32", "div.rn.f64", "mul.rn.f32"):
        assert exact in ptx
    assert "fma." not in ptx
    assert "approx" not in ptx
    assert ".ftz" not in ptx
    assert "atom.global.min.u64" in ptx
    assert f".target {profile.device.cpu}" in ptx if profile.device else False


def test_fused_programs_use_the_fused_instruction() -> None:
    profile = load_profile("cuda-ada")
    emission = emit(graph_of(ARITHMETIC, "fused"), profile, name="program")
    assert emission.device_ll is not None
    assert "fma.rn.f32" in compile_device(emission.device_ll, profile)


def test_host_text_is_that_of_the_host_profile() -> None:
    graph = graph_of(ARITHMETIC)
    host, gpu = load_profile("generic"), load_profile("cuda-ada")
    texts = [emit(graph, profile, name="program").ll for profile in (host, gpu)]
    assert texts[0].split("\n")[1:] == texts[1].split("\n")[1:]


def _reasons(source: str) -> list[str | None]:
    kernels = emit(graph_of(source), load_profile("cuda-ada"), name="p").plan["kernels"]
    return [site.get("host") for site in kernels]


def test_bodies_that_need_memory_stay_on_the_host_with_a_reason() -> None:
    literal = "fn main(v: [i32; 9]) -> [i32; 9] { v -> map { x -> [x, x + 1] -> w; w[x] } -> ret; }"
    assert _reasons(literal) == ["its body needs 8 bytes of memory of its own"]
    nested = "fn main(v: [i32; 9]) -> [[i32; 2]; 9] { v -> map { x -> [x, x + 1] } -> ret; }"
    assert _reasons(nested) == ["its elements are not made of numbers"]
    deep = "".join(
        f"fn g{k}(x: i32) -> i32 {{ x -> g{k - 1} -> a; x + 1 -> g{k - 1} -> b; a + b -> ret; }}\n"
        for k in range(1, 14)
    )
    source = (
        f"fn g0(x: i32) -> i32 {{ x * x -> ret; }}\n{deep}"
        "fn main(v: [i32; 9]) -> [i32; 9] { v -> map { x -> x -> g13 } -> ret; }"
    )
    assert _reasons(source) == ["it takes more than 20000 instructions"]


def test_an_attempt_that_is_given_up_leaves_nothing_behind() -> None:
    source = """
fn main(v: [f32; 9]) -> [f32; 9] {
    v -> map { x -> [1.5, 2.5] -> t: [f32; 2]; x -> sqrt -> s; [x, s] -> w; w[0] + t[1] } -> ret;
}
"""
    text = emit(graph_of(source), load_profile("cuda-ada"), name="p").device_ll
    assert text is not None
    assert "constant" not in text
    assert "llvm." not in text


def test_structured_and_constant_operands_become_parameters_and_globals() -> None:
    source = """
fn main(k: u8, on: bool) -> [u8; 6] {
    [(7, true), (8, false)] -> table: [(u8, bool); 2];
    (k, on) -> pair;
    (pair, 6) -> fill -> map { p ->
        table[p.0 % 2] -> t;
        (t.1 && p.1) -> { -true-> t.0; -false-> p.0; }
    } -> ret;
}
"""
    emission = emit(graph_of(source), load_profile("cuda-ada"), name="p")
    (site,) = emission.plan["kernels"]
    assert [parameter["type"] for parameter in site["parameters"]] == ["u8", "bool", "[u8; 6]"]
    assert emission.device_ll is not None
    assert "addrspace(1) constant [2 x { i8, i8 }]" in emission.device_ll
    compile_device(emission.device_ll, load_profile("cuda-ada"))


@pytest.mark.skipif(find_ptxas() is None, reason="ptxas is not installed")
@pytest.mark.parametrize("target", TARGETS)
def test_ptxas_accepts_the_kernels(target: str) -> None:
    profile = load_profile(target)
    assert profile.device is not None
    sources = [ARITHMETIC, *PROGRAMS.values()]
    found = 0
    for source in sources:
        device_ll = emit(graph_of(source), profile, name="program").device_ll
        assert device_ll is not None
        found += len(resources(compile_device(device_ll, profile), profile.device.cpu))
    assert found > 10


_RUN = """
import ctypes, json, sys
import llvmlite.binding as llvm
text, name, width, pairs = json.load(sys.stdin)
llvm.initialize_native_target(); llvm.initialize_native_asmprinter()
module = llvm.parse_assembly(text.replace("define internal", "define"))
module.verify()
machine = llvm.Target.from_default_triple().create_target_machine()
engine = llvm.create_mcjit_compiler(module, machine)
engine.finalize_object()
ty = ctypes.c_float if width == 32 else ctypes.c_double
function = ctypes.CFUNCTYPE(ty, ty, ty)(engine.get_function_address(name))
print(json.dumps([function(x, y).hex() for x, y in pairs]))
"""


@pytest.mark.parametrize("ty", [F32, F64], ids=str)
def test_the_remainder_is_exact(ty: Scalar) -> None:
    source = random.Random(7)
    integer, real = ("<I", "<f") if ty == F32 else ("<Q", "<d")

    def number() -> float:
        (value,) = struct.unpack(real, struct.pack(integer, source.getrandbits(ty.bits)))
        return float(value)

    tiny = 2.0**-149 if ty == F32 else 5e-324
    special = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        7.0,
        math.inf,
        -math.inf,
        math.nan,
        tiny,
        -3 * tiny,
        1000 * tiny,
    ]
    pairs = [(x, y) for x in special for y in special]
    pairs += [(number(), number()) for _ in range(20_000)]
    pairs += [(number(), source.choice(special)) for _ in range(2_000)]
    request = json.dumps([remainder_function(ty), remainder_name(ty), ty.bits, pairs])
    run = subprocess.run(
        [sys.executable, "-c", _RUN], input=request, capture_output=True, text=True, check=True
    )
    for (x, y), found in zip(pairs, json.loads(run.stdout), strict=True):
        is_defined = not (math.isnan(x) or math.isnan(y) or math.isinf(x) or y == 0)
        expected = math.fmod(x, y) if is_defined else math.nan
        assert found == expected.hex(), (x, y)
