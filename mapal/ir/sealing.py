"""The checks of a whole graph that `GraphBuilder.seal` runs."""

from __future__ import annotations

from mapal.ir.graph import Graph


def first_problem(graph: Graph) -> tuple[str, str] | None:
    """The first violation as (code, message), or None."""
    return None
