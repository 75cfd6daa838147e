"""Maps cut into slices for threads: the same ending as on the interpreter at every count."""

from __future__ import annotations

import pytest

from mapal.codegen import emit
from mapal.rewrite import rewrite
from mapal.target import load_profile
from tests.codegen.native_runs import compiled, ending_of, graph_of, interpreted
from tests.codegen.programs import PROGRAMS

THREADS = (1, 2, 3, 7)

SLICED: dict[str, str] = {
    "captures of every kind": """
fn main(gain: f32, flag: bool, bias: i64) {
    (1.5, 2.5) -> point: (f32, f32);
    [3, 1, 2] -> table: [i32; 3];
    37 -> iota -> map { i ->
        table[i % 3] -> t;
        (flag) -> { -true-> point.0; -false-> point.1; } -> p;
        (i + t, gain * p, bias + 1)
    } -> made;
    (0, made) -> fold { total, m -> total * 31 + m.0 } -> println;
    made[5].1 -> println;
    made[36].2 -> println;
}
""",
    "laws that cross": """
fn main() {
    20 -> iota -> up;
    (7, 20) -> fill -> same;
    (up, same) -> zip -> pairs;
    pairs -> enumerate -> numbered;
    33 -> iota -> map { i ->
        numbered[i % 20] -> n;
        n.1 -> pair; n.0 + pair.0 * pair.1 + up[i % 7]
    } -> sums;
    (0, sums) -> fold { a, b -> a * 31 + b } -> println;
}
""",
    "rows of rows": """
fn main() {
    9 -> iota -> map { y -> 11 -> iota -> map { x -> x * y + x } } -> rows;
    rows -> map { row -> (1, row) -> fold { a, b -> a * 7 + b } } -> sums;
    (0, sums) -> fold { a, b -> a * 31 + b } -> println;
}
""",
    "a loop that maps its own state": """
fn main() {
    40 -> iota -> map { i -> i -> to_i64 } -> start;
    mut cells: [i64; 40] <- start;
    mut step: i32 <- 0;
    loop {
        (step < 5) -> {
            -true-> {
                cells -> old;
                40 -> iota -> map { i -> old[i] * 3 + old[(i + 1) % 40] } -> cells;
                step + 1 -> step;
                -> loop;
            }
            -false-> cells -> done;
        }
    }
    (0, done) -> fold { a, b -> a * 31 + b } -> println;
}
""",
    "updates of arrays inside a body": """
fn main() {
    13 -> iota -> map { i ->
        mut own: [i32; 4] <- [1, 2, 3, 4];
        own[i % 4] <- i * 10;
        mut k: i32 <- 0;
        mut total: i32 <- 0;
        loop {
            (k < 4) -> {
                -true-> { total * 3 + own[k] -> total; k + 1 -> k; -> loop; }
                -false-> total -> sum;
            }
        }
        sum
    } -> sums;
    (0, sums) -> fold { a, b -> a * 31 + b } -> println;
}
""",
    "blocks of reductions": """
fn main() {
    0.3 -> weight: f64;
    8192 -> iota -> reduce { a, b -> a - b } -> println;
    4097 -> iota -> reduce { a, b -> a - b } -> println;
    40000 -> iota -> map { i -> i -> to_f64 -> / 7.0 } -> reduce { a, b -> a * weight + b }
        -> println;
    9000 -> iota -> map { i -> i -> to_f32 -> x; (i, x) } -> reduce { a, b ->
        (a.0, b.0) -> max -> m;
        (m, a.1 * 0.5 - b.1)
    } -> pair;
    pair.0 -> println;
    pair.1 -> println;
    12290 -> iota -> map { i -> [i, 1] } -> reduce { a, b -> [b[1] + a[0], a[1] - b[0]] } -> r;
    r[0] -> println;
    r[1] -> println;
    (true, 4100) -> fill -> reduce { a, b -> a && b } -> println;
}
""",
    "folds in blocks": """
fn main(start: i64) {
    [3, 250, 7] -> table: [u8; 3];
    1000 -> iota -> map { i -> i * 7 % 250 -> to_u8 } -> bytes;
    999 -> iota -> most;
    4000 -> iota -> many;
    10 -> iota -> few;
    (start, most) -> fold { total, i -> i -> to_i64 -> wide; total + wide * 3 } -> println;
    (start, most) -> fold { total, i -> i -> to_i64 -> wide; (wide * 2 + 1) * total } -> println;
    (200, bytes) -> fold { least, b -> (least, b) -> min } -> println;
    (3, bytes) -> fold { found, b -> (b + table[1], found) -> max } -> println;
    (0, few) -> fold { found, i -> (found, 3 - i) -> max } -> println;
    (-5, few) -> fold { found, i -> (3 - i, found) -> min } -> println;
    (true, many) -> fold { all, i -> all && i < 3999 } -> println;
    (false, many) -> fold { any, i -> i == 2345 || any } -> println;
    (2147483647, few) -> fold { found, i -> (found, 2147483640 - i) -> min } -> println;
    (-2147483648, few) -> fold { found, i -> (i - 2147483647, found) -> max } -> println;
    (255, few) -> fold { found, i -> 240 + i -> to_u8 -> high; (high, found) -> min } -> println;
    (0, few) -> fold { total, i -> total - i } -> println;
    (0.5, few) -> fold { total, i -> i -> to_f64 -> wide; total + wide } -> println;
}
""",
    "the first element of a fold that traps": """
fn main() {
    [5, 6, 7] -> table: [i32; 3];
    1 -> println;
    64 -> iota -> up;
    (0, up) -> fold { total, i -> total + (100 / (i - 40) + table[i / 20]) } -> println;
}
""",
    "the first element that traps": """
fn main() {
    1 -> println;
    [5, 6, 7] -> table: [i32; 3];
    64 -> iota -> map { i -> 100 / (i - 40) + table[i / 20] } -> made;
    made[0] -> println;
}
""",
    "a trap in a called function, after another map": """
fn risky(i: i32) -> i32 {
    [1, 2] -> small: [i32; 2];
    5 -> iota -> map { k -> small[i % 3] + k } -> five;
    five[0] -> ret;
}
fn main() {
    50 -> iota -> map { i -> i * 2 } -> twice;
    twice[3] -> println;
    50 -> iota -> map { i -> i -> risky } -> made;
    made[0] -> println;
}
""",
}


def check(source: str, inputs: dict[str, object] | None = None) -> None:
    graph = graph_of(source)
    expected = interpreted(graph, inputs)
    program = compiled(graph, 2, cuts_from=0)
    for threads in THREADS:
        assert ending_of(program, graph, inputs, threads) == expected, f"{threads} threads"


@pytest.mark.parametrize("name", SLICED)
def test_slices_end_as_on_the_interpreter(name: str) -> None:
    needs: dict[str, object] | None
    needs = {"gain": 1.25, "flag": True, "bias": 41} if "captures" in name else None
    needs = {"start": -5} if "folds in blocks" in name else needs
    check(SLICED[name], needs)
    emission = emit(graph_of(SLICED[name]), load_profile("native"), name="p", cuts_from=0)
    assert "slices" in {site["shape"] for site in emission.plan["sites"]}
    assert "call void @mapal_run_plan" in emission.ll


def sites_in_slices(source: str, kind: str) -> int:
    profile = load_profile("native")
    emission = emit(graph_of(source), profile, name="p", cuts_from=0, has_kernels=False)
    sites = [site for site in emission.plan["sites"] if site["kind"] == kind]
    return sum("cut into slices" in site["reason"] for site in sites)


def test_only_folds_that_may_be_regrouped_are_cut() -> None:
    assert sites_in_slices(SLICED["folds in blocks"], "fold") == 11


def test_blocks_of_reductions_are_cut() -> None:
    assert sites_in_slices(SLICED["blocks of reductions"], "reduce") == 6


def test_a_unit_that_may_run_forever_does_not_hide_the_trap_of_one_before() -> None:
    source = """
fn main() {
    64 -> iota -> map { i ->
        100 / (i - 40) -> first;
        mut k: i32 <- i;
        loop {
            (k != 50) -> {
                -true-> { k + (k / 64 * 0 + 1) % (51 - k) -> k; -> loop; }
                -false-> k -> end;
            }
        }
        first + end
    } -> made;
    made[0] -> println;
}
"""
    assert sites_in_slices(source, "map") == 0
    assert sites_in_slices(source.replace("100 / (i - 40)", "i"), "map") == 0
    total = source.replace("100 / (i - 40)", "i").replace("(k / 64 * 0 + 1) % (51 - k)", "1")
    assert sites_in_slices(total, "map") == 1


@pytest.mark.parametrize("name", [name for name in PROGRAMS if "map" in PROGRAMS[name]])
def test_awkward_arrays(name: str) -> None:
    check(PROGRAMS[name])


def test_only_large_work_is_cut() -> None:
    source = (
        "fn main() -> f32 {{ {} -> iota -> map {{ i -> i -> to_f32 -> sqrt }} -> r; r[1] -> ret; }}"
    )
    profile = load_profile("native")
    least = profile.policy.parallel_operations
    small, large = (
        emit(graph_of(source.format(count)), profile, name="p") for count in (least // 16, least)
    )
    assert "mapal_run_plan" not in small.ll
    assert "mapal_run_plan" in large.ll
    reasons = [site["reason"] for site in large.plan["sites"] if site["shape"] == "slices"]
    assert len(reasons) == 1
    assert reasons[0].startswith("cut into slices for threads: about ")


def test_rows_that_are_kernels_count_as_vectors() -> None:
    source = """
fn main(a: [[f32; 50]; 50], b: [[f32; 50]; 50]) -> [[f32; 50]; 50] {
    50 -> iota -> ns;
    ns -> map { i -> ns -> map { j ->
        (0.0, ns) -> fold { sum, k -> sum + a[i][k] * b[k][j] }
    } } -> ret;
}
"""
    graph, profile = rewrite(graph_of(source)).graph, load_profile("x86-64-v4")
    assert "mapal_run_plan" not in emit(graph, profile, name="p").ll
    assert "mapal_run_plan" in emit(graph, profile, name="p", cuts_from=1).ll
