"""Scripts: random programs as plain data.

A script never names what it works on by identity. Each step holds numbers that the emission
reads modulo whatever there is to choose from, and blocks of further steps (arms, bodies, parts
of a loop). So every script means some program, and so does every script with steps deleted or
numbers changed: shrinking needs no care.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

Mode = Literal["default", "trap_free"]
"""Whether the program may trap."""

Strategy = Literal["closed", "printing", "open"]
"""The entry: pure without parameters, printing without parameters, or pure with parameters."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of kind `kind`, a name of `mapal.sweep.emission.STEPS`."""

    kind: str
    numbers: tuple[int, ...] = ()
    blocks: tuple[Block, ...] = ()


Block = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class FunctionScript:
    """A function: codes of the types of its parameters and of its result (None for a result
    that the emission chooses or leaves out), and its steps."""

    parameters: tuple[int, ...]
    result: int | None
    prints: bool
    steps: Block


@dataclass(frozen=True, slots=True)
class Script:
    """A program. Each of `helpers` may call those before it, the entry all of them. An open
    program runs once for each of `arguments`, the seeds of its inputs."""

    mode: Mode
    fused: bool
    helpers: tuple[FunctionScript, ...]
    entry: FunctionScript
    arguments: tuple[int, ...] = (0,)

    @property
    def strategy(self) -> Strategy:
        if self.entry.parameters:
            return "open"
        return "printing" if self.entry.prints else "closed"


def steps_of(block: Block) -> Iterator[Step]:
    """The steps of a block and of the blocks inside it, outer ones first."""
    work = list(reversed(block))
    while work:
        step = work.pop()
        yield step
        for inner in reversed(step.blocks):
            work.extend(reversed(inner))


def size_of(script: Script) -> int:
    """Number of steps."""
    functions = (*script.helpers, script.entry)
    return sum(1 for function in functions for _ in steps_of(function.steps))


# JSON -----------------------------------------------------------------------------------------


def to_json(script: Script) -> str:
    """Canonical JSON text: one line for each step of a function."""
    functions = [_function_object(function) for function in (*script.helpers, script.entry)]
    head = {
        "schema": 1,
        "mode": script.mode,
        "fused": script.fused,
        "arguments": list(script.arguments),
    }
    lines = [json.dumps(head)[:-1] + ',\n "functions": [']
    texts = []
    for function in functions:
        steps = ",\n    ".join(json.dumps(step) for step in function.pop("steps"))
        texts.append(f'  {json.dumps(function)[:-1]}, "steps": [\n    {steps}]}}')
    lines.append(",\n".join(texts))
    lines.append(" ]}")
    return "\n".join(lines) + "\n"


def from_json(text: str) -> Script:
    """The script of a JSON text that `to_json` made."""
    data = json.loads(text)
    *helpers, entry = (_function(item) for item in data["functions"])
    return Script(data["mode"], data["fused"], tuple(helpers), entry, tuple(data["arguments"]))


def _function_object(function: FunctionScript) -> dict[str, Any]:
    return {
        "parameters": list(function.parameters),
        "result": function.result,
        "prints": function.prints,
        "steps": [_step_object(step) for step in function.steps],
    }


def _step_object(step: Step) -> list[Any]:
    blocks = [[_step_object(inner) for inner in block] for block in step.blocks]
    return [step.kind, list(step.numbers), *blocks]


def _function(data: dict[str, Any]) -> FunctionScript:
    steps = tuple(map(_step, data["steps"]))
    return FunctionScript(tuple(data["parameters"]), data["result"], data["prints"], steps)


def _step(data: list[Any]) -> Step:
    kind, numbers, *blocks = data
    return Step(kind, tuple(numbers), tuple(tuple(map(_step, block)) for block in blocks))


# Edits ----------------------------------------------------------------------------------------


def without_function(script: Script, index: int) -> Script:
    """The script without one helper. Calls pick another one, or are skipped."""
    helpers = script.helpers[:index] + script.helpers[index + 1 :]
    return replace(script, helpers=helpers)


def with_steps(script: Script, index: int, steps: Block) -> Script:
    """The script with the steps of one function replaced; the entry comes after the helpers."""
    if index == len(script.helpers):
        return replace(script, entry=replace(script.entry, steps=steps))
    helpers = list(script.helpers)
    helpers[index] = replace(helpers[index], steps=steps)
    return replace(script, helpers=tuple(helpers))
