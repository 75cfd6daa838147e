"""Random scripts. Every choice is drawn from a `Source`, so that a seed, or a property-testing
library that shrinks what it drew, makes the same kind of scripts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from mapal.sweep.emission import PLAIN, STEPS
from mapal.sweep.emission.loops import LOOP_PRINTS
from mapal.sweep.script import Block, FunctionScript, Mode, Script, Step

DEEPEST_BLOCKS = 3
"""Blocks in blocks."""

LARGEST_NUMBER = 2**62

_KINDS = tuple(STEPS)
_WEIGHTS = tuple(accumulate(step.weight for step in STEPS.values()))
_PLAIN_WEIGHTS = tuple(accumulate(STEPS[kind].weight for kind in PLAIN))
_NESTING = ("loop", "guard", "loop", "integer_match", "loop")
_PARTS_OF_A_LOOP = 3
_BODIES = {
    "map": ("guard", "loop", "integer_match", "update", "map", "fold", "map_loop", "trap_in_arm"),
    "fold": ("guard", "integer_match", "loop", "update", "reduce"),
    "reduce": ("map", "fold", "guard"),
}
"""What a body holds more often than by chance."""


class Source(Protocol):
    """Where choices come from."""

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1; smaller means simpler."""
        ...


class RandomSource:
    """Choices from a seed. Equal seeds give equal choices on every platform."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def below(self, count: int) -> int:
        return self._random.randrange(count)


def script_of(seed: int, number: int) -> Script:
    """Script `number` of a sweep with `seed`."""
    return generate(RandomSource(f"mapal sweep {seed}:{number}"))


def generate(source: Source, *, largest: int = 8) -> Script:
    """A random script; `largest` bounds the steps of the entry's own block."""
    mode: Mode = "default" if source.below(5) else "trap_free"
    fused = bool(source.below(2))
    strategy = source.below(5)
    prints = strategy in (1, 3)
    helpers = tuple(_helper(source, prints) for _ in range(source.below(3)))
    parameters: tuple[int, ...] = ()
    arguments: tuple[int, ...] = (0,)
    if strategy in (2, 4):
        parameters = tuple(_type_code(source) for _ in range(1 + source.below(3)))
        arguments = tuple(source.below(1 << 20) for _ in range(3))
    result = 0 if source.below(2) else None
    steps = _opening(source) + _steps(source, 2 + source.below(largest - 1), DEEPEST_BLOCKS)
    if source.below(3) < (2 if prints else 1):
        depth = 2 + min(1, source.below(4 if prints else 2))
        steps += (_nest(source, depth, prints),)
    entry = FunctionScript(parameters, result, prints, steps)
    return Script(mode, fused, helpers, entry, arguments)


def _opening(source: Source) -> Block:
    """A few values to begin with."""
    kinds = ("constant", "constant", "composite", "conversion", "iota")
    return tuple(_step(source, kinds[source.below(len(kinds))], 0) for _ in range(3))


def _helper(source: Source, may_print: bool) -> FunctionScript:
    parameters = tuple(_type_code(source) for _ in range(1 + source.below(3)))
    prints = may_print and source.below(2) == 1
    result = _type_code(source) if source.below(3) or not prints else None
    steps = _steps(source, 1 + source.below(4), 1)
    if source.below(2):
        # Work that nobody uses, written last: it traps for some arguments.
        steps = (*steps, _step(source, "division", 0))
    return FunctionScript(parameters, result, prints, steps)


def _type_code(source: Source) -> int:
    """Mostly a scalar."""
    return source.below(6) if source.below(3) < 2 else source.below(64)


def _steps(source: Source, count: int, depth: int) -> Block:
    return tuple(_any_step(source, depth) for _ in range(count))


def _any_step(source: Source, depth: int) -> Step:
    if depth <= 0:
        return _plain_step(source)
    return _step(source, _choose(source, _KINDS, _WEIGHTS), depth)


def _plain_step(source: Source) -> Step:
    return _step(source, _choose(source, PLAIN, _PLAIN_WEIGHTS), 0)


def _choose(source: Source, kinds: Sequence[str], weights: Sequence[int]) -> str:
    drawn = source.below(weights[-1])
    return next(kind for kind, bound in zip(kinds, weights, strict=True) if drawn < bound)


def _step(source: Source, kind: str, depth: int) -> Step:
    found = STEPS[kind]
    numbers = tuple(_number(source) for _ in range(found.numbers))
    whole = found.blocks - found.early
    blocks = [_steps(source, source.below(3), depth - 1) for _ in range(whole)]
    if kind in _BODIES and source.below(5) < 2:
        # Bodies are small: few of them would hold anything with blocks.
        inner = _step(source, _BODIES[kind][source.below(len(_BODIES[kind]))], 0)
        blocks[0] = (inner, *blocks[0])
    for _ in range(found.early):
        blocks.append(tuple(_scalar_step(source) for _ in range(max(0, source.below(4) - 1))))
    return Step(kind, numbers, tuple(blocks))


def _scalar_step(source: Source) -> Step:
    kinds = ("division", "arithmetic", "index", "conversion", "division")
    return _step(source, kinds[source.below(len(kinds))], 0)


def _number(source: Source) -> int:
    """Small numbers mostly: the most recent values, the simplest choices."""
    size = source.below(16)
    if size < 6:
        return source.below(4)
    if size < 13:
        return source.below(64)
    return source.below(LARGEST_NUMBER)


def _nest(source: Source, depth: int, prints: bool) -> Step:
    """Loops, guards and matches inside each other, with plain steps and prints on each level:
    the inner one stands in any part of the outer one. Guards take no prints."""
    kind = "loop" if prints and source.below(3) else _NESTING[source.below(len(_NESTING))]
    step = _step(source, kind, 0)
    numbers = step.numbers
    if kind == "loop":
        numbers = (*numbers[:LOOP_PRINTS], int(prints), *numbers[LOOP_PRINTS + 1 :])
    blocks = list(step.blocks)
    at = source.below(_PARTS_OF_A_LOOP if kind == "loop" else 2)
    deeper = (_nest(source, depth - 1, prints),) if depth > 1 else (_plain_step(source),)
    blocks[at] = (*blocks[at], *deeper, _step(source, "print", 0))
    return Step(step.kind, numbers, tuple(blocks))
