"""The Mermaid pictures and what their lint finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings

from mapal.ir.function_builder import FunctionBuilder
from mapal.ir.graph import Graph
from mapal.ir.mermaid import lint_mermaid, to_mermaid
from mapal.ir.types import BOOL, I32, IO, STR
from tests.ir import sample_graphs
from tests.ir.back_door import built
from tests.ir.sample_graphs import at
from tests.strategies import graphs

K = at(5)


def hello(f: FunctionBuilder) -> None:
    text = f.constant('say "hi" --> to everyone\n', STR, K)
    f.output(f.print(f.input, text, True, K), K)


def test_a_small_picture_in_full() -> None:
    assert to_mermaid(built(IO, IO, hello)) == (
        "flowchart LR\n"
        '    subgraph f0["fn main"]\n'
        '        f0o0(("io"))\n'
        '        f0o1(("ret: io"))\n'
        '        f0o2(("#quot;say #quot;hi#quot; --> to ever…#quot;: str"))\n'
        '        f0o3(("(io, str)"))\n'
        '        f0o4(("io"))\n'
        '        f0o0 -- "Pair 0/2" --> f0o3\n'
        '        f0o2 -- "Pair 1/2" --> f0o3\n'
        '        f0o3 -- "Println" --> f0o4\n'
        '        f0o4 -- "Output" --> f0o1\n'
        "    end\n"
    )


def test_regions_are_frames_in_frames() -> None:
    lines = to_mermaid(sample_graphs.effectful_nest()).splitlines()
    frames = [line.rstrip() for line in lines if "subgraph" in line]
    assert frames == [
        '    subgraph f0["fn main"]',
        '        subgraph f0r1["loop"]',
        '            subgraph f0r2["jump"]',
        '                subgraph f0r4["loop"]',
        '                    subgraph f0r5["jump"]',
        '                    subgraph f0r6["exit"]',
        '            subgraph f0r3["exit"]',
    ]
    assert '            f0o6(("⟲ (io, i32)"))' in lines
    guarded = to_mermaid(sample_graphs.guarded())
    assert guarded.count('["true arm"]') == guarded.count('["false arm"]') == 2


def test_names_count_within_the_function() -> None:
    text = to_mermaid(sample_graphs.collections())
    assert '        f1o0(("i32"))' in text
    assert '        f5o0(("(i32, i32)"))' in text


def test_labels_name_callees_unless_told_not_to() -> None:
    graph = sample_graphs.collections()
    verbose, terse = to_mermaid(graph), to_mermaid(graph, verbose=False)
    for label in (
        "Map scale (+1 caps)",
        "Map square",
        "Fold dot",
        "Reduce add",
        "Call double",
        "Fma + -",
        "Proj 1",
    ):
        assert f'"{label}"' in verbose
    for label in ("Map (+1 caps)", "Map", "Fold", "Reduce", "Call"):
        assert f'"{label}"' in terse


@pytest.mark.parametrize("make", sample_graphs.ALL)
def test_pictures_are_deterministic_and_pass_the_lint(make: Callable[[], Graph]) -> None:
    text = to_mermaid(make())
    assert to_mermaid(make()) == text
    assert lint_mermaid(text) == []


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_random_pictures_pass_the_lint(graph: Graph) -> None:
    text = to_mermaid(graph)
    assert lint_mermaid(text) == []
    assert text.count(" -- ") == len(graph.morphisms)
    assert text.count('(("') == len(graph.objects)


def test_a_deep_nest_is_drawn() -> None:
    def build(f: FunctionBuilder) -> None:
        region, guards = f.region, []
        for _ in range(1500):
            with f.in_region(region):
                guards.append(f.begin_guard(f.input, K))
            region = guards[-1].arm_true
        value = f.input
        for guard in reversed(guards):
            value = f.phi(guard, value, f.input)
        f.output(value, K)

    graph = built(BOOL, BOOL, build)
    text = to_mermaid(graph)
    assert lint_mermaid(text) == []
    assert len(text) < 300 * len(graph.morphisms)


GOOD = to_mermaid(built(I32, I32, lambda f: f.output(f.input, K)))


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "line 1: not"),
        (GOOD.replace("flowchart LR", "flowchart TB"), "line 1: not"),
        (GOOD + "    end\n", "an end without a subgraph"),
        (GOOD.replace("    end\n", ""), "1 subgraphs are not ended"),
        (GOOD.replace('"Output"', "Output"), "line 5: neither"),
        (GOOD.replace("-->", "==>"), "line 5: neither"),
        (GOOD.replace('"Output"', '"Out"put"'), "line 5: a quote"),
        (GOOD.replace('(("i32"))', "((i32))"), "line 3: neither"),
        (GOOD.replace("    end\n", "    end end\n"), "line 6: neither"),
    ],
)
def test_the_lint_finds(text: str, error: str) -> None:
    assert any(error in found for found in lint_mermaid(text))
