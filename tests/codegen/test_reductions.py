"""Reductions natively: the tree of the language, at every length around its blocks and lanes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mapal.codegen import emit
from mapal.ir.reduction import reduce_sequence
from mapal.target import TargetProfile, load_profile
from mapal.target.profile import SharedCache
from tests.codegen.kernel_runs import NEVER, Case, assert_same_bits, profiles, rewritten
from tests.codegen.test_window_kernels import DTYPES, numbers

LENGTHS = (1, 2, 63, 64, 65, 100, 4095, 4097, 4160, 12305)

BODIES: dict[str, Callable[[Any, Any], Any]] = {
    "a + b": lambda a, b: a + b,
    "a * b": lambda a, b: a * b,
    "a - b * 3": lambda a, b: a - b * type(b)(3),
    "(a, b) -> max": max,
    "(a, b) -> min": min,
    "(b > a) -> { -true-> b; -false-> a; }": lambda a, b: b if b > a else a,
}


def reduction(length: int, ty: str, body: str) -> Case:
    values = numbers(length, ty)
    scalar = np.dtype(DTYPES[ty]).type
    literal = body.replace("3", "3.0") if ty in ("f32", "f64") else body
    source = (
        f"fn main(x: [{ty}; {length}]) -> {ty} {{ x -> reduce {{ a, b -> {literal} }} -> ret; }}"
    )
    with np.errstate(over="ignore"):
        result = reduce_sequence(list(values), BODIES[body])
    return Case(
        source=source,
        inputs={"x": values},
        shape="tree",
        results=(np.array([result], dtype=scalar),),
    )


@pytest.mark.parametrize("profile", profiles())
def test_reductions_follow_the_tree(profile: str) -> None:
    cases = [reduction(length, "f32", "a + b") for length in LENGTHS]
    cases += [reduction(5000, ty, "a - b * 3") for ty in ("f64", "u8")]
    assert_same_bits(cases, profile)


def test_reductions_by_other_operations() -> None:
    cases = [reduction(4200, ty, body) for ty in ("f32", "i64") for body in BODIES]
    cases += [reduction(4200, "i32", "a - b * 3"), reduction(4200, "u8", "(a, b) -> max")]
    assert_same_bits(cases, profiles()[-1])


@pytest.mark.parametrize("profile", profiles())
def test_reductions_of_products_and_with_captures(profile: str) -> None:
    values = numbers(4500, "f64")
    pairs = Case(
        source="""
fn main(x: [f64; 4500]) -> (i32, f64) {
    x -> enumerate -> reduce { a, b -> (b.1 > a.1) -> { -true-> b; -false-> a; } } -> ret;
}
""",
        inputs={"x": values},
        shape="tree",
        results=(np.array([np.argmax(values)], np.int32), np.array([values.max()])),
    )
    factor = np.float32(0.75)
    single = numbers(4500, "f32")
    captured = Case(
        source="""
fn main(x: [f32; 4500], factor: f32) -> f32 {
    x -> reduce { a, b -> a * factor + b } -> ret;
}
""",
        inputs={"x": single, "factor": np.array([factor])},
        shape="tree",
        results=(
            np.array([reduce_sequence(list(single), lambda a, b: a * factor + b)], np.float32),
        ),
    )
    rows = Case(
        source="""
fn main(x: [[i32; 3]; 300]) -> [i32; 3] {
    x -> reduce { a, b -> [a[0] + b[1], a[1] - b[0], a[2] * b[2]] } -> ret;
}
""",
        inputs={"x": numbers(900, "i32")},
        shape="tree",
    )
    assert_same_bits([pairs, captured, rows], profile)


SOURCES = {
    "another element by every rule": """
fn main(x: [f32; $twice], at: [i32; $n], y: [f64; $n]) -> (f32, f32, f32, f64) {
    $n -> iota -> map { i -> x[2 * i] - x[$n - 1 - i] } -> reduce { a, b -> a - b * 3.0 } -> ret.0;
    at -> map { k -> x[k] } -> reduce { a, b -> a - b } -> ret.1;
    (at, y) -> zip -> map { p ->
        p.1 -> to_f32 -> factor;
        x[p.0] * factor
    } -> reduce { a, b -> b - a } -> ret.2;
    y -> enumerate -> map { p ->
        p.0 -> to_f64 -> number;
        p.1 * number
    } -> reduce { a, b -> a * 0.5 + b } -> ret.3;
}
""",
    "values of several numbers": """
type Found { value: f32, place: i32, is_any: bool }
fn main(x: [f32; $n], k: [u8; $n]) -> (f32, i32, bool, i32) {
    x -> enumerate -> map { p ->
        Found { value: p.1, place: p.0, is_any: p.1 > 0.5 }
    } -> reduce { a, b ->
        (b.value > a.value) -> { -true-> b; -false-> a; } -> chosen;
        Found { value: chosen.value, place: chosen.place, is_any: a.is_any && b.is_any }
    } -> best;
    best.value -> ret.0;
    best.place -> ret.1;
    best.is_any -> ret.2;
    k -> map { v -> (v, v * 3) } -> reduce { a, b -> (a.0 + b.1, a.1 - b.0) } -> pair;
    pair.0 - pair.1 -> to_i32 -> ret.3;
}
""",
    "truth values, and a result that is no element": """
fn main(x: [bool; $n], other: i64, k: [i64; $n]) -> (bool, bool, i64) {
    x -> reduce { a, b -> a && !b } -> ret.0;
    x -> map { v -> !v } -> reduce { a, b -> a || b } -> ret.1;
    k -> reduce { a, b -> other } -> ret.2;
}
""",
}


def of_sources(name: str, count: int) -> Case:
    source = SOURCES[name].replace("$twice", str(2 * count)).replace("$n", str(count))
    drawn = {
        "x": numbers(2 * count, "f32"),
        "at": np.arange(count, dtype=np.int32) * 7 % count,
        "y": numbers(count, "f64", 3),
        "k": numbers(count, "u8", 4),
        "other": np.array([7], np.int64),
    }
    if "x: [bool" in source:
        drawn |= {"x": numbers(count, "i32") % 3 != 0, "k": numbers(count, "i64", 5)}
    elif "struct" in source:
        drawn["x"] = numbers(count, "f32", 6)
    used = source[source.index("fn main(") : source.index(") ->")]
    return Case(
        source=source,
        inputs={name: values for name, values in drawn.items() if f"{name}: " in used},
        shape="tree",
    )


@pytest.mark.parametrize("profile", profiles())
@pytest.mark.parametrize("name", SOURCES)
def test_reductions_of_what_is_computed_or_gathered(name: str, profile: str) -> None:
    assert_same_bits([of_sources(name, count) for count in (64, 131, 4096 + 77)], profile)


STREAMED = tuple(4096 * blocks + rest for blocks, rest in ((4, 0), (5, 1), (7, 4095), (12, 64)))


def with_small_cache(name: str, size: int) -> TargetProfile:
    """A profile whose last cache holds so many bytes."""
    return dataclasses.replace(load_profile(name), l3=SharedCache(bytes=size, cores=1))


@pytest.mark.parametrize("profile", profiles())
def test_reductions_read_several_streams_beyond_the_caches(profile: str) -> None:
    cases = [reduction(length, "f32", "a - b * 3") for length in STREAMED]
    cases += [reduction(5 * 4096 + 9, ty, "a - b * 3") for ty in ("f64", "u8")]
    values, others = numbers(STREAMED[2], "f32"), numbers(STREAMED[2], "f32", 2)
    products = Case(
        source=f"""
fn main(x: [f32; {len(values)}], y: [f32; {len(values)}]) -> (f32, i32) {{
    {len(values)} -> iota -> map {{ i -> (x[i] * y[i], i) }} -> reduce {{ a, b ->
        (a.0 - b.0, a.1 * 3 + b.1)
    }} -> ret;
}}
""",
        inputs={"x": values, "y": others},
        shape="tree",
    )
    assert_same_bits([*cases, products], with_small_cache(profile, 4096))


def test_streams_are_for_what_outgrows_half_of_the_last_cache() -> None:
    def reasons(length: int, body: str, *, has_kernels: bool = True) -> list[str]:
        reduced = f"x -> reduce {{ a, b -> {body} }} -> ret;"
        graph = rewritten(f"fn main(x: [f32; {length}]) -> f32 {{ {reduced} }}")
        profile = with_small_cache("zen4", 5 * 4096 * 4 * 2)
        sites = emit(graph, profile, name="p", cuts_from=NEVER, has_kernels=has_kernels).plan[
            "sites"
        ]
        return [site["reason"] for site in sites if site["kind"] == "reduce"]

    plain = ["the order is fixed; 64 lanes in registers"]
    streams = [f"{plain[0]}; 4 streams"]
    assert reasons(5 * 4096, "a + b") == plain
    assert reasons(5 * 4096 + 1, "a + b") == streams
    assert reasons(5 * 4096 + 1, "a + b", has_kernels=False) == plain
    heavy = "a" + "".join(f" * {number}.5 - b * b" for number in range(9))
    assert reasons(5 * 4096 + 1, heavy) == plain


@pytest.mark.parametrize(
    ("name", "vector"),
    [("x86-64-v3", "<8 x float>"), ("zen4", "<16 x float>"), ("aarch64-generic", "<4 x float>")],
)
def test_lanes_lie_in_vector_registers(name: str, vector: str) -> None:
    from mapal.native.llvm_worker import compile_module

    profile = load_profile(name)
    case = reduction(4096, "f32", "a + b")
    text = emit(rewritten(case.source), profile, name="p", cuts_from=NEVER).ll
    assert text == emit(rewritten(case.source), profile, name="p", cuts_from=NEVER).ll
    optimized = compile_module(text, profile, 2).optimized_ll
    assert optimized.count(f"phi {vector}") == 64 // int(vector[1:3])
