"""Guards and loops: the steps that run regions.

A region is translated to a `Block` before the guard or loop that owns it. Running a block
spends its cost, then runs its steps in order.
"""

from __future__ import annotations

from dataclasses import dataclass

from mapal.interpreter.machine import Environment, Machine, Step
from mapal.interpreter.outcome import FuelExhausted


@dataclass(frozen=True, slots=True)
class Block:
    """The steps of a region. `cost` is its number of items, guards and loops counting one;
    `depth` how many calls of Python functions running it nests."""

    steps: tuple[Step, ...]
    cost: int
    depth: int


@dataclass(frozen=True, slots=True)
class Link:
    """One test of a guard: what runs before it, its condition, and the arm taken if it holds."""

    before: Block
    cond: int
    arm: Block


def selection(cond: int, when_true: int, when_false: int, target: int) -> Step:
    """A guard with nothing to run: a choice between two values that are there."""

    def step(env: Environment) -> None:
        env[target] = env[when_true] if env[cond] else env[when_false]

    return step


def guard(machine: Machine, cond: int, when_true: Block, when_false: Block) -> Step:
    """Runs the selected arm, which ends with copying its value to the guard's place."""
    fuel = machine.fuel
    true_steps, true_cost = when_true.steps, when_true.cost
    false_steps, false_cost = when_false.steps, when_false.cost

    def step(env: Environment) -> None:
        if env[cond]:
            fuel[0] -= true_cost
            if fuel[0] < 0:
                raise FuelExhausted
            for inner in true_steps:
                inner(env)
        else:
            fuel[0] -= false_cost
            if fuel[0] < 0:
                raise FuelExhausted
            for inner in false_steps:
                inner(env)

    return step


def integer_match(machine: Machine, links: tuple[Link, ...], default: Block) -> Step:
    """A chain of guards, tested in order without nesting."""
    fuel = machine.fuel

    def step(env: Environment) -> None:
        chosen = default
        for link in links:
            if link.before.cost:
                fuel[0] -= link.before.cost
                for inner in link.before.steps:
                    inner(env)
            if env[link.cond]:
                chosen = link.arm
                break
        fuel[0] -= chosen.cost
        if fuel[0] < 0:
            raise FuelExhausted
        for inner in chosen.steps:
            inner(env)

    return step


@dataclass(frozen=True, slots=True)
class LoopParts:
    """`enter`, `back` and `leave` copy the state in, on, and the exit value out."""

    cond: int
    body: Block
    jump: Block
    exit: Block
    enter: Step | None
    back: Step | None
    leave: Step | None


def loop(machine: Machine, parts: LoopParts) -> Step:
    """Runs the body, then either the exit region, once, or the jump region and the body again.
    Each pass costs at least one unit, so that an empty endless loop is found out too."""
    fuel = machine.fuel
    cond = parts.cond
    body, jump = parts.body.steps, parts.jump.steps
    if parts.back is not None:
        jump = (*jump, parts.back)
    leave = (*parts.exit.steps, parts.leave) if parts.leave else parts.exit.steps
    enter = parts.enter
    body_cost, jump_cost, exit_cost = 1 + parts.body.cost, parts.jump.cost, parts.exit.cost

    def step(env: Environment) -> None:
        if enter is not None:
            enter(env)
        while True:
            fuel[0] -= body_cost
            if fuel[0] < 0:
                raise FuelExhausted
            for inner in body:
                inner(env)
            if not env[cond]:
                break
            fuel[0] -= jump_cost
            for inner in jump:
                inner(env)
        fuel[0] -= exit_cost
        if fuel[0] < 0:
            raise FuelExhausted
        for inner in leave:
            inner(env)

    return step
