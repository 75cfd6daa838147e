"""What lanes must not get wrong or choke on: integers that wrap, arrays that all lanes share or
have no form for, laws that readers compute, and bodies that grow without bound in place."""

from __future__ import annotations

import pytest

from mapal.codegen import emit
from mapal.target import load_profile
from tests.codegen.kernel_runs import NEVER, assert_same_bits, profiles, rewritten
from tests.codegen.test_lane_kernels import lane_case

BODIES = {
    "indices that wrap into the array again": """
fn main(x: [i32; $n]) -> [i32; $n] {
    $n -> iota -> map { i ->
        i * 1073741824 -> j;
        (j >= 0 && j < $n) -> { -true-> x[j]; -false-> -7; } -> quarter;
        i * 1073741825 -> k;
        (k >= 0 && k < $n) -> { -true-> x[k]; -false-> -7; } -> close;
        (0, [1, 2]) -> fold { s, b -> s * x[i] + b } -> q;
        quarter + close * 3 + q
    } -> ret;
}
""",
    "known numbers that wrap before they are divided": """
fn main(x: [i32; $n]) -> [i32; $n] {
    $n -> iota -> map { p ->
        p % 16 -> i;
        i * 1000000000 / 7 -> a;
        (i * 1000000000) % 1000 -> b;
        (0, [1, 2]) -> fold { s, c -> s * x[p] + c } -> q;
        a + b * 3 + q
    } -> ret;
}
""",
    "an array of what is the same in all lanes": """
fn main(x: [i32; $n], c: i32) -> [i32; $n] {
    x -> map { v ->
        (c, [3, 5, 7]) -> fold { s, k -> [s, k, c] -> m; m[k % 3] * m[0] } -> t;
        (0, [1, 2]) -> fold { a, b -> a * v + b } -> q;
        t + q
    } -> ret;
}
""",
    "a map of what is the same in all lanes decides a loop": """
fn main(x: [i32; $n], c: i32) -> [i32; $n] {
    x -> map { v ->
        mut k: i32 <- c % 3;
        mut s: i32 <- v;
        loop {
            4 -> iota -> map { j -> j * 2 + k } -> m;
            (m[1] + m[k % 2] < 15) -> {
                -true-> { k + 1 -> k; s * 3 + m[2] -> s; -> loop; }
                -false-> k + s -> out;
            }
        }
        out
    } -> ret;
}
""",
    "arrays of arrays that lanes compute": """
fn main(x: [i32; $n]) -> [i32; $n] {
    $n -> iota -> map { i ->
        [[x[i], 2], [3, i]] -> m;
        (0, m) -> fold { s, row -> s * 7 + row[0] * 3 + row[1] }
    } -> ret;
}
""",
    "laws that readers compute": """
fn main(x: [i32; $n]) -> [i32; $n] {
    x -> map { v -> v * 3 + 1 } -> y;
    $n -> iota -> is;
    (is, y) -> zip -> a;
    a -> map { p -> (0, [3, 4]) -> fold { s, w -> s * p.1 + w * p.0 } -> q; q + p.1 } -> b;
    a -> map { p -> (0, [3, 7]) -> fold { s, w -> s * p.1 + w * p.0 } -> q; q - p.1 } -> c;
    (b, c) -> zip -> map { p -> p.0 + p.1 } -> ret;
}
""",
    "loops in loops of other lengths": """
fn main(x: [i32; $n]) -> [i32; $n] {
    x -> map { v ->
        mut k: i32 <- 0;
        mut total: i32 <- 0;
        loop {
            mut j: i32 <- 0;
            loop {
                (j < 7 && v > j * 20) -> {
                    -true-> { j + 1 -> j; -> loop; }
                    -false-> j -> found;
                }
            }
            (k < 10) -> {
                -true-> { k + found + 1 -> k; total + 1 -> total; -> loop; }
                -false-> total * 100 + k -> out;
            }
        }
        out
    } -> ret;
}
""",
}


@pytest.mark.parametrize("profile", profiles())
def test_hostile_bodies_have_the_bits_of_the_loops(profile: str) -> None:
    assert_same_bits([lane_case(source, n=48) for source in BODIES.values()], profile)


def _calls(levels: int, body: str) -> str:
    """Functions of which each calls the one before as the body says."""
    functions = "".join(
        f"fn g{level}(x: i32) -> i32 {{ {body.replace('CALL', f'g{level - 1}')} }}\n"
        for level in range(1, levels)
    )
    return (
        f"fn g0(x: i32) -> i32 {{ x * 3 + 1 }}\n{functions}"
        "fn main(x: [i32; 64]) -> [i32; 64] { x -> map { v -> "
        f"v -> g{levels - 1} -> w; (0, [1, 2]) -> fold {{ s, k -> s * v + w }} }} -> ret; }}"
    )


def _loops(levels: int) -> str:
    inside = "a * 3 + v -> a;"
    for level in range(levels):
        k = f"k{level}"
        inside = (
            f"mut {k}: i32 <- 0; loop {{ ({k} < 2 && a % 7 != 3) -> {{ "
            f"-true-> {{ {inside} {k} + 1 -> {k}; -> loop; }} -false-> {k} -> end{level}; }} }}"
        )
    return (
        "fn main(x: [i32; 64]) -> [i32; 64] { x -> map { v -> mut a: i32 <- v; "
        f"mut n: i32 <- 0; loop {{ (n < 1) -> {{ -true-> {{ {inside} n + 1 -> n; -> loop; }} "
        "-false-> a -> out; } } out } -> ret; }"
    )


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(_calls(40, "x -> CALL -> a; x + a -> CALL -> ret;"), id="calls that double"),
        pytest.param(_calls(1500, "x -> CALL -> a; x + a -> ret;"), id="a chain of calls"),
        pytest.param(_loops(12), id="loops in loops"),
    ],
)
def test_bodies_without_bound_stay_loops(source: str) -> None:
    graph = rewritten(source)
    code = emit(graph, load_profile("x86-64-v4"), name="p", cuts_from=NEVER)
    plain = emit(graph, load_profile("x86-64-v4"), name="p", cuts_from=NEVER, has_kernels=False)
    assert len(code.ll) < 2 * len(plain.ll)
