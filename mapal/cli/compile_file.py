"""`mapal compile`: one source file to one executable, without a project."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from mapal.cli.sources import REJECTED, front_end, read_source, rewritten
from mapal.diagnostics import UserError
from mapal.native.toolchain import TOOLCHAIN_FAILURE
from mapal.project.file import ARITHMETICS
from mapal.target import NATIVE, TargetProfile, host_architecture, load_profile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a source file")
    parser.add_argument("-o", dest="out", metavar="OUT", help="the executable to write")
    parser.add_argument("--target", default=NATIVE, metavar="T", help="target (%(default)s)")
    parser.add_argument("--opt", type=int, choices=range(4), default=2, help="level (%(default)s)")
    parser.add_argument("--arithmetic", choices=ARITHMETICS, default="exact")
    parser.add_argument(
        "--no-rewrite", action="store_true", help="leave out the optimising passes on the graph"
    )


def run(options: argparse.Namespace) -> int:
    """0; 1 if the source is rejected, 4 if compiler or linker fail."""
    from mapal.codegen import emit
    from mapal.ir.text import parse_graph
    from mapal.native.llvm_worker import WorkerCrashed, compile_object
    from mapal.native.toolchain import build_runtime, link, require_compiler, runtime_sources
    from mapal.pipeline.files import write_if_changed

    source = read_source(options.file)
    profile = load_profile(options.target)
    _check_linkable(profile)
    out = options.out or _default_output(options.file)
    if os.path.exists(out) and (not os.path.isfile(out) or _same_file(out, options.file)):
        raise UserError(f"{out}: would be overwritten; name another file with -o")
    front = front_end(source, options.arithmetic)
    if front.diagnostics:
        sys.stderr.write(front.report())
        return REJECTED
    ir = front.artifacts["lower"] if options.no_rewrite else rewritten(front)
    name = re.sub(r"[^A-Za-z0-9_-]", "_", Path(out).stem) or "program"
    emission = emit(parse_graph(ir.decode()), profile, name=name)
    try:
        compiled = compile_object(emission.ll, profile, options.opt)
    except WorkerCrashed as crash:
        raise UserError(f"LLVM crashed on {options.file}: {crash}", TOOLCHAIN_FAILURE) from None
    compiler = require_compiler(lambda line: print(f"mapal: {line}", file=sys.stderr))
    sources = {file: path.read_bytes() for file, path in runtime_sources().items()}
    try:
        executable = link(compiler, compiled, build_runtime(compiler, sources))
    except OSError as error:
        # The compiler reads and writes files in a temporary directory.
        raise UserError(f"cannot link {out}: {error.strerror}", TOOLCHAIN_FAILURE) from None
    write_if_changed(out, executable, executable=True)
    return 0


def _default_output(path: str) -> str:
    if path == "-":
        raise UserError("the source comes from stdin; name the executable with -o")
    stem = Path(path).stem
    return stem if stem != Path(path).name else f"{stem}.out"


def _same_file(first: str, second: str) -> bool:
    return os.path.exists(second) and os.path.samefile(first, second)


def _check_linkable(profile: TargetProfile) -> None:
    """Executables are linked with the host's C compiler, for the host's kind of machine."""
    host = "macos" if sys.platform == "darwin" else "linux"
    if profile.is_gpu:
        raise UserError(
            f"target {profile.name}: linking GPU targets comes later", TOOLCHAIN_FAILURE
        )
    if profile.architecture != host_architecture() or profile.operating_system != host:
        raise UserError(
            f"target {profile.name}: linking for {profile.triple} needs such a machine; this is "
            f"{host_architecture()} with {host}",
            TOOLCHAIN_FAILURE,
        )
