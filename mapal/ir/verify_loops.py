"""Verifier: each loop computes its next state from the present one."""

from __future__ import annotations

from collections.abc import Iterator

from mapal.ir import ops
from mapal.ir.graph import Graph, Loop
from mapal.ir.ops import ObjectId, RegionId
from mapal.ir.region_spans import RegionSpans, home_regions
from mapal.ir.violation import Violation


def loop_violations(graph: Graph) -> Iterator[Violation]:
    if not graph.loops:
        return
    spans = RegionSpans(graph)
    homes = home_regions(graph)
    for loop in graph.loops:
        if not _next_state_depends_on_merge(graph, loop, spans, homes):
            message = f"the next state of loop {loop.id} does not depend on its merge"
            yield Violation("BadLoop", message, (loop.merge,), (loop.back,))


def _next_state_depends_on_merge(
    graph: Graph, loop: Loop, spans: RegionSpans, homes: list[RegionId]
) -> bool:
    """Searches backwards inside the loop; nothing outside it depends on its merge."""
    route = graph.morphisms[loop.back].source
    work: list[ObjectId] = []
    for edge in graph.in_edges[route]:
        writer = graph.morphisms[edge]
        if isinstance(writer.op, ops.Pair) and writer.op.slot == 0:
            work.append(writer.source)
    seen = set(work)
    while work:
        obj = work.pop()
        if obj == loop.merge:
            return True
        if not spans.covers(loop.body, homes[obj]):
            continue
        for edge in graph.in_edges[obj]:
            source = graph.morphisms[edge].source
            if source not in seen:
                seen.add(source)
                work.append(source)
    return False
