"""The passes, and those that every program goes through, in their order within a round."""

from __future__ import annotations

from mapal.ir.graph import Graph
from mapal.rewrite.driver import RewritePass, RewriteResult, rewrite_with
from mapal.rewrite.passes import (
    common_subexpressions,
    constant_folding,
    dead_code,
    hoisting,
    inlining,
    loop_lifting,
    map_fusion,
    naturality,
    streams,
)

INLINING = RewritePass("inlining", "small functions in place of their calls", inlining.analyse)
LOOP_LIFTING = RewritePass(
    "loop_lifting", "folds and maps in place of counting loops", loop_lifting.analyse
)
CONSTANT_FOLDING = RewritePass(
    "constant_folding", "known values, neutral operands, structure", constant_folding.analyse
)
COMMON_SUBEXPRESSIONS = RewritePass(
    "common_subexpressions", "the same work once", common_subexpressions.analyse
)
DEAD_CODE = RewritePass("dead_code", "total work that nobody reads", dead_code.analyse)
MAP_FUSION = RewritePass("map_fusion", "maps of maps as one map", map_fusion.analyse)
NATURALITY = RewritePass(
    "naturality", "components and elements of arrays made by a law", naturality.analyse
)
STREAMS = RewritePass(
    "streams", "one form for what maps and folds go over and capture", streams.analyse
)
HOISTING = RewritePass("hoisting", "total work out of loops", hoisting.analyse)

PASSES = (
    INLINING,
    LOOP_LIFTING,
    CONSTANT_FOLDING,
    COMMON_SUBEXPRESSIONS,
    DEAD_CODE,
    MAP_FUSION,
    NATURALITY,
    STREAMS,
    HOISTING,
)
"""All passes, in their order within a round."""

PIPELINE = PASSES
"""Those that every program goes through."""


def rewrite(graph: Graph) -> RewriteResult:
    """The graph after the pipeline, and the report."""
    return rewrite_with(graph, PIPELINE)
