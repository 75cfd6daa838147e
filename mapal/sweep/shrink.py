"""Shrinking: a smaller script with the same failure.

Greedy: an edit that keeps the failure is kept. Functions go first, then runs of steps (long runs
first), then steps are replaced by the steps inside them, then numbers become 0 or smaller. Any
edit of a script is a script, so nothing has to be repaired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from mapal.sweep.script import Block, Script, Step, with_steps, without_function

Fails = Callable[[Script], bool]

MOST_TRIALS = 600


def shrink(script: Script, fails: Fails, *, trials: int = MOST_TRIALS) -> Script:
    """The smallest script found for which `fails` holds, asking it at most `trials` times. It
    holds for `script` itself."""
    left = trials
    best = script
    improved = True
    while improved and left > 0:
        improved = False
        for candidate in _smaller(best):
            if left == 0:
                break
            left -= 1
            if fails(candidate):
                best, improved = candidate, True
                break
    return best


def _smaller(script: Script) -> Iterator[Script]:
    """Edited scripts, the boldest edits first."""
    if len(script.arguments) > 1:
        for argument in script.arguments:
            yield replace(script, arguments=(argument,))
    for index in range(len(script.helpers)):
        yield without_function(script, index)
    functions = (*script.helpers, script.entry)
    for index, function in enumerate(functions):
        for steps in _shorter(function.steps):
            yield with_steps(script, index, steps)
    if script.fused:
        yield replace(script, fused=False)
    for index, function in enumerate(functions):
        for steps in _simpler(function.steps):
            yield with_steps(script, index, steps)


def _shorter(block: Block) -> Iterator[Block]:
    """The block without runs of its steps, with a step replaced by what is in it, or with an
    inner block shortened."""
    length = len(block)
    run = length
    while run:
        for start in range(0, length, run):
            yield block[:start] + block[start + run :]
        run //= 2
    for at, step in enumerate(block):
        for inner in step.blocks:
            if inner:
                yield (*block[:at], *inner, *block[at + 1 :])
        for changed in _with_inner(step, _shorter):
            yield (*block[:at], changed, *block[at + 1 :])


def _simpler(block: Block) -> Iterator[Block]:
    """The block with the numbers of one step made smaller, inner steps included."""
    for at, step in enumerate(block):
        for numbers in _simpler_numbers(step.numbers):
            yield (*block[:at], replace(step, numbers=numbers), *block[at + 1 :])
        for changed in _with_inner(step, _simpler):
            yield (*block[:at], changed, *block[at + 1 :])


def _with_inner(step: Step, edits: Callable[[Block], Iterator[Block]]) -> Iterator[Step]:
    """The step with one of its blocks edited."""
    for number, inner in enumerate(step.blocks):
        for edited in edits(inner):
            blocks = (*step.blocks[:number], edited, *step.blocks[number + 1 :])
            yield replace(step, blocks=blocks)


def _simpler_numbers(numbers: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if any(numbers):
        yield (0,) * len(numbers)
    for at, number in enumerate(numbers):
        for smaller in dict.fromkeys((0, number % 64, number // 2, number - 1)):
            if 0 <= smaller < number:
                yield (*numbers[:at], smaller, *numbers[at + 1 :])
