"""Verifier: regions as intervals, and the region in which each object exists.

Used by the verifier alone; the builder and the schedules find both out in their own way.
"""

from __future__ import annotations

from mapal.ir.graph import Graph, ObjectKind, RegionKind
from mapal.ir.ops import RegionId


class RegionSpans:
    """Numbers the regions in preorder, so that nesting is a comparison of intervals."""

    def __init__(self, graph: Graph) -> None:
        children: list[list[RegionId]] = [[] for _ in graph.regions]
        roots: list[RegionId] = []
        for region in graph.regions:
            (roots if region.parent is None else children[region.parent]).append(region.id)
        self._first = [0] * len(graph.regions)
        self._last = [0] * len(graph.regions)
        order: list[RegionId] = []
        work = roots
        while work:
            region_id = work.pop()
            self._first[region_id] = self._last[region_id] = len(order)
            order.append(region_id)
            work.extend(children[region_id])
        self._skippable = [False] * len(graph.regions)
        for region_id in order:
            region = graph.regions[region_id]
            is_arm = region.kind in (RegionKind.ARM_TRUE, RegionKind.ARM_FALSE)
            above = region.parent is not None and self._skippable[region.parent]
            self._skippable[region_id] = is_arm or above
        for region_id in reversed(order):
            parent = graph.regions[region_id].parent
            if parent is not None:
                self._last[parent] = max(self._last[parent], self._last[region_id])

    def covers(self, outer: RegionId, inner: RegionId) -> bool:
        """Whether `outer` is `inner` or lies around it."""
        return self._first[outer] <= self._first[inner] <= self._last[outer]

    def under_guard(self, region: RegionId) -> bool:
        """Whether the region is an arm of a guard or inside one."""
        return self._skippable[region]


def home_regions(graph: Graph) -> list[RegionId]:
    """For each object the region in which it exists, by position. Needs well-formed records."""
    homes = [graph.functions[obj.function].regions[0] for obj in graph.objects]
    for m in graph.morphisms:
        if graph.objects[m.target].kind is ObjectKind.TEMPORARY:
            homes[m.target] = m.region
    for guard in graph.guards:
        homes[graph.morphisms[guard.phi].source] = guard.region
    for loop in graph.loops:
        homes[loop.merge] = loop.body
        for edge in (loop.back, loop.leave):
            homes[graph.morphisms[edge].source] = loop.body
    return homes
