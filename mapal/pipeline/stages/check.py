"""Stage `check`: the rules that an accepted program keeps."""

from __future__ import annotations

from mapal.check import check as check_program
from mapal.ir.text import parse_graph
from mapal.pipeline.stages.result import Inputs, Options, StageResult, canonical_json
from mapal.syntax import decode_program


def check(inputs: Inputs, options: Options) -> StageResult:
    """`ast` and `ir` to `check`, which exists for an accepted program only."""
    program, graph = decode_program(inputs["ast"]), parse_graph(inputs["ir"].decode())
    diagnostics = tuple(check_program(program, graph))
    if diagnostics:
        return StageResult({}, diagnostics)
    return StageResult({"check": canonical_json({"schema": 1, "diagnostics": []})})
