"""Stage `lower`: syntax tree to graph."""

from __future__ import annotations

from mapal.ir.text import print_graph
from mapal.lower import lower as lower_program
from mapal.pipeline.stages.result import Inputs, Options, StageResult
from mapal.syntax import decode_program


def lower(inputs: Inputs, options: Options) -> StageResult:
    """`ast` to `ir`. Option `arithmetic`: `exact` or `fused`."""
    result = lower_program(decode_program(inputs["ast"]), options["arithmetic"])
    if result.graph is None:
        return StageResult({}, tuple(result.diagnostics))
    return StageResult({"ir": print_graph(result.graph).encode()})
