"""Which array accesses are always in range.

The extraction asks the engine of index maps at each place where an access stands, with the ranges
and inequalities that hold there.
"""

from __future__ import annotations

from functools import partial

from mapal.affine import crosscheck, is_crosschecking
from mapal.analysis.accesses import extract, walked
from mapal.analysis.interval_bounds import in_range_by_intervals
from mapal.ir import ops
from mapal.ir.graph import Graph, Morphism, ObjectKind, RegionKind
from mapal.ir.ops import MorphismId


def accesses_in_range(graph: Graph) -> frozenset[MorphismId]:
    """The `Index` and `Update` operations that never trap where the program runs them. In the
    arm of a guard that may be thanks to the guard's condition."""
    if not _open_accesses(graph):
        return frozenset()
    return graph.remembered("accesses in range", lambda: _compared(graph, True))


def needless_guards(graph: Graph) -> frozenset[MorphismId]:
    """The accesses whose guards may go. Where nothing ever gets they stay: without them, the
    compiler behind us may form addresses far away from any array."""
    proved = accesses_in_range(graph)
    return proved & extract(graph).reached if proved else proved


def total_accesses(graph: Graph) -> frozenset[MorphismId]:
    """The `Index` and `Update` operations that would not trap either if the arm around them
    ran without being selected. What stands after an operation that always traps is not proved
    by that: such work may run before its turn."""
    if not any(graph.regions[access.region].kind in _ARMS for access in _open_accesses(graph)):
        return frozenset()
    return graph.remembered("total accesses", lambda: _compared(graph, False) & _reached(graph))


def _reached(graph: Graph) -> frozenset[MorphismId]:
    """The accesses with no operation before them that always traps, whatever arms are selected."""
    return frozenset(walked(graph, trusts_guards=False).reached)


_ARMS = (RegionKind.ARM_TRUE, RegionKind.ARM_FALSE)


def _open_accesses(graph: Graph) -> tuple[Morphism, ...]:
    """The accesses whose index is no literal: those that need a proof."""
    return graph.remembered(
        "open accesses",
        lambda: tuple(
            morphism
            for morphism in graph.morphisms
            if isinstance(morphism.op, ops.Index | ops.Update)
            and graph.objects[graph.operands(morphism)[1]].kind is not ObjectKind.CONSTANT
        ),
    )


def _compared(graph: Graph, trusts_guards: bool) -> frozenset[MorphismId]:
    """The answer, held to the simple rule when crosschecking."""
    found = extract(graph) if trusts_guards else walked(graph, trusts_guards=False)
    if is_crosschecking():
        rule = in_range_by_intervals(graph, trusts_guards=trusts_guards)
        site = "bounds" if trusts_guards else "bounds outside of the arm"
        for access in _open_accesses(graph):
            is_simple = access.id in rule
            crosscheck(
                site,
                f"operation {access.id} at token {access.key[-1][0]}",
                partial(bool, is_simple),
                access.id in found.in_range,
                f"the index of {type(access.op).__name__}",
            )
    return found.in_range
