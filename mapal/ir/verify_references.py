"""Verifier, second group: functions refer to each other without a cycle."""

from __future__ import annotations

from collections.abc import Iterator

from mapal.ir import ops
from mapal.ir.graph import Graph
from mapal.ir.ops import FunctionId
from mapal.ir.violation import Violation


def reference_violations(graph: Graph) -> Iterator[Violation]:
    """Takes away functions that refer to none that is left; a rest means a cycle."""
    open_references: list[int] = [0] * len(graph.functions)
    referrers: list[list[FunctionId]] = [[] for _ in graph.functions]
    for morphism in graph.morphisms:
        match morphism.op:
            case ops.Call(function=callee):
                pass
            case ops.Map(body=callee) | ops.Fold(body=callee) | ops.Reduce(body=callee):
                pass
            case _:
                continue
        open_references[morphism.function] += 1
        referrers[callee].append(morphism.function)
    settled = [function.id for function in graph.functions if not open_references[function.id]]
    for callee in settled:
        for function in referrers[callee]:
            open_references[function] -= 1
            if not open_references[function]:
                settled.append(function)
    stuck = [function.name for function in graph.functions if open_references[function.id]]
    if stuck:
        names = ", ".join(stuck[:8])
        yield Violation("RecursiveReference", f"these refer to each other in a cycle: {names}")
