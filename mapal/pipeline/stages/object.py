"""Stage `object`: LLVM text to optimised text, assembly and object file."""

from __future__ import annotations

from mapal.native.llvm import compile_module
from mapal.pipeline.stages.profile_input import read_profile
from mapal.pipeline.stages.result import Inputs, Options, StageResult


def compile_object(inputs: Inputs, options: Options) -> StageResult:
    """`ll` and profile to `optimized`, `assembly` and `object`. Option `opt`: the level."""
    profile = read_profile(inputs, options)
    artifact = compile_module(inputs["ll"].decode(), profile, options["opt"])
    return StageResult(
        {
            "optimized": artifact.optimized_ll.encode(),
            "assembly": artifact.assembly.encode(),
            "object": artifact.object,
        }
    )
