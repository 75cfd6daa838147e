"""The laws of zip, enumerate, range and fill, with bodies and arrays that trap."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mapal.ir.function_builder import Ret
from mapal.ir.graph import FunctionKind, Graph
from mapal.ir.ops import FunctionId, ObjectId
from mapal.ir.types import I32, I64, Array, Tuple
from mapal.rewrite import apply_pass
from mapal.rewrite.applications import BodyAtPlace
from mapal.rewrite.passes import naturality
from mapal.rewrite.pipeline import NATURALITY, STREAMS
from tests.rewrite.build import ADD, DIV, LT, MUL, SUB, Lines, Program
from tests.rewrite.outcomes import applied, census, declines, kept, kind, value

PAIR = Tuple((I32, I32))
FOUR = Array(I32, 4)
DATA = [10, 20, 30, 40]


def body(program: Program, build: Callable[[Lines], ObjectId | None]) -> FunctionId:
    return program.helper(build, (PAIR,), kind=FunctionKind.MAP_BODY, name="body")


def component(slot: int, over: str, build: Callable[[Lines], ObjectId | None]) -> Graph:
    program = Program()
    take = body(program, build)

    def main(f: Lines) -> ObjectId:
        a, b = f.f.input, f.iota(4)
        pairs = f.f.zip(a, b, f.key()) if over == "zip" else f.f.enumerate(a, f.key())
        made = f.map(take, pairs)
        return f.op(ADD, f.index(made, f.c(2)), f.op(SUB, f.index(made, f.c(2)), f.c(0)))

    return program.main(main, (FOUR,))


@pytest.mark.parametrize(("over", "slot", "result"), [("zip", 0, "60"), ("zip", 1, "4")])
@pytest.mark.parametrize("direct", [True, False])
def test_components_of_a_zip(over: str, slot: int, result: str, direct: bool) -> None:
    def build(f: Lines) -> ObjectId | None:
        if not direct:
            return f.proj(f.f.input, slot)
        f.f.proj(f.f.input, slot, f.key(), Ret())
        return None

    graph = component(slot, over, build)
    after = applied(graph, NATURALITY, (DATA,))
    assert census(after)["Map"] == 0
    assert value(after, DATA) == result
    kept(graph, (DATA,))


@pytest.mark.parametrize(("slot", "maps"), [(0, 1), (1, 0)])
def test_components_of_an_enumeration(slot: int, maps: int) -> None:
    graph = component(slot, "enumerate", lambda f: f.proj(f.f.input, slot))
    assert census(applied(graph, NATURALITY, (DATA,)))["Map"] == maps
    kept(graph, (DATA,))


def test_a_body_that_does_more_and_traps_stays() -> None:
    def build(f: Lines) -> ObjectId:
        f.op(DIV, f.c(1), f.proj(f.f.input, 1))
        return f.proj(f.f.input, 0)

    graph = component(0, "zip", build)
    assert kind(graph, DATA) == "div_zero"
    assert applied(graph, NATURALITY, (DATA,)) is graph
    assert kind(kept(graph, (DATA,)), DATA) == "div_zero"


def test_a_body_that_computes_stays() -> None:
    graph = component(0, "zip", lambda f: f.op(ADD, f.proj(f.f.input, 0), f.c(1)))
    assert applied(graph, NATURALITY, (DATA,)) is graph


def test_a_component_of_something_else_stays() -> None:
    """The body exchanges the components before it gives one."""

    def build(f: Lines) -> ObjectId:
        return f.proj(f.pack(f.proj(f.f.input, 1), f.proj(f.f.input, 0)), 0)

    graph = component(0, "zip", build)
    assert applied(graph, NATURALITY, (DATA,)) is graph
    assert value(kept(graph, (DATA,)), DATA) == "4"


def test_the_other_array_goes_on_trapping() -> None:
    program = Program()
    take = body(program, lambda f: f.proj(f.f.input, 0))
    divide = program.helper(
        lambda f: f.op(DIV, f.c(1), f.f.input), kind=FunctionKind.MAP_BODY, name="divide"
    )

    def main(f: Lines) -> ObjectId:
        pairs = f.f.zip(f.f.input, f.map(divide, f.iota(4)), f.key())
        return f.index(f.map(take, pairs), f.c(2))

    graph = program.main(main, (FOUR,))
    assert kind(graph, DATA) == "div_zero"
    after = kept(graph, (DATA,))
    assert (kind(after, DATA), census(after)["Map"]) == ("div_zero", 1)


def test_a_map_that_writes_the_result_stays() -> None:
    program = Program()
    take = body(program, lambda f: f.proj(f.f.input, 0))

    def main(f: Lines) -> None:
        pairs = f.f.zip(f.f.input, f.iota(4), f.key())
        f.f.map(take, (), pairs, f.key(), Ret())

    graph = program.main(main, (FOUR,), FOUR)
    assert declines(graph, NATURALITY) == [naturality.RESULT]
    kept(graph, (DATA,))


def element(over: str, guarded: bool) -> Graph:
    """Element x of a range or fill, behind a test that keeps x in range or not."""

    def main(f: Lines) -> ObjectId:
        x = f.f.input
        array = f.iota(4) if over == "iota" else f.f.fill(f.c(7), f.c(4), f.key())

        def read() -> ObjectId:
            return f.op(ADD, f.index(array, x), f.c(1))

        if not guarded:
            return read()
        low = f.op(LT, f.c(-1), x)
        return f.phi(low, lambda: f.phi(f.op(LT, x, f.c(4)), read, lambda: f.c(0)), lambda: f.c(0))

    return Program().main(main, (I32,))


@pytest.mark.parametrize(("over", "result"), [("iota", "3"), ("fill", "8")])
def test_elements_in_range(over: str, result: str) -> None:
    graph = element(over, True)
    after = applied(graph, NATURALITY, (2,), (9,), (-1,))
    assert census(after)["Index"] == 0
    assert value(after, 2) == result
    kept(graph, (2,), (9,), (-1,))


@pytest.mark.parametrize("over", ["iota", "fill"])
def test_elements_that_may_be_out_of_range(over: str) -> None:
    graph = element(over, False)
    assert kind(graph, 9) == "index_oob"
    assert declines(graph, NATURALITY) == [naturality.NOT_IN_RANGE]
    assert census(kept(graph, (2,), (9,)))["Index"] == 1


def test_an_index_of_another_type_is_no_element() -> None:
    graph = Program().main(lambda f: f.op(ADD, f.index(f.iota(4), f.c(2, I64)), f.f.input), (I32,))
    assert applied(graph, NATURALITY, (5,)) is graph
    assert value(kept(graph, (5,)), 5) == "7"


def steady_map(build: Callable[[Lines], ObjectId | None], *, late: bool = False) -> Graph:
    """Two elements of the map of a body over a range that captures a number."""
    program = Program()
    made = program.helper(build, (I32, I32), kind=FunctionKind.MAP_BODY, name="body")

    def main(f: Lines) -> ObjectId:
        array = f.f.map(made, (f.f.input,), f.iota(4), f.key(), late=late)
        return f.op(SUB, f.index(array, f.c(1)), f.index(array, f.c(3)))

    return program.main(main, (I32,))


def test_a_body_that_does_not_read_its_element_is_applied_once() -> None:
    graph = steady_map(lambda f: f.op(DIV, f.c(60), f.arg(0)))
    result = applied(graph, NATURALITY, (3,), (0,))
    found = census(result)
    assert (found["Map"], found["Fill"], found["Div"]) == (0, 1, 1)
    assert kind(result, 0) == "div_zero"
    assert census(kept(graph, (3,), (0,)))["Map"] == 0


def test_a_trap_of_a_steady_body_keeps_its_place() -> None:
    """Beside an access that is out of range, written before or after it."""
    for is_first in (True, False):
        program = Program()
        made = program.helper(
            lambda f: f.op(DIV, f.c(60), f.arg(0)),
            (I32, I32),
            kind=FunctionKind.MAP_BODY,
            name="body",
        )

        def main(f: Lines, made: FunctionId = made, is_first: bool = is_first) -> ObjectId:
            numbers = f.array(f.f.input, f.f.input)
            wrong = f.c(0) if is_first else f.index(numbers, f.c(9))
            array = f.map(made, f.iota(4), f.f.input)
            if is_first:
                wrong = f.index(numbers, f.c(9))
            return f.op(ADD, wrong, f.op(SUB, f.index(array, f.c(1)), f.index(array, f.c(3))))

        graph = program.main(main, (I32,))
        expected = "div_zero" if is_first else "index_oob"
        assert kind(graph, 0) == expected
        assert kind(applied(graph, NATURALITY, (0,), (3,)), 0) == expected
        kept(graph, (0,), (3,))


def test_a_steady_body_with_a_loop_stays() -> None:
    def build(f: Lines) -> ObjectId:
        return f.loop(f.arg(0), lambda s: f.op(LT, s, f.c(9)), lambda s: f.op(MUL, s, f.c(2)))

    graph = steady_map(build)
    assert naturality.PARTIAL in declines(graph, NATURALITY)
    assert census(applied(graph, NATURALITY, (3,), (0,)))["Map"] == 1


def test_a_steady_body_in_place_of_a_loop_stays_if_it_can_trap() -> None:
    graph = steady_map(lambda f: f.op(DIV, f.c(60), f.arg(0)), late=True)
    assert naturality.LATE in declines(graph, NATURALITY)
    total = steady_map(lambda f: f.op(MUL, f.c(60), f.arg(0)), late=True)
    assert census(applied(total, NATURALITY, (3,)))["Fill"] == 1


def element_of_a_map(
    build: Callable[[Lines], ObjectId | None], *, place: int | None = 2, shared: bool = False
) -> Graph:
    """One element of a map: at a literal place, or where the input says."""
    program = Program()
    made = program.helper(build, (I32, I32), kind=FunctionKind.MAP_BODY, name="body")

    def main(f: Lines) -> ObjectId:
        array = f.map(made, f.arg(0), f.arg(1))
        read = f.index(array, f.arg(1) if place is None else f.c(place))
        return f.op(ADD, read, f.index(array, f.c(0)) if shared else f.c(0))

    return program.main(main, (FOUR, I32))


def product(f: Lines) -> ObjectId:
    return f.op(MUL, f.arg(0), f.arg(1))


def test_an_element_of_a_map_is_computed_alone() -> None:
    graph = element_of_a_map(product)
    result = applied(graph, NATURALITY, (DATA, 7))
    assert (census(result)["Map"], census(result)["Index"]) == (0, 1)
    assert value(result, DATA, 7) == "210"
    kept(graph, (DATA, 7))


MADE = {
    "a body that can trap": (
        element_of_a_map(lambda f: f.op(DIV, f.c(60), f.arg(1))),
        naturality.PARTIAL,
    ),
    "a place that may be wrong": (
        element_of_a_map(product, place=None),
        naturality.NOT_IN_RANGE,
    ),
    "a place that is wrong": (element_of_a_map(product, place=4), naturality.NOT_IN_RANGE),
    "another reader": (element_of_a_map(product, shared=True), naturality.SHARED),
}


@pytest.mark.parametrize("name", MADE)
def test_maps_that_are_made_for_one_element(name: str) -> None:
    graph, reason = MADE[name]
    assert reason in declines(graph, NATURALITY)
    arguments: list[tuple[object, ...]] = [(DATA, 2), (DATA, 9), ([0, 1, 2, 0], 2)]
    assert census(applied(graph, NATURALITY, *arguments))["Map"] == 1
    kept(graph, *arguments)


def test_an_element_that_a_loop_reads_is_not_computed_there() -> None:
    """The loop may read it more often than the map has elements."""
    program = Program()
    made = program.helper(product, (I32, I32), kind=FunctionKind.MAP_BODY, name="body")

    def main(f: Lines) -> ObjectId:
        array = f.map(made, f.arg(0), f.arg(1))
        return f.loop(
            f.arg(1), lambda s: f.op(LT, s, f.index(array, f.c(2))), lambda s: f.op(MUL, s, f.c(3))
        )

    graph = program.main(main, (FOUR, I32))
    assert naturality.OTHER_REGION in declines(graph, NATURALITY)
    assert census(kept(graph, (DATA, 7)))["Map"] == 1


def test_a_map_that_is_not_made_has_no_other_law() -> None:
    """It does not read its element, but is no fill: what is read of it is computed alone."""
    graph = element_of_a_map(lambda f: f.op(MUL, f.arg(0), f.c(3)))
    plan = apply_pass(graph, NATURALITY).plan
    assert [application.law for application in plan.apply.values()] == [BodyAtPlace.law]
    kept(graph, (DATA, 7))


def test_a_body_that_gives_all_of_its_input_reads_its_element() -> None:
    program = Program()
    whole = program.helper(
        lambda f: f.f.input, (I32, I32), PAIR, kind=FunctionKind.MAP_BODY, name="whole"
    )

    def main(f: Lines) -> None:
        f.f.map(whole, (f.arg(1),), f.arg(0), f.key(), Ret())

    graph = program.main(main, (FOUR, I32), Array(PAIR, 4))
    assert value(graph, DATA, 7) == "[(7, 10), (7, 20), (7, 30), (7, 40)]"
    for step in (NATURALITY, STREAMS):
        assert applied(graph, step, (DATA, 7)) is graph
    kept(graph, (DATA, 7))


def test_a_zip_of_fills_is_a_fill() -> None:
    def main(f: Lines) -> None:
        fills = [f.f.fill(f.arg(slot), f.c(3), f.key()) for slot in range(2)]
        f.f.zip(fills[0], fills[1], f.key(), Ret())

    graph = Program().main(main, (I32, I32), Array(PAIR, 3))
    found = census(kept(graph, (3, 4)))
    assert (found["Zip"], found["Fill"]) == (0, 1)
    assert value(graph, 3, 4) == "[(3, 4), (3, 4), (3, 4)]"


def test_a_capture_is_no_component_of_the_element() -> None:
    """The body gives its capture, which stands where another body has the first component."""
    program = Program()
    pairs = Tuple((I32, I32))
    take = program.helper(lambda f: f.arg(0), (I32, pairs), kind=FunctionKind.MAP_BODY, name="body")

    def main(f: Lines) -> ObjectId:
        zipped = f.f.zip(f.f.input, f.iota(4), f.key())
        made = f.map(take, zipped, f.c(7))
        return f.op(ADD, f.index(made, f.c(2)), f.index(made, f.c(1)))

    graph = program.main(main, (FOUR,))
    assert value(graph, DATA) == "14"
    assert value(applied(graph, NATURALITY, (DATA,)), DATA) == "14"
    kept(graph, (DATA,))
