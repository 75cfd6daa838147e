"""Arrays and the operations on them: elements, accumulators, captures, and their order."""

from __future__ import annotations

import math
import random

import pytest

from mapal.ir.rounding import round_to_f32
from tests.interpreter.programs import ending, result_of


def test_map_of_scalars_pairs_and_captures() -> None:
    text = """
    fn main(v: [i32; 3], w: [i32; 3], k: i32) -> [i32; 3] {
        (v, w) -> zip -> pairs;
        pairs -> map { p -> p.0 * k + p.1 } -> ret;
    }
    """
    assert result_of(text, v=[1, 2, 3], w=[10, 20, 30], k=100) == [110, 220, 330]


def test_map_may_pass_its_element_on() -> None:
    text = "fn main(v: [(i32, i32); 2]) -> [(i32, i32); 2] { v -> map { p -> p } -> ret; }"
    assert result_of(text, v=[(1, 2), (3, 4)]) == [(1, 2), (3, 4)]


def test_map_reads_element_and_captures_as_a_whole_and_by_component() -> None:
    text = """
    fn sum(a: i32, b: i32) -> i32 { a + b -> ret; }
    fn main(v: [(i32, i32); 2], pair: i32) -> [i32; 2] {
        (pair, pair + 1) -> captured;
        v -> map { p ->
            p -> sum -> s;
            captured -> sum -> t;
            s * 100 + t * 10 + p.0 + captured.1
        } -> ret;
    }
    """
    assert result_of(text, v=[(1, 2), (3, 4)], pair=5) == [300 + 110 + 1 + 6, 700 + 110 + 3 + 6]


def test_nested_components_of_an_element() -> None:
    text = """
    fn main(v: [i32; 2]) -> [i32; 2] {
        (v, v) -> zip -> enumerate -> map { e -> e.0 * 100 + (e.1).0 * 10 + (e.1).1 } -> ret;
    }
    """
    assert result_of(text, v=[3, 4]) == [33, 144]


def test_fold_goes_from_the_left() -> None:
    text = "fn main(v: [i32; 4]) -> i32 { (7, v) -> fold { s, x -> s * 10 + x } -> ret; }"
    assert result_of(text, v=[1, 2, 3, 4]) == 71234


def fold_of_pairs(body: str) -> str:
    return f"""
    fn main(v: [i32; 3], k: i32) -> [i32; 2] {{
        (1, 2) -> start;
        (start, v) -> fold {{ acc, x -> {body} }} -> last;
        [last.0, last.1] -> ret;
    }}
    """


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("(acc.0 + x, acc.1 * x)", [1 + 5 + 6 + 7, 2 * 5 * 6 * 7]),
        ("(acc.1, acc.0)", [2, 1]),
        ("(acc.1, acc.0 + x)", [2 + 6, 1 + 5 + 7]),
        ("(acc.1 + k, acc.0)", [2 + 10 + 10, 1 + 10]),
        ("(acc.0, x)", [1, 7]),
        ("(x, x)", [7, 7]),
        ("acc", [1, 2]),
        ("(x > 5) -> { -true-> acc; -false-> (acc.0, x); }", [1, 5]),
        ("acc -> other; (other.0 + acc.1, x)", [1 + 2 + 5 + 6, 7]),
    ],
)
def test_fold_of_pairs(body: str, expected: list[int]) -> None:
    assert result_of(fold_of_pairs(body), v=[5, 6, 7], k=10) == expected


def test_fold_whose_accumulator_is_read_whole_and_by_component() -> None:
    text = """
    fn grow(a: i32, b: i32) -> (i32, i32) { (a + b, b + 1) -> ret; }
    fn main(v: [i32; 3]) -> [i32; 2] {
        ((0, 1), v) -> fold { acc, x ->
            acc -> grow -> next;
            (next.0 + x * acc.1 - acc.0, next.1)
        } -> last;
        [last.0, last.1] -> ret;
    }
    """
    a, b = 0, 1
    for x in (5, 6, 7):
        a, b = a + b + x * b - a, b + 1
    assert result_of(text, v=[5, 6, 7]) == [a, b]


def test_fold_of_a_product_in_a_product() -> None:
    text = """
    fn main(v: [i32; 3]) -> [i32; 3] {
        (((1, 2), 3), v) -> fold { acc, x ->
            acc.0 -> inner;
            ((inner.1, inner.0 + x), acc.1 * 2)
        } -> last;
        [(last.0).0, (last.0).1, last.1] -> ret;
    }
    """
    a, b, c = 1, 2, 3
    for x in (5, 6, 7):
        a, b, c = b, a + x, c * 2
    assert result_of(text, v=[5, 6, 7]) == [a, b, c]


def test_fold_of_an_array() -> None:
    text = """
    fn main(v: [i32; 4]) -> [i32; 3] {
        ([0, 0, 0], v) -> fold { last, x -> [last[1], last[2], x] } -> ret;
    }
    """
    assert result_of(text, v=[1, 2, 3, 4]) == [2, 3, 4]


def test_fold_from_a_pair_that_exists_already() -> None:
    text = """
    fn start(v: [i32; 2]) -> (i32, [i32; 2]) { (v[0], v) -> ret; }
    fn main(v: [i32; 2]) -> i32 { v -> start -> fold { s, x -> s * 10 + x } -> ret; }
    """
    assert result_of(text, v=[1, 2]) == 112


def test_dead_work_of_a_body_runs() -> None:
    text = "fn main(v: [i32; 2]) -> i32 { (0, v) -> fold { s, x -> 1 / x -> idle; s } -> ret; }"
    assert result_of(text, v=[1, 2]) == 0
    assert ending(text, v=[1, 0]) == "div_zero"


def test_a_body_keeps_nothing_from_the_element_before() -> None:
    text = """
    fn main(v: [i32; 4]) -> [i32; 4] {
        v -> map { x ->
            (x > 2) -> { -true-> x * 10; -false-> { x + 1 -> t; t * t } }
        } -> ret;
    }
    """
    assert result_of(text, v=[1, 3, 2, 4]) == [4, 30, 9, 40]


def test_loop_in_a_body() -> None:
    text = """
    fn main(v: [i32; 3]) -> [i32; 3] {
        v -> map { x ->
            mut i: i32 <- 0;
            mut s: i32 <- 0;
            loop { (i < x) -> { -true-> { s + i -> s; i + 1 -> i; -> loop; } -false-> s -> r; } }
            r
        } -> ret;
    }
    """
    assert result_of(text, v=[0, 3, 5]) == [0, 3, 10]


# Reduce -------------------------------------------------------------------------------------


def reduced(values: list[float]) -> float:
    """The tree of `reduce` over f32 additions, transcribed on its own."""

    def add(a: float, b: float) -> float:
        return round_to_f32(a + b)

    def block(elements: list[float]) -> float:
        lanes = list(elements[:64])
        for position, element in enumerate(elements[64:]):
            lanes[position % 64] = add(lanes[position % 64], element)
        width = len(lanes)
        while width > 1:
            half = 2 ** math.ceil(math.log2(width) - 1)
            for i in range(width - half):
                lanes[i] = add(lanes[i], lanes[i + half])
            width = half
        return lanes[0]

    level = [block(values[start : start + 4096]) for start in range(0, len(values), 4096)]
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [add(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0]


@pytest.mark.parametrize("count", [1, 2, 37, 64, 100, 4096, 5000, 13000])
def test_reduce_order_on_floats(count: int) -> None:
    random.seed(count)
    values = [round_to_f32(random.uniform(-1.0, 1.0) * 10.0**i) for i in range(-6, 7)] * 1000
    values = values[:count]
    text = f"""
    fn main(v: [f32; {count}]) -> f32 {{ v -> reduce {{ a, b -> a + b }} -> ret; }}
    """
    assert result_of(text, v=values) == reduced(values)


def test_reduce_with_captures() -> None:
    text = """
    fn main(v: [i32; 3], k: i32) -> i32 { v -> reduce { a, b -> a * k + b } -> ret; }
    """
    assert result_of(text, v=[1, 2, 3], k=10) == (1 * 10 + 3) * 10 + 2


def test_reduce_of_products() -> None:
    text = """
    fn main(v: [i32; 4]) -> [i32; 2] {
        v -> map { x -> (x, x) } -> reduce { a, b ->
            (a.0, b.0) -> min -> low;
            (a.1, b.1) -> max -> high;
            (low, high)
        } -> r;
        [r.0, r.1] -> ret;
    }
    """
    assert result_of(text, v=[3, -1, 9, 4]) == [-1, 9]


# Sequences that are not stored --------------------------------------------------------------


def test_an_iota_is_a_range_of_any_length() -> None:
    text = """
    fn main(i: i32) -> [i32; 3] {
        2147483647 -> iota -> v;
        (v, v) -> zip -> pairs;
        pairs -> enumerate -> numbered;
        (0.5, 2147483647) -> fill -> halves;
        halves[i] -> to_i32 -> zero;
        [v[i], (numbered[i].1).1 + zero, numbered[i].0] -> ret;
    }
    """
    assert result_of(text, i=2147483646) == [2147483646] * 3


def test_fill_of_more_elements_than_python_counts() -> None:
    text = """
    fn main(i: i64) -> f64 { 9223372036854775807 -> n: i64; (9.5, n) -> fill -> v; v[i] -> ret; }
    """
    assert result_of(text, i=2**63 - 2) == 9.5
    assert ending(text, i=2**63 - 1) == "index_oob"


def test_results_are_lists() -> None:
    text = """
    fn main() -> ([i32; 3], [f64; 2], [[i32; 2]; 2]) {
        3 -> iota -> a;
        (0.5, 2) -> fill -> b;
        2 -> iota -> map { i -> 2 -> iota } -> c;
        (a, b, c) -> ret;
    }
    """
    assert result_of(text) == ([0, 1, 2], [0.5, 0.5], [[0, 1], [0, 1]])


def test_zip_and_enumerate_as_results() -> None:
    text = "fn main() -> [(i32, i32); 2] { [7, 8] -> enumerate -> ret; }"
    assert result_of(text) == [(0, 7), (1, 8)]


# Updates ------------------------------------------------------------------------------------


def test_update_leaves_copies_alone() -> None:
    text = """
    fn main(a: [i32; 3]) -> ([i32; 3], [i32; 3], [i32; 3]) {
        mut v: [i32; 3] <- a;
        v -> before: [i32; 3];
        v[1] <- 9;
        v -> between: [i32; 3];
        v[2] <- 8;
        (before, between, v) -> ret;
    }
    """
    given = [1, 2, 3]
    assert result_of(text, a=given) == ([1, 2, 3], [1, 9, 3], [1, 9, 8])
    assert given == [1, 2, 3]


@pytest.mark.parametrize("index", [-1, 3, 2**31 - 1, -(2**31)])
def test_update_out_of_range(index: int) -> None:
    text = """
    fn main(a: [i32; 3], i: i32) -> [i32; 3] { mut v: [i32; 3] <- a; v[i] <- 5; v -> ret; }
    """
    assert ending(text, a=[1, 2, 3], i=index) == "index_oob"


def test_update_of_what_is_not_a_list() -> None:
    text = """
    fn main() -> [i32; 4] { mut v: [i32; 4] <- [0, 0, 0, 0]; 4 -> iota -> v; v[2] <- 9; v -> ret; }
    """
    assert result_of(text) == [0, 1, 9, 3]


def test_a_body_may_update_the_array_that_is_mapped() -> None:
    text = """
    fn main(a: [i32; 3]) -> [i32; 3] {
        mut v: [i32; 3] <- a;
        v[0] <- 5;
        v -> map { x ->
            mut w: [i32; 3] <- v;
            w[2] <- 100;
            w[2] + v[2] * 1000 + x
        } -> ret;
    }
    """
    assert result_of(text, a=[1, 2, 3]) == [3105, 3102, 3103]
