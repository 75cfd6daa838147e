"""Parts of plans: the entries that remain when some places are to be left alone."""

from __future__ import annotations

from collections.abc import Callable

from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId, RegionId
from mapal.rewrite.entries import RewritePlan


def without_functions(
    graph: Graph, plan: RewritePlan, functions: frozenset[FunctionId]
) -> RewritePlan:
    """The plan without its entries about some functions."""
    return restricted(graph, plan, lambda region: graph.regions[region].function not in functions)


def restricted(graph: Graph, plan: RewritePlan, keeps: Callable[[RegionId], bool]) -> RewritePlan:
    """The entries about what stands in the regions that `keeps` accepts. Constants stand in
    the body of their function."""

    def of_morphism(morphism: int) -> bool:
        return keeps(graph.morphisms[morphism].region)

    return RewritePlan(
        alias={k: v for k, v in plan.alias.items() if keeps(graph.region_of(k))},
        constify={k: v for k, v in plan.constify.items() if keeps(graph.region_of(k))},
        drop=frozenset(obj for obj in plan.drop if keeps(graph.region_of(obj))),
        share={k: v for k, v in plan.share.items() if keeps(graph.region_of(k))},
        reoperand={k: v for k, v in plan.reoperand.items() if of_morphism(k[0])},
        fuse={k: v for k, v in plan.fuse.items() if of_morphism(k)},
        stream={k: v for k, v in plan.stream.items() if of_morphism(k)},
        apply={k: v for k, v in plan.apply.items() if of_morphism(k)},
        inline=frozenset(call for call in plan.inline if of_morphism(call)),
        lift={k: v for k, v in plan.lift.items() if keeps(graph.loops[k].region)},
        resolve_guards={
            k: v for k, v in plan.resolve_guards.items() if keeps(graph.guards[k].region)
        },
        resolve_loops=frozenset(
            loop for loop in plan.resolve_loops if keeps(graph.loops[loop].region)
        ),
        move={k: v for k, v in plan.move.items() if keeps(graph.region_of(k))},
    )
