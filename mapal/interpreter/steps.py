"""Steps: the closures that single operations are translated to.

A step reads slots of the environment and writes one. The function that it applies is looked up
in the scalar tables once, at translation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any

from mapal.interpreter.machine import Environment, Machine, Step
from mapal.interpreter.outcome import TrapSignal
from mapal.interpreter.places import Copy
from mapal.interpreter.sequences import Numbered, Repeated, Zipped, updated
from mapal.ir.formatting import format_value
from mapal.ir.graph import Key
from mapal.ir.rounding import single_cell
from mapal.ir.scalars import DivisionByZero, Fit, Raw, integer_range, wrapping
from mapal.ir.types import Scalar, Type


def unary(raw: Raw, result: Scalar, operand: int, target: int) -> Step:
    function = raw.function
    match raw.fit:
        case Fit.EXACT:

            def step(env: Environment) -> None:
                env[target] = function(env[operand])

        case Fit.WRAPPED:
            low, high = integer_range(result)
            wrap = wrapping(result)

            def step(env: Environment) -> None:
                n = function(env[operand])
                env[target] = n if low <= n <= high else wrap(n)

        case Fit.ROUNDED:
            single = single_cell()

            def step(env: Environment) -> None:
                single[0] = function(env[operand])
                env[target] = single[0]

    return step


def binary(raw: Raw, result: Scalar, left: int, right: int, target: int) -> Step:
    function = raw.function
    match raw.fit:
        case Fit.EXACT:

            def step(env: Environment) -> None:
                env[target] = function(env[left], env[right])

        case Fit.WRAPPED:
            low, high = integer_range(result)
            wrap = wrapping(result)

            def step(env: Environment) -> None:
                n = function(env[left], env[right])
                env[target] = n if low <= n <= high else wrap(n)

        case Fit.ROUNDED:
            single = single_cell()

            def step(env: Environment) -> None:
                single[0] = function(env[left], env[right])
                env[target] = single[0]

    return step


def division(raw: Raw, result: Scalar, left: int, right: int, target: int, key: Key) -> Step:
    """An integer division or remainder: the operations on numbers that can trap."""
    function = raw.function
    low, high = integer_range(result)
    wrap = wrapping(result)

    def step(env: Environment) -> None:
        try:
            n = function(env[left], env[right])
        except DivisionByZero:
            raise TrapSignal("div_zero", key) from None
        env[target] = n if low <= n <= high else wrap(n)

    return step


def ternary(
    function: Callable[[Any, Any, Any], Any], operands: tuple[int, int, int], target: int
) -> Step:
    x, y, z = operands

    def step(env: Environment) -> None:
        env[target] = function(env[x], env[y], env[z])

    return step


def index(array: int, position: int, target: int, length: int, key: Key) -> Step:
    def step(env: Environment) -> None:
        at = env[position]
        if not 0 <= at < length:
            raise TrapSignal("index_oob", key)
        env[target] = env[array][at]

    return step


def update(array: int, position: int, value: int, target: int, length: int, key: Key) -> Step:
    def step(env: Environment) -> None:
        at = env[position]
        if not 0 <= at < length:
            raise TrapSignal("index_oob", key)
        env[target] = updated(env[array], at, env[value], length)

    return step


def zipped(left: int, right: int, target: int, length: int) -> Step:
    def step(env: Environment) -> None:
        env[target] = Zipped(env[left], env[right], length)

    return step


def numbered(array: int, target: int, length: int) -> Step:
    def step(env: Environment) -> None:
        env[target] = Numbered(env[array], length)

    return step


def counted(target: int, length: int) -> Step:
    """An `iota`: a range, whatever its length."""
    numbers = range(length)

    def step(env: Environment) -> None:
        env[target] = numbers

    return step


def repeated(value: int, target: int, length: int) -> Step:
    def step(env: Environment) -> None:
        env[target] = Repeated(env[value], length)

    return step


def printing(machine: Machine, value: int, ty: Type, newline: bool) -> Step:
    end = "\n" if newline else ""

    def step(env: Environment) -> None:
        machine.output.extend((format_value(env[value], ty) + end).encode())

    return step


def clock_reading(machine: Machine, target: int) -> Step:
    """The target is a (token, milliseconds) pair; a token has no content."""

    def step(env: Environment) -> None:
        env[target] = (None, machine.clock())

    return step


# Products and copies ------------------------------------------------------------------------


def packing(components: tuple[int, ...], target: int, as_list: bool) -> Step:
    """A tuple or struct (a Python tuple), or an array literal (a list)."""
    if len(components) == 1:
        (only,) = components
        if as_list:

            def step(env: Environment) -> None:
                env[target] = [env[only]]

        else:

            def step(env: Environment) -> None:
                env[target] = (env[only],)

        return step
    gather = itemgetter(*components)
    if as_list:

        def step(env: Environment) -> None:
            env[target] = list(gather(env))

    else:

        def step(env: Environment) -> None:
            env[target] = gather(env)

    return step


def extraction(source: int, components: Iterable[tuple[int, int]]) -> Step:
    """Copies components, given as (component, target slot), out of a product."""
    pairs = tuple(components)
    if len(pairs) == 1:
        ((component, target),) = pairs

        def step(env: Environment) -> None:
            env[target] = env[source][component]

        return step

    def step_of_several(env: Environment) -> None:
        product = env[source]
        for component, target in pairs:
            env[target] = product[component]

    return step_of_several


def descent(source: int, path: tuple[int, ...], target: int) -> Step:
    """Copies a component of a component (and so on) out of a product."""

    def step(env: Environment) -> None:
        value = env[source]
        for component in path:
            value = value[component]
        env[target] = value

    return step


def copying(copies: list[Copy]) -> Step | None:
    """Copies between slots, all at once: sources are read before any target is written. None
    if there is nothing to do."""
    changed = [(target, source) for target, source in copies if target != source]
    match changed:
        case []:
            return None
        case [(target, source)]:
            return _copying_one(target, source)
        case [first, second]:
            return _copying_two(first, second)
    targets = [target for target, _ in copies]
    if targets == list(range(targets[0], targets[0] + len(targets))):
        return _copying_neighbours(targets[0], [source for _, source in copies])
    return _copying_several(changed)


def _copying_one(target: int, source: int) -> Step:
    def step(env: Environment) -> None:
        env[target] = env[source]

    return step


def _copying_two(first: Copy, second: Copy) -> Step:
    target, source = first
    other_target, other_source = second

    def step(env: Environment) -> None:
        env[target], env[other_target] = env[source], env[other_source]

    return step


def _copying_neighbours(first: int, sources: list[int]) -> Step:
    gather = itemgetter(*sources)
    targets = slice(first, first + len(sources))

    def step(env: Environment) -> None:
        env[targets] = gather(env)

    return step


def _copying_several(copies: list[Copy]) -> Step:
    gather = itemgetter(*(source for _, source in copies))
    targets = [target for target, _ in copies]

    def step(env: Environment) -> None:
        for target, value in zip(targets, gather(env), strict=True):
            env[target] = value

    return step
