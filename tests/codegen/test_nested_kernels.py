"""Kernels for maps of maps over arrays of arrays: the bits of the plain loops."""

from __future__ import annotations

import pytest

from mapal.analysis.nested_addresses import map_of_maps
from mapal.analysis.tile_plan import tile_plan
from mapal.ir import ops
from mapal.lower import Arithmetic
from mapal.target import load_profile
from tests.codegen.kernel_runs import Array, Case, assert_same_bits, profiles, rewritten
from tests.codegen.test_window_kernels import numbers


def grid(rows: int, columns: int, ty: str = "f32", seed: int = 1) -> Array:
    return numbers(rows * columns, ty, seed).reshape(rows, columns)


def product(
    rows: int, steps: int, columns: int, ty: str = "f32", arithmetic: Arithmetic = "exact"
) -> Case:
    zero = "0.0" if ty[0] == "f" else "0"
    source = f"""
fn main(
    a: [[{ty}; {steps}]; {rows}], b: [[{ty}; {columns}]; {steps}]
) -> [[{ty}; {columns}]; {rows}] {{
    {rows} -> iota -> is;
    {columns} -> iota -> js;
    {steps} -> iota -> ks;
    is -> map {{ i ->
        js -> map {{ j -> ({zero}, ks) -> fold {{ sum, k -> sum + a[i][k] * b[k][j] }} }}
    }} -> ret;
}}
"""
    inputs = {"a": grid(rows, steps, ty), "b": grid(steps, columns, ty, 2)}
    return Case(source=source, inputs=inputs, arithmetic=arithmetic, shape="matrix product")


def dots(rows: int, steps: int, columns: int) -> Case:
    """A product with a transposed matrix, row by row, by pairs."""
    source = f"""
fn main(
    a: [[f64; {steps}]; {rows}], b: [[f64; {steps}]; {columns}]
) -> [[f64; {columns}]; {rows}] {{
    a -> map {{ row ->
        b -> map {{ column ->
            (row, column) -> zip -> pairs;
            (0.5, pairs) -> fold {{ sum, pair -> sum + pair.0 * pair.1 }}
        }}
    }} -> ret;
}}
"""
    inputs = {"a": grid(rows, steps, "f64"), "b": grid(columns, steps, "f64", 2)}
    return Case(source=source, inputs=inputs)


def vector_product(rows: int, steps: int) -> Case:
    source = f"""
fn main(a: [[f32; {steps}]; {rows}], x: [f32; {steps}]) -> [f32; {rows}] {{
    a -> map {{ row ->
        (row, x) -> zip -> pairs;
        (0.0, pairs) -> fold {{ sum, pair -> sum + pair.0 * pair.1 }}
    }} -> ret;
}}
"""
    inputs = {"a": grid(rows, steps), "x": numbers(steps, "f32", 2)}
    return Case(source=source, inputs=inputs, shape="rows")


def filtered(rows: int, columns: int) -> Case:
    source = f"""
fn main(
    kernel: [f32; 9], image: [[f32; {columns + 2}]; {rows + 2}]
) -> [[f32; {columns}]; {rows}] {{
    9 -> iota -> ks;
    {rows} -> iota -> map {{ r ->
        {columns} -> iota -> map {{ c ->
            (0.0, ks) -> fold {{ sum, k -> sum + kernel[k] * image[r + k / 3][c + k % 3] }}
        }}
    }} -> ret;
}}
"""
    inputs = {"kernel": numbers(9, "f32"), "image": grid(rows + 2, columns + 2, seed=2)}
    return Case(source=source, inputs=inputs, shape="convolution")


def transposition(rows: int, columns: int, ty: str) -> Case:
    source = f"""
fn main(m: [[{ty}; {rows}]; {columns}]) -> [[{ty}; {columns}]; {rows}] {{
    {rows} -> iota -> map {{ i -> {columns} -> iota -> map {{ j -> m[j][i] }} }} -> ret;
}}
"""
    return Case(source=source, inputs={"m": grid(columns, rows, ty)}, shape="transposition")


@pytest.mark.parametrize("profile", profiles())
def test_nested_programs_have_the_bits_of_plain_loops(profile: str) -> None:
    fused: list[Case] = []
    if load_profile(profile).fused_multiply_add:
        fused.append(product(20, 33, 65, "f64", "fused"))
    cases = [product(17, 40, 33), product(5, 7, 3, "i64"), vector_product(37, 50)]
    cases += [dots(11, 23, 19), filtered(9, 37), *fused]
    cases += [transposition(33, 40, ty) for ty in ("f32", "u8")]
    assert_same_bits(cases, profile)


def test_what_is_no_number_is_not_divided_as_one() -> None:
    case = Case(
        source="""
fn main(taps: [u8; 6], image: [[u8; 45]; 3]) -> [[u8; 40]; 5] {
    40 -> iota -> columns;
    5 -> iota -> map { r ->
        columns -> map { c -> (0, taps) -> fold { sum, t -> sum + t * image[t % 3][c + r] } }
    } -> ret;
}
""",
        inputs={"taps": numbers(6, "u8"), "image": grid(3, 45, "u8")},
    )
    graph = rewritten(case.source)
    assert map_of_maps(graph, next(m for m in graph.morphisms if isinstance(m.op, ops.Map)))
    assert not tile_plan(graph, graph.entry)
    assert_same_bits([case], "native")
