"""Windows and convolutions by kernels: the bits of the plain loops at every size."""

from __future__ import annotations

import numpy as np
import pytest

from mapal.codegen import emit
from mapal.lower import Arithmetic
from mapal.target import load_profile
from tests.codegen.kernel_runs import Array, Case, assert_same_bits, profiles, rewritten, shapes_of

DTYPES = {"f32": "<f4", "f64": "<f8", "i32": "<i4", "i64": "<i8", "u8": "|u1"}


def numbers(count: int, ty: str, seed: int = 1) -> Array:
    """Numbers whose sums round: most have no exact sum with their neighbours."""
    source = np.random.default_rng(seed)
    if ty in ("f32", "f64"):
        found = source.standard_normal(count) * 10.0 ** source.integers(-3, 4, count)
        return found.astype(DTYPES[ty])
    return source.integers(0, 256, count).astype(DTYPES[ty])


def zero(ty: str) -> str:
    """A seed that is a negative zero where there is one, so that a lost seed shows."""
    return "-0.0" if ty in ("f32", "f64") else "3"


def fir(outputs: int, taps: int, ty: str = "f32", arithmetic: Arithmetic = "exact") -> Case:
    source = f"""
fn main(taps: [{ty}; {taps}], signal: [{ty}; {outputs + taps - 1}]) -> [{ty}; {outputs}] {{
    {zero(ty)} -> seed: {ty};
    {taps} -> iota -> js;
    {outputs} -> iota -> map {{ t ->
        (seed, js) -> fold {{ sum, j -> sum + taps[j] * signal[t + j] }}
    }} -> ret;
}}
"""
    inputs = {"taps": numbers(taps, ty), "signal": numbers(outputs + taps - 1, ty, 2)}
    return Case(source=source, inputs=inputs, arithmetic=arithmetic)


def convolution(
    size: tuple[int, int],
    kernel: tuple[int, int],
    ty: str = "f32",
    arithmetic: Arithmetic = "exact",
) -> Case:
    (rows, columns), (high, wide) = size, kernel
    width = columns + wide - 1
    source = f"""
fn main(
    kernel: [{ty}; {high * wide}], image: [{ty}; {(rows + high - 1) * width}]
) -> [{ty}; {rows * columns}] {{
    {zero(ty)} -> seed: {ty};
    {high * wide} -> iota -> ks;
    {rows * columns} -> iota -> map {{ o ->
        o / {columns} -> row;
        o % {columns} -> column;
        (seed, ks) -> fold {{ sum, k ->
            image[(row + k / {wide}) * {width} + column + k % {wide}] * kernel[k] + sum
        }}
    }} -> ret;
}}
"""
    inputs = {
        "kernel": numbers(high * wide, ty),
        "image": numbers((rows + high - 1) * width, ty, 2),
    }
    return Case(source=source, inputs=inputs, arithmetic=arithmetic)


def columns_of(rows: int, columns: int, ty: str = "f32") -> Case:
    """A vector times a matrix: one row, whose right factor moves by a whole row a step."""
    source = f"""
fn main(x: [{ty}; {rows}], a: [{ty}; {rows * columns}]) -> [{ty}; {columns}] {{
    {rows} -> iota -> is;
    {columns} -> iota -> map {{ j ->
        ({zero(ty)}, is) -> fold {{ sum, i -> sum + x[i] * a[i * {columns} + j] }}
    }} -> ret;
}}
"""
    inputs = {"x": numbers(rows, ty), "a": numbers(rows * columns, ty, 2)}
    return Case(source=source, inputs=inputs)


@pytest.mark.parametrize("profile", profiles())
def test_windows_have_the_bits_of_plain_loops(profile: str) -> None:
    sizes = [(1, 2), (7, 5), (64, 1), (257, 17), (600, 33), (1000, 16)]
    cases = [fir(outputs, taps) for outputs, taps in sizes]
    cases += [fir(700, 31, ty) for ty in ("f64", "u8")]
    cases += [fir(2003, 300), fir(1100, 157, "f64")]
    cases += [fir(513, 24, ty, "fused") for ty in ("f32", "f64")]
    assert_same_bits(cases, profile)


@pytest.mark.parametrize("profile", profiles())
def test_convolutions_have_the_bits_of_plain_loops(profile: str) -> None:
    sizes = [
        ((1, 5), (3, 3)),
        ((9, 65), (5, 3)),
        ((6, 100), (1, 7)),
        ((13, 33), (11, 11)),
    ]
    cases = [convolution(size, kernel) for size, kernel in sizes]
    cases += [convolution((10, 37), (3, 3), ty) for ty in ("f64", "u8")]
    cases += [convolution((10, 70), (3, 3), ty, "fused") for ty in ("f32", "f64")]
    cases += [columns_of(100, 77), columns_of(3, 200), columns_of(40, 5, "i64")]
    assert_same_bits(cases, profile)


def test_other_elements_and_forms() -> None:
    cases = [fir(700, 31, ty) for ty in ("i32", "i64")]
    cases += [fir(3, 3), fir(31, 16), fir(100, 9)]
    cases += [convolution((10, 37), (3, 3), ty) for ty in ("i32", "i64")]
    cases += [convolution((2, 3), (2, 2)), convolution((7, 31), (3, 3))]
    cases += [convolution((5, 40), (7, 1))]
    assert_same_bits(cases, profiles()[-1])


def test_shapes() -> None:
    profile = load_profile("x86-64-v4")
    long, short = fir(4000, 16), fir(40, 16)
    assert shapes_of(rewritten(long.source), profile)[0].startswith("window")
    assert shapes_of(rewritten(short.source), profile)[0].startswith("columns")
    assert shapes_of(rewritten(convolution((9, 65), (3, 3)).source), profile)[0].startswith(
        "convolution, tile 4x2x16"
    )


def test_no_kernel_where_a_fused_step_is_a_call() -> None:
    case = fir(4000, 16, "f32", "fused")
    shapes = shapes_of(rewritten(case.source, "fused"), load_profile("x86-64-v2"))
    assert not any(shape.startswith("window") for shape in shapes)


@pytest.mark.parametrize("name", ["aarch64-generic", "apple-m", "generic", "zen3"])
def test_text_is_the_same_each_time_and_compiles_elsewhere(name: str) -> None:
    from mapal.native.llvm_worker import compile_module

    profile = load_profile(name)
    for case in (fir(4000, 16), fir(900, 157, "f64"), convolution((9, 65), (3, 3))):
        graph = rewritten(case.source)
        text = emit(graph, profile, name="p").ll
        assert text == emit(rewritten(case.source), profile, name="p").ll
        assert compile_module(text, profile, 2).object
