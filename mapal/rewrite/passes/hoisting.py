"""Moves work that no pass of a loop changes to the region around the loop.

Only total scalar work moves, and only if everything that it reads stands outside the loop: it
then runs once instead of on every pass, and once instead of never where no pass continues,
which cannot be seen. Work in an arm of a guard stays there: the arm may be rare. Work out of
nested loops moves as far as it can at once.
"""

from __future__ import annotations

from mapal.analysis.bounds import total_accesses
from mapal.analysis.definitions import live_functions
from mapal.analysis.positions import Positions, expanded, positions
from mapal.analysis.totality import is_total_morphism
from mapal.ir import ops
from mapal.ir.graph import Graph, ObjectKind, RegionKind
from mapal.ir.ops import FunctionId, MorphismId, ObjectId, RegionId
from mapal.ir.order import OperationItem
from mapal.ir.types import Scalar
from mapal.rewrite.plan import PlanMaker

_MOVED = (ops.Binary, ops.Unary, ops.Fma, ops.Widen, ops.Convert)


def analyse(maker: PlanMaker) -> None:
    """Plans all moves, in every live function with a loop."""
    graph = maker.graph
    for function in live_functions(graph):
        if graph.functions[function].loops:
            _Hoisting(maker, function).run()


class _Hoisting:
    """One function. `places` holds where moved values will stand."""

    def __init__(self, maker: PlanMaker, function: FunctionId) -> None:
        self.maker = maker
        self.graph: Graph = maker.graph
        self.function = function
        self.spans: Positions = positions(self.graph, function)
        self.places: dict[ObjectId, RegionId] = {}
        self.proved: frozenset[MorphismId] = total_accesses(self.graph)

    def run(self) -> None:
        for item in expanded(self.graph, self.graph.functions[self.function].body):
            if isinstance(item, OperationItem) and self._may_move(item):
                home = item.morphism.region
                place = self._outermost(item, home)
                if place != home:
                    self.places[item.target] = place
                    self.maker.move(item.target, place)

    def _may_move(self, item: OperationItem) -> bool:
        graph, target = self.graph, item.target
        return (
            isinstance(item.morphism.op, _MOVED)
            and graph.objects[target].kind is ObjectKind.TEMPORARY
            and isinstance(graph.ty(target), Scalar)
            and is_total_morphism(graph, item.morphism.id, self.proved)
        )

    def _outermost(self, item: OperationItem, home: RegionId) -> RegionId:
        """The last region on the way out that leaves a loop and holds all operands."""
        at = home
        while True:
            around = self._around_loop(at)
            if around is None:
                return at
            if not all(self._exists_in(operand, around) for operand in item.operands):
                return at
            at = around

    def _around_loop(self, region: RegionId) -> RegionId | None:
        """The region that a loop stands in, for its body and jump."""
        record = self.graph.regions[region]
        if record.kind not in (RegionKind.LOOP_BODY, RegionKind.JUMP) or record.owner is None:
            return None
        return self.graph.loops[record.owner].region

    def _exists_in(self, obj: ObjectId, region: RegionId) -> bool:
        home = self.places.get(obj)
        if home is None:
            home = self.graph.region_of(obj)
        return self.spans.encloses(home, region)
