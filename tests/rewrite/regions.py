"""Region stability (R7): where each surviving operation stood, and where it stands now."""

from __future__ import annotations

from mapal.ir import ops
from mapal.ir.graph import Graph, RegionKind
from mapal.ir.ops import GuardId, LoopId, MorphismId, RegionId
from mapal.rewrite.copies import Copy, Replayed
from mapal.rewrite.entries import EMPTY, RewritePlan

Path = tuple[tuple[str, int], ...]
"""Arms of guards and regions of loops of the new graph, outermost first."""


def region_changes(graph: Graph, replayed: Replayed, plan: RewritePlan = EMPTY) -> list[MorphismId]:
    """The old morphisms that became one in another region than the plan says: in the copies of
    the regions around them, less what the plan resolves or lifts, or where it moves them."""
    changed: list[MorphismId] = []
    for root in replayed.copies:
        work: list[tuple[Copy, Path]] = [(root, ())]
        while work:
            copy, outside = work.pop()
            for old, new in copy.morphisms.items():
                if not _stands_right(graph, replayed.graph, plan, copy, outside, old, new):
                    changed.append(old)
            for call, inside in copy.inlined.items():
                path = _expected(graph, replayed.graph, plan, copy, graph.morphisms[call].region)
                if path is None:
                    changed.append(call)
                else:
                    work.append((inside, outside + path))
    return changed


def _stands_right(
    graph: Graph,
    result: Graph,
    plan: RewritePlan,
    copy: Copy,
    outside: Path,
    old: MorphismId,
    new: MorphismId,
) -> bool:
    morphism = graph.morphisms[old]
    region = plan.move.get(morphism.target, morphism.region)
    path = _expected(graph, result, plan, copy, region)
    return path is not None and outside + path == _path(result, result.morphisms[new].region)


def _path(graph: Graph, region: RegionId) -> Path:
    steps: list[tuple[str, int]] = []
    at: RegionId | None = region
    while at is not None:
        record = graph.regions[at]
        if record.owner is not None:
            steps.append((record.kind.value, record.owner))
        at = record.parent
    return tuple(reversed(steps))


def _expected(
    graph: Graph, result: Graph, plan: RewritePlan, copy: Copy, region: RegionId
) -> Path | None:
    """The path of an old region, by the guards and loops that the copy made; None if one of
    those is missing."""
    steps: list[tuple[str, int]] = []
    at: RegionId | None = region
    while at is not None and at not in copy.regions:
        record = graph.regions[at]
        if record.owner is not None:
            if record.kind in (RegionKind.ARM_TRUE, RegionKind.ARM_FALSE):
                guard = GuardId(record.owner)
                new = copy.morphisms.get(graph.guards[guard].phi)
                is_gone = guard in plan.resolve_guards
            else:
                loop = LoopId(record.owner)
                new = copy.morphisms.get(graph.loops[loop].enter)
                is_gone = loop in plan.resolve_loops or loop in plan.lift
            if not is_gone:
                if new is None:
                    return None
                steps.append((record.kind.value, _owner(result, new)))
        at = record.parent
    return tuple(reversed(steps))


def _owner(graph: Graph, morphism: MorphismId) -> int:
    match graph.morphisms[morphism].op:
        case ops.Phi(guard=guard):
            return guard
        case ops.LoopEnter(loop=loop):
            return loop
        case _:
            return -1
