"""`mapal dump`: one stage's artifact on the standard output."""

from __future__ import annotations

import argparse
import sys

from mapal.cli.sources import REJECTED, Front, front_end, read_source, rewritten
from mapal.diagnostics import UserError
from mapal.project.file import ARITHMETICS
from mapal.target import (
    NATIVE,
    TargetProfile,
    list_profiles,
    load_profile,
)

STAGES = ("ast", "loc", "lower", "check", "rewrite", "plan", "ll", "asm", "ptx")
_FRONT = {"ast": "ast", "loc": "locations", "lower": "lower", "check": "check"}
_LEVEL = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stage", required=True, choices=STAGES)
    parser.add_argument("file", metavar="FILE", help="a source file, or - for stdin")
    parser.add_argument("--target", metavar="T", help="target of the stages from plan on (native)")
    parser.add_argument("--arithmetic", choices=ARITHMETICS, default="exact")


def run(options: argparse.Namespace) -> int:
    """0, or 1 if the source is rejected before or in the stage asked for."""
    front = front_end(read_source(options.file), options.arithmetic)
    wanted = _FRONT.get(options.stage)
    # Tree and table are there for every program that parses, the graph for every one that
    # lowers, whatever later stages think of it.
    if front.diagnostics and (wanted is None or wanted not in front.artifacts):
        sys.stderr.write(front.report())
        return REJECTED
    data = front.artifacts[wanted] if wanted is not None else _later(front, options)
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
    return 0


def _later(front: Front, options: argparse.Namespace) -> bytes:
    ir = rewritten(front)
    if options.stage == "rewrite":
        return ir
    from mapal.codegen import emit
    from mapal.ir.text import parse_graph
    from mapal.native.llvm_worker import WorkerCrashed, compile_device, compile_module
    from mapal.pipeline.stages.result import canonical_json

    profile = _profile(options)
    emission = emit(parse_graph(ir.decode()), profile, name="program")
    if options.stage == "plan":
        return canonical_json(emission.plan)
    if options.stage == "ll":
        return emission.ll.encode()
    try:
        if options.stage == "asm":
            return compile_module(emission.ll, profile, _LEVEL).assembly.encode()
        return compile_device(emission.device_ll or "", profile).encode()
    except WorkerCrashed as crash:
        raise UserError(f"LLVM crashed for target {profile.name}: {crash}", 70) from None


def _profile(options: argparse.Namespace) -> TargetProfile:
    if options.stage != "ptx":
        return load_profile(options.target or NATIVE)
    devices = [name for name in list_profiles() if load_profile(name).is_gpu]
    profile = load_profile(options.target or devices[0])
    if not profile.is_gpu:
        raise UserError(f"target {profile.name} has no PTX; one of {', '.join(devices)} has")
    return profile
