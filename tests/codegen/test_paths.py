"""Independent items of a region as paths of one run: the same ending as on the interpreter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mapal.codegen import emit
from mapal.rewrite import rewrite
from mapal.target import load_profile
from tests.codegen.native_runs import compiled, ending_of, graph_of, interpreted
from tests.codegen.programs import PROGRAMS

THREADS = (1, 2, 3, 7)

CHAIN = """
fn chain(start: f64, count: i32) -> f64 {
    mut x: f64 <- start;
    mut i: i32 <- 0;
    loop {
        (i < count) -> {
            -true-> { x * 0.999 + 0.5 -> x; i + 1 -> i; -> loop; }
            -false-> x -> ret;
        }
    }
}
fn pair(start: i32) -> (i32, [i32; 5]) {
    5 -> iota -> map { i -> i * start } -> five;
    (start + 1, five) -> ret;
}
"""

PATHS: dict[str, str] = {
    "folds, and what is made of both": """
fn main(scale: f64) -> (f64, [f64; 50]) {
    50 -> iota -> map { i -> i -> to_f64 -> / 7.0 } -> data;
    (0.0, data) -> fold { a, x -> a + x * scale } -> sum;
    (1.0, data) -> fold { a, x -> a * 0.5 + x } -> other;
    1.0 / sum -> inverse;
    data -> map { x -> x * inverse - other } -> scaled;
    (sum - other, scaled) -> ret;
}
""",
    "calls, and effects between them": """
fn main(scale: f64) {
    (scale, 30) -> chain -> a;
    a -> println;
    (a, 20) -> chain -> b;
    (scale, 40) -> chain -> c;
    "between" -> println;
    b + c -> println;
    3 -> pair -> p;
    4 -> pair -> q;
    p.1[2] + q.1[4] + p.0 -> println;
    p.1 -> mine;
    mine[2] -> println;
}
""",
    "a trap of a later path does not hide what is printed before": """
fn main(scale: f64) {
    [4, 0, 2] -> table: [i32; 3];
    (scale, 30) -> chain -> a;
    1 -> println;
    (0, table) -> fold { total, t -> total + 8 / t } -> broken;
    a -> println;
    9 -> iota -> map { i -> table[i] } -> also;
    broken -> println;
    also[0] -> println;
}
""",
    "the first of several traps": """
fn main(scale: f64) {
    [4, 0, 2] -> table: [i32; 3];
    (scale, 30) -> chain -> a;
    9 -> iota -> map { i -> table[i] } -> first;
    (0, table) -> fold { total, t -> total + 8 / t } -> second;
    table[1] -> zero;
    7 / zero -> third;
    a -> println;
    first[0] + second + third -> println;
}
""",
    "a trap of the spine between paths": """
fn main(scale: f64) {
    [4, 0, 2] -> table: [i32; 3];
    (0, table) -> fold { total, t -> total * 3 + t } -> total;
    1 / table[1] -> broken;
    (0, table) -> fold { total, t -> total + 8 / t } -> late;
    (scale, 30) -> chain -> a;
    a -> println;
    total + broken + late -> println;
}
""",
    "arms with paths of their own": """
fn main(scale: f64) {
    (scale > 2.0) -> {
        -true-> {
            (scale, 10) -> chain -> a;
            (scale, 20) -> chain -> b;
            a - b
        }
        -false-> {
            (scale, 11) -> chain -> a;
            (scale + 1.0, 21) -> chain -> b;
            (0.0, [a, b, a]) -> fold { s, x -> s * 0.5 + x } -> c;
            a * b - c
        }
    } -> found;
    found -> println;
}
""",
    "loops with arrays as their state": """
fn main(scale: f64) {
    40 -> iota -> map { i -> i -> to_f64 } -> start;
    mut cells: [f64; 40] <- start;
    mut step: i32 <- 0;
    loop {
        (step < 3) -> {
            -true-> {
                cells -> old;
                40 -> iota -> map { i -> old[i] * scale + old[(i + 1) % 40] } -> cells;
                (0.0, old) -> fold { s, x -> s - x } -> sum;
                cells[step] <- sum;
                (1.0, cells) -> fold { s, x -> s * 0.5 + x } -> other;
                cells[39] <- other;
                step + 1 -> step;
                -> loop;
            }
            -false-> cells -> done;
        }
    }
    mut more: [f64; 40] <- start;
    mut at: i32 <- 0;
    loop {
        (at < 39) -> {
            -true-> { more[at] <- more[at + 1] + done[at]; at + 1 -> at; -> loop; }
            -false-> more -> last;
        }
    }
    (0.0, start) -> fold { s, x -> s + x } -> println;
    (0.0, done) -> fold { s, x -> s + x } -> println;
    (0.0, last) -> fold { s, x -> s + x } -> println;
}
""",
    "laws, pairs and truth values": """
fn main(scale: f64) {
    20 -> iota -> up;
    (scale, 20) -> fill -> same;
    (up, same) -> zip -> pairs;
    (0.0, pairs) -> fold { s, p -> p.0 -> to_f64 -> wide; s * 0.5 + wide * p.1 } -> a;
    (true, pairs) -> fold { s, p -> s && p.0 < 19 } -> all;
    (false, up) -> fold { s, i -> s || i == 3 } -> any;
    pairs -> enumerate -> numbered;
    (0, numbered) -> fold { s, n -> s * 3 + n.0 } -> b;
    (all) -> { -true-> 1; -false-> 2; } -> one;
    a -> println;
    any -> println;
    b + one -> println;
}
""",
    "an effect that updates what paths still read": """
fn main(scale: f64) {
    400000 -> iota -> map { i -> i -> to_f64 -> * scale } -> a;
    (0.0, a) -> fold { s, x -> s * 0.5 + x } -> first;
    (1.0, a) -> fold { s, x -> s * 0.25 - x } -> second;
    mut b: [f64; 400000] <- a;
    mut i: i32 <- 0;
    loop {
        (i < 9) -> {
            -true-> { b[399999 - i] <- 7.0; i -> println; i + 1 -> i; -> loop; }
            -false-> b -> last;
        }
    }
    50 -> iota -> up;
    (0, up) -> fold { s, j -> s * 3 + j } -> third;
    third -> println;
    last[399995] -> println;
    first - second -> println;
}
""",
    "the clock": """
fn main(scale: f64) {
    () -> time -> t0;
    (scale, 30) -> chain -> a;
    (scale, 20) -> chain -> b;
    () -> time -> t1;
    (a, 30) -> chain -> c;
    (b, 20) -> chain -> d;
    () -> time -> t2;
    t0 <= t1 && t1 <= t2 -> println;
    a + b + c + d -> println;
}
""",
}


def shapes(source: str, cuts_from: int | None = 0) -> list[dict[str, Any]]:
    emission = emit(graph_of(source), load_profile("native"), name="p", cuts_from=cuts_from)
    return [site for site in emission.plan["sites"] if site["shape"] == "paths"]


def check(source: str, inputs: dict[str, object], *, rewritten: bool) -> None:
    graph = graph_of(source)
    if rewritten:
        graph = rewrite(graph).graph
    expected = interpreted(graph, inputs)
    program = compiled(graph, 2, cuts_from=0)
    for threads in THREADS:
        assert ending_of(program, graph, inputs, threads) == expected, f"{threads} threads"


@pytest.mark.parametrize("rewritten", [False, True])
@pytest.mark.parametrize("name", PATHS)
def test_paths_end_as_on_the_interpreter(name: str, rewritten: bool) -> None:
    check(CHAIN + PATHS[name], {"scale": 1.5}, rewritten=rewritten)


@pytest.mark.parametrize("name", PATHS)
def test_they_are_paths(name: str) -> None:
    assert shapes(CHAIN + PATHS[name])


@pytest.mark.parametrize("name", PROGRAMS)
def test_awkward_programs(name: str) -> None:
    check(PROGRAMS[name], {}, rewritten=False)


def test_small_programs_stay_sequential() -> None:
    for name in PATHS.keys() - {"an effect that updates what paths still read"}:
        emission = emit(graph_of(CHAIN + PATHS[name]), load_profile("native"), name="p")
        assert "mapal_run" not in emission.ll, name


def test_two_heavy_chains_are_paths() -> None:
    body = "(1.0, {0}) -> chain -> a; (2.0, {0}) -> chain -> b; a + b -> println;"
    chain = CHAIN.replace("i < count", "i < {0}")
    for count, paths in ((100, []), (1_000_000, [2])):
        source = chain.replace("{0}", str(count)) + f"fn main() {{ {body.format(count)} }}"
        assert [site["elements"] for site in shapes(source, None)] == paths


SPINE: dict[str, str] = {
    "a call that never ends behind a path that traps": """
fn spin(n: i32) -> i32 {
    mut x <- n;
    loop { (x == 0) -> { -true-> x -> ret; -false-> { x * 1 + 0 -> x; -> loop; } } }
}
fn main(a: [i32; 8], b: [i32; 8], x: i32) {
    1000 -> iota -> w;
    (x, w) -> fold { s, i -> s * 3 + 7 / b[i % 8] } -> broken;
    x -> spin -> y;
    (x, w) -> fold { s, i -> s * 5 + i } -> other;
    broken + other + y + a[0] -> println;
}
""",
    "an access that is in range unless a path traps": """
fn main(a: [i32; 8], b: [i32; 8], x: i32) {
    1000 -> iota -> w;
    a[x] -> p;
    (0, w) -> fold { s, e -> s * 3 + e / 7 * p } -> t;
    (1, w) -> fold { s, e -> s * 2 + e } -> u;
    b[x] -> q;
    (2, w) -> fold { s, e -> s * 5 + e } -> v;
    p + t + u + v + q -> println;
}
""",
    "the same as a light item": """
fn main(a: [i32; 8], b: [i32; 8], x: i32) {
    1000 -> iota -> w;
    b[1] -> y;
    (y >= 0 && y < 8) -> { -true-> a[y]; -false-> 3; } -> z;
    a[x] -> p;
    (0, w) -> fold { s, e -> s * 3 + e / 7 * p } -> t;
    (1, w) -> fold { s, e -> s * 2 + e } -> u;
    b[x] -> q;
    (2, w) -> fold { s, e -> s * 5 + e } -> v;
    p + t + u + v + q + z -> println;
}
""",
}
"""Programs whose trap comes on a path, and whose light items must not run before it is known."""


MIX = """
fn mix(a: [i32; 500], k: i32) -> i32 { (k, a) -> fold { s, x -> s * 3 + x } -> ret; }
"""

UPDATES: dict[str, str] = {
    "an update of what a path reads": """
fn main(x: i32) {
    500 -> iota -> map { i -> (i * 37 + 11) % 101 + x } -> v;
    mut c: [i32; 500] <- v;
    c[3] <- 77;
    (c, 4) -> mix -> b;
    c[4] <- 5;
    (v, 5) -> mix -> d;
    b -> println;
    d - c[4] -> println;
}
""",
    "updates in a loop, and of what a path made": """
fn main(x: i32) {
    500 -> iota -> map { i -> (i * 37 + 11) % 101 + x } -> v;
    mut c: [i32; 500] <- v;
    c[x] <- 77;
    (c, 4) -> mix -> b;
    mut i <- 0;
    loop {
        (i < 9) -> {
            -true-> { c[i * 3] <- 9; i + 1 -> i; -> loop; }
            -false-> c -> e;
        }
    }
    e[6] + 1 -> f;
    (v, 5) -> mix -> d;
    v -> map { y -> y * f } -> w;
    (w, d) -> mix -> g;
    mut h: [i32; 500] <- w;
    h[2] <- f;
    (v, 7) -> mix -> j;
    b + d + f + g + j -> println;
    h[2] - w[3] -> println;
}
""",
}
"""Programs whose spine updates arrays while paths read them."""


@pytest.mark.parametrize("rewritten", [False, True])
@pytest.mark.parametrize("name", UPDATES)
def test_the_spine_leaves_alone_what_paths_read(name: str, rewritten: bool) -> None:
    assert check_with_spine(MIX + UPDATES[name], {"x": 2}, rewritten=rewritten) == "done"


@pytest.mark.parametrize("rewritten", [False, True])
@pytest.mark.parametrize("name", SPINE)
def test_the_spine_waits_for_traps_that_it_must_not_pass(name: str, rewritten: bool) -> None:
    inputs = {"a": [1] * 8, "b": [3, 2, 0, 1, 1, 1, 1, 1], "x": 1_000_000_000}
    assert check_with_spine(SPINE[name], inputs, rewritten=rewritten) == "trapped"


def check_with_spine(source: str, inputs: dict[str, object], *, rewritten: bool) -> str:
    """How the program ends, the same at each number of threads."""
    graph = graph_of(source)
    if rewritten:
        graph = rewrite(graph).graph
    expected = interpreted(graph, inputs)
    profile = load_profile("native")
    policy = replace(profile.policy, slice_operations=1, thread_operations=1)
    # Small enough for the folds to be paths, and too large for what stands between them.
    program = compiled(graph, 2, replace(profile, policy=policy), cuts_from=1 << 14)
    for threads in THREADS:
        assert ending_of(program, graph, inputs, threads) == expected, f"{threads} threads"
    return expected.kind
