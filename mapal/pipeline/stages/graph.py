"""Stage `graph`: pictures of the graph before and after rewriting."""

from __future__ import annotations

from mapal.ir.mermaid import to_mermaid
from mapal.ir.svg import to_svg
from mapal.ir.text import parse_graph
from mapal.pipeline.stages.result import Inputs, Options, StageResult


def draw(inputs: Inputs, options: Options) -> StageResult:
    """`lower` and `rewrite`, both graphs, to `….mmd` and `….svg` of each."""
    outputs = {}
    for role in ("lower", "rewrite"):
        graph = parse_graph(inputs[role].decode())
        outputs[f"{role}.mmd"] = to_mermaid(graph).encode()
        outputs[f"{role}.svg"] = to_svg(graph).encode()
    return StageResult(outputs)
