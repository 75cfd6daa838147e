"""Maps that their readers compute: the same results as if they had been stored."""

from __future__ import annotations

import pytest

from mapal.codegen import emit
from mapal.target import load_profile
from tests.codegen.kernel_runs import NEVER, Array, Case, assert_same_bits, rewritten
from tests.codegen.test_window_kernels import numbers

PROGRAMS: dict[str, str] = {
    "a product of two arrays": """
fn main(x: [f32; 5000], y: [f32; 5000]) -> f32 {
    (x, y) -> zip -> map { p -> p.0 * p.1 } -> reduce { a, b -> a + b } -> ret;
}
""",
    "the place of the greatest": """
fn main(x: [f32; 5000], y: [f32; 5000]) -> (f32, i32) {
    x -> enumerate -> map { p -> (p.1 * y[p.0], p.0) } -> reduce { a, b ->
        (b.0 > a.0) -> { -true-> b; -false-> a; }
    } -> ret;
}
""",
    "two readers": """
fn main(x: [f32; 5000], y: [f32; 5000]) -> (f32, [f32; 5000]) {
    x -> reduce { a, b -> (a, b) -> max } -> top;
    x -> map { v -> v - top } -> low;
    low -> reduce { a, b -> a + b } -> ret.0;
    (low, y) -> zip -> map { p -> p.0 * p.1 } -> ret.1;
}
""",
    "an update of what is mapped, before the reader": """
fn main(x: [f32; 5000], y: [f32; 5000]) -> (f32, f32) {
    x -> map { v -> v * 2.0 } -> first: [f32; 5000];
    mut work: [f32; 5000] <- first;
    work -> map { v -> v + 1.0 } -> deferred;
    work[17] <- y[3];
    deferred -> reduce { a, b -> a + b } -> ret.0;
    work -> reduce { a, b -> a - b } -> ret.1;
}
""",
    "rows": """
fn main(x: [[f32; 50]; 100], y: [f32; 50]) -> [f32; 100] {
    x -> map { row ->
        (row, y) -> zip -> map { p -> p.0 * p.1 } -> reduce { a, b -> a + b }
    } -> ret;
}
""",
}


def inputs_of(source: str) -> dict[str, Array]:
    if "[[f32; 50]; 100]" in source:
        return {"x": numbers(5000, "f32").reshape(100, 50), "y": numbers(50, "f32", 2)}
    return {"x": numbers(5000, "f32"), "y": numbers(5000, "f32", 2)}


def test_results_are_those_of_stored_maps() -> None:
    cases = [Case(source=source, inputs=inputs_of(source)) for source in PROGRAMS.values()]
    assert_same_bits(cases, "native")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_plan_says_so(name: str) -> None:
    plan = emit(rewritten(PROGRAMS[name]), load_profile("generic"), name="p").plan
    maps = [site for site in plan["sites"] if site["kind"] == "map"]
    assert "its readers compute the elements" in {site["reason"] for site in maps}


@pytest.mark.parametrize(
    ("what", "source"),
    [
        (
            "the body can trap",
            "fn main(x: [i32; 90]) -> i32 "
            "{ x -> map { v -> 100 / v } -> reduce { a, b -> a + b } -> ret; }",
        ),
        (
            "somebody reads an element",
            "fn main(x: [i32; 90]) -> (i32, i32) { x -> map { v -> v + 1 } -> y; "
            "y -> reduce { a, b -> a + b } -> ret.0; y[5] -> ret.1; }",
        ),
        (
            "the readers would compute much twice",
            "fn main(x: [f32; 90]) -> (f32, f32) "
            "{ x -> map { v -> (v * v + 1.0) * (v - 2.0) * v + v } -> y; "
            "y -> reduce { a, b -> a + b } -> ret.0; y -> reduce { a, b -> a * b } -> ret.1; }",
        ),
        (
            "it is a result",
            "fn main(x: [f32; 90]) -> (f32, [f32; 90]) { x -> map { v -> v + 1.0 } -> y; "
            "y -> reduce { a, b -> a + b } -> ret.0; y -> ret.1; }",
        ),
    ],
)
def test_maps_are_stored_where(what: str, source: str) -> None:
    emission = emit(rewritten(source), load_profile("generic"), name="p", cuts_from=NEVER)
    maps = [site["shape"] for site in emission.plan["sites"] if site["kind"] == "map"]
    assert maps == ["loop"], what


def test_plain_emission_stores_every_map() -> None:
    graph = rewritten(PROGRAMS["a product of two arrays"])
    plan = emit(graph, load_profile("generic"), name="p", has_kernels=False).plan
    assert [s["shape"] for s in plan["sites"] if s["kind"] == "map"] == ["loop"]
