"""Cases C65 to C67, and the driver: reports, failures, rounds."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mapal.diagnostics import CompilerBug
from mapal.ir import ops
from mapal.ir.ops import ObjectId
from mapal.ir.text import parse_graph, print_graph
from mapal.ir.text_values import key_text
from mapal.ir.types import I32, Tuple
from mapal.rewrite import PIPELINE, PassFailure, RewritePass, apply_pass, rewrite, rewrite_with
from mapal.rewrite.driver import ORDER_WOULD_CHANGE
from mapal.rewrite.pipeline import CONSTANT_FOLDING, DEAD_CODE, PASSES
from mapal.rewrite.plan import PlanMaker
from mapal.rewrite.report import MOST_SITES
from tests.rewrite.build import ADD, DIV, GT, LT, MUL, Lines, Program
from tests.rewrite.outcomes import census, declines, kept, kind
from tests.rewrite.programs import EXAMPLES, ROOT, graph_of, graph_of_file


def mixed(f: Lines) -> ObjectId:
    """A loop that no pass changes, one beside it, and something to fold."""
    x = f.f.input
    strange = f.loop(x, lambda s: f.op(GT, s, f.c(1)), lambda s: f.op(DIV, s, f.c(2)))
    other = f.loop(
        f.c(0), lambda s: f.op(LT, s, f.c(3)), lambda s: f.op(ADD, s, f.op(MUL, f.c(1), f.c(1)))
    )
    return f.op(ADD, f.op(ADD, strange, other), f.op(MUL, f.c(2), f.c(3)))


def test_c65_a_loop_that_no_pass_handles_stays_alone() -> None:
    graph = Program().main(mixed, (I32,))
    result = kept(graph, (9,), (0,))
    assert census(result)["loops"] >= 1
    assert census(result)["Mul"] == 0


SCRIPT = """
import sys
from pathlib import Path
from mapal.ir.text import print_graph
from mapal.rewrite import rewrite_with
from mapal.rewrite.pipeline import PASSES
from tests.rewrite.programs import graph_of_file
for name in sys.argv[1:]:
    result = rewrite_with(graph_of_file(Path(name)), PASSES)
    print(print_graph(result.graph), result.report)
"""


def test_c66_the_same_in_every_process() -> None:
    names = [str(path) for path in EXAMPLES[::3]]
    texts = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, *names],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1
    assert "function f0" in texts.pop()


def test_c67_the_pipeline_is_idempotent() -> None:
    for source in EXAMPLES[::5]:
        result = rewrite(graph_of_file(source))
        again = rewrite(result.graph)
        assert again.graph is result.graph
        assert again.report["applied"] == []


def test_the_report() -> None:
    graph = Program().main(lambda f: f.op(ADD, f.op(MUL, f.c(2), f.c(3)), f.f.input), (I32,))
    (product,) = (m for m in graph.morphisms if m.op == ops.Binary(MUL))
    report = rewrite_with(graph, (CONSTANT_FOLDING, DEAD_CODE)).report
    assert report == {
        "schema": 1,
        "passes": ["constant_folding", "dead_code"],
        "rounds": 2,
        "applied": [
            {
                "pass": "constant_folding",
                "count": 1,
                "laws": {"constify": 1},
                "sites": [key_text(product.key)],
            }
        ],
        "declined": [],
    }


LAWS = {
    "absorbed map": "a -> map { x -> x + 1 } -> m; (0, m) -> fold { s, x -> s + x } -> ret;",
    "enumerated map": "4 -> iota -> map { i -> (i, a[3 - i]) } -> m; m[1].1 + m[2].0 -> ret;",
    "elements by number": "4 -> iota -> map { i -> a[i] + 1 } -> m; m[1] + m[2] -> ret;",
    "steady access": "(0, a) -> fold { s, x -> s + x * a[2] } -> ret;",
    "element of zip, enumerate or fill": "a -> enumerate -> e;"
    "(0, e) -> fold { s, x -> s + x.0 * x.1 } -> ret;",
    "captures": "4 -> iota -> n; (0, a) -> fold { s, x -> s + n[x % 1] } -> ret;",
    "fill of a body": "a[1] -> x; a -> map { y -> x * 2 } -> m; m[1] + m[2] -> ret;",
    "zip of fills": "(a[1], 4) -> fill -> m; (m, m) -> zip -> z; z[1].0 + z[2].1 -> ret;",
    "element of a map": "a -> map { x -> x * 2 } -> m; m[1] + 1 -> ret;",
}


@pytest.mark.parametrize("law", LAWS)
def test_the_report_names_laws_and_places(law: str) -> None:
    graph = graph_of(f"fn main(a: [i32; 4]) -> i32 {{ {LAWS[law]} }}")
    report = rewrite_with(graph, PASSES).report
    laws = [name for entry in report["applied"] for name in entry["laws"]]
    assert law in laws
    for entry in report["applied"]:
        assert entry["count"] == sum(entry["laws"].values())
        assert 1 <= len(entry["sites"]) <= min(entry["count"], MOST_SITES)


def test_the_pipeline_names_its_passes() -> None:
    assert len({step.name for step in PASSES}) == len(PASSES)
    assert set(PIPELINE) <= set(PASSES)
    assert rewrite_with(Program().main(lambda f: f.c(1)), ()).report["rounds"] == 1


def test_a_failure_names_the_pass_and_keeps_the_graph() -> None:
    def analyse(maker: PlanMaker) -> None:
        maker.drop(maker.graph.functions[0].output)

    graph = Program().main(lambda f: f.c(1))
    with pytest.raises(PassFailure, match="pass broken: plan law P1") as caught:
        rewrite_with(graph, (RewritePass("broken", "", analyse),))
    assert caught.value.graph is graph


def test_a_plan_that_leaves_a_reader_without_its_value_is_a_failure() -> None:
    def analyse(maker: PlanMaker) -> None:
        for morphism in maker.graph.morphisms:
            if "MUL" in repr(morphism.op):
                maker.drop(morphism.target)

    graph = Program().main(lambda f: f.op(ADD, f.op(MUL, f.f.input, f.c(3)), f.c(1)), (I32,))
    with pytest.raises(PassFailure, match="is read but was not replayed"):
        apply_pass(graph, RewritePass("broken", "", analyse))


def test_passes_that_never_settle_are_stopped() -> None:
    def analyse(maker: PlanMaker) -> None:
        graph = maker.graph
        first = next(obj.id for obj in graph.objects if obj.value == 1)
        second = next(obj.id for obj in graph.objects if obj.value == 2)
        for morphism in graph.morphisms:
            if "ADD" in repr(morphism.op):
                left = graph.operands(morphism)[0]
                maker.reoperand(morphism.id, 0, second if left == first else first)

    def main(f: Lines) -> ObjectId:
        one, two = f.c(1), f.c(2)
        return f.pack(f.op(ADD, one, two), f.pack(one, two))

    pair = Tuple((I32, I32))
    graph = Program().main(main, (), Tuple((I32, pair)))
    with pytest.raises(CompilerBug, match="does not settle"):
        rewrite_with(graph, (RewritePass("swinging", "", analyse),))


def test_what_would_change_the_order_is_left_alone() -> None:
    """Multiplying by 0 takes the wait for the endless loop away."""

    def main(f: Lines) -> ObjectId:
        late = f.op(MUL, f.endless(), f.c(0))
        return f.op(DIV, f.c(1), f.op(ADD, late, f.f.input))

    graph = Program().main(main, (I32,))
    assert kind(graph, 0) == "diverged"
    assert declines(graph, CONSTANT_FOLDING) == [ORDER_WOULD_CHANGE]
    assert kind(kept(graph, (0,)), 0) == "diverged"


def test_other_functions_are_rewritten_all_the_same() -> None:
    program = Program()

    def trapping(f: Lines) -> ObjectId:
        late = f.op(MUL, f.endless(), f.c(0))
        return f.op(DIV, f.c(1), f.op(ADD, late, f.f.input))

    h = program.helper(trapping)
    graph = program.main(
        lambda f: f.op(ADD, f.call(h, f.f.input), f.op(MUL, f.c(2), f.c(3))), (I32,)
    )
    result = apply_pass(graph, CONSTANT_FOLDING)
    assert result.replayed is not None
    assert census(result.replayed.graph)["Mul"] == census(graph)["Mul"] - 1


def test_texts_of_rewritten_graphs_read_back() -> None:
    for source in EXAMPLES[::4]:
        text = print_graph(rewrite_with(graph_of_file(source), PASSES).graph)
        assert print_graph(parse_graph(text)) == text
