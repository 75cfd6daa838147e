"""Translation validation: after each pass, the graph before and the graph after run on the same
inputs and must end alike.

A pass is correct by its laws and its tests; this is the check of one program's own rewriting,
for those who want to see it (Pnueli, Siegel and Singerman, "Translation Validation", 1998). Since
every graph agreed with the one before it, each is held to the runs of the first: one run per
input and change. Runs are strict: class, printed bytes, kind and place of a trap, and every bit
of the result but those of a NaN. An input on which the first graph does not end within the
budget decides nothing, and is counted as such.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from mapal.interpreter import LOCKSTEP_FROM, Outcome, run
from mapal.ir.entry import without_token
from mapal.ir.graph import Graph
from mapal.ir.types import F32, Array, Scalar, Struct, Tuple, Type
from mapal.rewrite.driver import RewritePass, RewriteResult, rewrite_with
from mapal.rewrite.generated_inputs import generated_inputs

GENERATED = 4
"""Cases made up for a program that has parameters, one of each style."""

MOST_STEPS = 50_000_000
"""Budget of one run, below the budget of the build: each change of a pass costs a run per
case."""

_ALLOWANCE = 1_000_000
"""What a rewritten graph may need beyond four times the budget: the interpreters count what a
pass synthesises otherwise."""

_TICK = 0.5
"""Milliseconds between two readings of the clock in every run."""


@dataclass(frozen=True, slots=True)
class Case:
    """Inputs of the entry by parameter, with what a message calls them."""

    name: str
    inputs: Mapping[str, object]
    budget: int


class ValidationFailure(Exception):  # noqa: N818  # a finding about a pass, with its evidence
    """A pass changed what a program does. `before` and `after` are the graphs."""

    def __init__(self, step: str, case: str, what: str, before: Graph, after: Graph) -> None:
        super().__init__(f"pass {step} changed the program: on {case}, {what}")
        self.before = before
        self.after = after


def cases_of(graph: Graph, own: Mapping[str, object], steps: int) -> list[Case]:
    """The program's own inputs, and generated ones where it has parameters. `steps` is the
    build's budget, which no run exceeds."""
    budget = min(steps, MOST_STEPS)
    cases = [Case("the program's inputs", own, budget)]
    if graph.functions[graph.entry].parameters:
        cases += [
            Case(f"generated input {number}", generated_inputs(graph, number), budget)
            for number in range(GENERATED)
        ]
    return cases


def validated_rewrite(
    graph: Graph, passes: Sequence[RewritePass], cases: Sequence[Case]
) -> RewriteResult:
    """Rewrites, and runs every case after every change. The report gains `validation`: how many
    `inputs` there were, how many of them `generated` and how many `undecided`, how many
    `changes` passes made and how many `runs` were compared. Raises `ValidationFailure` for the
    first difference."""
    expected = [(case, _run(graph, case, case.budget)) for case in cases]
    decided = [(case, outcome) for case, outcome in expected if outcome.kind != "diverged"]
    output = without_token(graph.ty(graph.functions[graph.entry].output))
    counted = itertools.count()

    def observe(step: RewritePass, before: Graph, after: Graph) -> None:
        next(counted)
        for case, outcome in decided:
            found = _run(after, case, 4 * case.budget + _ALLOWANCE)
            what = difference(outcome, found, output)
            if what is not None:
                raise ValidationFailure(step.name, case.name, what, before, after)

    result = rewrite_with(graph, passes, observe)
    changes = next(counted)
    validation = {
        "inputs": len(cases),
        "generated": sum(case.name.startswith("generated") for case in cases),
        "undecided": [case.name for case, outcome in expected if outcome.kind == "diverged"],
        "changes": changes,
        "runs": changes * len(decided),
    }
    return RewriteResult(result.graph, {**result.report, "validation": validation})


def _run(graph: Graph, case: Case, budget: int) -> Outcome:
    clock = partial(_reading, itertools.count())
    return run(graph, case.inputs, budget=budget, clock=clock, lockstep_from=LOCKSTEP_FROM)


def _reading(readings: Iterator[int]) -> float:
    return _TICK * next(readings)


def difference(before: Outcome, after: Outcome, result: Type) -> str | None:
    """The first thing in which two outcomes differ; `result` is the type of both results."""
    if before.output != after.output:
        return _first_byte(before.output, after.output)
    if _ending(before) != _ending(after):
        return f"it {_ending(before)} before and {_ending(after)} after"
    if before.kind != "done":
        return None
    return _first_element(before.result, after.result, result)


def _ending(outcome: Outcome) -> str:
    if outcome.trap is not None:
        return f"trapped with {outcome.trap.kind} at token {outcome.trap.token}"
    return "was done" if outcome.kind == "done" else "did not end"


def _first_byte(before: bytes, after: bytes) -> str:
    lines = itertools.zip_longest(before.split(b"\n"), after.split(b"\n"))
    for number, (one, other) in enumerate(lines, 1):
        if one != other:
            return f"line {number} of the output was {_shown(one)} before and is {_shown(other)}"
    raise AssertionError("texts that differ have a line that does")


def _shown(line: bytes | None) -> str:
    return "missing" if line is None else repr(line[:80].decode("utf-8", "replace"))


def _first_element(before: Any, after: Any, ty: Type) -> str | None:
    """The first number of a result that differs, outermost index first."""
    work: list[tuple[str, Any, Any, Type]] = [("the result", before, after, ty)]
    while work:
        place, one, other, part = work.pop()
        match part:
            case Scalar():
                if _bits(one, part) != _bits(other, part):
                    return f"{place} was {one!r}{_hex(one, part)} before and is {other!r}" + _hex(
                        other, part
                    )
            case Array(element=element):
                numbered = list(enumerate(zip(one, other, strict=True)))
                work += [(f"{place}[{i}]", a, b, element) for i, (a, b) in reversed(numbered)]
            case Tuple(items=items) | Struct(items=items):
                parts = list(zip(range(len(items)), one, other, items, strict=True))
                work += [(f"{place}.{i}", a, b, item) for i, a, b, item in reversed(parts)]
            case _:
                continue
    return None


def _bits(value: Any, ty: Scalar) -> object:
    """What tells values apart: of floats all bits, but one NaN is as good as another."""
    if not ty.is_float:
        return value
    return "NaN" if value != value else struct.pack("<d", value)


def _hex(value: Any, ty: Scalar) -> str:
    if not ty.is_float:
        return ""
    return f" (0x{struct.pack('>f' if ty == F32 else '>d', value).hex()})"
