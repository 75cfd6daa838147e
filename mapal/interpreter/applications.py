"""Calls and collection operations: the steps that run other functions.

A body runs once per element in one environment: it defines each of its values before it reads
it, so nothing of the element before can be seen, and captures are bound once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any

from mapal.interpreter.machine import Environment, Machine, Step
from mapal.interpreter.outcome import FuelExhausted
from mapal.interpreter.places import Copy
from mapal.ir.reduction import reduce_sequence


@dataclass(frozen=True, slots=True)
class Code:
    """A translated function.

    Its environment starts as a copy of `template`. The argument stands in slot 0 as a whole
    and component k of it in slot 1 + k. Whoever activates the function binds one or the other
    and gets the rest with the steps of `from_whole` or `from_components`; `reads_whole` tells
    whether anything needs the whole, `components` which components anything needs. `steps` is
    the function's body, after which the result is in slot `result`.

    A fold keeps its accumulator in place: `begin` takes the first one apart, `again` copies the
    result to the accumulator, and `finish` completes the last result.
    """

    template: Environment
    reads_whole: bool
    components: tuple[int, ...]
    unpack: tuple[tuple[Step, ...], ...]
    split: tuple[Step, ...]
    assemble: tuple[Step, ...]
    steps: tuple[Step, ...]
    result: int
    cost: int
    depth: int
    begin: tuple[Step, ...] = ()
    again: tuple[Step, ...] = ()
    finish: tuple[Step, ...] = ()

    def from_whole(self) -> tuple[Step, ...]:
        """What to run when slot 0 is bound."""
        return (*self.split, *chain.from_iterable(self.unpack), *self.steps)

    def from_components(self, constant: int = 0) -> tuple[Step, ...]:
        """What to run when the components are bound; the first `constant` of them have been
        unpacked before."""
        unpack = chain.from_iterable(self.unpack[constant:])
        return (*self.assemble, *unpack, *self.steps)

    def unpack_captures(self, count: int) -> tuple[Step, ...]:
        """What to run once when the first `count` components stay the same."""
        return tuple(chain.from_iterable(self.unpack[:count]))


def call_with_whole(machine: Machine, code: Code, argument: int, target: int) -> Step:
    """A call whose argument exists as one value."""
    fuel, template, steps = machine.fuel, code.template, code.from_whole()
    cost, result = code.cost, code.result

    def step(env: Environment) -> None:
        fuel[0] -= cost
        if fuel[0] < 0:
            raise FuelExhausted
        callee = template.copy()
        callee[0] = env[argument]
        for inner in steps:
            inner(callee)
        env[target] = callee[result]

    return step


def call_with_components(
    machine: Machine, code: Code, arguments: tuple[Copy, ...], target: int
) -> Step:
    """A call whose argument is bound component by component."""
    fuel, template, steps = machine.fuel, code.template, code.from_components()
    cost, result = code.cost, code.result

    def step(env: Environment) -> None:
        fuel[0] -= cost
        if fuel[0] < 0:
            raise FuelExhausted
        callee = template.copy()
        for parameter, argument in arguments:
            callee[parameter] = env[argument]
        for inner in steps:
            inner(callee)
        env[target] = callee[result]

    return step


def mapping(
    machine: Machine, code: Code, captures: tuple[int, ...], array: int, target: int, length: int
) -> Step:
    """A `map`: the body once per element, in order."""
    fuel, result = machine.fuel, code.result
    bind = _binder(code, captures)
    element = 1 + len(captures) if captures else 0
    steps = code.from_components(len(captures)) if captures else code.from_whole()
    cost = length * max(1, code.cost)

    def step(env: Environment) -> None:
        fuel[0] -= cost
        if fuel[0] < 0:
            raise FuelExhausted
        callee = bind(env)
        results: list[Any] = []
        append = results.append
        for value in env[array]:
            callee[element] = value
            for inner in steps:
                inner(callee)
            append(callee[result])
        env[target] = results

    return step


def folding(
    machine: Machine, code: Code, operands: tuple[int, ...], target: int, length: int
) -> Step:
    """A `fold`; `operands` are (captures…, first accumulator, array)."""
    fuel, result = machine.fuel, code.result
    *captures, seed, array = operands
    bind = _binder(code, tuple(captures))
    accumulator, element = 1 + len(captures), 2 + len(captures)
    begin, finish = code.begin, code.finish
    steps = (*code.from_components(len(captures)), *code.again)
    cost = length * max(1, code.cost)

    def step(env: Environment) -> None:
        fuel[0] -= cost
        if fuel[0] < 0:
            raise FuelExhausted
        callee = bind(env)
        callee[accumulator] = env[seed]
        for inner in begin:
            inner(callee)
        for value in env[array]:
            callee[element] = value
            for inner in steps:
                inner(callee)
        for inner in finish:
            inner(callee)
        env[target] = callee[result]

    return step


def reducing(
    machine: Machine, code: Code, captures: tuple[int, ...], array: int, target: int, length: int
) -> Step:
    """A `reduce`: the combinations of the fixed tree of `length`."""
    fuel, result = machine.fuel, code.result
    bind = _binder(code, captures)
    left, right = 1 + len(captures), 2 + len(captures)
    steps = code.from_components(len(captures))
    cost = (length - 1) * max(1, code.cost)

    def step(env: Environment) -> None:
        fuel[0] -= cost
        if fuel[0] < 0:
            raise FuelExhausted
        callee = bind(env)

        def combine(a: Any, b: Any) -> Any:
            callee[left] = a
            callee[right] = b
            for inner in steps:
                inner(callee)
            return callee[result]

        env[target] = reduce_sequence(env[array], combine)

    return step


def _binder(code: Code, captures: tuple[int, ...]) -> Callable[[Environment], Environment]:
    """The function that makes a body's environment with its captures bound."""
    template = code.template
    bindings = tuple(enumerate(captures, 1))
    unpack = code.unpack_captures(len(captures))

    def bind(env: Environment) -> Environment:
        callee = template.copy()
        for parameter, capture in bindings:
            callee[parameter] = env[capture]
        for step in unpack:
            step(callee)
        return callee

    return bind
