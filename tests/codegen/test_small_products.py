"""Many small products by kernels: the bits of the plain loops for every size."""

from __future__ import annotations

import pytest

from mapal.codegen import emit
from mapal.lower import Arithmetic
from mapal.native.llvm_worker import compile_module
from mapal.target import load_profile
from tests.codegen.kernel_runs import Case, assert_same_bits, profiles, rewritten, shapes_of
from tests.codegen.test_window_kernels import numbers, zero


def products(
    count: int,
    rows: int,
    steps: int,
    columns: int,
    ty: str = "f32",
    arithmetic: Arithmetic = "exact",
    shape: str | None = "small products",
) -> Case:
    """`count` products of `rows` x `steps` and `steps` x `columns` matrices."""
    cells, left, right = rows * columns, rows * steps, steps * columns
    source = f"""
fn main(a: [{ty}; {count * left}], b: [{ty}; {count * right}]) -> [{ty}; {count * cells}] {{
    {zero(ty)} -> seed: {ty};
    {steps} -> iota -> ks;
    {count * cells} -> iota -> map {{ cell ->
        cell / {cells} -> matrix;
        cell % {cells} / {columns} -> row;
        cell % {columns} -> column;
        (seed, ks) -> fold {{ sum, k ->
            sum + a[matrix * {left} + row * {steps} + k]
                * b[matrix * {right} + k * {columns} + column]
        }}
    }} -> ret;
}}
"""
    inputs = {"a": numbers(count * left, ty), "b": numbers(count * right, ty, 2)}
    return Case(source=source, inputs=inputs, arithmetic=arithmetic, shape=shape)


@pytest.mark.parametrize("profile", profiles())
def test_small_products_have_the_bits_of_plain_loops(profile: str) -> None:
    cases = [products(count, 4, 4, 4) for count in (1, 2, 37)]
    cases += [products(23, 2, 2, 2), products(41, 3, 3, 3), products(17, 2, 5, 3)]
    cases += [products(9, 4, 4, 4, ty) for ty in ("f64", "i32", "i64", "u8")]
    cases += [products(5, 8, 8, 8, shape=None), products(7, 6, 2, 5, "f64", shape=None)]
    fused = load_profile(profile).fused_multiply_add
    cases += [products(19, 4, 4, 4, "f32", "fused", "small products" if fused else None)]
    assert_same_bits(cases, profile)


@pytest.mark.parametrize("name", ["aarch64-generic", "zen3", "zen4"])
def test_text_is_the_same_each_time_and_compiles_elsewhere(name: str) -> None:
    profile = load_profile(name)
    for case in (products(100, 4, 4, 4), products(101, 3, 3, 3, "f64")):
        graph = rewritten(case.source)
        assert any(shape.startswith("small products") for shape in shapes_of(graph, profile))
        text = emit(graph, profile, name="p").ll
        assert text == emit(rewritten(case.source), profile, name="p").ll
        assert compile_module(text, profile, 2).object
