"""The lockstep interpreter ends every program as the plain one does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import pytest

from mapal.interpreter import Outcome, run
from mapal.ir.graph import Graph
from mapal.lower import lower
from mapal.syntax import parse
from tests.interpreter.programs import AMPLE, graph_of

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = sorted((ROOT / "tests" / "examples").glob("*.mapal"))
PROGRAMS += sorted((ROOT / "projects" / "tour" / "src").glob("*.mapal"))


def comparable(outcome: Outcome) -> tuple[object, ...]:
    """An outcome in a form in which NaN equals NaN and -0 does not equal 0."""
    return outcome.kind, outcome.output, repr(outcome.result), outcome.trap


def both(
    graph: Graph,
    inputs: Mapping[str, object] | None = None,
    *,
    lockstep_from: int = 1,
    budget: int = 100 * AMPLE,
) -> Outcome:
    """The outcome of the plain interpreter, once lockstep had the same."""
    plain, lockstep = (
        run(graph, inputs or {}, budget=budget, clock=lambda: 0.0, lockstep_from=least)
        for least in (None, lockstep_from)
    )
    assert comparable(lockstep) == comparable(plain)
    return plain


def check(text: str, inputs: Mapping[str, object] | None = None) -> Outcome:
    """The outcome of a program in both interpreters and both arithmetic modes."""
    both(graph_of(text, "fused"), inputs)
    return both(graph_of(text), inputs)


def trap_of(text: str, inputs: Mapping[str, object] | None = None) -> tuple[str, int]:
    """Kind of the trap of a program, and the line of its operation."""
    parsed = parse(text)
    outcome = check(text, inputs)
    assert outcome.trap is not None
    start, _ = parsed.locations.spans[outcome.trap.token]
    return outcome.trap.kind, text[:start].count("\n") + 1


SOURCES = [
    source
    for source in PROGRAMS
    if "fn main()" in source.read_text(encoding="utf-8")
    and not source.with_suffix(".diverged").exists()
]


@pytest.mark.parametrize("arithmetic", ["exact", "fused"])
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_programs_at_hand(source: Path, arithmetic: Literal["exact", "fused"]) -> None:
    graph = lower(parse(source.read_text(encoding="utf-8")).program, arithmetic).graph
    assert graph is not None
    both(graph)


def test_there_are_programs() -> None:
    assert len(SOURCES) > 60


# Which element traps --------------------------------------------------------------------------


def test_the_lowest_element_that_traps_is_reported() -> None:
    text = """fn main(d: [i32; 6]) -> [i32; 6] {
        d -> map { x ->
            10 / x
        } -> ret;
    }"""
    assert trap_of(text, {"d": [1, 2, 0, 3, 0, 4]}) == ("div_zero", 3)


def test_a_lower_element_that_traps_later_in_the_body_wins() -> None:
    text = """fn main(d: [i32; 4]) -> [i32; 4] {
        [7, 8] -> table;
        d -> map { x ->
            10 / (x - 3) -> early;
            early +
            table[x]
        } -> ret;
    }"""
    assert trap_of(text, {"d": [0, 2, 3, 1]}) == ("index_oob", 6)
    assert trap_of(text, {"d": [0, 1, 3, 2]}) == ("div_zero", 4)


def test_of_one_element_the_first_operation_wins() -> None:
    text = """fn main(d: [i32; 3]) -> [i32; 3] {
        [7, 8] -> table;
        d -> map { x ->
            10 / (x - 5) -> first;
            table[x] -> second;
            first + second
        } -> ret;
    }"""
    assert trap_of(text, {"d": [0, 5, 9]}) == ("div_zero", 4)
    assert trap_of(text, {"d": [0, 9, 5]}) == ("index_oob", 5)


ENDLESS_FOR_ONE = """fn main(d: [i32; 4]) -> [i32; 4] {
        d -> map { x ->
            mut i: i32 <- x;
            loop {
                (i == 1) -> {
                    -true-> { i -> i; -> loop; }
                    -false-> i -> stopped;
                }
            }
            10 / stopped
        } -> ret;
    }"""


def test_a_lower_element_that_never_ends_makes_the_run_diverge() -> None:
    graph = graph_of(ENDLESS_FOR_ONE)
    assert both(graph, {"d": [5, 1, 0, 2]}, budget=20_000).kind == "diverged"


def test_a_budget_that_lockstep_spends_and_plain_does_not() -> None:
    text = """fn main(d: [i32; 3]) -> [i32; 3] {
        d -> map { x -> (x > 0) -> { -true-> x * 2 + d[0]; -false-> x; } } -> ret;
    }"""
    graph = graph_of(text)
    kinds = [both(graph, {"d": [1, 0, 3]}, budget=budget).kind for budget in range(1, 80)]
    assert kinds[0] == "diverged"
    assert kinds[-1] == "done"


def test_a_lower_element_that_traps_ends_the_run_before_an_endless_one() -> None:
    graph = graph_of(ENDLESS_FOR_ONE)
    assert both(graph, {"d": [5, 0, 1, 2]}, budget=20_000).kind == "trapped"


def test_a_trap_in_a_nested_collection_belongs_to_its_outer_element() -> None:
    text = """fn main(d: [i32; 4]) -> [i32; 4] {
        [6, 5, 4] -> inner;
        d -> map { x ->
            inner -> map { y ->
                60 / (x - y)
            } -> parts;
            (0, parts) -> fold { s, p -> s + p } -> sum;
            sum /
            (x - 7)
        } -> ret;
    }"""
    assert trap_of(text, {"d": [1, 4, 7, 5]}) == ("div_zero", 5)
    assert trap_of(text, {"d": [1, 7, 4, 5]}) == ("div_zero", 8)
    assert check(text, {"d": [1, 2, 3, 8]}).kind == "done"


def test_output_before_a_trap_is_kept() -> None:
    text = """fn main(d: [i32; 3]) {
        "before" -> println;
        d -> map { x -> 1 / x } -> q;
        "after" -> println;
        q[0] -> println;
    }"""
    outcome = check(text, {"d": [1, 0, 1]})
    assert (outcome.kind, outcome.output) == ("trapped", b"before\n")


def test_an_update_out_of_range_traps_for_its_element() -> None:
    text = """fn change(a: [i32; 3], i: i32) -> [i32; 3] {
        mut b: [i32; 3] <- a;
        b[i] <- 9;
        b -> ret;
    }
    fn main(d: [i32; 4]) -> [[i32; 3]; 4] {
        d -> map { x -> ([1, 2, 3], x) -> change } -> ret;
    }"""
    assert trap_of(text, {"d": [0, 2, 3, -1]}) == ("index_oob", 3)
    assert check(text, {"d": [0, 2, 1, 0]}).kind == "done"


def test_a_division_that_only_unselected_elements_could_not_do() -> None:
    text = """fn main(d: [i32; 5]) -> [i32; 5] {
        d -> map { x -> (x != 0) -> { -true-> 100 / x; -false-> -1; } } -> ret;
    }"""
    assert check(text, {"d": [3, 0, -2, 0, 7]}).result == [33, -1, -50, -1, 14]


def test_an_element_that_traps_sees_the_whole_array_that_it_captures() -> None:
    text = """fn main(d: [i32; 4]) -> [i32; 4] {
        d -> map { x ->
            d[3] / x
        } -> ret;
    }"""
    assert trap_of(text, {"d": [4, 2, 0, 8]}) == ("div_zero", 3)
    assert check(text, {"d": [4, 2, 1, 8]}).result == [2, 4, 8, 1]


def test_a_trap_that_is_the_same_for_all_elements() -> None:
    text = """fn main(d: [i32; 3], z: i32) -> [i32; 3] {
        d -> map { x ->
            5 / z -> same;
            x + same
        } -> ret;
    }"""
    assert trap_of(text, {"d": [3, 1, 2], "z": 0}) == ("div_zero", 3)
    assert check(text, {"d": [3, 1, 2], "z": 2}).result == [5, 3, 4]


# Values ---------------------------------------------------------------------------------------


def test_captured_arrays_of_tuples_and_of_arrays() -> None:
    text = """fn main(d: [i32; 4]) -> [f64; 4] {
        [(1, 0.5), (2, 1.5), (3, 2.5)] -> pairs;
        [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] -> rows;
        d -> map { x ->
            pairs[x].1 + rows[x][x % 2] + rows[0][1]
        } -> ret;
    }"""
    assert check(text, {"d": [0, 1, 2, 1]}).result == [3.5, 7.5, 9.5, 7.5]
    assert trap_of(text, {"d": [0, 3, 1, 1]})[0] == "index_oob"


def test_elements_of_products_and_nested_arrays() -> None:
    text = """type Point { x: f32, y: f32 }
    fn main(n: [i32; 3]) -> [[f32; 2]; 3] {
        n -> map { k -> k -> to_f32 -> x; Point { x, y: 1.5 } } -> points;
        points -> map { p -> [p.x * p.y, p.y] } -> ret;
    }"""
    assert check(text, {"n": [1, 2, 3]}).result == [[1.5, 1.5], [3.0, 1.5], [4.5, 1.5]]


def test_zip_enumerate_iota_and_fill_inside_a_body() -> None:
    text = """fn main(d: [i32; 3]) -> [i32; 3] {
        d -> map { x ->
            3 -> iota -> steps;
            (x, 3) -> fill -> copies;
            (steps, copies) -> zip -> map { p -> p.0 * p.1 } -> products;
            products -> enumerate -> numbered;
            (0, numbered) -> fold { s, e -> s + e.0 * e.1 }
        } -> ret;
    }"""
    assert check(text, {"d": [1, 10, -2]}).result == [5, 50, -10]


def test_a_nested_map_that_is_the_same_for_all_elements() -> None:
    text = """fn main(d: [i32; 3]) -> [i32; 3] {
        [1, 2, 3, 4] -> same;
        d -> map { x ->
            same -> map { y -> y * y } -> squares;
            squares[x]
        } -> ret;
    }"""
    assert check(text, {"d": [3, 0, 1]}).result == [16, 1, 4]
    assert trap_of(text, {"d": [3, 4, 1]})[0] == "index_oob"


def test_a_trap_in_a_nested_map_that_is_the_same_for_all_elements() -> None:
    text = """fn main(d: [i32; 3]) -> [i32; 3] {
        [1, 0, 3] -> same;
        d -> map { x ->
            1 / (x - 9) -> before;
            same -> map { y -> 6 / y } -> quotients;
            quotients[0] + x + before
        } -> ret;
    }"""
    assert trap_of(text, {"d": [1, 9, 2]}) == ("div_zero", 5)
    assert trap_of(text, {"d": [9, 1, 2]}) == ("div_zero", 4)


def test_updates_with_an_index_of_their_own_for_each_element() -> None:
    text = """fn change(a: [i32; 4], i: i32, v: i32) -> [i32; 4] {
        mut b: [i32; 4] <- a;
        b[i] <- v;
        b[0] <- b[i] + 1;
        b -> ret;
    }
    fn main(d: [i32; 4]) -> [[i32; 4]; 4] {
        [5, 6, 7, 8] -> base;
        d -> map { i -> (base, i, i * 10) -> change } -> ret;
    }"""
    assert check(text, {"d": [0, 1, 2, 3]}).result == [
        [1, 6, 7, 8],
        [11, 10, 7, 8],
        [21, 6, 20, 8],
        [31, 6, 7, 30],
    ]


def test_loops_in_elements_run_as_long_as_each_needs() -> None:
    text = """fn collatz(n: i64) -> i32 {
        mut x: i64 <- n;
        mut steps: i32 <- 0;
        loop {
            (x > 1) -> {
                -true-> {
                    (x % 2 == 0) -> { -true-> x / 2; -false-> x * 3 + 1; } -> x;
                    steps + 1 -> steps;
                    -> loop;
                }
                -false-> steps -> ret;
            }
        }
    }
    fn main(d: [i64; 5]) -> [i32; 5] { d -> map { n -> n -> collatz } -> ret; }"""
    assert check(text, {"d": [1, 27, 6, 7, 97]}).result == [0, 111, 8, 16, 118]


def test_loops_in_loops_of_elements() -> None:
    text = """fn main(d: [i32; 4]) -> [i32; 4] {
        d -> map { n ->
            mut i: i32 <- 0;
            mut total: i32 <- 0;
            loop {
                (i < n) -> {
                    -true-> {
                        mut j: i32 <- 0;
                        loop {
                            (j <= i) -> {
                                -true-> { total + j -> total; j + 1 -> j; -> loop; }
                                -false-> j -> inner;
                            }
                        }
                        i + 1 -> i;
                        -> loop;
                    }
                    -false-> total * 10 -> sum;
                }
            }
            sum
        } -> ret;
    }"""
    assert check(text, {"d": [0, 1, 4, 2]}).result == [0, 0, 100, 10]


def test_the_exit_arm_runs_for_the_elements_that_leave() -> None:
    text = """fn main(d: [i32; 4]) -> [i32; 4] {
        d -> map { n ->
            mut i: i32 <- 0;
            loop {
                (i < n) -> {
                    -true-> { i + 1 -> i; -> loop; }
                    -false-> 60 / i -> q;
                }
            }
            q
        } -> ret;
    }"""
    assert check(text, {"d": [3, 1, 4, 2]}).result == [20, 60, 15, 30]
    assert trap_of(text, {"d": [3, 1, 0, 2]})[0] == "div_zero"


def test_integer_matches_of_elements() -> None:
    text = """fn main(d: [i32; 6]) -> [i32; 6] {
        d -> map { x ->
            x -> { -0-> 100; -1-> 10 / (x - 1); -2-> x * 7; -3-> 9 / x; -_-> -x; }
        } -> ret;
    }"""
    assert check(text, {"d": [0, 2, 3, 9, -4, 0]}).result == [100, 14, 3, -9, 4, 100]
    assert trap_of(text, {"d": [0, 2, 3, 1, -4, 0]})[0] == "div_zero"


def test_matches_that_all_elements_agree_on() -> None:
    text = """fn main(d: [i32; 2]) -> [i32; 2] {
        d -> map { x -> x -> { -5-> 1; -6-> 2; -_-> 3; } } -> ret;
    }"""
    assert check(text, {"d": [5, 5]}).result == [1, 1]
    assert check(text, {"d": [6, 6]}).result == [2, 2]
    assert check(text, {"d": [7, 8]}).result == [3, 3]


def test_folds_and_reductions_of_elements() -> None:
    text = """fn main(d: [f32; 3]) -> [f32; 3] {
        [0.1, 0.2, 0.3, 0.4, 0.5] -> weights: [f32; 5];
        d -> map { x ->
            weights -> map { w -> w * x } -> terms;
            (x, terms) -> fold { s, t -> s + t } -> left;
            terms -> reduce { a, b -> a + b } -> tree;
            left - tree
        } -> ret;
    }"""
    check(text, {"d": [1.0, 1000000.0, -2.5]})


def test_guards_and_loops_of_elements_that_give_products() -> None:
    text = """fn main(d: [i32; 5]) -> [i32; 5] {
        d -> map { x ->
            (x, [x, 7]) -> self;
            (x > 2) -> { -true-> self; -false-> (100, [x + x, 9]); } -> chosen;
            mut i: i32 <- 0;
            mut pair: (i32, [i32; 2]) <- chosen;
            loop {
                (i < x) -> {
                    -true-> {
                        (pair.0 + i, [pair.1[1], pair.1[0]]) -> pair;
                        i + 1 -> i;
                        -> loop;
                    }
                    -false-> pair -> last;
                }
            }
            last.0 * 1000 + last.1[0] * 10 + last.1[1]
        } -> ret;
    }"""
    assert check(text, {"d": [0, 1, 2, 3, 4]}).result == [100009, 100092, 101049, 6073, 10047]


def test_updates_of_arrays_of_products() -> None:
    text = """fn change(a: [(i32, f64); 3], i: i32) -> [(i32, f64); 3] {
        mut b: [(i32, f64); 3] <- a;
        b[i] <- (i, 0.5);
        b[2] <- (7, 1.5);
        b -> ret;
    }
    fn main(d: [i32; 3]) -> [f64; 3] {
        [(1, 1.0), (2, 2.0), (3, 3.0)] -> base;
        d -> map { x -> (base, x) -> change -> c; c[x].1 + c[0].1 + c[2].1 } -> ret;
    }"""
    assert check(text, {"d": [0, 1, 2]}).result == [2.5, 3.0, 4.0]


def test_updates_that_are_the_same_for_all_elements() -> None:
    text = """fn change(a: [i32; 3], i: i32) -> [i32; 3] {
        mut b: [i32; 3] <- a;
        b[i] <- 50;
        b -> ret;
    }
    fn main(d: [i32; 3], z: i32) -> [i32; 3] {
        [1, 2, 3] -> base;
        d -> map { x -> (base, z) -> change -> c; c[x] + base[1] } -> ret;
    }"""
    assert check(text, {"d": [0, 1, 2], "z": 1}).result == [3, 52, 5]
    assert trap_of(text, {"d": [0, 1, 2], "z": 3})[0] == "index_oob"


def test_an_array_of_products_put_together_in_a_body() -> None:
    text = """fn main(d: [i32; 3]) -> [i32; 3] {
        d -> map { x ->
            [(x, 1), (2, x), (3, 4)] -> pairs;
            [(5, 6), (7, 8)] -> same;
            pairs[x % 3].1 + same[x % 2].0
        } -> ret;
    }"""
    assert check(text, {"d": [0, 1, 2]}).result == [6, 8, 9]


def test_a_nested_map_of_products_longer_than_a_run() -> None:
    text = """fn main() -> [i32; 300] {
        300 -> iota -> map { i ->
            400 -> iota -> map { j -> (i + j, j) } -> pairs;
            pairs[i].0 - pairs[399].1
        } -> ret;
    }"""
    outcome = both(graph_of(text), budget=10**9)
    assert outcome.result == [2 * i - 399 for i in range(300)]


# Reductions of many elements ------------------------------------------------------------------

LENGTHS = (1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 3 * 4096 + 5)


@pytest.mark.parametrize("length", LENGTHS)
def test_float_sums_have_the_tree_of_their_length(length: int) -> None:
    text = f"""fn main() -> f32 {{
        {length} -> iota -> map {{ i -> i * 7919 % 1009 -> to_f32 -> / 97.0 }} -> terms;
        terms -> reduce {{ a, b -> a + b }} -> ret;
    }}"""
    check(text)


@pytest.mark.parametrize("length", [1, 64, 65, 4096, 4097, 2 * 4096 + 64])
def test_reductions_that_do_not_commute_with_captures_and_products(length: int) -> None:
    text = f"""fn main() -> (i32, i32) {{
        3 -> factor;
        {length} -> iota -> enumerate -> reduce {{ a, b ->
            (a.1, b.1 + factor) -> max -> most;
            (a.0 * factor - b.0, most)
        }} -> ret;
    }}"""
    check(text)


def test_reduction_of_a_fill() -> None:
    text = """fn main() -> f64 {
        (0.1, 5000) -> fill -> reduce { a, b -> a + b } -> ret;
    }"""
    check(text)


# Slices ---------------------------------------------------------------------------------------


def test_maps_longer_than_a_run() -> None:
    text = """fn main() -> [i64; 150000] {
        150000 -> iota -> map { i ->
            i -> widen_i64 -> w;
            (i % 3 == 0) -> { -true-> w * w; -false-> w + 1; }
        } -> ret;
    }"""
    graph = graph_of(text)
    assert both(graph, budget=10**9).kind == "done"


def test_a_trap_in_a_later_slice() -> None:
    text = """fn main() -> [i32; 140000] {
        140000 -> iota -> map { i -> 1 / (i - 139000) } -> ret;
    }"""
    assert both(graph_of(text), budget=10**9).kind == "trapped"


def test_bodies_with_large_arrays_work_in_slices() -> None:
    text = """fn main() -> [i32; 700] {
        5000 -> iota -> map { i -> i * 3 } -> table;
        700 -> iota -> map { i ->
            table -> map { t -> t + i } -> shifted;
            shifted[i]
        } -> ret;
    }"""
    outcome = both(graph_of(text), lockstep_from=192, budget=10**9)
    assert outcome.result == [4 * i for i in range(700)]


def test_small_collections_stay_with_the_plain_interpreter() -> None:
    graph = graph_of("fn main() -> [i32; 3] { 3 -> iota -> map { i -> i + 1 } -> ret; }")
    assert both(graph, lockstep_from=4).result == [1, 2, 3]
