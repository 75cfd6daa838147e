"""Emission: what each kind of step adds to a graph.

`STEPS` is the table of kinds. A kind that cannot stand where it is (an effect in an arm, a trap
in a program without traps, an operand that nothing provides) adds nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mapal.sweep.emission import (
    collections,
    effects,
    guards,
    loop_traps,
    loops,
    products,
    scalars,
)
from mapal.sweep.emission.emitter import Emitter, Numbers
from mapal.sweep.script import Block

Emit = Callable[[Emitter, Numbers, tuple[Block, ...]], None]


@dataclass(frozen=True, slots=True)
class StepKind:
    """How a kind is emitted, how many numbers it reads, how many blocks it has (`early` of them,
    the last ones, hold plain steps only), and how often it is chosen."""

    emit: Emit
    numbers: int
    weight: int
    blocks: int = 0
    early: int = 0


STEPS: dict[str, StepKind] = {
    "constant": StepKind(scalars.constant, 2, 10),
    "arithmetic": StepKind(scalars.arithmetic, 6, 16),
    "division": StepKind(scalars.division, 5, 8),
    "comparison": StepKind(scalars.comparison, 5, 17),
    "logic": StepKind(scalars.logic, 3, 5),
    "unary": StepKind(scalars.unary, 3, 7),
    "mathematics": StepKind(scalars.mathematics, 4, 6),
    "conversion": StepKind(scalars.conversion, 4, 10),
    "multiply_add": StepKind(scalars.multiply_add, 16, 6),
    "pack": StepKind(products.pack, 6, 5),
    "projection": StepKind(products.projection, 2, 6),
    "composite": StepKind(products.composite, 2, 5),
    "array": StepKind(products.array, 10, 6),
    "index": StepKind(products.index, 5, 10),
    "update": StepKind(products.update, 8, 7),
    "iota": StepKind(products.iota, 2, 3),
    "fill": StepKind(products.fill, 3, 3),
    "zip": StepKind(products.zipped, 2, 3),
    "enumerate": StepKind(products.enumerated, 1, 3),
    "map": StepKind(collections.map_array, 14, 7, blocks=1),
    "fold": StepKind(collections.fold_array, 14, 6, blocks=1),
    "reduce": StepKind(collections.reduce_array, 13, 8, blocks=1),
    "fold_in_map": StepKind(collections.fold_in_map, 11, 3, blocks=1),
    "call": StepKind(collections.call, 6, 11),
    "print": StepKind(effects.print_value, 2, 8),
    "print_text": StepKind(effects.print_text, 2, 2),
    "clock": StepKind(effects.clock, 0, 2),
    "guard": StepKind(guards.guard, 6, 8, blocks=4, early=2),
    "integer_match": StepKind(guards.integer_match, 10, 4, blocks=4),
    "trap_in_arm": StepKind(guards.trap_in_arm, 12, 21, blocks=1),
    "shared_trap": StepKind(guards.shared_trap, 8, 3),
    "callee_in_arm": StepKind(guards.callee_in_arm, 8, 3),
    "nested_choice": StepKind(guards.nested_choice, 14, 3, blocks=2),
    "loop": StepKind(loops.loop, 20, 8, blocks=5, early=2),
    "fold_loop": StepKind(loops.fold_loop, 6, 6),
    "map_loop": StepKind(loops.map_loop, 4, 4),
    "exit_trap": StepKind(loop_traps.exit_trap, 3, 2),
    "invariant_trap": StepKind(loop_traps.invariant_trap, 4, 3),
    "dead_work": StepKind(loop_traps.dead_work, 4, 3, blocks=1),
    "sequential_loops": StepKind(loop_traps.sequential_loops, 4, 2),
    "trap_print_loop": StepKind(loop_traps.trap_print_loop, 5, 7),
    "loop_joins_trap": StepKind(loop_traps.loop_joins_trap, 6, 3),
    "arm_value_in_loop": StepKind(loop_traps.arm_value_in_loop, 3, 3),
}

PLAIN = tuple(kind for kind, step in STEPS.items() if not step.blocks)
"""Kinds without blocks."""


def run_block(emitter: Emitter, block: Block) -> None:
    """Emits the steps of a block in order."""
    for step in block:
        STEPS[step.kind].emit(emitter, Numbers(step.numbers), step.blocks)
