"""Transpositions and other moves by kernels: the bits of the plain loops at every size."""

from __future__ import annotations

import pytest

from mapal.codegen import emit
from mapal.native.llvm_worker import compile_module
from mapal.target import load_profile
from tests.codegen.kernel_runs import Case, assert_same_bits, profiles, rewritten, shapes_of
from tests.codegen.test_window_kernels import numbers


def move(
    rows: int,
    width: int,
    steps: tuple[int, int],
    ty: str = "f32",
    shape: str | None = None,
) -> Case:
    """Element (row, column) of the result is at `steps` of row and column in the source."""
    row_step, column_step = steps
    length = row_step * (rows - 1) + column_step * (width - 1) + 1
    source = f"""
fn main(source: [{ty}; {length}]) -> [{ty}; {rows * width}] {{
    {rows * width} -> iota -> map {{ t ->
        source[t % {width} * {column_step} + t / {width} * {row_step}]
    }} -> ret;
}}
"""
    values = numbers(length, "i32") % 2 == 0 if ty == "bool" else numbers(length, ty)
    return Case(source=source, inputs={"source": values}, shape=shape)


def transposition(rows: int, width: int, ty: str = "f32", shape: str = "transposition") -> Case:
    return move(rows, width, (1, rows), ty, shape)


@pytest.mark.parametrize("profile", profiles())
def test_transpositions_have_the_bits_of_plain_loops(profile: str) -> None:
    sizes = [(5, 7), (16, 16), (17, 33), (64, 100)]
    cases = [transposition(rows, width) for rows, width in sizes]
    cases += [transposition(37, 70, ty) for ty in ("f64", "u8")]
    # Larger than the second-level cache of the profile, with whole tiles and without.
    cases += [transposition(528, 512, shape="streamed"), transposition(513, 520)]
    # Rows of the source that are longer than the result needs.
    cases += [move(20, 30, (1, 50), shape="transposition")]
    assert_same_bits(cases, profile)


def test_transpositions_of_other_elements_and_forms() -> None:
    sizes = [(4, 4), (33, 17), (100, 64), (7, 300)]
    cases = [transposition(rows, width, "i32") for rows, width in sizes]
    cases += [transposition(37, 70, "i64"), transposition(64, 64, "u8")]
    # Rows of the source that overlap.
    cases += [transposition(40, 33, "bool"), move(40, 50, (1, 3))]
    assert_same_bits(cases, profiles()[-1])


@pytest.mark.parametrize("profile", profiles())
def test_other_moves_have_the_bits_of_plain_loops(profile: str) -> None:
    cases = [
        move(9, 31, (40, 1), shape="rows copied"),
        move(3, 500, (1, 3), shape="strided loops"),
        move(50, 20, (3, 2), shape="strided loops"),
        move(6, 40, (7, 5), "u8", shape="strided loops"),
        move(2, 9, (5, 4), "f64", shape="strided loops"),
        move(11, 64, (1, 1), "i32", shape="transposition"),
    ]
    assert_same_bits(cases, profile)


@pytest.mark.parametrize("name", ["aarch64-generic", "apple-m", "zen3", "zen4"])
def test_text_is_the_same_each_time_and_compiles_elsewhere(name: str) -> None:
    profile = load_profile(name)
    for case in (transposition(1024, 1040), transposition(40, 37, "f64"), move(9, 31, (40, 1))):
        text = emit(rewritten(case.source), profile, name="p").ll
        assert text == emit(rewritten(case.source), profile, name="p").ll
        assert compile_module(text, profile, 2).object


def test_only_x86_orders_streaming_stores_by_a_fence() -> None:
    graph = rewritten(transposition(4096, 4096).source)
    assert "streamed" in shapes_of(graph, load_profile("aarch64-generic"))[0]
    assert "sfence" not in emit(graph, load_profile("aarch64-generic"), name="p").ll
    text = emit(graph, load_profile("zen4"), name="p").ll
    assert text.count("!nontemporal") == text.count("align 64, !nontemporal") == 16
    assert "call void @llvm.x86.sse.sfence()" in text
