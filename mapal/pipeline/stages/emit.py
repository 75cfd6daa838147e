"""Stage `emit`: graph to LLVM text and emission plan, for a processor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mapal.codegen import emit as emit_module
from mapal.ir.text import parse_graph
from mapal.pipeline.stages.profile_input import read_profile
from mapal.pipeline.stages.result import Inputs, Options, StageResult, canonical_json


def emit(inputs: Inputs, options: Options) -> StageResult:
    """`ir` and profile to `ll` and `plan`. Options: `name`, the program's, and, if proofs are
    compared with simple rules, `crosscheck`."""
    graph = parse_graph(inputs["ir"].decode())
    compares = options.get("crosscheck", False)
    profile = read_profile(inputs, options)
    emission = emit_module(graph, profile, name=options["name"], compares=compares)
    outputs = {"ll": emission.ll.encode(), "plan": canonical_json(emission.plan)}
    return StageResult(outputs, summary=comparison(emission.plan) if compares else None)


def comparison(plan: Mapping[str, Any]) -> str:
    """What the end of a build says about compared proofs."""
    beyond, total = len(plan["crosscheck"]), len(plan["legality"])
    return f"no simple rule allows more; {beyond} of {total} answers go beyond them"
