"""Stage `emit`: graph to LLVM text and emission plan, for a processor."""

from __future__ import annotations

from mapal.codegen import emit as emit_module
from mapal.ir.text import parse_graph
from mapal.pipeline.stages.profile_input import read_profile
from mapal.pipeline.stages.result import Inputs, Options, StageResult, canonical_json


def emit(inputs: Inputs, options: Options) -> StageResult:
    """`ir` and profile to `ll` and `plan`. Option `name`: the program's."""
    graph = parse_graph(inputs["ir"].decode())
    emission = emit_module(graph, read_profile(inputs, options), name=options["name"])
    return StageResult({"ll": emission.ll.encode(), "plan": canonical_json(emission.plan)})
