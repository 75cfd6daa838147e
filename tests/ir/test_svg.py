"""The SVG pictures: complete for small graphs, clipped and honest about it for large ones."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import pytest

from mapal.ir.function_builder import FunctionBuilder
from mapal.ir.graph import Graph
from mapal.ir.svg import DEEPEST_FRAME, MOST_NODES, to_dot, to_svg
from mapal.ir.types import BOOL, I32, IO, STR, UNIT
from tests.ir import sample_graphs
from tests.ir.back_door import built
from tests.ir.sample_graphs import at, sum_loop

K = at(5)
SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg: str, kind: str) -> list[str]:
    """The titles of the nodes, edges or clusters of a picture."""
    groups = ElementTree.fromstring(svg).iter(f"{SVG}g")
    found = [group for group in groups if group.get("class") == kind]
    return [title.text or "" for group in found for title in group.findall(f"{SVG}title")]


def texts(svg: str) -> str:
    return "\n".join(text.text or "" for text in ElementTree.fromstring(svg).iter(f"{SVG}text"))


@pytest.mark.parametrize("make", sample_graphs.ALL)
def test_small_graphs_are_drawn_in_full(make: Callable[[], Graph]) -> None:
    graph = make()
    svg = to_svg(graph)
    nodes = [name for name in drawn(svg, "node") if name.startswith("o")]
    assert sorted(nodes) == sorted(f"o{obj.id}" for obj in graph.objects)
    assert len(drawn(svg, "edge")) == len(graph.morphisms)
    assert "CLIPPED" not in svg


def test_the_same_bytes_again() -> None:
    assert to_svg(sample_graphs.effectful_nest()) == to_svg(sample_graphs.effectful_nest())


def test_regions_are_clusters() -> None:
    graph = sample_graphs.guarded()
    assert sorted(drawn(to_svg(graph), "cluster")) == ["cluster_r0", "cluster_r2", "cluster_r4"]
    shown = texts(to_svg(sample_graphs.looping()))
    assert "fn main" in shown
    assert "jump" in shown
    assert "map-body scale" in texts(to_svg(sample_graphs.collections()))


def long_sum(f: FunctionBuilder) -> None:
    x = f.input
    for token in range(200):
        x = sum_loop(f, x, token * 10)
    f.output(x, K)


def test_a_large_graph_is_clipped_and_says_so() -> None:
    graph = built(I32, I32, long_sum)
    svg = to_svg(graph)
    left_out = len(graph.objects) - MOST_NODES
    assert f"CLIPPED: {MOST_NODES} of {len(graph.objects)} nodes" in texts(svg)
    assert f"{left_out} nodes are left out" in texts(svg)
    assert len([name for name in drawn(svg, "node") if name.startswith("o")]) == MOST_NODES


def test_the_limit_can_be_chosen_and_the_entry_comes_first() -> None:
    graph = sample_graphs.collections()
    svg = to_svg(graph, most_nodes=5)
    expected = [f"o{obj}" for obj in graph.functions[graph.entry].objects[:5]]
    assert sorted(drawn(svg, "node")) == sorted(expected)
    assert drawn(svg, "cluster") == ["cluster_r0"]


def test_arrows_from_far_away_start_at_a_copy() -> None:
    def build(f: FunctionBuilder) -> None:
        x = f.input
        for _ in range(60):
            x = f.pack((f.input, f.input), K)
        f.output(f.proj(x, 0, K), K)

    dot = to_dot(built(I32, I32, build))
    assert "from o0  i32" in dot
    assert "o0 -> o2 " in dot
    assert "o0 -> o61" not in dot


def test_frames_nest_to_a_limit() -> None:
    def build(f: FunctionBuilder) -> None:
        region, guards = f.region, []
        for _ in range(DEEPEST_FRAME + 5):
            with f.in_region(region):
                guards.append(f.begin_guard(f.input, K))
            region = guards[-1].arm_true
        value = f.input
        for guard in reversed(guards):
            value = f.phi(guard, value, f.input)
        f.output(value, K)

    svg = to_svg(built(BOOL, BOOL, build))
    assert len(drawn(svg, "cluster")) == DEEPEST_FRAME + 1
    assert f"10 regions nested deeper than {DEEPEST_FRAME} have no frame" in texts(svg)


def test_arrows_of_large_literals_are_clipped() -> None:
    def build(f: FunctionBuilder) -> None:
        for _ in range(20):
            f.pack_array((f.input,) * 200, K)

    graph = built(I32, UNIT, build)
    assert len(graph.objects) < MOST_NODES
    assert f"of {len(graph.morphisms)} arrows" in to_dot(graph)


def test_any_text_can_be_a_label() -> None:
    def build(f: FunctionBuilder) -> None:
        text = f.constant('<&>"\\N\n\x01é', STR, K)
        f.output(f.print(f.input, text, True, K), K)

    assert '"<&>"\\N\\n\\x01é": str' in texts(to_svg(built(IO, IO, build)))
