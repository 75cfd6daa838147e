"""Rows reduced in turns: the bits of one after the other, and only where that pays."""

from __future__ import annotations

import dataclasses

from mapal.codegen import emit
from mapal.target import TargetProfile, load_profile
from mapal.target.profile import SharedCache
from tests.codegen.kernel_runs import NEVER, Case, assert_same_bits, profiles, rewritten
from tests.codegen.test_window_kernels import numbers


def with_small_cache(name: str) -> TargetProfile:
    """A profile whose second-level cache holds few rows."""
    cache = SharedCache(bytes=4096, cores=1)
    return dataclasses.replace(load_profile(name), l2=cache)


def products(rows: int, length: int, ty: str = "f32") -> Case:
    """A matrix times a vector, row by row."""
    source = f"""
fn main(a: [{ty}; {rows * length}], x: [{ty}; {length}]) -> [{ty}; {rows}] {{
    {length} -> iota -> ks;
    {rows} -> iota -> map {{ row ->
        ks -> map {{ k -> a[row * {length} + k] * x[k] }} -> reduce {{ p, q -> p + q }}
    }} -> ret;
}}
"""
    return Case(
        source=source, inputs={"a": numbers(rows * length, ty), "x": numbers(length, ty, 2)}
    )


def spans(rows: int, length: int) -> Case:
    """The distance from the least to the greatest, and whose it is: a pair each."""
    source = f"""
fn main(a: [[f64; {length}]; {rows}]) -> [(f64, f64); {rows}] {{
    a -> enumerate -> map {{ row ->
        row.1 -> map {{ v -> (v, v) }} -> reduce {{ p, q ->
            (p.0, q.0) -> min -> least;
            (p.1, q.1) -> max -> most;
            (least, most)
        }} -> both;
        row.0 -> to_f64 -> number;
        (both.1 - both.0, number)
    }} -> ret;
}}
"""
    values = numbers(rows * length, "f64").reshape(rows, length)
    return Case(source=source, inputs={"a": values})


def test_rows_in_turns_have_the_bits_of_plain_loops() -> None:
    cases = [products(rows, 700) for rows in (2, 7)]
    cases += [products(9, 4100), products(7, 513, "f64"), spans(7, 300)]
    assert_same_bits(cases, with_small_cache(profiles()[-1]))


def reasons(case: Case, profile: TargetProfile) -> list[str]:
    plan = emit(rewritten(case.source), profile, name="p", cuts_from=NEVER).plan
    return [site["reason"] for site in plan["sites"] if site["kind"] == "reduce"]


def test_as_many_rows_as_there_are_registers() -> None:
    zen4 = with_small_cache("zen4")
    assert reasons(products(9, 700), zen4)[0].endswith("64 lanes in registers; 4 in turns")
    assert reasons(products(9, 700, "f64"), zen4)[0].endswith("; 2 in turns")
    assert "in turns" not in reasons(spans(9, 700), zen4)[0]
    assert "in turns" not in reasons(products(9, 700), with_small_cache("x86-64-v3"))[0]


def test_rows_that_caches_hold_or_that_are_short_are_reduced_one_by_one() -> None:
    assert "in turns" not in reasons(products(9, 700), load_profile("zen4"))[0]
    assert "in turns" not in reasons(products(90, 500), with_small_cache("zen4"))[0]


def test_rows_that_are_gone_over_again_are_reduced_one_by_one() -> None:
    case = Case(
        source="""
fn main(a: [[f32; 700]; 9]) -> [f32; 9] {
    a -> map { row ->
        row -> reduce { p, q -> (p, q) -> max } -> top;
        row -> map { v -> v - top } -> reduce { p, q -> p + q }
    } -> ret;
}
""",
        inputs={"a": numbers(6300, "f32").reshape(9, 700)},
    )
    assert not any("in turns" in reason for reason in reasons(case, with_small_cache("zen4")))
