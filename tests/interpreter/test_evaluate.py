"""Runs as a whole: outcomes, budget, clock, inputs, large and deep programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from mapal.diagnostics import CompilerBug
from mapal.interpreter import Outcome, run
from mapal.ir.builder import GraphBuilder
from mapal.ir.function_builder import FunctionBuilder, Ret
from mapal.ir.graph import FunctionKind, Graph, Key
from mapal.ir.ops import BinaryCode, ObjectId
from mapal.ir.types import BOOL, I32, Tuple, Type
from tests.interpreter.programs import AMPLE, graph_of, result_of, run_text

COUNTING = """
fn main(n: i32) -> i32 {
    mut i: i32 <- 0;
    loop { (i < n) -> { -true-> { i + 1 -> i; -> loop; } -false-> i * 2 -> r; } }
    r -> ret;
}
"""


def at(token: int) -> Key:
    return ((token, token),)


def function(input_ty: Type, output_ty: Type) -> tuple[GraphBuilder, FunctionBuilder]:
    builder = GraphBuilder()
    main = builder.declare(FunctionKind.NAMED, "main", input_ty, output_ty, at(0), ("x",))
    return builder, builder.build(main)


def sealed(builder: GraphBuilder, body: FunctionBuilder) -> Graph:
    body.finish()
    return builder.seal(builder.functions[0].id)


# Outcomes -----------------------------------------------------------------------------------


def test_an_outcome_that_is_done() -> None:
    found = run_text('fn main() { 4 -> print; " and " -> print; 0.5 -> println; }')
    assert found == Outcome("done", b"4 and 0.5\n")


def test_a_trap_names_its_operation() -> None:
    text = "fn f(d: i32) -> i32 { 7 / d -> ret; } fn main(d: i32) -> i32 { d -> f -> ret; }"
    found = run_text(text, {"d": 0})
    assert found.trap is not None
    assert found.trap.kind == "div_zero"
    assert found.trap.token == found.trap.key[-1][0] == 11


def test_text_is_utf_8() -> None:
    assert run_text('fn main() { "größer\\t\\"→" -> println; }').output == 'größer\t"→\n'.encode()


def test_every_printable_type() -> None:
    text = """
    fn main(a: i32, b: i64, c: u8, d: f32, e: f64, f: bool) {
        a -> println; b -> println; c -> println; d -> println; e -> println; f -> println;
    }
    """
    values = {"a": -1, "b": 2**40, "c": 255, "d": 0.10000000149011612, "e": -0.0, "f": True}
    assert run_text(text, values).output == b"-1\n1099511627776\n255\n0.1\n-0\ntrue\n"


def test_result_of_an_effectful_entry() -> None:
    text = 'fn main(a: i32, b: i32) -> i32 { "sum" -> println; a + b -> ret; }'
    assert run_text(text, {"a": 2, "b": 3}) == Outcome("done", b"sum\n", 5)


def test_inputs_must_be_those_of_the_entry() -> None:
    graph = graph_of(COUNTING)
    for inputs in ({}, {"m": 1}, {"n": 1, "m": 1}):
        with pytest.raises(CompilerBug, match="disagree"):
            run(graph, inputs, budget=AMPLE)


def test_a_run_leaves_graph_and_inputs_as_they_were() -> None:
    text = "fn main(a: [i32; 2]) -> [i32; 2] { mut v: [i32; 2] <- a; v[0] <- 9; v -> ret; }"
    graph, given = graph_of(text), [1, 2]
    first = run(graph, {"a": given}, budget=AMPLE)
    assert run(graph, {"a": given}, budget=AMPLE) == first
    assert given == [1, 2]


# Budget and clock ---------------------------------------------------------------------------


def test_budget_boundary() -> None:
    graph = graph_of(COUNTING)

    def kind(budget: int) -> str:
        return run(graph, {"n": 5}, budget=budget).kind

    least = next(budget for budget in range(1000) if kind(budget) == "done")
    assert least > 5
    assert {kind(budget) for budget in range(least)} == {"diverged"}
    assert {kind(budget) for budget in range(least, least + 50)} == {"done"}


@pytest.mark.parametrize(
    "text",
    [
        "fn main(c: bool) -> i32 { c -> { -true-> 1 + 2; -false-> 0; } -> ret; }",
        "fn main(c: bool) -> i32 { c -> { -true-> 0; -false-> 1 + 2; } -> ret; }",
        "fn main(n: i32) -> i32 { n -> { -1-> 5; -2-> n + n; -_-> 0; } -> ret; }",
        "fn main(n: i32) -> [i32; 3] { [n, n, n] -> map { x -> x + 1 } -> ret; }",
        "fn main(n: i32) -> i32 { (0, [n, n]) -> fold { s, x -> s + x } -> ret; }",
        "fn main(n: i32) -> i32 { [n, n, n] -> reduce { a, b -> a + b } -> ret; }",
        "fn f(n: i32) -> i32 { n + 1 -> ret; } fn main(n: i32) -> i32 { n -> f -> ret; }",
        "fn f(a: i32, b: i32) -> i32 { a + b -> ret; } "
        "fn main(n: i32) -> i32 { (n, n) -> f -> ret; }",
    ],
)
def test_every_construct_stops_when_the_budget_is_spent(text: str) -> None:
    graph = graph_of(text)
    name = graph.functions[graph.entry].parameters[0]
    for value in (True, False) if name == "c" else (2,):
        kinds = [run(graph, {name: value}, budget=budget).kind for budget in range(100)]
        spent = kinds.count("diverged")
        assert kinds == ["diverged"] * spent + ["done"] * (100 - spent)
        assert 1 <= spent < 90


def test_an_endless_loop_diverges_and_keeps_what_was_printed() -> None:
    text = """
    fn main() {
        "start" -> println;
        mut i: i32 <- 0;
        loop { (i < 9) -> { -true-> { i * 1 -> i; -> loop; } -false-> i -> r; } }
        r -> println;
    }
    """
    found = run_text(text, budget=10_000)
    assert found == Outcome("diverged", b"start\n")


def test_an_endless_loop_without_operations_diverges() -> None:
    builder, body = function(BOOL, BOOL)
    loop = body.begin_loop(body.input, at(1))
    body.loop_back(loop, loop.merge, loop.merge)
    body.loop_exit(loop, loop.merge, loop.merge, Ret())
    body.end_loop(loop)
    graph = sealed(builder, body)
    assert run(graph, {"x": True}, budget=1000).kind == "diverged"
    assert run(graph, {"x": False}, budget=1000).result is False


def test_a_map_over_more_elements_than_the_budget_diverges_at_once() -> None:
    text = "fn main() -> i32 { 2147483647 -> iota -> map { x -> x } -> v; v[0] -> ret; }"
    assert run_text(text, budget=10**6).kind == "diverged"


def test_clock() -> None:
    def ticks() -> Iterator[float]:
        yield from (10.0, 12.5)

    text = "fn main() { () -> time -> a; () -> time -> b; b - a -> println; }"
    clock = ticks()
    assert run_text(text, clock=lambda: next(clock)).output == b"2.5\n"
    assert run_text(text).output >= b"0"


def test_an_unread_clock_is_read() -> None:
    calls: list[int] = []

    def clock() -> float:
        calls.append(1)
        return 0.0

    run_text("fn main() { () -> time -> a; 1 -> println; }", clock=clock)
    assert calls == [1]


# Arithmetic modes ---------------------------------------------------------------------------


def test_fused_rounds_once() -> None:
    text = "fn main(x: f64) -> f64 { x * x - 1.0 -> ret; }"
    x = 1.0 + 2.0**-52
    assert run_text(text, {"x": x}).result == 2.0**-51
    assert run_text(text, {"x": x}, arithmetic="fused").result == 2.0**-51 + 2.0**-104


def test_every_number_operation_reaches_its_function() -> None:
    text = """
    fn main(a: i32, b: i64, x: f32, y: f64) -> (i32, i64, u8, f32, f64, bool) {
        a -> abs -> p;
        (-b, b) -> min -> q;
        a -> to_u8 -> + 250 -> r;
        x -> sqrt -> s;
        y -> floor -> t;
        !(a == p) || y > 1.0 -> u;
        (p % 7, q, r, s, t, u) -> ret;
    }
    """
    found = result_of(text, a=-20, b=3, x=2.0, y=-1.5)
    assert found == (20 % 7, -3, (236 + 250) % 256, 1.4142135381698608, -2.0, True)


# Size and depth -----------------------------------------------------------------------------


def test_a_long_chain_of_operations() -> None:
    builder, body = function(I32, I32)
    one = body.constant(1, I32, at(1))
    value = body.input
    for place in range(30_000):
        value = body.binary(BinaryCode.ADD, value, one, at(2 + place))
    body.output(value, at(200_000))
    assert run(sealed(builder, body), {"x": 5}, budget=AMPLE).result == 30_005


def test_a_long_chain_of_packs_and_projections() -> None:
    builder, body = function(I32, I32)
    value = body.input
    for place in range(10_000):
        pair = body.pack((value, body.input), at(1 + place))
        value = body.proj(pair, 0, at(1 + place))
    body.output(value, at(200_000))
    assert run(sealed(builder, body), {"x": 5}, budget=AMPLE).result == 5


def test_a_match_of_thousands_of_numbers() -> None:
    arms = " ".join(f"-{n}-> {n * 3 % 1000};" for n in range(2000))
    graph = graph_of(f"fn main(n: i32) -> i32 {{ n -> {{ {arms} -_-> 7; }} -> ret; }}")
    for n, expected in ((0, 0), (1, 3), (1999, 1999 * 3 % 1000), (2000, 7), (-1, 7)):
        assert run(graph, {"n": n}, budget=AMPLE).result == expected


def test_a_match_whose_tests_stand_in_its_remainders() -> None:
    """The second division stands between the two tests: it runs when the first one fails."""
    builder, body = function(I32, I32)
    zero, one = body.constant(0, I32, at(1)), body.constant(1, I32, at(2))
    outer = body.begin_guard(body.binary(BinaryCode.EQ, body.input, zero, at(3)), at(4), rest=True)
    with body.in_region(outer.arm_true):
        first = body.binary(BinaryCode.SUB, body.input, one, at(5))
    with body.in_region(outer.arm_false):
        quotient = body.binary(BinaryCode.DIV, one, body.input, at(6))
        inner = body.begin_guard(body.binary(BinaryCode.EQ, quotient, one, at(7)), at(8))
        with body.in_region(inner.arm_false):
            last = body.binary(BinaryCode.ADD, body.input, body.input, at(9))
        rest = body.phi(inner, quotient, last)
    body.output(body.phi(outer, first, rest), at(10))
    graph = sealed(builder, body)
    results = [run(graph, {"x": x}, budget=AMPLE).result for x in (0, 1, 7)]
    assert results == [-1, 1, 14]


def nested_guards(body: FunctionBuilder, cond: ObjectId, levels: int) -> ObjectId:
    """A guard whose true arm holds a guard, and so on; the innermost value is the input."""
    opened = []
    for level in range(levels):
        guard = body.begin_guard(cond, at(10 + level))
        region = body.in_region(guard.arm_true)
        region.__enter__()
        opened.append((guard, region))
    value = body.binary(BinaryCode.ADD, body.input, body.input, at(5))
    other = body.constant(-1, I32, at(6))
    for guard, region in reversed(opened):
        region.__exit__(None, None, None)
        value = body.phi(guard, value, other)
    return value


def test_deep_nesting_needs_no_recursion_limit_of_the_caller() -> None:
    builder, body = function(I32, I32)
    zero = body.constant(0, I32, at(1))
    cond = body.binary(BinaryCode.GT, body.input, zero, at(2))
    body.output(nested_guards(body, cond, 3000), at(9000))
    graph = sealed(builder, body)
    before = sys.getrecursionlimit()
    assert run(graph, {"x": 4}, budget=AMPLE).result == 8
    assert run(graph, {"x": -4}, budget=AMPLE).result == -1
    assert sys.getrecursionlimit() == before


def test_a_deep_chain_of_calls() -> None:
    calls = "\n".join(f"fn g{n}(x: i32) -> i32 {{ x -> g{n - 1} -> + 1 }}" for n in range(1, 600))
    text = f"fn g0(x: i32) -> i32 {{ x * 2 }} {calls} fn main(x: i32) -> i32 {{ x -> g599 }}"
    assert result_of(text, x=4) == 8 + 599


# Places: graphs that lowering seldom makes ----------------------------------------------------


def test_a_state_read_whole_and_by_component() -> None:
    text = """
    fn total(a: i32, b: i32) -> i32 { a * 10 + b -> ret; }
    fn main(n: i32) -> (i32, i32, i32) {
        mut p: (i32, i32) <- (0, 1);
        mut i: i32 <- 0;
        mut seen: i32 <- 0;
        loop {
            (i < n) -> {
                -true-> {
                    p -> total -> seen;
                    (p.1, p.0 + p.1) -> p;
                    i + 1 -> i;
                    -> loop;
                }
                -false-> (p.0, p.1, seen) -> r;
            }
        }
        r -> ret;
    }
    """
    assert result_of(text, n=0) == (0, 1, 0)
    assert result_of(text, n=5) == (5, 8, 35)


def test_a_guard_of_pairs() -> None:
    text = """
    fn pair(n: i32) -> (i32, i32) { (n, n * n) -> ret; }
    fn main(n: i32) -> (i32, i32) {
        n -> { -0-> (10, 20); -1-> n + 4 -> pair; -_-> (n, 7); } -> p;
        (p.1, p.0) -> ret;
    }
    """
    assert result_of(text, n=0) == (20, 10)
    assert result_of(text, n=1) == (25, 5)
    assert result_of(text, n=2) == (7, 2)


def test_a_call_of_a_call_and_of_a_pair() -> None:
    text = """
    fn swap(a: i32, b: i32) -> (i32, i32) { (b, a) -> ret; }
    fn same(p: (i32, i32)) -> (i32, i32) { p -> ret; }
    fn first(p: (i32, i32)) -> i32 { p.0 -> ret; }
    fn main(a: i32, b: i32) -> (i32, i32, i32) {
        (a, b) -> swap -> swap -> swap -> s;
        (a, b) -> same -> t;
        (a, b) -> swap -> first -> u;
        (s.0 * 10 + s.1, t.0 * 10 + t.1, u) -> ret;
    }
    """
    assert result_of(text, a=1, b=2) == (21, 12, 2)


def test_slots_of_the_result() -> None:
    text = """
    fn main(a: i32) -> [i32; 3] { a -> ret.1; a + 1 -> ret.0; a * 2 -> ret.2; }
    """
    assert result_of(text, a=5) == [6, 5, 10]
    assert result_of("fn main() -> [i32; 1] { 4 -> ret.0; }") == [4]


def test_a_struct() -> None:
    text = """
    type Only { value: i32 }
    type Point { x: i32, y: i32 }
    fn shift(p: Point, d: Only) -> Point { Point { y: p.y + d.value, x: p.x - d.value } -> ret; }
    fn main(a: i32) -> (i32, i32) {
        (Point { x: a, y: 1 }, Only { value: 3 }) -> shift -> p;
        (p.x, p.y) -> ret;
    }
    """
    assert result_of(text, a=5) == (2, 4)


def test_a_struct_of_one_field_is_a_tuple_of_one() -> None:
    text = """
    type Only { value: i32 }
    fn main(a: i32) -> [Only; 2] { [Only { value: a }, Only { value: 2 }] -> ret; }
    """
    assert result_of(text, a=1) == [(1,), (2,)]


def test_types_that_expand_exponentially_cost_nothing() -> None:
    ty: Type = I32
    for _ in range(40):
        ty = Tuple((ty, ty))
    builder, body = function(I32, I32)
    value = body.input
    for place in range(40):
        value = body.pack((value, value), at(place))
    for _ in range(40):
        value = body.proj(value, 1, at(50))
    body.output(value, at(60))
    assert run(sealed(builder, body), {"x": 5}, budget=AMPLE).result == 5
