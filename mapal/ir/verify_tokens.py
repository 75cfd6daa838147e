"""Verifier: every token is handed on exactly once."""

from __future__ import annotations

from collections.abc import Iterator

from mapal.ir.graph import FunctionKind, Graph, Morphism, RegionKind
from mapal.ir.ops import LoopId, ObjectId, RegionId
from mapal.ir.region_spans import RegionSpans, home_regions
from mapal.ir.types import contains_token
from mapal.ir.violation import Violation


def token_violations(graph: Graph) -> Iterator[Violation]:
    spans = RegionSpans(graph)
    homes = home_regions(graph)
    bearing = [contains_token(obj.ty) for obj in graph.objects]
    for obj in graph.objects:
        if not bearing[obj.id]:
            continue
        function = graph.functions[obj.function]
        if function.kind is not FunctionKind.NAMED:
            message = f"the body {function.name} holds a token"
            yield Violation("TokenInBody", message, (obj.id,))
        edges = (graph.morphisms[m] for m in graph.out_edges[obj.id])
        uses = [edge for edge in edges if bearing[edge.target]]
        ids = tuple(use.id for use in uses)
        if not uses and obj.id != function.output:
            yield Violation("TokenDropped", f"the token {obj.id} is lost", (obj.id,))
        if len(uses) > 2 or (
            len(uses) == 2 and not _are_alternatives(graph, spans, homes, obj.id, uses)
        ):
            message = f"the token {obj.id} is used {len(uses)} times"
            yield Violation("TokenNotLinear", message, (obj.id,), ids)
    for loop in graph.loops:
        leaves_with = graph.morphisms[loop.leave].target
        if bearing[loop.merge] and not bearing[leaves_with]:
            message = f"loop {loop.id} keeps its token"
            yield Violation("TokenNotEscaping", message, (loop.merge, leaves_with))


def _are_alternatives(
    graph: Graph,
    spans: RegionSpans,
    homes: list[RegionId],
    obj: ObjectId,
    uses: list[Morphism],
) -> bool:
    """Whether the loop whose body holds the object runs one use or the other."""
    home = graph.regions[homes[obj]]
    if home.kind is not RegionKind.LOOP_BODY or home.owner is None:
        return False
    loop = graph.loops[LoopId(home.owner)]
    arms = {
        part for use in uses for part in (loop.jump, loop.exit) if spans.covers(part, use.region)
    }
    return len(arms) == 2
