"""Cases C25 to C30: leaving out total work, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import ObjectId, UnaryCode
from mapal.ir.types import F64, I32, I64, Array
from mapal.rewrite.pipeline import DEAD_CODE
from tests.rewrite.build import ADD, DIV, GT, LT, MOD, MUL, Lines, Program
from tests.rewrite.outcomes import applied, census, kept, kind, value
from tests.rewrite.programs import graph_of

Dead = Callable[[Lines], object]


def beside(dead: Dead) -> Graph:
    """A program that returns its first parameter, with work that nobody reads."""

    def main(f: Lines) -> ObjectId:
        x = f.arg(0)
        dead(f)
        return x

    return Program().main(main, (I32, I32, F64, Array(I32, 3)))


ARGUMENTS = (6, 0, 1.5, [1, 2, 3])

TOTAL: dict[str, Dead] = {
    "product": lambda f: f.op(MUL, f.arg(0), f.c(3)),
    "pack": lambda f: f.pack(f.arg(0), f.arg(0)),
    "zip": lambda f: f.f.zip(f.arg(3), f.arg(3), f.key()),
    "enumerate": lambda f: f.f.enumerate(f.arg(3), f.key()),
    "widen": lambda f: f.f.widen(f.arg(0), I64, f.key()),
    "convert": lambda f: f.f.convert(f.arg(2), I32, f.key()),
    "sqrt": lambda f: f.un(UnaryCode.SQRT, f.arg(2)),
    "fma": lambda f: f.f.fma(
        f.arg(2), f.arg(2), f.arg(2), negate_product=True, negate_addend=False, key=f.key()
    ),
    "iota": lambda f: f.iota(5),
    "fill": lambda f: f.f.fill(f.arg(0), f.c(4), f.key()),
    "index by a literal": lambda f: f.index(f.arg(3), f.c(2)),
    "update by a literal": lambda f: f.update(f.arg(3), f.c(2), f.arg(0)),
    "division by 2": lambda f: f.op(DIV, f.arg(0), f.c(2)),
    "division by -1": lambda f: f.op(DIV, f.arg(0), f.c(-1)),
    "remainder by 7": lambda f: f.op(MOD, f.arg(0), f.c(7)),
    "float division": lambda f: f.op(DIV, f.arg(2), f.arg(2)),
    "guard": lambda f: f.phi(
        f.op(LT, f.arg(0), f.arg(1)), lambda: f.op(DIV, f.arg(0), f.c(2)), lambda: f.c(1)
    ),
}

PARTIAL: dict[str, tuple[Dead, str]] = {
    "division by 0": (lambda f: f.op(DIV, f.arg(0), f.c(0)), "Div"),
    "division by y": (lambda f: f.op(DIV, f.arg(0), f.arg(1)), "Div"),
    "remainder by y": (lambda f: f.op(MOD, f.arg(0), f.arg(1)), "Mod"),
    "index by x": (lambda f: f.index(f.arg(3), f.arg(0)), "Index"),
    "index by 3": (lambda f: f.index(f.arg(3), f.c(3)), "Index"),
    "update by -1": (lambda f: f.update(f.arg(3), f.c(-1), f.arg(0)), "Update"),
}


@pytest.mark.parametrize("name", TOTAL)
def test_c25_c29_dead_total_work_goes(name: str) -> None:
    graph = beside(TOTAL[name])
    result = applied(graph, DEAD_CODE, ARGUMENTS)
    assert dict(+census(result)) == {"Proj": 1, "Output": 1}
    assert len([obj for obj in result.objects if obj.value is not None]) == 0
    kept(graph, ARGUMENTS)


@pytest.mark.parametrize("name", PARTIAL)
def test_c29_dead_work_that_may_trap_stays(name: str) -> None:
    """D-21, D-23."""
    dead, operation = PARTIAL[name]
    graph = beside(dead)
    result = kept(graph, ARGUMENTS, (1, 5, 0.0, [1, 2, 3]))
    assert census(result)[operation] == 1


def test_c25_dead_work_goes_from_every_region() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.f.input

        def arm() -> ObjectId:
            f.op(MUL, x, f.c(3))
            return f.op(DIV, f.c(8), x)

        def following(s: ObjectId) -> ObjectId:
            f.op(MUL, s, f.c(5))
            return f.op(ADD, s, f.c(1))

        def payload(s: ObjectId) -> ObjectId:
            f.op(MUL, s, f.c(7))
            return s

        chosen = f.phi(f.op(LT, x, f.c(5)), arm, lambda: f.c(1))
        looped = f.loop(x, lambda s: f.op(LT, s, f.c(4)), following, payload)
        return f.op(ADD, chosen, looped)

    graph = Program().main(main, (I32,))
    assert census(applied(graph, DEAD_CODE, (0,), (1,), (9,)))["Mul"] == 0
    kept(graph, (0,), (1,), (9,))


def dead_guard(divisor: int | None) -> Graph:
    def main(f: Lines) -> ObjectId:
        x = f.f.input
        by = x if divisor is None else f.c(divisor)
        f.phi(f.op(GT, x, f.c(5)), lambda: f.op(DIV, f.c(1), by), lambda: f.c(0))
        return f.c(1)

    return Program().main(main, (I32,))


def test_c26_dead_phi() -> None:
    graph = dead_guard(None)
    assert value(graph, 0) == "1"
    result = applied(graph, DEAD_CODE, (0,), (7,))
    assert census(result)["guards"] == 1
    division = next(m for m in result.morphisms if "DIV" in repr(m.op))
    assert division.region == result.guards[0].arm_true
    kept(graph, (0,), (7,))
    assert census(applied(dead_guard(2), DEAD_CODE, (0,), (7,)))["guards"] == 0


def test_c26_a_dead_arm_with_an_endless_loop() -> None:
    def main(f: Lines) -> ObjectId:
        f.phi(f.op(GT, f.f.input, f.c(5)), f.endless, lambda: f.c(0))
        return f.c(1)

    graph = Program().main(main, (I32,))
    assert (value(graph, 0), kind(graph, 9)) == ("1", "diverged")
    assert census(kept(graph, (0,), (9,)))["loops"] == 1


def test_c27_dead_reader() -> None:
    def main(f: Lines) -> ObjectId:
        a = f.f.input
        d = f.op(DIV, f.c(7), a)
        f.op(ADD, d, f.c(1))
        return f.phi(f.op(GT, a, f.c(0)), lambda: d, lambda: f.c(42))

    graph = Program().main(main, (I32,))
    assert kind(graph, 0) == "div_zero"
    result = applied(graph, DEAD_CODE, (0,), (2,))
    assert census(result)["Add"] == 0
    assert kind(result, 0) == "div_zero"
    kept(graph, (0,), (2,))


def test_c28_dead_pure_loop() -> None:
    def main(f: Lines) -> ObjectId:
        f.endless()
        return f.c(1)

    graph = Program().main(main)
    assert kind(graph) == "diverged"
    assert kind(kept(graph)) == "diverged"


def test_c29_an_arm_with_a_safe_division_is_total() -> None:
    assert census(kept(dead_guard(2), (0,), (7,)))["guards"] == 0


def test_c30_unreferenced_functions() -> None:
    program = Program()
    program.helper(lambda f: f.f.input, name="never")
    body = program.helper(
        lambda f: f.op(ADD, f.f.input, f.c(1)), kind=FunctionKind.MAP_BODY, name="body"
    )

    def main(f: Lines) -> ObjectId:
        f.map(body, f.iota(3))
        return f.c(1)

    graph = program.main(main)
    result = kept(graph)
    assert [function.name for function in result.functions] == ["main"]


def test_dead_calls_and_collections_of_total_bodies_go() -> None:
    program = Program()
    h = program.helper(lambda f: f.op(MUL, f.f.input, f.c(3)))
    k = program.helper(lambda f: f.op(DIV, f.c(3), f.f.input), name="k")

    def main(f: Lines) -> ObjectId:
        f.call(h, f.f.input)
        f.call(k, f.f.input)
        return f.c(1)

    graph = program.main(main, (I32,))
    result = applied(graph, DEAD_CODE, (0,), (2,))
    assert census(result)["Call"] == 1
    assert [function.name for function in result.functions] == ["main", "k"]


def test_what_waited_for_a_loop_goes_on_waiting() -> None:
    """The dead sum makes the arm wait for the endless loop. Without it the division would run
    first, and trap."""

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        late = f.endless()

        def arm() -> ObjectId:
            f.op(ADD, late, f.c(1))
            return f.op(DIV, f.c(1), x)

        return f.phi(f.op(GT, f.c(1), x), arm, lambda: f.c(0))

    graph = Program().main(main, (I32,))
    assert kind(graph, 0) == "diverged"
    assert kind(kept(graph, (0,)), 0) == "diverged"


ENDING = {
    "an array that is carried": """mut v: [i32; 4] <- [p0, 2, 3, 4]; mut i: i32 <- 0;
        loop { (i < 3) -> { -true-> { v[0] <- v[1] + i; i + 1 -> i; -> loop; }
        -false-> v[2] -> unused; } }""",
    "two conditions": """mut x: i32 <- p0; mut i: i32 <- 0;
        loop { (x > 9 && i < 3) -> { -true-> { x * x -> x; i + 1 -> i; -> loop; }
        -false-> x -> unused; } }""",
    "a condition that is not met": """mut x: i32 <- p0; mut i: i32 <- 0;
        loop { (x > 9 || i >= 3) -> { -false-> { x * x -> x; i + 1 -> i; -> loop; }
        -true-> x -> unused; } }""",
    "no pass at all": """mut x: i32 <- p0; mut i: i32 <- 7;
        loop { (i < 3) -> { -true-> { x * x -> x; i + 1 -> i; -> loop; }
        -false-> x -> unused; } }""",
    "a loop in a loop": """mut x: i32 <- p0; mut i: i32 <- 0;
        loop { (x > 9 && i < 3) -> { -true-> { i + 1 -> i; mut j: i32 <- 5;
        loop { (j > 0 && x > j) -> { -true-> { x - j -> x; j - 1 -> j; -> loop; }
        -false-> j -> d; } } -> loop; } -false-> x -> unused; } }""",
    "a loop in a body": """[p0, 1] -> map { x -> mut y: i32 <- x; mut i: i32 <- 0;
        loop { (y > 9 && i < 3) -> { -true-> { y * y -> y; i + 1 -> i; -> loop; }
        -false-> y -> d; } } d } -> unused;""",
}


@pytest.mark.parametrize("name", ENDING)
def test_a_total_loop_whose_value_is_unread_goes(name: str) -> None:
    graph = graph_of(f"fn main(p0: i32) -> i32 {{ {ENDING[name]} p0 + 1 -> ret; }}")
    found = census(applied(graph, DEAD_CODE, (3,), (50,)))
    assert found["loops"] == found["Map"] == 0
    kept(graph, (3,), (50,))


STAYING = {
    "a trap on some pass": """mut x: i32 <- p0; mut i: i32 <- 0;
        loop { (x > 9 && i < 3) -> { -true-> { x / (i - 1) -> x; i + 1 -> i; -> loop; }
        -false-> x -> unused; } }""",
    "a trap at the exit": """mut x: i32 <- p0; mut i: i32 <- 0;
        loop { (x > 9 && i < 3) -> { -true-> { x * x -> x; i + 1 -> i; -> loop; }
        -false-> x / (p0 - 50) -> unused; } }""",
    "either of two conditions": """mut x: i32 <- p0; mut i: i32 <- 0;
        loop { (x > 9 || i < 3) -> { -true-> { x * x -> x; i + 1 -> i; -> loop; }
        -false-> x -> unused; } }""",
    "a counter that another value moves": """mut x: i32 <- p0; mut i: i32 <- 0;
        loop { (i < 30) -> { -true-> { i + x -> i; -> loop; } -false-> x -> unused; } }""",
    "a counter that wraps": """mut x: i32 <- p0; mut i: i32 <- 0;
        loop { (x > 9 && i <= 2147483647) -> { -true-> { x * 1 -> x; i + 1 -> i; -> loop; }
        -false-> x -> unused; } }""",
}


@pytest.mark.parametrize("name", STAYING)
def test_a_loop_that_may_trap_or_run_forever_stays(name: str) -> None:
    graph = graph_of(f"fn main(p0: i32) -> i32 {{ {STAYING[name]} p0 + 1 -> ret; }}")
    assert census(applied(graph, DEAD_CODE, (3,), (50,)))["loops"] == 1
    assert census(kept(graph, (3,), (50,)))["loops"] == 1


@pytest.mark.parametrize("use", ["p0 -> f -> unused;", "[p0, 1] -> map { x -> x -> f } -> unused;"])
@pytest.mark.parametrize("divisor", ["x - i", "3"])
def test_a_dead_call_of_a_loop_that_ends(use: str, divisor: str) -> None:
    """It goes if the loop is total, and stays if a pass may trap."""
    text = (
        "fn f(x: i32) -> i32 { mut y: i32 <- x; mut i: i32 <- 0; loop { (y > -9 && i < 3) -> {"
        f"-true-> {{ y + 7 / ({divisor}) -> y; i + 1 -> i; -> loop; }} -false-> y -> ret; }} }} }}"
        f"fn main(p0: i32) -> i32 {{ {use} p0 + 1 -> ret; }}"
    )
    graph = graph_of(text)
    found = census(applied(graph, DEAD_CODE, (2,), (50,)))
    assert (found["Call"] + found["Map"] > 0) == (divisor != "3")
    assert kind(kept(graph, (2,), (50,)), 2) == ("done" if divisor == "3" else "div_zero")
