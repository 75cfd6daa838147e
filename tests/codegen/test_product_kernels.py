"""Matrix products by kernels: the bits of the plain loops at every size, type and layout."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from mapal.codegen import emit
from mapal.codegen.llvm.kernels.product_plan import product_plan
from mapal.ir.types import F32, F64, Scalar
from mapal.lower import Arithmetic
from mapal.target import load_profile
from tests.codegen.kernel_runs import NEVER, Case, assert_same_bits, profiles, rewritten
from tests.codegen.test_window_kernels import numbers, zero

SIZES = ((2, 2, 1), (3, 5, 9), (17, 33, 21), (25, 49, 70), (65, 64, 65))
"""Rows, columns, steps."""

DEEP = ((60, 200, 1500), (130, 300, 1100))
"""Sizes whose right matrix is packed, in one piece or several, with rows and columns left over."""

COLLIDING = ((50, 150, 1024), (37, 70, 2048))
"""The same, with rows that share sets of the first-level cache, so that they are packed, too."""


def product(
    size: tuple[int, int, int],
    ty: str = "f32",
    arithmetic: Arithmetic = "exact",
    left: str = "row * {steps} + k",
    right: str = "k * {columns} + column + 5",
    shape: str | None = "matrix product",
) -> Case:
    rows, columns, steps = size
    left, right = (text.format(rows=rows, columns=columns, steps=steps) for text in (left, right))
    source = f"""
fn main(
    a: [{ty}; {rows * steps + 7}], b: [{ty}; {steps * columns + 5}]
) -> [{ty}; {rows * columns}] {{
    {zero(ty)} -> seed: {ty};
    {steps} -> iota -> ks;
    {rows * columns} -> iota -> map {{ cell ->
        cell / {columns} -> row;
        cell % {columns} -> column;
        (seed, ks) -> fold {{ sum, k ->
            sum + a[{left}] * b[{right}]
        }}
    }} -> ret;
}}
"""
    inputs = {"a": numbers(rows * steps + 7, ty), "b": numbers(steps * columns + 5, ty, 2)}
    return Case(source=source, inputs=inputs, arithmetic=arithmetic, shape=shape)


def _modes() -> list[tuple[str, Arithmetic]]:
    """Profiles and modes that have a kernel: fused ones need the instruction."""
    fused = [name for name in profiles() if load_profile(name).fused_multiply_add]
    return [*((name, "exact") for name in profiles()), *((name, "fused") for name in fused)]


@pytest.mark.parametrize(("profile", "arithmetic"), _modes())
def test_products_of_floats_have_the_bits_of_the_loops(
    profile: str, arithmetic: Arithmetic
) -> None:
    cases = [
        product(size, ty, arithmetic)
        for ty, sizes in (
            ("f32", SIZES + DEEP[:1] + COLLIDING[1:]),
            ("f64", SIZES[1:3] + DEEP[1:] + COLLIDING[:1]),
        )
        for size in sizes
    ]
    assert_same_bits(cases, profile)


@pytest.mark.parametrize("profile", profiles())
def test_products_of_integers_and_other_layouts_have_the_bits_of_the_loops(profile: str) -> None:
    cases = [product(SIZES[2], ty) for ty in ("i64", "u8")]
    cases += [product(DEEP[0], "i32"), *(product(COLLIDING[1], ty) for ty in ("i64", "u8"))]
    # Columns of the left matrix side by side; rows that overlap; an offset.
    for left in ("k * {rows} + row", "row + k", "row * {steps} + k + 7"):
        cases += [product(SIZES[2], left=left), product((20, 36, 9000), left=left)]
    # The right matrix transposed, and with columns and steps both apart.
    cases += [
        product((17, 33, 21), right="column * {steps} + k + 5"),
        product((9, 50, 1100), right="column * {steps} + k"),
        product((7, 20, 40), "f64", right="column * 3 + k * 2"),
        product((7, 20, 40), "u8", right="column * 21 + k"),
    ]
    assert_same_bits(cases, profile)


LONG = (3001, 91)
"""More than any second-level cache of a profile in these tests holds."""


def rows_times_vector(
    rows: int, steps: int, ty: str = "f32", arithmetic: Arithmetic = "exact", stride: int = 1
) -> Case:
    source = f"""
fn main(a: [{ty}; {rows * steps + 3}], x: [{ty}; {steps * stride}]) -> [{ty}; {rows}] {{
    {zero(ty)} -> seed: {ty};
    {steps} -> iota -> ks;
    {rows} -> iota -> map {{ row ->
        (seed, ks) -> fold {{ sum, k -> x[k * {stride}] * a[row * {steps} + k + 3] + sum }}
    }} -> ret;
}}
"""
    inputs = {"a": numbers(rows * steps + 3, ty), "x": numbers(steps * stride, ty, 2)}
    return Case(source=source, inputs=inputs, arithmetic=arithmetic, shape="rows, ")


@pytest.mark.parametrize(("profile", "arithmetic"), _modes())
def test_rows_times_a_vector_have_the_bits_of_the_loops(
    profile: str, arithmetic: Arithmetic
) -> None:
    cases = [
        rows_times_vector(*size, ty, arithmetic)
        for size in ((16, 16), (33, 40), (70, 19), (17, 64), LONG)
        for ty in ("f32", "f64")
    ]
    if arithmetic == "exact":
        cases += [rows_times_vector(37, 50, ty) for ty in ("i32", "i64", "u8")]
        cases.append(rows_times_vector(37, 50, stride=3))
    assert_same_bits(cases, profile)


@pytest.mark.parametrize("profile", ["generic", "x86-64-v2", "x86-64-v3", "zen4"])
def test_rows_beyond_the_second_level_cache_are_fetched_ahead(profile: str) -> None:
    """Each line of a row once: as many in all as the tiles read."""

    def fetches(size: tuple[int, int]) -> int:
        graph = rewritten(rows_times_vector(*size).source)
        emitted = emit(graph, load_profile(profile), name="p", cuts_from=NEVER)
        return emitted.ll.count("call void @llvm.prefetch")

    assert fetches((64, 64)) == 0
    lanes = load_profile(profile).vector_bytes // 4
    rest = LONG[0] % lanes
    assert fetches(LONG) == lanes // (64 // (4 * lanes)) + rest // (64 // (4 * lanes))


def test_without_the_instruction_fused_products_stay_loops() -> None:
    graph = rewritten(product((8, 16, 8), arithmetic="fused").source, "fused")
    plan = emit(graph, load_profile("x86-64-v2"), name="p", cuts_from=NEVER).plan
    shapes = {site["shape"] for site in plan["sites"] if site["kind"] == "map"}
    assert shapes == {"loop"}


@pytest.mark.parametrize("profile", ["generic", "x86-64-v2", "x86-64-v3", "x86-64-v4", "zen3"])
@pytest.mark.parametrize("ty", [F32, F64])
@pytest.mark.parametrize("is_fused", [False, True])
def test_a_plan_covers_all_cells_and_fits_the_registers(
    profile: str, ty: Scalar, is_fused: bool
) -> None:
    target = load_profile(profile)
    large = [*DEEP, *COLLIDING, (512, 512, 512), (2048, 2047, 2049), (4096, 4096, 4096)]
    for rows, columns, steps in [*SIZES, (1, 1, 1), *large]:
        plan = product_plan(target, ty, rows, columns, steps, is_fused=is_fused, left_row=steps)
        at = 0
        for group in plan.groups:
            assert group.first == at
            assert 1 <= group.live <= group.lanes <= plan.lanes
            assert group.width <= plan.tile_columns or group.vectors == 1
            at += group.count * group.width
        assert at == columns
        assert (plan.depths - 1) * plan.depth + plan.last_depth == steps
        assert 0 < plan.last_depth <= plan.depth
        # Functions for several tiles of rows would leave their block.
        assert not plan.is_packed or plan.most_row_tiles_at_once == 1
        # Accumulators, one row of the right matrix, and a broadcast element.
        used = plan.tile_rows * plan.tile_vectors + plan.tile_vectors + 1
        assert used <= target.vector_registers


def test_the_left_matrix_is_packed_where_its_rows_share_sets_of_the_cache() -> None:
    def is_left_packed(profile: str, left_row: int | None, *, is_fused: bool) -> bool:
        plan = product_plan(
            load_profile(profile), F64, 96, 2048, 2048, is_fused=is_fused, left_row=left_row
        )
        assert plan.is_packed
        return plan.is_left_packed

    # 16 or 24 rows, a page apart, in 8 ways; the 6 rows of fused products find room.
    assert is_left_packed("zen4", 2048, is_fused=False)
    assert not is_left_packed("zen4", 2048 + 8, is_fused=False)
    assert not is_left_packed("zen4", 2048, is_fused=True)
    # Steps apart read a line each.
    assert is_left_packed("zen4", None, is_fused=True)
    assert is_left_packed("zen3", 2048 + 8, is_fused=False)
    assert not is_left_packed("zen3", 2048 + 8, is_fused=True)


def test_vectors_longer_than_a_line_are_no_further_aligned_than_packed_panels() -> None:
    target = replace(load_profile("zen4"), vector_bytes=256)
    source = product((64, 100, 2048)).source
    ll = emit(rewritten(source), target, name="p", cuts_from=NEVER).ll
    alignments = {int(found) for found in re.findall(r"load <64 x float>.*align (\d+)", ll)}
    assert alignments
    assert max(alignments) <= 64


def test_narrow_panels_are_fetched_ahead_where_a_core_can_start_more() -> None:
    def fetches(profile: str, *, is_fused: bool) -> bool:
        plan = product_plan(
            load_profile(profile), F32, 2000, 2000, 2000, is_fused=is_fused, left_row=2000
        )
        return plan.fetches_ahead

    assert fetches("zen4", is_fused=False)
    assert fetches("zen3", is_fused=True)
    assert not fetches("zen4", is_fused=True)
    assert not fetches("zen3", is_fused=False)
