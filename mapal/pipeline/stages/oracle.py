"""Stage `oracle`: what the program does, by the interpreter, on its inputs."""

from __future__ import annotations

from typing import Any

from mapal.interpreter import LOCKSTEP_FROM, run
from mapal.ir.entry import entry_ports
from mapal.ir.text import parse_graph
from mapal.pipeline.files import content_hash
from mapal.pipeline.stages.result import Inputs, Options, StageResult, canonical_json
from mapal.project.arrays import check_output_names, input_values, output_files

_EXIT = {"done": 0, "trapped": 101, "diverged": None}


def oracle(inputs: Inputs, options: Options) -> StageResult:
    """`ir` and one `input.NAME` per parameter to `oracle` and one file per result. Options:
    `steps`, the budget; `inputs`, the paths to show for each input; `outputs`, names of results
    that the project writes. Raises `UserError` for inputs and outputs that do not fit."""
    graph = parse_graph(inputs["ir"].decode())
    ports = entry_ports(graph)
    check_output_names(options["outputs"], ports)
    files = {name: (inputs[f"input.{name}"], path) for name, path in options["inputs"].items()}
    values = input_values(files, ports)
    outcome = run(graph, values, budget=options["steps"], lockstep_from=LOCKSTEP_FROM)
    results = output_files(outcome.result, ports) if outcome.kind == "done" else {}
    trap: dict[str, Any] | None = None
    if outcome.trap is not None:
        trap = {"kind": outcome.trap.kind, "token": outcome.trap.token}
    document = {
        "schema": 1,
        "class": outcome.kind,
        "exit": _EXIT[outcome.kind],
        "trap": trap,
        "stdout": outcome.output.decode("utf-8", "replace"),
        "stdout_sha256": content_hash(outcome.output),
        "outputs": {name: content_hash(data) for name, data in results.items()},
    }
    failure = None
    if outcome.kind == "diverged":
        failure = (
            f"the interpreter spent its budget of {options['steps']} steps; if the program is "
            "meant to run that long, raise `steps` in mapal.yaml"
        )
    return StageResult({"oracle": canonical_json(document), **results}, failure=failure)
