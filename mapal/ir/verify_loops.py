"""Verifier: each loop computes its next state from the present one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mapal.ir import ops
from mapal.ir.graph import Graph, Loop
from mapal.ir.ops import LoopId, ObjectId
from mapal.ir.region_spans import RegionSpans, home_regions
from mapal.ir.violation import Violation


def loop_violations(graph: Graph) -> Iterator[Violation]:
    if not graph.loops:
        return
    search = _BackwardSearch(graph)
    # A loop comes after the loops around it, so that here it comes before them.
    for loop in sorted(graph.loops, key=lambda loop: loop.body, reverse=True):
        next_state = _feeders_of_slot_0(graph, graph.morphisms[loop.back].source)
        inside, _ = search.run(loop, next_state)
        if loop.merge not in inside:
            message = f"the next state of loop {loop.id} does not depend on its merge"
            yield Violation("BadLoop", message, (loop.merge,), (loop.back,))
        search.summarise(loop)


def _feeders_of_slot_0(graph: Graph, product: ObjectId) -> list[ObjectId]:
    writers = (graph.morphisms[edge] for edge in graph.in_edges[product])
    return [w.source for w in writers if isinstance(w.op, ops.Pair) and w.op.slot == 0]


class _BackwardSearch:
    """Finds what values in a loop depend on, back edges included. An inner loop is passed in
    one step, from its exit object to what the exit depends on outside that loop."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._spans = RegionSpans(graph)
        self._homes = home_regions(graph)
        self._loop_of_exit = {graph.morphisms[loop.leave].target: loop.id for loop in graph.loops}
        self._summaries: dict[LoopId, list[ObjectId]] = {}

    def summarise(self, loop: Loop) -> None:
        """Remembers what a loop's exit depends on outside the loop."""
        route = self._graph.morphisms[loop.leave].source
        _, self._summaries[loop.id] = self.run(loop, [route])

    def run(self, loop: Loop, start: Iterable[ObjectId]) -> tuple[set[ObjectId], list[ObjectId]]:
        """What some values depend on: objects inside the loop, and those just outside it."""
        work = list(start)
        seen = set(work)
        inside: set[ObjectId] = set()
        outside: list[ObjectId] = []
        while work:
            obj = work.pop()
            if not self._spans.covers(loop.body, self._homes[obj]):
                outside.append(obj)
                continue
            inside.add(obj)
            for source in self._sources(obj):
                if source not in seen:
                    seen.add(source)
                    work.append(source)
        return inside, outside

    def _sources(self, obj: ObjectId) -> list[ObjectId]:
        inner = self._loop_of_exit.get(obj)
        if inner is not None and inner in self._summaries:
            return self._summaries[inner]
        return [self._graph.morphisms[edge].source for edge in self._graph.in_edges[obj]]
