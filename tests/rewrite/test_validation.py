"""Translation validation: sound passes pass, broken ones are named with the first difference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import pytest

from mapal.interpreter import Outcome
from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import BinaryCode, ObjectId
from mapal.ir.text import print_graph
from mapal.ir.types import BOOL, F32, F64, I32, IO, U8, UNIT, Array, Scalar, Tuple, Type
from mapal.rewrite import PIPELINE, RewritePass, rewrite
from mapal.rewrite.generated_inputs import generated_inputs
from mapal.rewrite.plan import PlanMaker
from mapal.rewrite.validation import (
    GENERATED,
    Case,
    ValidationFailure,
    cases_of,
    difference,
    validated_rewrite,
)
from tests.rewrite.build import ADD, DIV, MUL, Lines, Program
from tests.rewrite.programs import EXAMPLES, graph_of_file, inputs_for

AMPLE = 100_000


def swapping(code: BinaryCode) -> RewritePass:
    """A pass that believes that an operation commutes."""

    def analyse(maker: PlanMaker) -> None:
        graph = maker.graph
        for morphism in graph.morphisms:
            if morphism.op == ops.Binary(code):
                left, right = graph.operands(morphism)
                if left < right:
                    maker.reoperand(morphism.id, 0, right)
                    maker.reoperand(morphism.id, 1, left)

    return RewritePass("swapping", "", analyse)


def failure(graph: Graph, step: RewritePass, inputs: Mapping[str, object]) -> ValidationFailure:
    with pytest.raises(ValidationFailure) as caught:
        validated_rewrite(graph, (*PIPELINE, step), cases_of(graph, inputs, AMPLE))
    return caught.value


@pytest.mark.parametrize("source", EXAMPLES[::6], ids=lambda path: path.stem)
def test_the_pipeline_is_valid(source: Path) -> None:
    graph = graph_of_file(source)
    cases = cases_of(graph, inputs_for(graph, 0), AMPLE)
    result = validated_rewrite(graph, PIPELINE, cases)
    plain = rewrite(graph)
    assert print_graph(result.graph) == print_graph(plain.graph)
    validation = result.report["validation"]
    decided = validation["inputs"] - len(validation["undecided"])
    assert validation["runs"] == decided * validation["changes"]
    assert {k: v for k, v in result.report.items() if k != "validation"} == plain.report


def test_a_broken_pass_is_named_with_the_first_element() -> None:
    def main(f: Lines) -> ObjectId:
        x, y = f.arg(0), f.arg(1)
        return f.pack(f.op(MUL, x, y), f.op(BinaryCode.SUB, x, y))

    graph = Program().main(main, (I32, I32), Tuple((I32, I32)))
    found = failure(graph, swapping(BinaryCode.SUB), {"p0": 3, "p1": 5})
    assert str(found) == (
        "pass swapping changed the program: on the program's inputs, "
        "the result.1 was -2 before and is 2"
    )
    assert found.before != found.after


def test_generated_inputs_find_what_the_own_ones_do_not() -> None:
    graph = Program().main(lambda f: f.op(BinaryCode.SUB, f.arg(0), f.arg(1)), (F32, F32), F32)
    found = failure(graph, swapping(BinaryCode.SUB), {"p0": 1.0, "p1": 1.0})
    assert "on generated input 1" in str(found)


def test_a_trap_that_goes_away_is_found() -> None:
    def analyse(maker: PlanMaker) -> None:
        for morphism in maker.graph.morphisms:
            if morphism.op == ops.Binary(DIV) and maker.may_replace(morphism.target):
                maker.constify(morphism.target, 0)

    graph = Program().main(lambda f: f.op(ADD, f.op(DIV, f.arg(0), f.arg(1)), f.c(0)), (I32, I32))
    found = failure(graph, RewritePass("hoping", "", analyse), {"p0": 0, "p1": 4})
    assert "it trapped with div_zero at token" in str(found)
    assert "before and was done after" in str(found)


def test_what_does_not_end_decides_nothing() -> None:
    graph = Program().main(lambda f: f.op(ADD, f.endless(), f.op(ADD, f.c(1), f.c(2))))
    report = validated_rewrite(graph, PIPELINE, cases_of(graph, {}, AMPLE)).report
    assert report["validation"]["undecided"] == ["the program's inputs"]
    assert report["validation"]["runs"] == 0
    assert report["validation"]["changes"] > 0


def test_what_ended_and_does_not_any_more_is_found() -> None:
    """The pass makes the counter of a loop stand still."""

    def analyse(maker: PlanMaker) -> None:
        graph = maker.graph
        zero = next(each.id for each in graph.objects if each.value == 0)
        for morphism in graph.morphisms:
            if morphism.op == ops.Binary(BinaryCode.SUB):
                maker.reoperand(morphism.id, 1, zero)

    def main(f: Lines) -> ObjectId:
        start = f.op(ADD, f.f.input, f.c(0))
        return f.loop(
            start,
            lambda s: f.op(BinaryCode.GT, s, f.c(0)),
            lambda s: f.op(BinaryCode.SUB, s, f.c(1)),
        )

    graph = Program().main(main, (I32,))
    case = Case("case", {"p0": 5}, 100)
    with pytest.raises(ValidationFailure, match="it was done before and did not end after"):
        validated_rewrite(graph, (RewritePass("stopping", "", analyse),), [case])


def test_printed_lines_are_compared() -> None:
    def main(f: Lines) -> ObjectId:
        token = f.println(f.arg(0), f.c(1))
        return f.println(token, f.op(BinaryCode.SUB, f.arg(1), f.c(2)))

    graph = Program().main(main, (IO, I32), IO)
    found = failure(graph, swapping(BinaryCode.SUB), {"p0": 5})
    assert "line 2 of the output was '3' before and is '-3'" in str(found)


def test_without_parameters_there_is_one_case() -> None:
    graph = Program().main(lambda f: f.op(ADD, f.c(1), f.c(2)))
    assert [case.name for case in cases_of(graph, {}, 7)] == ["the program's inputs"]
    assert cases_of(graph, {}, 7)[0].budget == 7


def done(result: object) -> Outcome:
    return Outcome("done", b"", result)


@pytest.mark.parametrize(
    ("ty", "one", "other", "text"),
    [
        (F32, 0.0, -0.0, "was 0.0 (0x00000000) before and is -0.0 (0x80000000)"),
        (F64, 1.0, 2.0, "(0x3ff0000000000000) before and is 2.0 (0x4000000000000000)"),
        (F64, math.nan, -math.nan, None),
        (Array(Tuple((I32, BOOL)), 2), [(1, True), (2, True)], [(1, True), (2, False)], "[1].1"),
        (Array(Array(U8, 2), 1), [[1, 2]], [[3, 4]], "the result[0][0] was 1 before and is 3"),
        (UNIT, None, None, None),
    ],
)
def test_results_are_compared_bit_by_bit(
    ty: Type, one: object, other: object, text: str | None
) -> None:
    assert difference(done(one), done(one), ty) is None
    found = difference(done(one), done(other), ty)
    assert (found is None) if text is None else (found is not None and text in found)


def test_a_missing_line() -> None:
    found = difference(Outcome("done", b"a\nb"), Outcome("done", b"a"), UNIT)
    assert found == "line 2 of the output was 'b' before and is missing"


def test_generated_inputs_have_the_types_of_the_parameters() -> None:
    taken = (Array(Tuple((U8, U8)), 3), F32, I32, BOOL, Array(F64, 2))
    graph = Program().main(lambda f: f.arg(2), taken)
    seen = [generated_inputs(graph, number) for number in range(GENERATED)]
    assert seen == [generated_inputs(graph, number) for number in range(GENERATED)]
    assert seen[0] == {
        "p0": [(0, 0)] * 3,
        "p1": 0.0,
        "p2": 0,
        "p3": False,
        "p4": [0.0, 0.0],
    }
    for case in seen:
        pixels = case["p0"]
        assert isinstance(pixels, list)
        assert len(pixels) == 3
        assert all(0 <= part < 256 for pixel in pixels for part in pixel)
        assert type(case["p2"]) is int
        assert type(case["p3"]) is bool


def test_every_scalar_type_has_generated_values() -> None:
    for ty in (BOOL, U8, I32, F32, F64):
        assert isinstance(ty, Scalar)
        graph = Program().main(lambda f: f.f.input, (ty,), ty)
        assert len({repr(generated_inputs(graph, number)) for number in range(40)}) > 1
