"""Counters: their types and steps, how often a loop passes, and what is known to be constant."""

from __future__ import annotations

import pytest

from mapal.analysis import trip_counts
from mapal.ir.ops import BinaryCode, ObjectId
from mapal.ir.types import I32, I64, U8, Type
from mapal.rewrite.passes import loop_lifting
from mapal.rewrite.pipeline import LOOP_LIFTING
from tests.rewrite.build import ADD, DIV, EQ, GT, LT, MUL, NEQ, SUB, Lines, Program
from tests.rewrite.outcomes import applied, census, declines, kept, kind, value
from tests.rewrite.programs import graph_of

COUNTERS: dict[str, tuple[Type, int, BinaryCode, int, BinaryCode, int]] = {
    "i64 up": (I64, 0, LT, 4, ADD, 1),
    "i64 far from zero": (I64, 2**40, BinaryCode.LE, 2**40 + 12, ADD, 3),
    "i64 down": (I64, 5, GT, -(2**33), SUB, 2**32),
    "u8 up": (U8, 3, LT, 200, ADD, 40),
    "u8 to its end": (U8, 0, LT, 255, ADD, 1),
    "u8 down": (U8, 200, BinaryCode.GE, 8, SUB, 8),
    "i32 until equal": (I32, 0, NEQ, 12, ADD, 3),
    "i32 down until equal": (I32, 7, NEQ, -2, SUB, 3),
    "i32 once": (I32, 7, EQ, 7, ADD, 1),
    "i32 over all of it": (I32, -(2**31), LT, 0, SUB, -(2**31)),
}


@pytest.mark.parametrize("name", COUNTERS)
def test_counters_of_every_type(name: str) -> None:
    ty, start, code, bound, move, step = COUNTERS[name]

    def main(f: Lines) -> ObjectId:
        return f.loop(
            f.pack(f.c(start, ty), f.f.input),
            lambda s: f.op(code, f.proj(s, 0), f.c(bound, ty)),
            lambda s: f.pack(
                f.op(move, f.proj(s, 0), f.c(step, ty)),
                f.op(ADD, f.op(MUL, f.proj(s, 1), f.c(3, ty)), f.proj(s, 0)),
            ),
            lambda s: f.op(SUB, f.proj(s, 1), f.proj(s, 0)),
        )

    graph = Program().main(main, (ty,), ty)
    found = census(applied(graph, LOOP_LIFTING, (0,), (7,)))
    assert (found["loops"], found["Fold"]) == (0, 1)
    kept(graph, (0,), (7,))


@pytest.mark.parametrize(
    ("ty", "start", "code", "bound", "step"),
    [
        (U8, 0, LT, 255, 2),
        (U8, 250, BinaryCode.LE, 255, 1),
        (I64, 0, BinaryCode.LE, 2**63 - 1, 1),
        (I32, 1, NEQ, 0, 1),
    ],
)
def test_counters_that_wrap_stay(
    ty: Type, start: int, code: BinaryCode, bound: int, step: int
) -> None:
    graph = Program().main(
        lambda f: f.loop(
            f.pack(f.c(start, ty), f.f.input),
            lambda s: f.op(code, f.proj(s, 0), f.c(bound, ty)),
            lambda s: f.pack(f.op(ADD, f.proj(s, 0), f.c(step, ty)), f.proj(s, 0)),
            lambda s: f.proj(s, 1),
        ),
        (ty,),
        ty,
    )
    assert declines(graph, LOOP_LIFTING) == [trip_counts.ENDLESS]
    assert kind(graph, 1) == "diverged"
    assert census(applied(graph, LOOP_LIFTING, (1,)))["loops"] == 1


def test_more_passes_than_a_range_counts() -> None:
    graph = Program().main(
        lambda f: f.loop(
            f.pack(f.c(0, I64), f.f.input),
            lambda s: f.op(LT, f.proj(s, 0), f.c(2**31, I64)),
            lambda s: f.pack(
                f.op(ADD, f.proj(s, 0), f.c(1, I64)), f.op(ADD, f.proj(s, 1), f.proj(s, 0))
            ),
            lambda s: f.proj(s, 1),
        ),
        (I64,),
        I64,
    )
    assert declines(graph, LOOP_LIFTING) == [loop_lifting.MANY_PASSES]


def test_a_loop_that_only_counts_is_its_last_number() -> None:
    graph = Program().main(
        lambda f: f.loop(
            f.c(1),
            lambda s: f.op(LT, s, f.c(10)),
            lambda s: f.op(ADD, s, f.c(4)),
            lambda s: f.op(MUL, s, f.f.input),
        ),
        (I32,),
    )
    result = applied(graph, LOOP_LIFTING, (3,))
    assert (census(result)["loops"], census(result)["Iota"]) == (0, 0)
    assert value(result, 3) == "39"
    kept(graph, (3,), (0,))


def test_a_loop_that_only_counts_keeps_its_traps() -> None:
    def following(f: Lines, s: ObjectId) -> ObjectId:
        f.op(DIV, f.c(7), f.op(SUB, s, f.f.input))
        return f.op(ADD, s, f.c(1))

    graph = Program().main(
        lambda f: f.loop(f.c(1), lambda s: f.op(LT, s, f.c(10)), lambda s: following(f, s)), (I32,)
    )
    assert declines(graph, LOOP_LIFTING) == [loop_lifting.WOULD_VANISH]
    kept(graph, (3,), (0,))


BODY = "{ s * 3 + i -> s; i + 1 -> i; -> loop; }"
SUM = f"""fn sum(n: i32, x: i32) -> i32 {{ mut i: i32 <- 0; mut s: i32 <- x;
    loop {{ (i < n) -> {{ -true-> {BODY} -false-> s -> ret; }} }} }}"""
STATE = "mut i: i32 <- 0; mut s: i32 <- p0;"

PROVED = {
    "a bound that no pass changes": f"""fn main(p0: i32) -> i32 {{
        2 -> half; mut n: i32 <- half * 3; {STATE}
        loop {{ (i < n) -> {{ -true-> {{ n -> n; s * 3 + i -> s; i + 1 -> i; -> loop; }}
        -false-> s -> ret; }} }} }}""",
    "a bound that all calls agree on": SUM
    + " fn main(p0: i32) -> i32 { (2 * 3, p0) -> sum -> a; (6, a) -> sum -> ret; }",
    "a bound that a body captures": f"""fn main(p0: i32) -> i32 {{
        2 * 3 -> n; 5 -> iota -> map {{ x -> mut i: i32 <- 0; mut s: i32 <- x;
        loop {{ (i < n) -> {{ -true-> {BODY} -false-> s -> t; }} }} t }} -> m;
        m[3] + p0 -> ret; }}""",
    "a start that is computed": """fn main(p0: i32) -> i32 {
        2 + 1 -> three; mut i: i32 <- three * 0; mut s: i32 <- p0;
        loop { (i < 4) -> { -true-> { s * 3 + i -> s; i + three -> i; -> loop; }
        -false-> s -> ret; } } }""",
}


@pytest.mark.parametrize("name", PROVED)
def test_bounds_known_by_proof(name: str) -> None:
    graph = graph_of(PROVED[name])
    assert census(applied(graph, LOOP_LIFTING, (3,)))["loops"] == 0
    assert census(kept(graph, (3,)))["loops"] == 0


NOT_PROVED = {
    "calls that do not agree": SUM
    + " fn main(p0: i32) -> i32 { (5, p0) -> sum -> a; (6, a) -> sum -> ret; }",
    "a bound that a pass changes": f"""fn main(p0: i32) -> i32 {{
        mut n: i32 <- 6; {STATE}
        loop {{ (i < n) -> {{ -true-> {{ s * 3 + i -> s; n - i -> n; i + 1 -> i; -> loop; }}
        -false-> s -> ret; }} }} }}""",
    "a bound that passes exchange": f"""fn main(p0: i32) -> i32 {{
        mut n: i32 <- 6; mut m: i32 <- 2; {STATE}
        loop {{ (i < n) -> {{ -true-> {{ s * 3 + i -> s; n -> t; m -> n; t -> m; i + 1 -> i;
        -> loop; }} -false-> s -> ret; }} }} }}""",
    "a division that traps": f"""fn main(p0: i32) -> i32 {{
        {STATE} 6 / (p0 - 3) -> n;
        loop {{ (i < n) -> {{ -true-> {BODY} -false-> s -> ret; }} }} }}""",
}


@pytest.mark.parametrize("name", NOT_PROVED)
def test_bounds_that_differ_stay(name: str) -> None:
    graph = graph_of(NOT_PROVED[name])
    assert census(applied(graph, LOOP_LIFTING, (3,), (4,)))["loops"] == 1
    kept(graph, (3,), (4,))
