"""Stage `rewrite`: the optimised graph and the report of what was done."""

from __future__ import annotations

from mapal.analysis.legality import compared
from mapal.ir.text import parse_graph, print_graph
from mapal.pipeline.stages.result import Inputs, Options, StageResult, canonical_json
from mapal.rewrite import rewrite as rewrite_graph


def rewrite(inputs: Inputs, options: Options) -> StageResult:
    """`ir` to `ir` and `report`. `check` is an input too: only accepted programs get here. Option:
    `crosscheck`, if proofs are compared with simple rules."""
    compares = options.get("crosscheck", False)
    with compared(compares) as gains:
        result = rewrite_graph(parse_graph(inputs["ir"].decode()))
    report = {**result.report, **({"crosscheck": gains} if compares else {})}
    return StageResult({"ir": print_graph(result.graph).encode(), "report": canonical_json(report)})
