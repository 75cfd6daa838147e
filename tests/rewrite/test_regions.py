"""Cases C01 to C16: what runs, and what a pass may make of it."""

from __future__ import annotations

from mapal.analysis.totality import region_summary
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import FunctionId, ObjectId, UnaryCode
from mapal.ir.types import BOOL, I32, IO
from mapal.rewrite.pipeline import CONSTANT_FOLDING, DEAD_CODE, INLINING
from tests.rewrite.build import ADD, DIV, EQ, GT, LT, MOD, MUL, Lines, Program
from tests.rewrite.outcomes import applied, census, ending, kept, kind, value


def divided(lines: Lines, condition: bool) -> ObjectId:
    cond = lines.op(GT, lines.c(1), lines.c(0 if condition else 2))
    return lines.phi(cond, lambda: lines.c(42), lambda: lines.op(DIV, lines.c(7), lines.c(0)))


def test_c01_untaken_trap() -> None:
    graph = Program().main(lambda f: divided(f, True))
    assert value(graph) == "42"
    result = kept(graph)
    assert census(result)["Div"] == 0
    assert census(applied(graph, CONSTANT_FOLDING))["guards"] == 0


def test_c02_shared_value() -> None:
    def main(f: Lines) -> ObjectId:
        a, b, c = f.arg(0), f.arg(1), f.arg(2)
        q = f.op(DIV, a, b)
        return f.op(ADD, f.phi(c, lambda: q, lambda: f.c(0)), q)

    graph = Program().main(main, (I32, I32, BOOL))
    assert kind(graph, 7, 0, False) == "div_zero"
    kept(graph, (7, 0, False), (7, 2, True), (7, 2, False))


def test_c03_cheap_arms() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.f.input
        cond = f.op(LT, x, f.c(0))
        return f.phi(cond, lambda: f.op(MUL, x, f.c(-1)), lambda: x)

    graph = Program().main(main, (I32,))
    guard = graph.guards[0]
    summary = region_summary(graph, guard.arm_true)
    assert (summary.is_total, summary.is_heavy) == (True, False)
    assert value(graph, 5) == "5"
    kept(graph, (5,), (-5,))


def reciprocal(program: Program) -> FunctionId:
    return program.helper(
        lambda f: f.op(DIV, f.c(1), f.f.input), kind=FunctionKind.MAP_BODY, name="body"
    )


def test_c04_untaken_bulk() -> None:
    program = Program()
    body = reciprocal(program)

    def main(f: Lines) -> ObjectId:
        a = f.iota(4)
        return f.phi(f.c(False, BOOL), lambda: f.index(f.map(body, a), f.c(0)), lambda: f.c(99))

    graph = program.main(main)
    assert ending(graph, budget=12)[0] == "done"
    assert value(graph) == "99"
    kept(graph)


def test_c05_taken_arm_traps() -> None:
    graph = Program().main(lambda f: divided(f, False))
    assert kind(graph) == "div_zero"
    assert kind(kept(graph)) == "div_zero"


def test_c06_dead_reader() -> None:
    def outside(f: Lines) -> ObjectId:
        a, b, c = f.arg(0), f.arg(1), f.arg(2)
        q = f.op(DIV, a, b)
        f.un(UnaryCode.NEG, q)
        return f.phi(c, lambda: q, lambda: f.c(0))

    def inside(f: Lines) -> ObjectId:
        a, b, c = f.arg(0), f.arg(1), f.arg(2)

        def arm() -> ObjectId:
            q = f.op(DIV, a, b)
            f.un(UnaryCode.NEG, q)
            return q

        return f.phi(c, arm, lambda: f.c(0))

    graph = Program().main(outside, (I32, I32, BOOL))
    assert kind(graph, 7, 0, False) == "div_zero"
    result = applied(graph, DEAD_CODE, (7, 0, False), (7, 0, True))
    assert census(result)["Neg"] == 0
    kept(graph, (7, 0, False), (7, 0, True), (7, 2, True))
    second = Program().main(inside, (I32, I32, BOOL))
    assert value(second, 7, 0, False) == "0"
    assert census(applied(second, DEAD_CODE, (7, 0, False), (7, 0, True)))["Neg"] == 0
    kept(second, (7, 0, False), (7, 0, True), (7, 2, True))


def match_chain(before: bool) -> Graph:
    def main(f: Lines) -> ObjectId:
        x, a, b = f.arg(0), f.arg(1), f.arg(2)
        tests = [f.op(EQ, x, f.c(number)) for number in (1, 2)]
        early = f.op(DIV, a, b) if before else a
        last = lambda: early if before else f.op(MOD, a, b)  # noqa: E731
        return f.phi(
            tests[0],
            lambda: f.c(10),
            lambda: f.phi(tests[1], lambda: early, last),
            rest=True,
        )

    return Program().main(main, (I32, I32, I32))


def test_c07_match_chain() -> None:
    graph = match_chain(False)
    assert value(graph, 1, 7, 0) == "10"
    assert kind(graph, 3, 7, 0) == "div_zero"
    assert not region_summary(graph, graph.guards[0].arm_false).is_total
    result = kept(graph, (1, 7, 0), (2, 7, 0), (3, 7, 0), (3, 7, 2))
    assert census(result)["guards"] == 2
    graph = match_chain(True)
    for number in (1, 2, 3):
        assert kind(graph, number, 7, 0) == "div_zero"
    kept(graph, *[(number, 7, divisor) for number in (1, 2, 3) for divisor in (0, 2)])


def test_c07_a_known_number_resolves_the_chain() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.c(2)
        tests = [f.op(EQ, x, f.c(number)) for number in (1, 2, 3)]
        return f.phi(
            tests[0],
            lambda: f.c(10),
            lambda: f.phi(
                tests[1],
                lambda: f.op(DIV, f.f.input, f.f.input),
                lambda: f.phi(tests[2], lambda: f.c(30), lambda: f.c(40)),
                rest=True,
            ),
            rest=True,
        )

    graph = Program().main(main, (I32,))
    result = kept(graph, (0,), (3,))
    assert census(result)["guards"] == 0
    assert census(result)["Div"] == 1


def test_c07_a_match_loses_its_rest_mark_with_its_next_guard() -> None:
    def main(f: Lines) -> ObjectId:
        x = f.f.input
        first, second = f.op(EQ, x, f.c(1)), f.c(True, BOOL)
        return f.phi(
            first,
            lambda: f.c(10),
            lambda: f.phi(second, lambda: f.op(DIV, f.c(7), x), lambda: f.c(30)),
            rest=True,
        )

    graph = Program().main(main, (I32,))
    result = kept(graph, (0,), (1,), (2,))
    assert [guard.rest for guard in result.guards] == [False]


def test_c08_uses_at_two_depths() -> None:
    def main(f: Lines) -> ObjectId:
        c1, c2 = f.arg(0), f.arg(1)

        def outer() -> ObjectId:
            e = f.loop(
                f.c(0),
                lambda s: f.op(GT, f.op(DIV, f.c(6), s), f.c(2)),
                lambda s: f.op(ADD, s, f.c(1)),
            )
            d = f.op(MUL, e, f.c(2))
            inner = f.phi(c2, lambda: d, lambda: f.c(5))
            return f.op(ADD, d, inner)

        return f.phi(c1, outer, lambda: f.c(1))

    graph = Program().main(main, (BOOL, BOOL))
    for second in (False, True):
        assert value(graph, False, second) == "1"
        assert kind(graph, True, second) == "div_zero"
    kept(graph, *[(first, second) for first in (False, True) for second in (False, True)])


def looping_arm(f: Lines) -> ObjectId:
    v = f.array(f.c(1), f.c(2))

    def arm() -> ObjectId:
        def cond(state: ObjectId) -> ObjectId:
            return f.op(LT, f.proj(state, 0), f.c(4))

        def following(state: ObjectId) -> ObjectId:
            i = f.proj(state, 0)
            total = f.op(ADD, f.proj(state, 1), f.index(v, i))
            return f.pack(f.op(ADD, i, f.c(1)), total)

        return f.loop(f.pack(f.c(0), f.c(0)), cond, following, lambda state: f.proj(state, 1))

    return f.phi(f.f.input, arm, lambda: f.c(3))


def test_c09_loop_inside_an_arm() -> None:
    graph = Program().main(looping_arm, (BOOL,))
    assert value(graph, False) == "3"
    assert kind(graph, True) == "index_oob"
    kept(graph, (False,), (True,))


def test_c11_guard_inside_a_loop() -> None:
    def main(f: Lines) -> ObjectId:
        d = f.f.input

        def following(state: ObjectId) -> ObjectId:
            i, acc = f.proj(state, 0), f.proj(state, 1)
            v = f.phi(f.op(GT, d, f.c(0)), lambda: f.op(DIV, acc, d), lambda: f.c(2))
            return f.pack(f.op(ADD, i, f.c(1)), f.op(ADD, acc, v))

        return f.loop(
            f.pack(f.c(0), f.c(8)),
            lambda state: f.op(LT, f.proj(state, 0), f.c(4)),
            following,
            lambda state: f.proj(state, 1),
        )

    graph = Program().main(main, (I32,))
    assert value(graph, 0) == "16"
    kept(graph, (0,), (2,))


def test_c12_trap_kind_under_inlining() -> None:
    program = Program()
    h = program.helper(lambda f: f.f.input)
    body = program.helper(
        lambda f: f.op(DIV, f.arg(0), f.c(0)),
        (I32, I32),
        kind=FunctionKind.FOLD_BODY,
        name="body",
    )

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        v = f.array(x, x, x)
        r = f.call(h, x)
        e = f.index(v, f.c(178))
        return f.op(ADD, f.op(ADD, r, e), f.fold(body, f.c(1), v))

    graph = program.main(main, (I32,))
    assert kind(graph, 0) == "index_oob"
    kept(graph, (0,))


def test_c12_a_callee_that_traps_after_the_index() -> None:
    """D-24: what is inlined is ordered by its site first."""
    program = Program()
    h = program.helper(lambda f: f.op(DIV, f.c(1), f.f.input))

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        e = f.index(f.array(x, x), f.c(9))
        return f.op(ADD, e, f.call(h, x))

    graph = program.main(main, (I32,))
    assert kind(graph, 0) == "index_oob"
    assert kind(applied(graph, INLINING, (0,)), 0) == "index_oob"
    kept(graph, (0,), (1,))


def test_c13_output_before_a_trap() -> None:
    """D-13."""

    def main(f: Lines) -> ObjectId:
        token = f.println(f.f.input, f.c(111))
        return f.println(token, f.op(DIV, f.c(1), f.c(0)))

    graph = Program().main(main, (IO,), IO)
    assert ending(graph)[:2] == ("trapped", b"111\n")
    assert ending(kept(graph))[:2] == ("trapped", b"111\n")


def test_c14_guard_first() -> None:
    def main(f: Lines) -> ObjectId:
        v = f.array(*[f.c(number) for number in (1, 2, 3, 4)])

        def following(state: ObjectId) -> ObjectId:
            k, acc = f.proj(state, 0), f.proj(state, 1)
            product = f.op(MUL, f.index(v, k), f.index(v, k))
            return f.pack(f.op(ADD, k, f.c(1)), f.op(ADD, acc, product))

        return f.loop(
            f.pack(f.c(0), f.c(0)),
            lambda state: f.op(LT, f.proj(state, 0), f.c(4)),
            following,
            lambda state: f.proj(state, 1),
        )

    graph = Program().main(main)
    assert value(graph) == "30"
    kept(graph)


def test_c15_two_sequential_loops() -> None:
    def main(f: Lines) -> ObjectId:
        def counted(to: int) -> ObjectId:
            return f.loop(
                f.c(0),
                lambda s: f.op(LT, s, f.c(to)),
                lambda s: f.op(ADD, s, f.c(1)),
            )

        return f.op(MUL, counted(3), counted(5))

    graph = Program().main(main)
    assert value(graph) == "15"
    assert census(kept(graph))["loops"] in (0, 2)


def test_c16_operation_order_is_source_order() -> None:
    """D-08: the call's operand is ready earlier."""
    program = Program()
    h = program.helper(lambda f: f.op(DIV, f.c(7), f.f.input))

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        v = f.array(x, x)
        return f.op(ADD, f.index(v, f.c(9)), f.call(h, x))

    graph = program.main(main, (I32,))
    assert kind(graph, 0) == "index_oob"
    kept(graph, (0,))
