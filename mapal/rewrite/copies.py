"""What a replay made of what: the maps from an old graph to the new one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId, MorphismId, ObjectId, RegionId


@dataclass(slots=True)
class Copy:
    """One copy of an old function, or of some of its regions, in a new function. `path` are the
    morphisms in whose place it stands (inlined calls, outermost first; the outer map of a
    fusion with 0 for its inner and 1 for its outer body), empty for a function's own copy.
    `objects` and `morphisms` lead from old ids to new ones; what was left out is missing. A
    guard or loop is found by its `Phi` or `LoopEnter`; what replaced a loop by the latter.
    `beside` are copies of bodies that were applied to single elements, `hoisted` the new
    accesses that a body made before."""

    function: FunctionId
    regions: tuple[RegionId, ...]
    into: FunctionId
    path: tuple[int, ...]
    objects: dict[ObjectId, ObjectId] = field(default_factory=dict)
    morphisms: dict[MorphismId, MorphismId] = field(default_factory=dict)
    inlined: dict[MorphismId, Copy] = field(default_factory=dict)
    beside: list[Copy] = field(default_factory=list)
    hoisted: list[MorphismId] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Replayed:
    """A new graph; `copies` lists what is no part of another copy, in the order of building."""

    graph: Graph
    copies: tuple[Copy, ...]
    functions: Mapping[FunctionId, FunctionId]
