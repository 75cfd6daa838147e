"""Stages `runtime` and `link`: what the C toolchain makes."""

from __future__ import annotations

from mapal.native.toolchain import build_runtime, link
from mapal.pipeline.stages.result import StageResult
from mapal.pipeline.step import Call


def build_library(call: Call) -> StageResult:
    """The runtime's sources and headers to `library`."""
    compiler = call.tools.require_compiler()
    return StageResult({"library": build_runtime(compiler, call.inputs, scratch=call.scratch)})


def link_program(call: Call) -> StageResult:
    """`object` and `library` to `program`."""
    compiler = call.tools.require_compiler()
    program, library = call.inputs["object"], call.inputs["library"]
    return StageResult({"program": link(compiler, program, library, scratch=call.scratch)})
