"""Stage `rewrite` with `validate: true`: every change of a pass is run against the graph before.

A module of its own, so that what the interpreter is made of counts as code of this stage only
where it is used.
"""

from __future__ import annotations

from typing import Any

from mapal.analysis.legality import compared
from mapal.ir.entry import entry_ports
from mapal.ir.graph import Graph
from mapal.ir.text import parse_graph, print_graph
from mapal.pipeline.stages.result import Inputs, Options, StageResult, canonical_json
from mapal.project.arrays import input_values
from mapal.rewrite import PassFailure, pipeline
from mapal.rewrite.validation import ValidationFailure, cases_of, validated_rewrite

BEFORE, AFTER = "before", "after"
"""Roles of the evidence: the graphs around the pass that changed the program."""


def rewrite(inputs: Inputs, options: Options) -> StageResult:
    """`ir` and one `input.NAME` per parameter to `ir` and `report`, or to the evidence of a
    failure. `check` is an input too. Options: `name`, the program's; `steps`, the budget of the
    oracle; `inputs`, the paths to show for each input; `crosscheck` as in `rewrite`. Raises
    `UserError` for inputs that do not fit."""
    graph = parse_graph(inputs["ir"].decode())
    files = {name: (inputs[f"input.{name}"], path) for name, path in options["inputs"].items()}
    own = input_values(files, entry_ports(graph))
    cases = cases_of(graph, own, options["steps"])
    compares = options.get("crosscheck", False)
    try:
        with compared(compares) as gains:
            result = validated_rewrite(graph, pipeline.PIPELINE, cases)
    except ValidationFailure as failure:
        evidence = {BEFORE: _text(failure.before), AFTER: _text(failure.after)}
        return StageResult(evidence, failure=f"{failure}{_kept(options, *evidence)}")
    except PassFailure as failure:
        evidence = {BEFORE: _text(failure.graph)}
        return StageResult(evidence, failure=f"{failure}{_kept(options, *evidence)}")
    report = {**result.report, **({"crosscheck": gains} if compares else {})}
    return StageResult(
        {"ir": _text(result.graph), "report": canonical_json(report)},
        summary=_summary(result.report["validation"]),
    )


def _kept(options: Options, *roles: str) -> str:
    files = " and ".join(f"rewrite/{options['name']}/{role}.ir" for role in roles)
    return f"\n  kept: {files}"


def _text(graph: Graph) -> bytes:
    return print_graph(graph).encode()


def _summary(validation: dict[str, Any]) -> str:
    undecided = len(validation["undecided"])
    inputs = validation["inputs"] - undecided
    text = f"{validation['changes']} changes by passes, each validated on {inputs} inputs"
    text += f" ({validation['generated']} generated)" if validation["generated"] else ""
    return text + (f"; {undecided} inputs undecided within their steps" if undecided else "")
