"""What code generation leaves out because the engine of index maps proves that it may."""

from __future__ import annotations

import re

import pytest

from mapal.analysis.legality import Question, updates
from mapal.codegen import Emission, emit
from mapal.codegen.llvm import loops, module
from mapal.ir.graph import Graph
from mapal.ir.ops import LoopId, MorphismId
from tests.codegen.native_runs import assert_equal_endings, graph_of, native

V = tuple(range(3, 15))


def emitted(graph: Graph) -> Emission:
    return emit(graph, native(), name="p", compares=True)


# First values of loops --------------------------------------------------------------

LOOP = """
fn main(v: [i32; 12]) -> [i32; 12] {{
    {start}
    mut i: i32 <- 0;
    loop {{ (i < {count}) -> {{ -true-> {{ {body} i + 1 -> i; -> loop; }} -false-> a -> r; }} }}
    r -> ret;
}}"""
LAW = "(7, 12) -> fill -> blank; mut a: [i32; 12] <- blank;"
PARAMETER = "mut a: [i32; 12] <- v;"


def loop(body: str, count: int = 12, start: str = LAW) -> Graph:
    return graph_of(LOOP.format(body=body, count=count, start=start))


def stores_first_value(graph: Graph) -> bool:
    """Whether anything is written before the loop: by a loop that stores a law, or a copy."""
    before, _, _ = emitted(graph).ll.partition("\nloop.")
    return re.search(r"\n  store|@llvm\.memcpy\.\S+\(ptr align", before) is not None


@pytest.mark.parametrize("start", [LAW, PARAMETER])
@pytest.mark.parametrize("body", ["a[11 - i] <- v[i];", "a[i % 3 * 4 + i / 3] <- v[i] * i;"])
def test_what_is_overwritten_has_no_first_value(body: str, start: str) -> None:
    graph = loop(body, start=start)
    assert not stores_first_value(graph)
    assert_equal_endings(graph, {"v": V})


@pytest.mark.parametrize("start", [LAW, PARAMETER])
@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("a[i] <- v[i];", 11),
        ("a[i / 2] <- v[i];", 12),
        ("a[i] <- a[i] + v[i];", 12),
        ("a[v[i] % 12] <- i;", 12),
        ("a[i] <- v[i]; a[3] <- i;", 12),
    ],
)
def test_a_first_value_that_may_be_seen_is_stored(body: str, count: int, start: str) -> None:
    graph = loop(body, count, start)
    assert stores_first_value(graph)
    assert_equal_endings(graph, {"v": V})


def test_of_two_arrays_only_the_overwritten_one_has_no_first_value() -> None:
    graph = graph_of("""
        fn main(v: [i32; 12]) -> ([i32; 12], [i32; 12]) {
            (7, 12) -> fill -> blank;
            mut a: [i32; 12] <- blank; mut b: [i32; 12] <- blank; mut i: i32 <- 0;
            loop { (i < 12) -> {
                -true-> { a[i / 2] <- v[i]; b[11 - i] <- v[i]; i + 1 -> i; -> loop; }
                -false-> (a, b) -> r; } }
            r -> ret;
        }""")
    before, _, _ = emitted(graph).ll.partition("\nloop.")
    assert before.count("\n  store") == 1
    assert_equal_endings(graph, {"v": V})


def test_a_wrong_proof_about_a_first_value_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(graph: Graph, loop: LoopId) -> frozenset[int]:
        return frozenset(range(4))

    monkeypatch.setattr(loops, "overwritten_components", careless)
    with pytest.raises(AssertionError, match="level 0"):
        assert_equal_endings(loop("a[i] <- v[i];", 11), {"v": V})


# Results of maps --------------------------------------------------------------------

MAP = "fn main(v: [i32; 12]) -> [i32; 12] { v -> map { x -> x * 3 } -> ret; }"


def test_a_map_that_fills_its_result_needs_no_zeros() -> None:
    emission = emitted(graph_of(MAP))
    assert "memset" not in emission.ll
    assert [site["kind"] for site in emission.plan["sites"]] == ["map"]


def test_without_the_proof_a_result_is_cleared_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def declining(graph: Graph, question: Question) -> frozenset[MorphismId]:
        return frozenset()

    monkeypatch.setattr(module, "proved_operations", declining)
    graph = graph_of(MAP)
    emission = emitted(graph)
    assert re.search(r"call void @llvm\.memset\S+\(ptr align 4 %\S+, i8 0, i64 48,", emission.ll)
    assert emission.plan["sites"][0]["shape"] == "zeroed"
    assert_equal_endings(graph, {"v": V})


# Updates ----------------------------------------------------------------------------

UPDATES = {
    "another cell": ("mut b: [i32; 12] <- a; b[3] <- 7; a[4] -> x; b[5] <- x; b -> ret;", 2),
    "the cell": ("mut b: [i32; 12] <- a; b[3] <- 7; a[3] -> x; b[5] <- x; b -> ret;", 1),
    "a cell that a later update writes": (
        "mut b: [i32; 12] <- a; b[3] <- 7; b[4] <- 8; a[4] -> x; b[5] <- x; b -> ret;",
        2,
    ),
    "any cell": ("mut b: [i32; 12] <- a; b[3] <- 7; a[k] -> x; b[5] <- x; b -> ret;", 1),
    "all cells": (
        "mut b: [i32; 12] <- a; b[3] <- 7; (a, b) -> zip -> map { p -> p.0 - p.1 } -> ret;",
        0,
    ),
    "the other half": (
        """mut b: [i32; 12] <- a; b[3] <- 7;
           6 -> iota -> map { i -> a[i + 6] } -> c; b[0] <- c[k]; b -> ret;""",
        2,
    ),
    "the same half": (
        """mut b: [i32; 12] <- a; b[3] <- 7;
           6 -> iota -> map { i -> a[i] } -> c; b[0] <- c[k]; b -> ret;""",
        1,
    ),
    "through a pair": (
        "mut b: [i32; 12] <- a; (a, k) -> q; b[3] <- 7; q.0 -> o; o[3] -> x; b[5] <- x; b -> ret;",
        1,
    ),
    "in an arm": (
        """mut b: [i32; 12] <- a; b[3] <- 7;
           (k > 1) -> { -true-> a; -false-> v; } -> c; c[3] -> x; b[5] <- x; b -> ret;""",
        1,
    ),
}
"""Bodies, and how many of their updates are in place."""


@pytest.mark.parametrize("name", UPDATES)
def test_an_update_is_in_place_if_other_cells_are_read_later(name: str) -> None:
    body, count = UPDATES[name]
    source = (
        f"fn main(v: [i32; 12], k: i32) -> [i32; 12] {{ v -> map {{ x -> x + 1 }} -> a; {body} }}"
    )
    graph = graph_of(source)
    sites = [site for site in emitted(graph).plan["sites"] if site["kind"] == "update"]
    assert sum(site["shape"] == "in-place" for site in sites) == count
    for k in (0, 3, 5):
        assert_equal_endings(graph, {"v": V, "k": k})


IN_LOOP = """
fn main(v: [i32; 12]) -> i32 {{
    mut a: [i32; 12] <- v; mut i: i32 <- 0; mut s: i32 <- 0;
    loop {{ (i < 9) -> {{
        -true-> {{ mut b: [i32; 12] <- a; b[i] <- s; {body} i + 1 -> i; -> loop; }}
        -false-> s -> r; }} }}
    r -> ret;
}}"""


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("s + a[i + 1] -> s; b -> a;", 1),
        ("s + a[i] -> s; b -> a;", 0),
        ("mut c: [i32; 12] <- b; c[i + 2] <- 1; s + c[0] -> s; b -> a;", 1),
        ("s + b[i] -> s;", 0),
    ],
)
def test_updates_of_what_a_loop_carries(body: str, count: int) -> None:
    graph = graph_of(IN_LOOP.format(body=body))
    sites = [site for site in emitted(graph).plan["sites"] if site["kind"] == "update"]
    assert sum(site["shape"] == "in-place" for site in sites) == count
    assert_equal_endings(graph, {"v": V})


def test_a_wrong_proof_about_an_update_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "_reads_afterwards", lambda *_: None)
    body, _ = UPDATES["the cell"]
    body = body.replace("<- 7", "<- 70")
    source = f"fn main(v: [i32; 12]) -> [i32; 12] {{ v -> map {{ x -> x + 1 }} -> a; {body} }}"
    with pytest.raises(AssertionError, match="level 0"):
        assert_equal_endings(graph_of(source), {"v": V})
