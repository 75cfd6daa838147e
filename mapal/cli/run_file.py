"""`mapal run`: a program on the interpreter."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from mapal.cli.sources import (
    REJECTED,
    front_end,
    named_paths,
    place_of,
    read_source,
)
from mapal.diagnostics import UserError
from mapal.project.file import ARITHMETICS, DEFAULT_STEPS

TRAPPED = 101
BUDGET_SPENT = 3
LOST_OUTPUT = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a source file, or - for stdin")
    parser.add_argument("--arithmetic", choices=ARITHMETICS, default="exact")
    for option, what in (("input", "parameter"), ("output", "result")):
        parser.add_argument(
            f"--{option}",
            action="append",
            default=[],
            metavar="NAME=PATH",
            help=f"the .npy file of a {what}; may be repeated",
        )
    parser.add_argument(
        "--steps",
        type=_positive,
        default=DEFAULT_STEPS,
        metavar="N",
        help="stop after N steps (%(default)s)",
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive number")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """The exit status of the program; 3 if the budget is spent, 1 if the source is rejected."""
    from mapal.interpreter import run as interpret
    from mapal.ir.entry import entry_ports
    from mapal.project.arrays import check_output_names, input_values, output_files

    inputs = named_paths(options.input, "--input")
    outputs = named_paths(options.output, "--output")
    front = front_end(read_source(options.file), options.arithmetic)
    if front.diagnostics:
        sys.stderr.write(front.report())
        return REJECTED
    graph = front.graph()
    ports = entry_ports(graph)
    check_output_names(outputs, ports)
    files = {name: (_read(name, path), path) for name, path in inputs.items()}
    outcome = interpret(graph, input_values(files, ports), budget=options.steps)
    sys.stdout.buffer.write(outcome.output)
    sys.stdout.buffer.flush()
    if outcome.trap is not None:
        assert front.locations is not None
        place = place_of(outcome.trap.token, front.source, front.locations)
        print(f"mapal trap: {outcome.trap.kind}\n  at {place}", file=sys.stderr)
        return TRAPPED
    if outcome.kind == "diverged":
        print(
            f"mapal: diverged: the budget of {options.steps} steps is spent (--steps)",
            file=sys.stderr,
        )
        return BUDGET_SPENT
    results = output_files(outcome.result, ports)
    for name, path in outputs.items():
        _write(name, path, results[name])
    return 0


def _read(name: str, path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"input '{name}': {path}: {error.strerror}") from None


def _write(name: str, path: str, data: bytes) -> None:
    from mapal.pipeline.files import write_if_changed

    # Replacing a device or a pipe by a file would surprise everybody else who uses it.
    if os.path.exists(path) and not os.path.isfile(path):
        raise UserError(f"output '{name}': {path}: is not a regular file", LOST_OUTPUT)
    write_if_changed(path, data)
