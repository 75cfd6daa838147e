"""The plain interpreter: it defines what a program means.

One element at a time, every operation by its function in `mapal.ir.scalars`, in the order of
`mapal.ir.order`. `run` is total: every program that passed the checks ends as done, trapped or,
when the step budget is spent, diverged. One unit of the budget is one item evaluated (an
operation, a product, a guard), and one for each pass of a loop.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from mapal.diagnostics import CompilerBug
from mapal.interpreter.applications import Code
from mapal.interpreter.machine import Clock, Machine, monotonic_milliseconds
from mapal.interpreter.outcome import FuelExhausted, Outcome, TrapSignal
from mapal.interpreter.translate import translate
from mapal.ir.entry import without_token
from mapal.ir.graph import Graph
from mapal.ir.types import Array, Scalar, Struct, Tuple, Type, Unit, contains_token

FRAMES_BESIDE_STEPS = 200
"""Room for what surrounds and what lies below the steps themselves."""


def run(
    graph: Graph,
    inputs: Mapping[str, object],
    *,
    budget: int,
    clock: Clock | None = None,
    lockstep_from: int | None = None,
) -> Outcome:
    """Runs a program. Collections of at least `lockstep_from` elements are evaluated for all
    elements at once, with the same outcome (the budget is then counted in another way); without
    it all of the program is evaluated one element at a time.

    `inputs` gives the entry's parameters by name: an `int`, `float` or `bool` for a scalar (an
    f32 already rounded), a tuple for a tuple or struct, a sequence for an array. The result has
    the same forms. `clock` serves `time`; without it the process's monotonic clock does.
    """
    machine = Machine([budget], clock or monotonic_milliseconds, lockstep_from=lockstep_from)
    code = translate(graph, machine)
    argument = _argument(graph, inputs)
    try:
        with _recursion_to(code.depth):
            value = _activate(machine, code, argument)
    except TrapSignal as signal:
        return Outcome("trapped", bytes(machine.output), trap=signal.trap)
    except FuelExhausted:
        return Outcome("diverged", bytes(machine.output))
    return Outcome("done", bytes(machine.output), _result(graph, value))


def _activate(machine: Machine, code: Code, argument: Any) -> Any:
    machine.fuel[0] -= code.cost
    if machine.fuel[0] < 0:
        raise FuelExhausted
    env = code.template.copy()
    env[0] = argument
    for step in code.from_whole():
        step(env)
    return env[code.result]


@contextmanager
def _recursion_to(depth: int) -> Iterator[None]:
    """Lets Python nest as deeply as the regions and calls of the program do."""
    before = sys.getrecursionlimit()
    frame, height = sys._getframe(), 0
    at: Any = frame
    while at is not None:
        at, height = at.f_back, height + 1
    sys.setrecursionlimit(max(before, height + 2 * depth + FRAMES_BESIDE_STEPS))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _argument(graph: Graph, inputs: Mapping[str, object]) -> Any:
    entry = graph.functions[graph.entry]
    unknown = set(inputs) ^ set(entry.parameters)
    if unknown:
        raise CompilerBug(f"{entry.name} and the inputs disagree on {sorted(unknown)}")
    values = [inputs[name] for name in entry.parameters]
    value = values[0] if len(values) == 1 else tuple(values) if values else None
    is_pair = isinstance(graph.ty(entry.input), Tuple) and contains_token(graph.ty(entry.input))
    return (None, value) if is_pair else value


def _result(graph: Graph, value: Any) -> object:
    ty = graph.ty(graph.functions[graph.entry].output)
    plain = without_token(ty)
    if isinstance(plain, Unit):
        return None
    return _in_lists(value[1] if plain is not ty else value, plain)


def _in_lists(value: Any, ty: Type) -> object:
    """A result without lazy arrays: lists for arrays, at every level."""
    match ty:
        case Array(element=Scalar()):
            return value if isinstance(value, list) else list(value)
        case Array(element=element):
            elements: Sequence[Any] = value
            return [_in_lists(part, element) for part in elements]
        case Tuple(items=items):
            return tuple(_in_lists(part, item) for part, item in zip(value, items, strict=True))
        case Struct():
            return tuple(_in_lists(part, item) for part, item in zip(value, ty.items, strict=True))
        case _:
            return value
