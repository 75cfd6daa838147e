"""The passes that every program goes through, in their order within a round."""

from __future__ import annotations

from mapal.ir.graph import Graph
from mapal.rewrite.driver import RewritePass, RewriteResult, rewrite_with

PIPELINE: tuple[RewritePass, ...] = ()


def rewrite(graph: Graph) -> RewriteResult:
    """The graph after the pipeline, and the report."""
    return rewrite_with(graph, PIPELINE)
