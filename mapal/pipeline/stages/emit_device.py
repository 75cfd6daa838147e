"""Stage `emit` for a GPU profile: host module, device module, PTX, checked by `ptxas`."""

from __future__ import annotations

from mapal.codegen import emit as emit_module
from mapal.ir.text import parse_graph
from mapal.native.llvm import compile_device
from mapal.native.ptxas import resources
from mapal.pipeline.stages.emit import comparison
from mapal.pipeline.stages.profile_input import read_profile
from mapal.pipeline.stages.result import Inputs, Options, StageResult, canonical_json

_DEVICE_OPTIMISATION = 3
_NOTHING_TO_DO = "; no operation of this program runs on the device\n"


def emit_device(inputs: Inputs, options: Options) -> StageResult:
    """`ir` and profile to `ll`, `plan`, `device` and `ptx`. Options: `name`, the program's, and
    `ptxas`, whether there is an assembler to check with; and `crosscheck` as in `emit`."""
    profile = read_profile(inputs, options)
    assert profile.device is not None
    graph, compares = parse_graph(inputs["ir"].decode()), options.get("crosscheck", False)
    emission = emit_module(graph, profile, name=options["name"], compares=compares)
    device_ll = emission.device_ll or _NOTHING_TO_DO
    ptx = compile_device(device_ll, profile, _DEVICE_OPTIMISATION)
    plan = dict(emission.plan)
    plan["ptxas"] = resources(ptx, profile.device.cpu) if options["ptxas"] else None
    return StageResult(
        {
            "ll": emission.ll.encode(),
            "plan": canonical_json(plan),
            "device": device_ll.encode(),
            "ptx": ptx.encode(),
        },
        summary=comparison(emission.plan) if compares else None,
    )
